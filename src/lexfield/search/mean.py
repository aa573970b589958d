"""Euclidean distance between mean word vectors (AVG of Hare et al.), exact.

Means lie on principal axes. A scan of the sketch's first part bounds every distance from below; the
most promising rows are measured, which gives a limit, and only rows whose bound is under it go on:
to the second part of the sketch, and those still under the limit to all axes. ``axes.py`` says
why the bounds hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.explain import Explanation, no_reasons
from lexfield.index.axes import FAR, NEAR, far_bounds, near_bounds
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.index.segment import Unit
from lexfield.search.pairs import pair_reasons, product_parts

_PROMISING = 64  # rows measured for a limit
_LARGEST = float(np.finfo(np.float32).max)  # no limit, but under the infinity of unknown rows


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The score is minus the distance. Rows without any vector are not given."""

    name = "mean"

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        if not query.known.any():
            return Found([], [], no_reasons, ["no word of the query has a vector"])
        numbers: list[NDArray[Any]] = []
        distances: list[NDArray[Any]] = []
        for start, unit in rows.blocks():
            part = None if allowed is None else allowed[start : start + unit.rows]
            near, far = _nearest(unit, query.mean(), k, part)
            numbers.append(near + start)
            distances.append(far)
        found, scores = np.concatenate(numbers), -np.concatenate(distances)
        places = top_k(scores, k, found)
        chosen = found[places].tolist()
        return Found(
            chosen, scores[places].tolist(), lambda place: _explain(rows, query, chosen[place])
        )


def _nearest(
    unit: Unit, mean: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows that contain the ``k`` nearest, with their exact distances."""
    turned = (mean - unit.center).astype(np.float64) @ unit.rotation.astype(np.float64)
    head = np.zeros(FAR)
    head[: len(turned)] = turned[:FAR]
    weights = (2 * head * unit.steps).astype(np.float32)
    tails = np.array([2 * np.linalg.norm(turned[n:]) for n in (NEAR, FAR)], np.float32)
    # Twice the length of the query on each part times the sketch's largest error there.
    rooms = 2 * unit.errors * [np.linalg.norm(head[:NEAR]), np.linalg.norm(head[NEAR:])]
    bounds = near_bounds(unit.near, weights[:NEAR], unit.rests[0], tails[0], unit.squares)
    if allowed is not None:
        bounds[~allowed] = np.inf
    rows = _under_limit(unit, turned, k, bounds, rooms[0])
    bounds = far_bounds(unit.far, weights[NEAR:], unit.rests, tails, rows, bounds)
    rows = rows[_under_limit(unit, turned, k, bounds, rooms.sum(), rows)]
    return rows, _distances(unit, turned, rows)


def _under_limit(
    unit: Unit,
    turned: NDArray[np.float64],
    k: int,
    bounds: NDArray[np.float32],
    room: float,
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Places of bounds that do not exceed the ``k``-th distance of the most promising rows."""
    count = min(max(k, _PROMISING), len(bounds))
    places = np.argpartition(bounds, count - 1)[:count] if count else np.empty(0, np.int64)
    places = places[bounds[places] < np.inf]
    limit = np.inf
    if len(places) >= k:
        measured = _distances(unit, turned, places if rows is None else rows[places])
        limit = float(np.partition(measured, k - 1)[k - 1]) ** 2
    own = float(turned @ turned)
    # Sums in float32 may lift a bound by the second room; with both the answer is exact.
    under = limit - own + room + 4e-5 * (limit + own)
    return np.flatnonzero(bounds <= np.float32(min(under, _LARGEST)))


def _distances(
    unit: Unit, turned: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    apart = unit.axes[rows] - turned
    distances: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", apart, apart))
    return distances


def _explain(rows: Rows, query: Query, row: int) -> Explanation:
    """The pairs of words with the largest part in the inner product of the two means."""
    parts = 2 * product_parts(rows, query, row)
    return Explanation(pair_reasons(rows, query, row, parts), additive=False)
