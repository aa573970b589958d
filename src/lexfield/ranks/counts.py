"""Words by rank, and other figures of a text: types and tokens, Heaps' law, Table 5.

Heaps' law: among the first n tokens there are about K·n^b distinct words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.matrix import BagMatrix
from lexfield.ranks.fit import Counts
from lexfield.text.corpus import Corpus, View

_WINDOW = 1000
_PLACES = 100


@dataclass(frozen=True)
class TextFigures:
    """Counts of a text.

    ratio: types over tokens, which falls as a text grows; ``ratio_of_1000`` is its mean over
        windows of 1,000 tokens, which is comparable between texts; None for a shorter text.
    once: types that occur once. heaps_k, heaps_b: Heaps' law; None for under 100 tokens.
    unembedded: types without a vector, after repair; None if no vectors were loaded.
    sentences: distinct sentences with a known word (all distinct ones if no vectors were loaded).
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


def rank_ngrams(corpus: Corpus, n: int = 1) -> tuple[Counts, Sequence[str]]:
    """Return the counts of all n-grams, falling, and the n-grams; ties in alphabetical order."""
    if n == 1:
        return corpus.vocabulary.counts, corpus.vocabulary.words
    bags = BagMatrix.of(corpus, n)
    sums = np.asarray(bags.counts.sum(axis=0)).ravel().astype(np.int64)
    # columns are ordered by word ids, which go by falling count and the alphabet
    order = np.argsort(-sums, kind="stable")
    return sums[order], View(len(order), lambda rank: bags.type(int(order[rank])))


def count_growth(tokens: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many distinct words the first 1, 2, 3 … tokens contain."""
    is_new = np.zeros(len(tokens), np.int64)
    is_new[np.unique(tokens, return_index=True)[1]] = 1
    return np.cumsum(is_new)


def fit_heaps(tokens: NDArray[np.int32]) -> tuple[float, float] | tuple[None, None]:
    """Return K and b by least squares in logs, over log-spaced lengths of the text."""
    if len(tokens) < _PLACES:
        return None, None
    lengths = np.unique(np.geomspace(10, len(tokens), _PLACES).astype(np.int64))
    b, log_k = np.polyfit(np.log(lengths), np.log(count_growth(tokens)[lengths - 1]), 1)
    return float(np.exp(log_k)), float(b)


def find_distinct_sentences(corpus: Corpus) -> NDArray[np.int64]:
    """Return the first occurrence of every sentence, compared by its words."""
    offsets, tokens = corpus.token_offsets.tolist(), corpus.tokens
    first: dict[bytes, int] = {}
    for row in range(len(offsets) - 1):
        if offsets[row] < offsets[row + 1]:
            first.setdefault(tokens[offsets[row] : offsets[row + 1]].tobytes(), row)
    return np.fromiter(first.values(), np.int64, len(first))


def count_text(
    corpus: Corpus, known: NDArray[np.bool_] | None = None, sentences: int | None = None
) -> TextFigures:
    """Count a text; ``known`` says which words have vectors."""
    tokens, types = len(corpus.tokens), len(corpus.vocabulary)
    windows = tokens // _WINDOW
    rows = np.sort(corpus.tokens[: windows * _WINDOW].reshape(windows, _WINDOW), axis=1)
    distinct = (np.diff(rows, axis=1) != 0).sum(axis=1) + 1
    heaps_k, heaps_b = fit_heaps(corpus.tokens)
    return TextFigures(
        tokens=tokens,
        types=types,
        ratio=types / tokens if tokens else 0.0,
        ratio_of_1000=float(distinct.mean() / _WINDOW) if windows else None,
        once=int((corpus.vocabulary.counts == 1).sum()),
        heaps_k=heaps_k,
        heaps_b=heaps_b,
        unembedded=None if known is None else int((~known).sum()),
        sentences=len(find_distinct_sentences(corpus)) if sentences is None else sentences,
    )
