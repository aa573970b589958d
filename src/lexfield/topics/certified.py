"""Exact nearest rows by Jensen–Shannon or Hellinger, computing only a few of the distances.

Lists of the large values of each topic bound the divergence of every row from below
(``topic_lists.py``). Rows that pass are bounded again by the sums of √(pq) and of 2pq / (p + q)
(``docs/methods/topics.md`` has the proofs). The remaining ones are computed in rising order of that
bound, until it exceeds the k-th value.

Every search computes the distances it reports with ``divergence``, so equal rows have equal
distances to the last bit, whichever method found them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel
from lexfield.engine.topk import find_lowest, push, sort_heap
from lexfield.topics.affinity import HELLINGER_SQUARED, JS, largest
from lexfield.topics.topic_lists import bound_rows, build_lists, weigh_rows

_FIRST = 16  # rows beyond k that are computed before bounds are compared


class CertifiedSearch:
    """Lists over checked mixtures, whose rows sum to one within 1e-6."""

    def __init__(self, mixtures: Array) -> None:
        self._mixtures = mixtures
        self.lists = build_lists(mixtures)
        self._weights: dict[int, NDArray[np.float32]] = {}

    def weights(self, measure: int) -> NDArray[np.float32]:
        """Return what each row's own values can add, whatever the query."""
        if measure not in self._weights:
            self._weights[measure] = weigh_rows(measure, self.lists)
        return self._weights[measure]

    def query(
        self, q: NDArray[np.float64], k: int, measure: int, allowed: Array | None
    ) -> tuple[Array, Array, int, float]:
        """Return the ``k`` nearest rows, their values, the number of rows computed, and the lowest
        bound of a row that was not."""
        weights = self.weights(measure)
        bounds = np.empty(len(self._mixtures), np.float32)
        mask = np.zeros(0, bool) if allowed is None else allowed
        head = bound_rows(measure, q, self.lists, weights, mask, bounds)
        # A bound is a float32 sum of up to T + 3 parts that add up to at most ``size``, and sums
        # of rows may be off by 1e-6. With this much slack, rounding cannot lose a row.
        size = 2 * largest(measure) + head + float(weights.max(initial=0))
        slack = 2.0**-23 * (len(q) + 4) * size + 4e-6
        roots = np.sqrt(q).astype(self._mixtures.dtype)
        return _search_bounds(measure, q, roots, self._mixtures, bounds, k, k + _FIRST, slack)


@kernel
def _select_under(bounds: Array, limit: float) -> tuple[Array, float]:
    """Return the rows of finite bounds up to ``limit``, and the lowest bound above it."""
    rows, count, over = np.empty(len(bounds), np.int64), 0, np.float32(np.inf)
    for i in range(len(bounds)):
        if bounds[i] <= limit and bounds[i] < np.inf:
            rows[count] = i
            count += 1
        elif bounds[i] < over:
            over = bounds[i]
    return rows[:count], np.float64(over)


@kernel
def _search_bounds(
    measure: int,
    q: Array,
    roots: Array,
    mixtures: Array,
    bounds: Array,
    k: int,
    first: int,
    slack: float,
) -> tuple[Array, Array, int, float]:
    """Compute rows in rising order of their bounds until no other can be among the ``k``."""
    nearest, scores = np.empty(k, np.int64), np.empty(k)  # a score is minus a divergence
    size, computed = 0, 0
    for row in find_lowest(bounds, min(first, len(bounds))):
        size = push(nearest, scores, size, row, -divergence(measure, q, mixtures[row]))
        bounds[row] = np.inf  # done
        computed += 1
    kth = -scores[0] if size == k else np.inf
    passed, lowest = _select_under(bounds, kth + slack)
    lowest -= slack
    lows = np.empty(len(passed))
    for place, row in enumerate(passed):
        by_lists = np.float64(bounds[row])
        lows[place] = max(by_lists, bound_row(measure, roots, mixtures[row])) - slack
    for place in np.argsort(lows):
        if size == k and lows[place] > -scores[0]:
            lowest = min(lowest, lows[place])
            break
        row = passed[place]
        size = push(nearest, scores, size, row, -divergence(measure, q, mixtures[row]))
        computed += 1
    nearest, scores = nearest[:size], scores[:size]
    sort_heap(nearest, scores)
    return nearest, -scores, computed, lowest


@kernel
def divergence(measure: int, q: Array, row: Array) -> float:
    """Return JS in nats, h² = ½ Σ (√p − √q)², or KL(q ‖ row); never negative from rounding."""
    total = 0.0
    if measure == JS:
        for j in range(q.shape[0]):
            a, b = q[j], np.float64(row[j])
            both = a + b
            if a > 0.0:
                total += 0.5 * a * math.log(2.0 * a / both)
            if b > 0.0:
                total += 0.5 * b * math.log(2.0 * b / both)
    elif measure == HELLINGER_SQUARED:
        for j in range(q.shape[0]):
            step = math.sqrt(q[j]) - math.sqrt(np.float64(row[j]))
            total += 0.5 * step * step
    else:
        for j in range(q.shape[0]):
            a, b = q[j], np.float64(row[j])
            if a > 0.0:
                total += a * math.log(a / b) if b > 0.0 else math.inf
    return max(total, 0.0)


@kernel
def divergences(measure: int, q: Array, mixtures: Array, rows: Array) -> NDArray[np.float64]:
    """Return the divergence of ``q`` from each of the given rows."""
    out = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        out[i] = divergence(measure, q, mixtures[rows[i]])
    return out


@kernel
def bound_row(measure: int, roots: Array, row: Array) -> float:
    """Return h², or ln 2 · (1 − B) + (1 − ln 2) (B − H), which JS is at least."""
    geometric, harmonic = add_means(roots, row)
    if measure == HELLINGER_SQUARED:
        return 1.0 - geometric
    return math.log(2.0) * (1.0 - geometric) + (1.0 - math.log(2.0)) * (geometric - harmonic)


@reordered_kernel
def add_means(roots: Array, row: Array) -> tuple[float, float]:
    """Return B = Σ √(pq) and H = Σ 2pq / (p + q), given the roots of q, in the precision of the
    row, to within T units in the last place."""
    geometric = harmonic = roots[0] * np.float32(0)
    tiny = geometric + np.float32(1e-37)  # not to divide by 0
    for j in range(row.shape[0]):
        mean = roots[j] * np.sqrt(row[j])
        geometric += mean
        harmonic += mean * np.divide(mean, roots[j] * roots[j] + row[j] + tiny)
    return float(geometric), 2.0 * float(harmonic)
