"""The nearest other rows of every row, exact: each tile of the product serves both its sides.

The score of a pair is x·y − |x|²/2 − |y|²/2 = −|x − y|²/2, one inner product with two more columns
and the same from both sides, so half of all tiles is enough: this takes about half the time of
``nearest_rows``. A tile is computed in float32 and compared with the lowest scores that its rows
and columns still keep. Every row keeps ``_SPARE`` rows more than k. If the last of them is further
below the k-th than rounding can reach, the k nearest are among those kept, and are measured and
sorted in float64. Rows with too many near ties for that are searched again by ``nearest_rows``.
"""

from __future__ import annotations

from contextlib import nullcontext
from threading import Lock, local

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.engine.heap import replace_worst
from lexfield.progress import Progress, silent
from lexfield.vectors.nearest import (
    NearestRows,
    nearest_rows,
    prepare_rows,
    rank_exactly,
    rounding_error,
)

_TILE = 1024  # rows per side: 4 MB of scores
_SPARE = 8
_RUN = 64  # scores compared together


def nearest_others(
    rows: NDArray[np.float32], k: int, *, progress: Progress = silent
) -> NearestRows:
    """Return the ``k`` Euclidean nearest other rows of every row, as ``nearest_rows`` would."""
    size = len(rows)
    k = min(k, size - 1)
    if k < 1:
        return NearestRows(np.zeros(size + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    scores, others, slack = _collect(rows, min(k + _SPARE, size - 1), progress)
    low = -np.partition(-scores, k - 1, axis=1)[:, k - 1] - 2 * slack

    def rank_tile(first: int) -> tuple[Array, Array, Array]:
        part = slice(first, first + _TILE)
        q, place = np.nonzero(scores[part] >= low[part, None])
        pairs = q, others[part][q, place]
        return rank_exactly(rows[part], rows, pairs, None, k, None, True)

    ranked = list(map_blocks(rank_tile, range(0, size, _TILE)))
    nearest = np.concatenate([near for _, near, _ in ranked]).reshape(size, k)
    distances = np.concatenate([score for _, _, score in ranked]).reshape(size, k)
    unsure = (scores.min(axis=1) >= low) & (scores.shape[1] < size - 1)
    if len(again := np.flatnonzero(unsure)):
        more = nearest_rows(rows[again], prepare_rows(rows, euclidean=True), k=k, skip=again)
        nearest[again], distances[again] = more.rows.reshape(-1, k), more.scores.reshape(-1, k)
    return NearestRows(np.arange(size + 1) * k, nearest.ravel(), distances.ravel())


def _collect(
    rows: NDArray[np.float32], count: int, progress: Progress
) -> tuple[NDArray[np.float32], NDArray[np.int32], float]:
    """Return the ``count`` best others of each row as scores and rows, and the rounding error."""
    size = len(rows)
    halves = -0.5 * np.einsum("ij,ij->i", rows, rows)
    ones = np.ones(size, np.float32)
    left, right = np.column_stack([rows, halves, ones]), np.column_stack([rows, ones, halves])
    scores = np.full((size, count), -np.inf, np.float32)
    others = np.full((size, count), -1, np.int32)
    starts = range(0, size, _TILE)
    floors = np.full(len(starts) * _TILE, np.inf, np.float32)  # no rows beyond the last
    floors[:size] = -np.inf
    locks = {start: Lock() for start in starts}
    thread = local()

    def add_tile(corner: tuple[int, int]) -> None:
        top, side = corner
        if not hasattr(thread, "product"):
            thread.product = np.zeros((_TILE, _TILE), np.float32)
        above, across = left[top : top + _TILE], right[side : side + _TILE]
        np.matmul(above, across.T, out=thread.product[: len(above), : len(across)])
        with locks[top], nullcontext() if side == top else locks[side]:
            _offer(thread.product, top, side, scores, others, floors)

    corners = [(top, side) for top in starts for side in starts if side >= top]
    # Consecutive tiles share no row, so threads seldom wait for each other.
    corners.sort(key=lambda corner: (corner[1] - corner[0], corner))
    for _ in map_blocks(add_tile, corners, progress=progress):
        pass
    return scores, others, rounding_error(left, right)


@kernel
def _offer(
    product: Array, top: int, side: int, scores: Array, others: Array, floors: Array
) -> None:
    """Offer the scores of a tile to the heaps of its rows and columns."""
    count = scores.shape[1]
    for i in range(min(_TILE, len(scores) - top)):
        line, row = product[i], top + i
        for first in range((i + 1) // _RUN * _RUN if top == side else 0, _TILE, _RUN):
            run, low, floor = line[first : first + _RUN], floors[side + first :], floors[row]
            hits = np.uint8(0)
            for j in range(_RUN):
                hits += np.uint8(run[j] > min(floor, low[j]))
            if hits == 0:
                continue
            for j in range(first, min(first + _RUN, len(scores) - side)):
                column = side + j
                if top == side and j <= i:
                    continue
                if line[j] > floors[row]:
                    replace_worst(others[row], scores[row], count, column, line[j])
                    floors[row] = scores[row, 0]
                if line[j] > floors[column]:
                    replace_worst(others[column], scores[column], count, row, line[j])
                    floors[column] = scores[column, 0]
