"""``lexfield near``"""

from __future__ import annotations

import click

from lexfield.cli.options import vectors_option
from lexfield.cli.output import Bar, emit, output_options
from lexfield.errors import UnknownWordError


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("-k", default=10, show_default=True, type=click.IntRange(1), help="How many.")
@click.option(
    "--threshold",
    type=click.FloatRange(-1, 1),
    help="All words with at least this cosine, instead of the k nearest.",
)
@vectors_option
@output_options
def near(
    words: tuple[str, ...], k: int, threshold: float | None, vectors: str, output: str | None
) -> None:
    """Find the nearest words, by cosine, of one word or of several in turn.

    \b
    lexfield near book
    lexfield near king queen -k 5 --json
    lexfield near river --threshold 0.6
    lexfield near book --vectors my-vectors.vec
    """
    from lexfield.vectors.wordvectors import WordVectors

    with Bar("reading vectors") as bar:
        known = WordVectors.load(vectors, progress=bar)
    records, notes = [], []
    for word in words:
        try:
            found = known.nearest(word, k, threshold=threshold)
        except UnknownWordError as error:
            notes.append(str(error))
            continue
        query = {"query": word} if len(words) > 1 else {}
        records += [{**query, **record} for record in found.to_dicts()]
    emit("near", records, output, notes=notes)
