"""Compiled loops over lists of rows, for the bag methods.

Only rows of the lists are visited, however many others there are.
"""

from __future__ import annotations

import numpy as np

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import push


@kernel
def add_list(sums: Array, rows: Array, values: Array, weight: float) -> None:
    """Add the weighted values of a list to the sums of its rows."""
    for place in range(len(rows)):
        sums[rows[place]] += weight * values[place]


@kernel
def distinct_rows(sums: Array, rows: Array) -> Array:
    """Return the rows with a positive sum, each once, and negate their sums."""
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
    among: Array,
    best: Array,
    scores: Array,
    size: int,
) -> int:
    """Push rows on a heap of the best. Return its new size.

    The score of a row is its sum, plus ``less`` from negative weights, plus ``scales`` times its
    ``norms``. Its sum is set to 0, so that the row is pushed once. ``less`` may be empty, and an
    empty ``among`` allows all rows.
    """
    for row in rows:
        score = sums[row]
        if score <= 0:
            continue
        sums[row] = 0
        if len(among) and not among[row]:
            continue
        if len(less):
            score += less[row]
        for order in range(len(norms)):
            score += scales[order] * norms[order, row]
        size = push(best, scores, size, row, score)
    return size
