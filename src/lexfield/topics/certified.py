"""Exact nearest rows by Jensen–Shannon or Hellinger, computing only a few of the distances.

Write JS(p, q) = ln 2 − Σ s(pⱼ, qⱼ) with s(p, q) = ½[(p+q) ln(p+q) − p ln p − q ln q]; for the
squared Hellinger distance 1 − Σ √(pⱼ qⱼ). Both s grow in p and q, are concave and homogeneous, so
merging topics can only raise their sum (the data-processing inequality). With a threshold t

    both over t          s(p, q), from lists of the rows that hold much of each topic
    only one over t      s(p, q) ≤ s(p, t)
    neither              Σ s(p, q) ≤ s(Σ p, Σ q)

bounds the divergence of every row from below after reading the lists of the query's large topics.
Rows that pass are bounded again by JS ≥ ln 2 · h² (``docs/methods/topics.md`` has the proofs). The
remaining ones are computed in rising order of that bound, until it exceeds the k-th value.

A low threshold makes long lists and tight bounds, a high one the reverse. The best one depends on
how sparse the mixtures are, so the cost of a few is estimated on a sample; every threshold returns
the exact rows. Every search computes the distances it reports with ``divergence``, so equal rows
have equal distances to the last bit, whichever method found them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel
from lexfield.engine.topk import find_lowest, push, sort_heap

JS, HELLINGER_SQUARED, KL = 0, 1, 2
_LEVELS = 255  # steps in which listed values are stored
_FIRST = 16  # rows beyond k that are computed before bounds are compared
_TRIED = (8, 16, 32, 48, 64, 96, 128, 192, 256)  # listed topics per row that are tried
_DEFAULT = 32  # for collections no larger than a sample
_LOWEST = 1e-6
_SAMPLE, _QUERIES = 1000, 4
_ENTRY, _PASS = 1.2, 400.0  # measured nanoseconds to read an entry, and to bound a row again


class TopicLists(NamedTuple):
    """For every topic the rows that hold more of it than ``threshold``, ascending.

    codes: the step that each value lies in; ``tops`` are the upper ends of the steps.
    rests: 255 times the root of a row's mass at or under the threshold, rounded up.
    """

    threshold: float
    tops: NDArray[np.float64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    codes: NDArray[np.uint8]
    rests: NDArray[np.uint8]


class CertifiedSearch:
    """Lists over checked mixtures, whose rows sum to one within 1e-6."""

    def __init__(self, mixtures: Array) -> None:
        self._mixtures = mixtures
        self.lists = build_lists(mixtures)
        self._weights: dict[int, NDArray[np.float32]] = {}

    def weights(self, measure: int) -> NDArray[np.float32]:
        """Return Σ s(t, value) over the listed topics of each row."""
        if measure not in self._weights:
            lists = self.lists
            steps = np.array([affinity(measure, lists.threshold, top) for top in lists.tops])
            sums = np.bincount(lists.rows, steps[lists.codes], minlength=len(self._mixtures))
            self._weights[measure] = sums.astype(np.float32)
        return self._weights[measure]

    def query(
        self, q: NDArray[np.float64], k: int, measure: int, allowed: Array | None
    ) -> tuple[Array, Array, int, float]:
        """Return the ``k`` nearest rows, their values, the number of rows computed, and the lowest
        bound of a row that was not."""
        weights = self.weights(measure)
        bounds = np.zeros(len(self._mixtures), np.float32)
        mask = np.zeros(0, bool) if allowed is None else allowed
        head = bound_rows(measure, q, self.lists, weights, mask, bounds)
        # A bound is a float32 sum of up to T + 3 parts that add up to at most ``size``, and sums
        # of rows may be off by 1e-6. With this much slack, rounding cannot lose a row.
        size = 2 * largest(measure) + head + float(weights.max(initial=0))
        slack = 2.0**-23 * (len(q) + 4) * size + 4e-6
        roots = np.sqrt(q).astype(self._mixtures.dtype)
        return _search_bounds(measure, q, roots, self._mixtures, bounds, k, k + _FIRST, slack)


def build_lists(mixtures: Array) -> TopicLists:
    """List the large values of every topic, row by row."""
    threshold = choose_threshold(mixtures)
    edges = np.geomspace(threshold, 1 + 1e-5, _LEVELS + 1)
    sizes, rests = _count(mixtures, threshold)
    offsets = np.append(0, np.cumsum(sizes))
    rows, codes = _fill(mixtures, threshold, edges[1:], offsets)
    roots = np.ceil(255 * np.sqrt(rests) * (1 + 1e-6)).clip(0, 255).astype(np.uint8)
    return TopicLists(threshold, edges[1:], offsets, rows, codes, roots)


def choose_threshold(mixtures: Array) -> float:
    """Return the cheapest threshold for queries that resemble the rows; it is deterministic."""
    height, width = mixtures.shape
    rows = np.random.default_rng(0).permutation(height)[:_SAMPLE]
    sample = mixtures[np.sort(rows)].astype(np.float64)
    tried = [listed for listed in _TRIED if listed < width] or [width / 2]
    thresholds = [
        max(float(np.quantile(sample, 1 - listed / width)), _LOWEST)
        for listed in (tried if height > _SAMPLE else [min(_DEFAULT, tried[-1])])
    ]
    queries = np.linspace(0, len(sample) - 1, _QUERIES).astype(int)
    costs = [_estimate_cost(sample, queries, threshold) for threshold in thresholds]
    return thresholds[int(np.argmin(costs))]


def _estimate_cost(sample: Array, queries: Array, threshold: float) -> float:
    """Return nanoseconds per row of the collection for these queries."""
    over = sample > threshold
    listed = over.mean(axis=0)
    low = _js_affinity(np.where(over, sample, 0), threshold)
    rests = np.where(over, 0, sample).sum(axis=1)
    total = 0.0
    for number in queries:
        q = sample[number]
        head = over[number]
        sums = _js_affinity(q[head], np.maximum(sample[:, head], threshold)).sum(axis=1)
        sums += low[:, ~head].sum(axis=1) + _js_affinity(q[~head].sum(), rests)
        bounds = np.log(2) - sums
        exact = np.log(2) - _js_affinity(q, sample).sum(axis=1)
        nearest = np.delete(exact, number).min() if len(exact) > 1 else 0.0
        total += _ENTRY * listed[head].sum() + _PASS * (bounds <= nearest).mean()
    return float(total)


def _js_affinity(p: Array | float, q: Array | float) -> Array:
    """``affinity`` for Jensen–Shannon, of arrays."""
    from scipy.special import xlogy

    both = np.asarray(p) + np.asarray(q)
    affinities: Array = 0.5 * (xlogy(both, both) - xlogy(p, p) - xlogy(q, q))
    return affinities


@kernel
def _count(mixtures: Array, threshold: float) -> tuple[Array, Array]:
    """Return the length of each topic's list, and each row's mass outside the lists."""
    sizes = np.zeros(mixtures.shape[1], np.int64)
    rests = np.zeros(mixtures.shape[0])
    for i in range(mixtures.shape[0]):
        for j in range(mixtures.shape[1]):
            if mixtures[i, j] > threshold:
                sizes[j] += 1
            else:
                rests[i] += mixtures[i, j]
    return sizes, rests


@kernel
def _fill(mixtures: Array, threshold: float, tops: Array, offsets: Array) -> tuple[Array, Array]:
    """Return rows and codes of all lists, one list after the other."""
    rows = np.empty(offsets[-1], np.int32)
    codes = np.empty(offsets[-1], np.uint8)
    ends = offsets[:-1].copy()
    for i in range(mixtures.shape[0]):
        for j in range(mixtures.shape[1]):
            if mixtures[i, j] > threshold:
                rows[ends[j]] = i
                code = np.searchsorted(tops, np.float64(mixtures[i, j]))
                codes[ends[j]] = min(code, len(tops) - 1)
                ends[j] += 1
    return rows, codes


@kernel
def bound_rows(
    measure: int, q: Array, lists: TopicLists, weights: Array, allowed: Array, bounds: Array
) -> float:
    """Turn zeros into a lower bound per row, infinite where not allowed; return Σ s(q, t)."""
    tops, rows, codes = lists.tops, lists.rows, lists.codes
    head, small = 0.0, 0.0
    table = np.empty(256, np.float32)
    lows = np.empty(len(tops))
    for c in range(len(tops)):
        lows[c] = affinity(measure, lists.threshold, tops[c])
    for j in range(len(q)):
        if q[j] <= lists.threshold:
            small += q[j]
            continue
        own = affinity(measure, q[j], lists.threshold)
        head += own
        for c in range(len(tops)):
            table[c] = affinity(measure, q[j], tops[c]) - own - lows[c]
        for i in range(lists.offsets[j], lists.offsets[j + 1]):
            bounds[rows[i]] += table[codes[i]]
    for c in range(256):
        table[c] = affinity(measure, small, (c / 255.0) ** 2)
    base = np.float32(largest(measure) - head)
    for i in range(len(bounds)):
        bounds[i] = base - (bounds[i] + weights[i] + table[lists.rests[i]])
    if len(allowed):
        for i in range(len(bounds)):
            if not allowed[i]:
                bounds[i] = np.inf
    return head


@kernel
def _select_under(bounds: Array, limit: float) -> tuple[Array, float]:
    """Return the rows of finite bounds up to ``limit``, and the lowest bound above it."""
    count, over = 0, np.float32(np.inf)
    for i in range(len(bounds)):
        if bounds[i] <= limit:
            count += 1
        else:
            over = min(over, bounds[i])
    rows = np.empty(count, np.int64)
    count = 0
    for i in range(len(bounds)):
        if bounds[i] <= limit and bounds[i] < np.inf:
            rows[count] = i
            count += 1
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
        by_roots = largest(measure) * (1.0 - bhattacharyya(roots, mixtures[row]))
        lows[place] = max(by_lists, by_roots) - slack
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


@reordered_kernel
def bhattacharyya(roots: Array, row: Array) -> float:
    """Return Σ √q √p in the precision of the row, to within T units in the last place."""
    total = roots[0] * np.sqrt(row[0])
    for j in range(1, row.shape[0]):
        total += roots[j] * np.sqrt(row[j])
    return float(total)


@kernel
def largest(measure: int) -> float:
    """Return the largest possible divergence: that of mixtures without a common topic."""
    return math.log(2.0) if measure == JS else 1.0


@kernel
def affinity(measure: int, p: float, q: float) -> float:
    """Return s(p, q), what one topic takes off the largest possible divergence.

    It is concave, grows in p and in q, and s(ap, aq) = a s(p, q).
    """
    if p <= 0.0 or q <= 0.0:
        return 0.0
    if measure == HELLINGER_SQUARED:
        return math.sqrt(p * q)
    both = p + q
    return 0.5 * (both * math.log(both) - p * math.log(p) - q * math.log(q))
