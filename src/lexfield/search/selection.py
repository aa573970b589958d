"""Adding up lists of scores, and the best rows of the sums: what every bag method does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel

Array = NDArray[Any]


@kernel
def add_list(sums: Array, rows: Array, values: Array, weight: float) -> None:
    """Add a list's weighted values to the sums of its rows."""
    for place in range(len(rows)):
        sums[rows[place]] += weight * values[place]


@kernel
def best_rows(
    sums: Array, less: Array, norms: Array, scale: float, allowed: Array, k: int
) -> tuple[Array, Array]:
    """The ``k`` best rows whose sum is positive, and their scores: sum − less + scale · norm.

    A heap with the worst of the best on top; of equal scores the later row is worse. ``less``,
    ``norms`` and ``allowed`` may be empty.
    """
    rows, scores = np.empty(k, np.int64), np.empty(k)
    size = 0
    for row in range(len(sums)):
        if sums[row] <= 0 or (len(allowed) and not allowed[row]):
            continue
        score = sums[row]
        if len(less):
            score -= less[row]
        if len(norms):
            score += scale * norms[row]
        if size < k:
            place = size
            size += 1
            while place > 0:
                parent = (place - 1) >> 1
                if score > scores[parent]:
                    break
                rows[place], scores[place] = rows[parent], scores[parent]
                place = parent
            rows[place], scores[place] = row, score
        elif score > scores[0]:
            _sink(rows, scores, size, row, score)
    for last in range(size - 1, 0, -1):  # take the worst off, to the end
        row, score = rows[last], scores[last]
        rows[last], scores[last] = rows[0], scores[0]
        _sink(rows, scores, last, row, score)
    return rows[:size], scores[:size]


@kernel
def _sink(rows: Array, scores: Array, size: int, row: int, score: float) -> None:
    """Put an entry in the place of the top, and let it sink to where it belongs."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            scores[other] < scores[child]
            or (scores[other] == scores[child] and rows[other] > rows[child])
        ):
            child = other
        if scores[child] > score or (scores[child] == score and rows[child] < row):
            break
        rows[place], scores[place] = rows[child], scores[child]
        place = child
    rows[place], scores[place] = row, score
