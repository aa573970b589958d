"""``lexfield speech``"""

from __future__ import annotations

from typing import Any

import click

from lexfield.cli.options import (
    allow_unknown_option,
    own_vectors_option,
    read_each,
    reading_options,
)
from lexfield.cli.output import Bar, output_options, tell


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="CORPUS...")
@click.option(
    "-k",
    "neighbours",
    multiple=True,
    type=click.IntRange(1, 1000),
    help="How many nearest words; give it several times.  [default: 3 5 10 20 50]",
)
@own_vectors_option
@allow_unknown_option
@reading_options
@output_options
def speech(
    paths: tuple[str, ...],
    neighbours: tuple[int, ...],
    vectors: str,
    allow_unknown: bool,
    output: str | None,
    **reading: Any,
) -> None:
    """Count parts of speech, and see whether near words have the same (English).

    Each distinct word has one of six classes; by_chance is the share of neighbours of the same
    class if they were drawn at random.

    \b
    lexfield speech novel.txt
    lexfield speech books.idx               the texts of an index
    lexfield speech novel.txt news/ --json
    lexfield speech novel.txt -k 1 -k 10 --vectors glove
    """
    from lexfield.answers.ranks import speech as told
    from lexfield.ranks.speech import NEIGHBOURS
    from lexfield.ranks.speech import speech as tag

    results, notes = [], []
    for name, corpus in read_each(paths, reading):
        with Bar(f"{name}: nearest words") as bar:
            result = tag(
                corpus,
                vectors=vectors,
                allow_unknown=allow_unknown,
                neighbours=sorted(set(neighbours)) or NEIGHBOURS,
                name=name,
                progress=bar,
            )
        results.append(result)
        notes += [f"{name}: {note}" for note in (*corpus.notes, *result.notes)]
    tell(
        told(results, notes),
        output,
        lambda: [line for result in results for line in (*result.lines(), "")][:-1],
    )
