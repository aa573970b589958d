"""``lexfield bag``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lexfield.answers import bounds
from lexfield.cli.options import read_corpus, reading_options, whole
from lexfield.cli.output import emit, output_options
from lexfield.results import format_rows

if TYPE_CHECKING:
    from lexfield.bags.bag import Bag

_SHOWN = 10  # types of a set or multiset that are written out


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option("--ngram", default=1, show_default=True, type=whole(bounds.NGRAM), help="Order.")
@click.option("-k", type=whole(bounds.RESULTS), help="Only the k most frequent types.")
@reading_options
@output_options
def bag(
    paths: tuple[str, ...], ngram: int, k: int | None, output: str | None, **reading: Any
) -> None:
    """Count the n-grams of texts: their set, their multiset, types, tokens and frequencies.

    N-grams do not cross the end of a sentence.

    \b
    lexfield bag novel.txt
    lexfield bag books.idx                  the texts of an index
    lexfield bag novel.txt --ngram 2 -k 20 --json
    echo "Only John could like John" | lexfield bag -
    """
    from lexfield.bags.matrix import BagMatrix

    corpus = read_corpus(paths, reading)
    counted = BagMatrix.of(corpus, ngram).total()
    records = counted.to_dicts()[:k]
    extra = {"ngram": ngram, "types": counted.types, "tokens": counted.tokens}

    def table() -> list[str]:
        shown = len(records) if k else 20
        return [*_head(counted), "", *format_rows(records, shown=shown)]

    emit("bag", records, output, notes=corpus.notes, table=table, extra=extra)


def _head(counted: Bag) -> list[str]:
    """Types and tokens, and the most frequent written out as a set and as a multiset."""
    first = counted.most_common(_SHOWN)
    more = ", …" if counted.types > _SHOWN else ""
    types = ", ".join(str(type) for type, _ in first)
    multiset = ", ".join(f"{type}: {count}" for type, count in first)
    return [
        f"{counted.types:,} types, {counted.tokens:,} tokens",
        f"set       {{{types}{more}}}",
        f"multiset  {{{multiset}{more}}}",
    ]
