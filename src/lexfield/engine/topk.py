"""The k best: of an array of scores, or of scores that come one at a time.

The latter are kept in a compiled heap with the worst on top. Its ``items`` and ``scores`` are
arrays of length k whose first ``size`` entries are in use. Of equal scores the higher item number
is the worse one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel


def top_k(scores: Array, k: int, ties: Array | None = None) -> NDArray[np.int64]:
    """Return the positions of the ``k`` highest scores, best first.

    Of equal scores the lower position comes first, or the lower value of ``ties`` if given.
    Positions that score -inf are left out.
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int64)
    cut = np.partition(scores, -k)[-k]
    places = np.flatnonzero(scores >= cut) if cut > -np.inf else np.flatnonzero(scores > -np.inf)
    order = places if ties is None else ties[places]
    return places[np.lexsort((order, -scores[places]))][:k]


@kernel
def push(items: Array, scores: Array, size: int, item: int, score: float) -> int:
    """Add an item, in place of the worst if the heap is full. Return the new size."""
    if size == len(items):
        if is_worse(scores[0], items[0], score, item):
            replace_worst(items, scores, size, item, score)
        return size
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if not is_worse(score, item, scores[parent], items[parent]):
            break
        items[place], scores[place] = items[parent], scores[parent]
        place = parent
    items[place], scores[place] = item, score
    return size + 1


@kernel
def replace_worst(items: Array, scores: Array, size: int, item: int, score: float) -> None:
    """Put an item in the place of the worst and restore the order of the heap."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and is_worse(scores[other], items[other], scores[child], items[child]):
            child = other
        if not is_worse(scores[child], items[child], score, item):
            break
        items[place], scores[place] = items[child], scores[child]
        place = child
    items[place], scores[place] = item, score


@kernel
def is_worse(score: float, item: int, other: float, other_item: int) -> bool:
    return score < other or (score == other and item > other_item)


@kernel
def sort_heap(items: Array, scores: Array) -> None:
    """Turn a full heap into a list, best first."""
    for last in range(len(items) - 1, 0, -1):
        item, score = items[last], scores[last]
        items[last], scores[last] = items[0], scores[0]
        replace_worst(items, scores, last, item, score)


@kernel
def find_lowest(bounds: Array, count: int) -> NDArray[np.int64]:
    """Return the places of the ``count`` lowest finite bounds, in no order."""
    places, scores = np.empty(count, np.int64), np.empty(count, np.float32)
    size, limit = 0, np.float32(np.inf)
    for place in range(len(bounds)):
        if bounds[place] < limit:
            size = push(places, scores, size, place, -bounds[place])
            if size == count:
                limit = -scores[0]
    return places[:size]
