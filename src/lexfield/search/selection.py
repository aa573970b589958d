"""Adding up lists of scores, and the best rows of the sums: what every bag method does.

Only rows of the lists are looked at, however many others there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel
from lexfield.engine.heap import push

Array = NDArray[Any]


@kernel
def add_list(sums: Array, rows: Array, values: Array, weight: float) -> None:
    """Add a list's weighted values to the sums of its rows."""
    for place in range(len(rows)):
        sums[rows[place]] += weight * values[place]


@kernel
def distinct_rows(sums: Array, rows: Array) -> Array:
    """The rows with a positive sum, each once; the sums of these are negated."""
    distinct = np.empty(len(rows), np.int32)
    size = 0
    for row in rows:
        if sums[row] > 0:
            sums[row] = -sums[row]
            distinct[size] = row
            size += 1
    return distinct[:size]


@kernel
def take_rows(
    sums: Array,
    rows: Array,
    less: Array,
    norms: Array,
    scales: Array,
    allowed: Array,
    best: Array,
    scores: Array,
    size: int,
) -> int:
    """Put rows into a heap with the worst of the best on top; gives its new size.

    A row scores its sum, what is ``less`` by negative weights, and ``scales`` times its ``norms``.
    Its sum is cleared when it is looked at, so that it is looked at once. ``less`` may be empty,
    and so may ``allowed``, for all rows.
    """
    for row in rows:
        score = sums[row]
        if score <= 0:
            continue
        sums[row] = 0
        if len(allowed) and not allowed[row]:
            continue
        if len(less):
            score += less[row]
        for order in range(len(norms)):
            score += scales[order] * norms[order, row]
        size = push(best, scores, size, row, score)
    return size
