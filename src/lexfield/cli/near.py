"""``lexfield near``"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from lexfield.answers import bounds
from lexfield.answers.answer import Record
from lexfield.answers.bounds import Bound
from lexfield.cli.options import cluster_option, engine_at, real, vectors_option, whole
from lexfield.cli.output import Bar, output_options, tell
from lexfield.errors import InputError
from lexfield.results import format_rows

if TYPE_CHECKING:
    from lexfield.vectors.models import Models

_LONGEST_WORD = 10_000  # characters


@click.command()
@click.argument("words", nargs=-1, metavar="WORD...")
@click.option(
    "--words", "file", type=click.Path(exists=True, dir_okay=False), help="File, a word a line."
)
@click.option("-k", default=10, show_default=True, type=whole(bounds.RESULTS), help="How many.")
@click.option(
    "--threshold",
    type=real(Bound(-1, 1)),
    help="All words with at least this cosine, instead of the k nearest.",
)
@vectors_option
@click.option(
    "--models",
    multiple=True,
    metavar="DIR|NAME|FILE",
    help="Several models: a folder of `lexfield vectors train`, or sets, given one by one.",
)
@click.option(
    "--dims", type=whole(bounds.NEIGHBOUR), help="Of a folder with models of several sizes."
)
@cluster_option
@output_options
def near(
    words: tuple[str, ...],
    file: str | None,
    k: int,
    threshold: float | None,
    vectors: str,
    models: tuple[str, ...],
    dims: int | None,
    cluster: str | None,
    output: str | None,
) -> None:
    """Find the nearest words, by cosine, of one word or of several in turn.

    With several models the cosine is a mean with its standard deviation, and each neighbour says in
    how many of them it is among the k nearest, and at which ranks.

    \b
    lexfield near book
    lexfield near king queen -k 5 --json
    lexfield near river --threshold 0.6
    lexfield near book --vectors my-vectors.vec
    lexfield near book --models my-models
    lexfield near book --models first.vec --models second.vec --json
    lexfield near --words all.txt -k 20 --jsonl --cluster tcp://10.0.0.5:8786
    """
    from lexfield.answers.words import near as find
    from lexfield.answers.words import near_many
    from lexfield.evaluate.queries import MOST_BYTES, read_lines
    from lexfield.vectors.models import Models
    from lexfield.vectors.wordvectors import WordVectors

    if dims and not models:
        raise click.UsageError("--dims goes with --models.")
    if bool(words) == bool(file):
        raise click.UsageError("Give either words or --words FILE.")
    if file:
        words = tuple(line.strip() for _, line in read_lines(file, _LONGEST_WORD, MOST_BYTES))
        if not words:
            raise InputError(f"There is no word in {file}.", "Write one word per line.")
    if file and cluster and not models:
        with engine_at(cluster) as engine, Bar("looking", engine) as bar:
            assert engine is not None
            return tell(near_many(engine, vectors, words, k, threshold, bar), output)
    with Bar("reading vectors") as bar:
        known: WordVectors | Models = (
            _models(models, dims, bar) if models else WordVectors.load(vectors, progress=bar)
        )
    answer = find(known, words, k, threshold, known.notes if models else ())
    table = partial(_table, answer.records, known) if isinstance(known, Models) else None
    tell(answer, output, table)


def _models(sources: Sequence[str], dims: int | None, bar: Bar) -> Models:
    from lexfield.vectors.models import Models, is_models
    from lexfield.vectors.wordvectors import WordVectors

    if len(sources) == 1 and is_models(sources[0]):
        return Models.open(sources[0], dims)
    return Models([WordVectors.load(source, progress=bar) for source in sources])


def _table(records: Sequence[Record], models: Models) -> list[str]:
    """``books  0.82 ± 0.01  5 of 5 models  1 to 3``"""
    rows = [
        {
            **({"query": record["query"]} if "query" in record else {}),
            "word": record["word"],
            "similarity": f"{record['similarity']:.2f} ± {record['deviation']:.2f}",
            "near in": f"{round(record['share'] * len(models))} of {len(models)} models",
            "ranks": f"{record['best_rank']:,} to {record['worst_rank']:,}",
        }
        for record in records
    ]
    return format_rows(rows, shown=len(rows))
