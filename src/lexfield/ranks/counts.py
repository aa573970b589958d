"""Words by rank, and what else is counted of a text: types and tokens, Heaps' law, Table 5.

Heaps' law: among the first n tokens there are about K·n^b distinct words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.matrix import BagMatrix
from lexfield.ranks.fit import Counts
from lexfield.text.corpus import Corpus

_WINDOW = 1000
_PLACES = 100


@dataclass(frozen=True)
class TextFigures:
    """What is counted of a text.

    ratio: types over tokens, which falls as a text grows; ``ratio_of_1000`` is its mean over
        stretches of 1,000 tokens, which can be compared; None for a shorter text.
    once: types that occur once. heaps_k, heaps_b: Heaps' law; None for under 100 tokens.
    unembedded: types that have no vector, after repair; None where no vectors were asked.
    sentences: distinct ones of which a word has a vector (all distinct ones without vectors).
    """

    tokens: int
    types: int
    ratio: float
    ratio_of_1000: float | None
    once: int
    heaps_k: float | None
    heaps_b: float | None
    unembedded: int | None
    sentences: int


def ranked(corpus: Corpus, n: int = 1) -> tuple[Counts, Sequence[str]]:
    """Counts of all n-grams, falling, and the n-grams; those of one count by the alphabet."""
    if n == 1:
        return corpus.vocabulary.counts, corpus.vocabulary.words
    bags = BagMatrix.of(corpus, n)
    sums = np.asarray(bags.counts.sum(axis=0)).ravel().astype(np.int64)
    # word ids go by falling count and the alphabet, so columns are in a fixed order already
    order = np.argsort(-sums, kind="stable")
    return sums[order], _Grams(bags, order)


class _Grams(Sequence[str]):
    """The n-grams by rank, written out when they are asked for."""

    def __init__(self, bags: BagMatrix, order: NDArray[np.int64]) -> None:
        self._bags, self._order = bags, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, index: int | slice) -> str | list[str]:  # type: ignore[override]
        if isinstance(index, slice):
            return [self._bags.type(int(column)) for column in self._order[index]]
        return self._bags.type(int(self._order[index]))


def growth(tokens: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many distinct words the first 1, 2, 3 … tokens hold."""
    new = np.zeros(len(tokens), np.int64)
    new[np.unique(tokens, return_index=True)[1]] = 1
    return np.cumsum(new)


def heaps(tokens: NDArray[np.int32]) -> tuple[float, float] | None:
    """K and b by least squares in logs, over log-spaced lengths of the text."""
    if len(tokens) < _PLACES:
        return None
    lengths = np.unique(np.geomspace(10, len(tokens), _PLACES).astype(np.int64))
    x, y = np.log(lengths), np.log(growth(tokens)[lengths - 1])
    b, k = np.polyfit(x, y, 1)
    return float(np.exp(k)), float(b)


def distinct_sentences(corpus: Corpus) -> NDArray[np.int64]:
    """The first row of every sentence that differs from all before it in its words."""
    offsets, tokens = corpus.token_offsets.tolist(), corpus.tokens
    seen: dict[bytes, int] = {}
    for row in range(len(offsets) - 1):
        if offsets[row] < offsets[row + 1]:
            seen.setdefault(tokens[offsets[row] : offsets[row + 1]].tobytes(), row)
    return np.fromiter(seen.values(), np.int64, len(seen))


def text_figures(
    corpus: Corpus, known: NDArray[np.bool_] | None = None, sentences: int | None = None
) -> TextFigures:
    """Count a text; ``known`` says which words have vectors."""
    tokens, types = len(corpus.tokens), len(corpus.vocabulary)
    whole = tokens // _WINDOW
    windows = np.sort(corpus.tokens[: whole * _WINDOW].reshape(whole, _WINDOW), axis=1)
    fresh = (np.diff(windows, axis=1) != 0).sum(axis=1) + 1
    law = heaps(corpus.tokens)
    return TextFigures(
        tokens=tokens,
        types=types,
        ratio=types / tokens if tokens else 0.0,
        ratio_of_1000=float(fresh.mean() / _WINDOW) if whole else None,
        once=int((corpus.vocabulary.counts == 1).sum()),
        heaps_k=law[0] if law else None,
        heaps_b=law[1] if law else None,
        unembedded=None if known is None else int((~known).sum()),
        sentences=len(distinct_sentences(corpus)) if sentences is None else sentences,
    )
