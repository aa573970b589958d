"""The nearest other rows of every row, exact: each tile of the product serves both its sides.

The score of a pair is x·y − |x|²/2 − |y|²/2 = −|x − y|²/2, one inner product with two more columns
and the same from both sides, so half of all tiles is enough. A tile is computed in float32 and
compared with the lowest scores that its rows and columns still keep. Every row keeps ``_MORE``
rows beyond k: where the last of them is further below the k-th than rounding can reach, the k
nearest are among those kept, and are measured and ordered in float64. Rows with too many near ties
for that are searched again by ``nearest_rows``.
"""

from __future__ import annotations

from contextlib import nullcontext
from threading import Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.progress import Progress, silent
from lexfield.vectors.neighbours import Nearest, exact, nearest_rows, prepared, rounding

_TILE = 1024  # rows a side: 4 MB of scores
_MORE = 8
_RUN = 64  # scores looked at together


def nearest_others(rows: NDArray[np.float32], k: int, *, progress: Progress = silent) -> Nearest:
    """What ``nearest_rows`` gives for all rows among themselves, Euclidean, no row its own."""
    size = len(rows)
    k = min(k, size - 1)
    if k < 1:
        return Nearest(np.zeros(size + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    scores, others, slack = _kept(rows, min(k + _MORE, size - 1), progress)
    low = -np.partition(-scores, k - 1, axis=1)[:, k - 1] - 2 * slack

    def order(first: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        part = slice(first, first + _TILE)
        q, place = np.nonzero(scores[part] >= low[part, None])
        return exact(rows[part], rows, q, others[part][q, place], None, k, None, True)

    ordered = list(map_blocks(order, range(0, size, _TILE)))
    found = np.concatenate([near for _, near, _ in ordered]).reshape(size, k)
    distances = np.concatenate([score for _, _, score in ordered]).reshape(size, k)
    unsure = (scores.min(axis=1) >= low) & (scores.shape[1] < size - 1)
    if len(again := np.flatnonzero(unsure)):
        more = nearest_rows(rows[again], prepared(rows, euclidean=True), k=k, skip=again)
        found[again], distances[again] = more.rows.reshape(-1, k), more.scores.reshape(-1, k)
    return Nearest(np.arange(size + 1) * k, found.ravel(), distances.ravel())


def _kept(
    rows: NDArray[np.float32], count: int, progress: Progress
) -> tuple[NDArray[np.float32], NDArray[np.int32], float]:
    """For each row the ``count`` others of best score, in no order; and what rounding can do."""
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
    own = local()

    def tile(corner: tuple[int, int]) -> None:
        top, side = corner
        if not hasattr(own, "product"):
            own.product = np.zeros((_TILE, _TILE), np.float32)
        above, beside = left[top : top + _TILE], right[side : side + _TILE]
        np.matmul(above, beside.T, out=own.product[: len(above), : len(beside)])
        with locks[top], nullcontext() if side == top else locks[side]:
            _take(own.product, top, side, scores, others, floors)

    corners = [(top, side) for top in starts for side in starts if side >= top]
    # Neighbouring tiles share no row: threads seldom wait for each other.
    corners.sort(key=lambda corner: (corner[1] - corner[0], corner))
    for _ in map_blocks(tile, corners, progress=progress):
        pass
    return scores, others, rounding(left, right)


@kernel
def _take(product: Any, top: Any, side: Any, scores: Any, others: Any, floors: Any) -> Any:
    """Offer the scores of a tile to its rows and its columns."""
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
                    floors[row] = _replace_lowest(scores[row], others[row], line[j], column)
                if line[j] > floors[column]:
                    floors[column] = _replace_lowest(scores[column], others[column], line[j], row)


@kernel
def _replace_lowest(scores: Any, rows: Any, score: Any, row: Any) -> Any:
    """Put a score in the place of the lowest of a heap; gives the lowest then."""
    size, place = len(scores), 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and scores[child + 1] < scores[child]:
            child += 1
        if scores[child] >= score:
            break
        scores[place], rows[place] = scores[child], rows[child]
        place = child
    scores[place], rows[place] = score, row
    return scores[0]
