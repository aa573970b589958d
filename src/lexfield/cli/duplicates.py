"""``lexfield duplicates``"""

from __future__ import annotations

import click

from lexfield.cli.options import unit_option
from lexfield.cli.output import emit, output_options


@click.command()
@click.argument("path", metavar="IDX")
@click.option(
    "--threshold",
    default=0.8,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Least Jaccard similarity of the words, stopwords out.",
)
@unit_option("document")
@click.option("--approximate", is_flag=True, help="By MinHash, for very large indexes.")
@output_options
def duplicates(
    path: str, threshold: float, unit: str, approximate: bool, output: str | None
) -> None:
    """Find pairs of documents or sentences that say nearly the same in the same words.

    \b
    lexfield duplicates tickets.idx --threshold 0.5
    lexfield duplicates my.idx --unit sentence --json
    """
    from lexfield.search.duplicates import duplicates as find
    from lexfield.search.index import Index

    found = find(Index.open(path), threshold, unit=unit, approximate=approximate)

    def table() -> list[str]:
        lines = []
        for pair in found:
            lines.append(f"{pair.similarity:.3f}  {pair.a}  {pair.b}")
            lines += [
                f"       {' '.join(text.split())[:150]}" for text in (pair.text_a, pair.text_b)
            ]
        return lines

    emit("duplicates", found.to_dicts(), output, table=table)
