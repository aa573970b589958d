"""``lexfield methods``"""

from __future__ import annotations

import click

from lexfield.cli.output import emit, output_options


@click.command()
@click.argument("about", default="")
@output_options
def methods(about: str, output: str | None) -> None:
    """Print the table of methods: what each does, what it costs, who wrote of it.

    n is the number of rows, V of distinct words, d of dimensions, q of words in a query, T of
    topics. Equations and figures are in docs/methods/PAGE.md.

    \b
    lexfield methods
    lexfield methods rekabsaz
    lexfield methods --json
    """
    from lexfield.answers.methods import methods as table

    emit("methods", table(about).to_dicts(), output)
