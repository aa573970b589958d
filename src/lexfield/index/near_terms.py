"""The loops of ``related.py``: relatives from stored balls, or among all words, joined by terms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel
from lexfield.index.segment import BALL
from lexfield.index.units import exact_dots

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
        ball = balls[words[number]]
        ball = ball[: (ball >= 0).sum()]
        products = exact_dots(vectors, ball, vectors[words[number]])
        begin, content, least = size, 0, np.inf
        for entry in range(len(ball)):
            other, cosine = ball[entry], products[entry]
            least = min(least, cosine + (1 - squares[other]) / 2)  # 1 − d²/2 of each
            if place[other] >= 0:
                content += 1
                if top >= 0 or cosine >= floor:
                    near[size], cosines[size] = other, cosine
                    size += 1
        lowest, is_short = floor, content < top
        if 0 < top <= BALL and not is_short:
            lowest = np.sort(cosines[begin:size])[-top]
        sizes[number] = size - begin
        if len(ball) == BALL and (is_short or least > lowest - CLOSE):
            sizes[number], size = -1, begin
    return near[:size].copy(), cosines[:size].copy(), sizes


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


@kernel
def join_terms(
    terms: Array, cosines: Array, sizes: Array, own: Array
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct terms of lists, one after another, most similar first and of equal ones
    the first; the highest cosine of each, up to 1, and how many each list has. A list has its own
    term no more, nor any without a positive cosine."""
    joined, highest = np.empty(len(terms), np.int64), np.empty(len(terms))
    left, size, last = np.empty(len(sizes), np.int64), 0, 0
    for number in range(len(sizes)):
        first, last, begin = last, last + sizes[number], size
        order = first + np.argsort(terms[first:last], kind="mergesort")
        for entry in order:
            term, cosine = np.int64(terms[entry]), cosines[entry]
            if term == own[number] or cosine <= 0:
                continue
            if size > begin and joined[size - 1] == term:
                highest[size - 1] = max(highest[size - 1], cosine)
            else:
                joined[size], highest[size] = term, cosine
                size += 1
        order = begin + np.argsort(-highest[begin:size], kind="mergesort")
        joined[begin:size], highest[begin:size] = joined[order], np.minimum(highest[order], 1.0)
        left[number] = size - begin
    return joined[:size].copy(), highest[:size].copy(), left
