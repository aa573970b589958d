"""Euclidean distance between mean word vectors (AVG of Hare et al.), exact.

The means of rows are stored along principal axes, with a small sketch of each. A scan of the first
part of the sketches bounds every distance from below. Measuring the most promising rows yields a
limit. Rows with a lower bound are compared by the second part of their sketches, and those still
under the limit by all axes. ``axes.py`` says why the bounds hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.explain import Explanation, Reason
from lexfield.index.axes import FAR, NEAR, far_bounds, near_bounds
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.index.units import Unit
from lexfield.search.method import Mask

_PROMISING = 64  # rows measured to find a limit
# No limit, but below the infinity of rows without vectors.
_LARGEST = float(np.finfo(np.float32).max)
_SHOWN = 20  # pairs of words in an explanation


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The score is minus the distance. Rows without any vector are not returned."""

    name = "mean"
    uses_vectors = True

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        if not query.known.any():
            return Found([], [], notes=["no word of the query has a vector"])
        parts = []
        for start, unit in rows.blocks():
            own = None if among is None else among[start : start + unit.rows]
            near, distances = _find_nearest(unit, query.mean(), k, own)
            parts.append((near + start, -distances))
        near, scores = (np.concatenate(part) for part in zip(*parts, strict=True))
        places = top_k(scores, k, near)
        chosen = near[places].tolist()
        return Found(
            chosen, scores[places].tolist(), lambda place: _explain(rows, query, chosen[place])
        )


def _find_nearest(
    unit: Unit, mean: NDArray[np.float32], k: int, among: Mask | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return rows that include the ``k`` nearest, with their exact distances."""
    turned = (mean - unit.center).astype(np.float64) @ unit.rotation.astype(np.float64)
    head = np.zeros(FAR)
    head[: len(turned)] = turned[:FAR]
    weights = (2 * head * unit.steps).astype(np.float32)
    tails = np.array([2 * np.linalg.norm(turned[n:]) for n in (NEAR, FAR)], np.float32)
    # Twice the length of the query in each part, times the largest error of the sketches there.
    rooms = 2 * unit.errors * [np.linalg.norm(head[:NEAR]), np.linalg.norm(head[NEAR:])]
    bounds = near_bounds(unit.near, weights[:NEAR], unit.rests[0], tails[0], unit.squares)
    if among is not None:
        bounds[~among] = np.inf
    rows = _select_under_limit(unit, turned, k, bounds, rooms[0])
    bounds = far_bounds(unit.far, weights[NEAR:], unit.rests, tails, rows, bounds)
    rows = rows[_select_under_limit(unit, turned, k, bounds, rooms.sum(), rows)]
    return rows, _measure(unit, turned, rows)


def _select_under_limit(
    unit: Unit,
    turned: NDArray[np.float64],
    k: int,
    bounds: NDArray[np.float32],
    room: float,
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return the places of bounds that do not exceed the ``k``-th distance of the most promising
    rows."""
    count = min(max(k, _PROMISING), len(bounds))
    places = np.argpartition(bounds, count - 1)[:count] if count else np.empty(0, np.int64)
    places = places[bounds[places] < np.inf]
    limit = np.inf
    if len(places) >= k:
        measured = _measure(unit, turned, places if rows is None else rows[places])
        limit = float(np.partition(measured, k - 1)[k - 1]) ** 2
    own = float(turned @ turned)
    # The second term allows for sums in float32; with both the answer is exact.
    under = limit - own + room + 4e-5 * (limit + own)
    return np.flatnonzero(bounds <= np.float32(min(under, _LARGEST)))


def _measure(
    unit: Unit, turned: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    differences = unit.axes[rows] - turned
    distances: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", differences, differences))
    return distances


def _explain(rows: Rows, query: Query, row: int) -> Explanation:
    """Return the pairs of words with the largest parts in the inner product of the two means."""
    parts = 2 * split_product(rows, query, row)
    return Explanation(explain_pairs(rows, query, row, parts), additive=False)


def split_product(rows: Rows, query: Query, row: int) -> NDArray[np.float64]:
    """Return the part of each pair (query word, row word) in the inner product of the means."""
    words, _, shares = rows.entries(row)
    own = query.vectors.astype(np.float64)
    vectors = rows.lexicon.vectors[words].astype(np.float64)
    parts: NDArray[np.float64] = query.shares[:, None] * shares[None] * (own @ vectors.T)
    return parts


def explain_pairs(rows: Rows, query: Query, row: int, parts: Array) -> list[Reason]:
    """Return the largest parts as reasons, and the sum of the others as one."""
    words = rows.entries(row)[0]
    order = np.argsort(-np.abs(parts), axis=None, kind="stable")[:_SHOWN]
    values = parts.ravel()[order]
    order, values = order[values != 0], values[values != 0]
    own, columns = np.divmod(order, parts.shape[1])
    matched = words[columns].tolist()
    differences = query.vectors[own] - rows.lexicon.vectors[matched].astype(np.float64)
    distances = np.sqrt(np.einsum("ij,ij->i", differences, differences))
    names = rows.lexicon.words
    reasons = [
        Reason(query.words[place], names[word], value, distance)
        for place, word, value, distance in zip(
            own.tolist(), matched, values.tolist(), distances.tolist(), strict=True
        )
    ]
    if np.count_nonzero(parts) > _SHOWN:
        rest = float(parts.sum()) - sum(reason.contribution for reason in reasons)
        reasons.append(Reason("(other pairs)", "(other pairs)", rest))
    return reasons
