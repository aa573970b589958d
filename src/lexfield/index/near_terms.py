"""The loops of ``related.py``: relatives from stored balls, or among all words, joined by terms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel
from lexfield.index.segment import BALL

CLOSE = 1e-5  # more than rounding changes a cosine
HEAD = 64  # columns that bound the product of two words


@reordered_kernel
def sift_balls(
    vectors: Array, words: Array, balls: Array, place: Array, squares: Array, floor: float, top: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the words of balls that may be related to their centres, one ball after another: the
    words, their cosines, and how many each ball has; -1 for a ball that is too small to tell.

    All words that can have relatives are returned if ``top`` is not negative.
    """
    near, cosines = np.empty(BALL * len(words), np.int64), np.empty(BALL * len(words))
    sizes, size = np.empty(len(words), np.int64), 0
    for number in range(len(words)):
        word, begin, content, least, held = words[number], size, 0, np.inf, 0
        while held < BALL and balls[word, held] >= 0:
            other, cosine = balls[word, held], 0.0
            for column in range(vectors.shape[1]):
                cosine += np.float64(vectors[other, column]) * vectors[word, column]
            held += 1
            least = min(least, cosine + (1 - squares[other]) / 2)  # 1 − d²/2 of each
            if place[other] >= 0:
                content += 1
                if top >= 0 or cosine >= floor:
                    near[size], cosines[size] = other, cosine
                    size += 1
        lowest, is_short = floor, content < top
        if 0 < top <= BALL and not is_short:
            lowest = _find_highest(cosines, begin, size, top)
        sizes[number] = size - begin
        if held == BALL and (is_short or least > lowest - CLOSE):
            sizes[number], size = -1, begin
    return near[:size].copy(), cosines[:size].copy(), sizes


@kernel
def _find_highest(values: Array, first: int, last: int, rank: int) -> float:
    """Return the value of a rank among some values, of which there are few."""
    for place in range(first, last):
        higher = equal = 0
        for other in range(first, last):
            higher += values[other] > values[place]
            equal += values[other] == values[place]
        if higher < rank <= higher + equal:
            return float(values[place])
    return -np.inf


@reordered_kernel
def pick_near(
    vectors: Array,
    targets: Array,
    lengths: Array,
    tails: Array,
    vector: Array,
    tail: float,
    floor: float,
) -> NDArray[np.int64]:
    """Return the targets whose product with a vector may reach ``floor`` times their lengths;
    ``tails`` are the lengths of vectors without their first columns."""
    picked, size = np.empty(len(targets), np.int64), 0
    head = min(HEAD, len(vector))
    for place in range(len(targets)):
        word, product = targets[place], np.float32(0)
        for column in range(head):
            product += vectors[word, column] * vector[column]
        if product + tail * tails[word] >= floor * lengths[place]:
            picked[size] = word
            size += 1
    return picked[:size].copy()


def join_terms(
    terms: Array, cosines: Array, sizes: Array, own: Array
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct terms of lists, one after another, most similar first and of equal ones
    the first; the highest cosine of each, up to 1, and how many each list has. A list has its own
    term no more, nor any without a positive cosine."""
    lists = np.repeat(np.arange(len(sizes)), sizes)
    entries = np.flatnonzero((terms != own[lists]) & (cosines > 0))
    entries = entries[np.lexsort((-cosines[entries], terms[entries], lists[entries]))]
    is_first = np.ones(len(entries), bool)  # the most similar of entries with the same term
    is_first[1:] = (np.diff(lists[entries]) != 0) | (np.diff(terms[entries]) != 0)
    entries = entries[is_first]
    entries = entries[np.lexsort((-cosines[entries], lists[entries]))]
    left = np.bincount(lists[entries], minlength=len(sizes))
    return terms[entries].astype(np.int64), np.minimum(cosines[entries], 1.0), left
