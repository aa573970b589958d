"""Euclidean distance between mean word vectors (AVG of Hare et al.), exact.

Means lie on principal axes. With heads h (the first axes) and the lengths of the tails t,

    |q − x|² = |q_h − x_h|² + |q_t − x_t|² ≥ |q_h − x_h|² + (|q_t| − |x_t|)²

so one pass over the heads bounds every distance from below, and only rows whose bound is under the
k-th best distance are measured in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.explain import Explanation, no_reasons
from lexfield.search.pairs import pair_reasons, product_parts
from lexfield.search.query import Query
from lexfield.search.ranking import Found, best
from lexfield.search.rows import Rows
from lexfield.search.segment import Unit


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
        places = best(scores, k, found)
        chosen = found[places].tolist()
        return Found(
            chosen, scores[places].tolist(), lambda place: _explain(rows, query, chosen[place])
        )


def _nearest(
    unit: Unit, mean: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows that contain the ``k`` nearest, with their exact distances."""
    turned = (mean - unit.center).astype(np.float64) @ unit.rotation.astype(np.float64)
    width = unit.heads.shape[1] - 1
    head = np.append(turned[:width], np.linalg.norm(turned[width:])).astype(np.float32)
    # |q|² + |x|² − 2 (q_h·x_h + |q_t||x_t|), the square of the bound
    bounds = unit.heads @ (-2 * head)
    bounds += unit.squares
    bounds += np.float32(turned @ turned)
    if allowed is not None:
        bounds[~allowed] = np.inf
    first = best(-bounds, k)
    if not len(first):
        return first, np.empty(0)
    limit = float(_distances(unit, turned, first).max()) ** 2
    # Rounding in float32 may lift a bound by this much; with the room the answer is exact.
    room = 1e-5 * (1 + limit + float(turned @ turned))
    candidates = np.flatnonzero(bounds <= limit + room)
    return candidates, _distances(unit, turned, candidates)


def _distances(
    unit: Unit, turned: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    width = unit.heads.shape[1] - 1
    heads = unit.heads[rows, :-1] - turned[:width]
    tails = unit.tails[rows] - turned[width:]
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", heads, heads)
    squares += np.einsum("ij,ij->i", tails, tails)
    return np.sqrt(squares)


def _explain(rows: Rows, query: Query, row: int) -> Explanation:
    """The pairs of words with the largest part in the inner product of the two means."""
    parts = 2 * product_parts(rows, query, row)
    return Explanation(pair_reasons(rows, query, row, parts), additive=False)
