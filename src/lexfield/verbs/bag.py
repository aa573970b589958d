"""``lexfield bag``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from lexfield.bags.bag import Bag
from lexfield.bags.matrix import BagMatrix
from lexfield.progress import Progress, silent
from lexfield.results import format_rows
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import READING, Reading, TextsInput, read_texts
from lexfield.verbs.options import Hits, Ngram
from lexfield.verbs.results import Paint, Result, hidden, plain

_WRITTEN = 10  # types of the set and the multiset that are written out
_SHOWN = 20  # types in the table


@dataclass(kw_only=True)
class NgramRow:
    """An n-gram with its count and its share of all tokens."""

    type: str
    count: int
    frequency: float


@dataclass(repr=False)
class CountedNgrams(Result[NgramRow]):
    """The n-grams of texts, most frequent first; ``bag`` holds all of them."""

    ngram: int
    types: int
    tokens: int
    bag: Bag = hidden()
    k: int | None = hidden(default=None)

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        first = self.bag.most_common(_WRITTEN)
        more = ", …" if self.types > _WRITTEN else ""
        yield f"{self.types:,} types, {self.tokens:,} tokens"
        yield f"set       {{{', '.join(str(type) for type, _ in first)}{more}}}"
        yield f"multiset  {{{', '.join(f'{type}: {count}' for type, count in first)}{more}}}"
        yield ""
        rows = self.to_dicts()
        yield from format_rows(rows, shown=len(rows) if self.k else _SHOWN)


@verb
def bag(
    texts: Annotated[TextsInput, Flags(metavar="FILE...")],
    *,
    ngram: Ngram = 1,
    k: Annotated[Hits | None, Help("Show only the k most frequent types.")] = None,
    reading: Reading = READING,
    progress: Progress = silent,
) -> CountedNgrams:
    """Count the n-grams of texts: types, tokens, frequencies.

    They are shown as a set and as a multiset too. N-grams do not cross the end of a sentence.

        lexfield bag novel.txt
        lexfield bag books.idx                  the texts of an index
        lexfield bag novel.txt --ngram 2 -k 20 --json
        echo "Only John could like John" | lexfield bag -
    """
    corpus = read_texts(texts, reading, progress)
    counted = BagMatrix.of(corpus, ngram).total()
    frequencies = counted.frequencies()
    rows = [
        NgramRow(type=str(type), count=int(count), frequency=frequencies[type])
        for type, count in counted.most_common(k)
    ]
    return CountedNgrams(
        rows,
        ngram=ngram,
        types=counted.types,
        tokens=int(counted.tokens),
        bag=counted,
        k=k,
        notes=corpus.notes,
    )
