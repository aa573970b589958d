"""Lists of the rows that hold much of each topic, and the bound that they give for every row.

Values up to a threshold t are small in a row, those up to a threshold u in a query. For the
affinity s of a row's value p and a query's value q (``affinity.py``), and a tangent plane
s(p, q) ≤ μp + νq,

    both large           s(p, q), from the list of the topic
    only q large         s(p, q) ≤ μp + f(q) with f(q) = max of s(x, q) − μx for x up to t
    only p large         s(p, q) ≤ νq + g(p) with g(p) = max of s(p, y) − νy for y up to u
    neither              s(p, q) ≤ μp + νq

Summed up, μ times the small values of the row and the g of its large ones are a number that is kept
with the row; ν times the small values of the query and the f of its large ones are one number for
all rows. So reading the lists of the query's large topics, and replacing f(q) + g(p) there by
s(p, q), bounds the divergence of every row from below.

Low thresholds make long lists and tight bounds, high ones the reverse. The best ones, and the best
plane, depend on how sparse the mixtures are, so the cost of a few is estimated on a sample; all of
them return the exact rows.

The lists are stored by chunks of 65,536 rows, so that a row takes two bytes and the bounds of a
chunk stay in the cache while they are added up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.topics.affinity import (
    HELLINGER_SQUARED,
    JS,
    affinity,
    find_excess,
    find_slopes,
    largest,
)

_CHUNK = 1 << 16  # rows
_LEVELS = 255  # steps in which listed values are stored
_TRIED = (8, 16, 32, 48, 64, 80, 96, 128, 192, 256)  # listed topics per row that are tried
_LOWER = (1.0, 3.0, 10.0)  # times as low is the threshold of queries
_RATIOS = (
    1.0,
    0.16,
    0.05,
    0.02,
)  # small mass of a row to that of a query where the plane touches s
_DEFAULT = 32  # for collections no larger than a sample
_LOWEST = 1e-6
_SAMPLE, _QUERIES, _NEAREST = 1000, 4, 10
_ENTRY, _PASS = 0.85, 400.0  # measured nanoseconds to read an entry, and to bound a row again


class Plan(NamedTuple):
    """The thresholds of rows and of queries, and p/q where the tangent plane touches s."""

    threshold: float
    low: float
    ratio: float


class TopicLists(NamedTuple):
    """For every chunk and topic the rows that hold more of it than the threshold, ascending.

    plans: for JS and for Hellinger, with the same threshold of rows.
    offsets: chunk, topic → its first entry; rows: their places in the chunk.
    codes: the step that each value lies in; ``tops`` are the upper ends of the steps.
    rests: a row's mass at or under the threshold.
    """

    plans: tuple[Plan, Plan]
    tops: NDArray[np.float64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.uint16]
    codes: NDArray[np.uint8]
    rests: NDArray[np.float64]


def build_lists(mixtures: Array) -> TopicLists:
    """List the large values of every topic, row by row."""
    plans = choose_plans(mixtures)
    threshold = plans[JS].threshold
    edges = np.geomspace(threshold, 1 + 1e-5, _LEVELS + 1)
    sizes, rests = _count(mixtures, threshold)
    offsets = np.zeros((len(sizes), mixtures.shape[1] + 1), np.int64)
    offsets[:, 1:] = np.cumsum(sizes).reshape(sizes.shape)
    offsets[1:, 0] = offsets[:-1, -1]
    rows, codes = _fill(mixtures, threshold, edges[1:], offsets)
    return TopicLists(plans, edges[1:], offsets, rows, codes, rests)


def choose_plans(mixtures: Array) -> tuple[Plan, Plan]:
    """Return the cheapest plan for queries by JS that resemble the rows, and the cheapest for
    Hellinger with the same lists; they are deterministic."""
    height, width = mixtures.shape
    rows = np.random.default_rng(0).permutation(height)[:_SAMPLE]
    sample = mixtures[np.sort(rows)].astype(np.float64)
    tried = [listed for listed in _TRIED if listed < width] or [width / 2]
    thresholds = [max(float(np.quantile(sample, 1 - listed / width)), _LOWEST) for listed in tried]
    if height <= _SAMPLE:
        threshold = thresholds[min(len(tried) - 1, _TRIED.index(_DEFAULT))]
        plan = Plan(threshold, threshold, _RATIOS[0])
        return plan, plan
    best = _choose_plan(JS, sample, height, list(dict.fromkeys(thresholds)))
    return best, _choose_plan(HELLINGER_SQUARED, sample, height, [best.threshold])


def _choose_plan(measure: int, sample: Array, height: int, thresholds: list[float]) -> Plan:
    """Return the plan with the lowest estimated cost."""
    queries = np.linspace(0, len(sample) - 1, _QUERIES).astype(int)
    affinities = [_find_affinities(measure, sample[number], sample) for number in queries]
    limits = [
        _guess_limit(largest(measure) - np.delete(own.sum(axis=1), number), height)
        for number, own in zip(queries, affinities, strict=True)
    ]
    plans = [
        Plan(threshold, threshold / lower, ratio)
        for threshold in thresholds
        for lower in _LOWER
        for ratio in _RATIOS
    ]
    costs = [_estimate_cost(measure, sample, queries, affinities, limits, plan) for plan in plans]
    return plans[int(np.argmin(costs))]


def _guess_limit(divergences: Array, height: int) -> float:
    """Return a guess of the k-th lowest divergence of a whole collection: as low as the lowest of
    the sample, and as low as in a normal distribution."""
    from scipy.special import ndtri

    normal = divergences.mean() + ndtri(_NEAREST / height) * divergences.std()
    return float(min(divergences.min(), normal))


def _estimate_cost(
    measure: int,
    sample: Array,
    queries: Array,
    affinities: list[Array],
    limits: list[float],
    plan: Plan,
) -> float:
    """Return nanoseconds per row of the collection for these queries."""
    over = sample > plan.threshold
    row_slope, query_slope = find_slopes(measure, plan.ratio)
    own = np.zeros_like(sample)
    own[over] = _find_excesses(measure, sample[over], plan.low, query_slope)
    weights = own.sum(axis=1) + row_slope * np.where(over, 0, sample).sum(axis=1)
    listed, total = over.mean(axis=0), 0.0
    for number, exact, limit in zip(queries, affinities, limits, strict=True):
        q = sample[number]
        head = np.flatnonzero(q > plan.low)
        excess = _find_excesses(measure, q[head], plan.threshold, row_slope)
        both = np.where(over[:, head], exact[:, head] - own[:, head] - excess, 0)
        sums = weights + both.sum(axis=1) + excess.sum() + query_slope * q[q <= plan.low].sum()
        total += _ENTRY * listed[head].sum() + _PASS * (largest(measure) - sums <= limit).mean()
    return float(total)


def _find_affinities(measure: int, p: Array, q: Array) -> Array:
    """``affinity`` of arrays."""
    from scipy.special import xlogy

    if measure == HELLINGER_SQUARED:
        return np.asarray(np.sqrt(p * q))
    both = p + q
    affinities: Array = 0.5 * (xlogy(both, both) - xlogy(p, p) - xlogy(q, q))
    return affinities


def _find_excesses(measure: int, p: Array, cap: float, slope: float) -> Array:
    """``find_excess`` of an array."""
    is_root = measure == HELLINGER_SQUARED
    x = np.minimum(p / (4 * slope**2 if is_root else math.expm1(2 * slope)), cap)
    excesses: Array = _find_affinities(measure, p, x) - slope * x
    return excesses


@kernel
def _count(mixtures: Array, threshold: float) -> tuple[Array, Array]:
    """Return the length of each topic's list in each chunk, and each row's mass outside lists."""
    height, width = mixtures.shape
    sizes = np.zeros((max(1, (height + _CHUNK - 1) // _CHUNK), width), np.int64)
    rests = np.zeros(height)
    for i in range(height):
        own = sizes[i // _CHUNK]
        for j in range(width):
            if mixtures[i, j] > threshold:
                own[j] += 1
            else:
                rests[i] += mixtures[i, j]
    return sizes, rests


@kernel
def _fill(mixtures: Array, threshold: float, tops: Array, offsets: Array) -> tuple[Array, Array]:
    """Return rows and codes of all lists, one list after the other."""
    rows = np.empty(offsets[-1, -1], np.uint16)
    codes = np.empty(offsets[-1, -1], np.uint8)
    ends = offsets[:, :-1].copy()
    for i in range(mixtures.shape[0]):
        own = ends[i // _CHUNK]
        for j in range(mixtures.shape[1]):
            if mixtures[i, j] > threshold:
                rows[own[j]] = i % _CHUNK
                code = np.searchsorted(tops, np.float64(mixtures[i, j]))
                codes[own[j]] = min(code, len(tops) - 1)
                own[j] += 1
    return rows, codes


@kernel
def weigh_rows(measure: int, lists: TopicLists) -> NDArray[np.float32]:
    """Return the sum of g over the listed values of each row, and μ times its other values."""
    plan = lists.plans[measure]
    row_slope, query_slope = find_slopes(measure, plan.ratio)
    steps = np.empty(len(lists.tops))
    for code in range(len(steps)):
        steps[code] = find_excess(measure, lists.tops[code], plan.low, query_slope)
    sums = row_slope * lists.rests
    for chunk in range(len(lists.offsets)):
        own = sums[chunk * _CHUNK : (chunk + 1) * _CHUNK]
        for entry in range(lists.offsets[chunk, 0], lists.offsets[chunk, -1]):
            own[lists.rows[entry]] += steps[lists.codes[entry]]
    return sums.astype(np.float32)


@kernel
def bound_rows(
    measure: int, q: Array, lists: TopicLists, weights: Array, allowed: Array, bounds: Array
) -> float:
    """Fill a lower bound per row, infinite where not allowed; return what the query's own values
    can add."""
    rows, codes = lists.rows, lists.codes
    topics, tables, most = _tabulate(measure, q, lists)
    base = np.float32(largest(measure) - most)
    for chunk in range(len(lists.offsets)):
        part = slice(chunk * _CHUNK, min((chunk + 1) * _CHUNK, len(bounds)))
        own, sums, offsets = bounds[part], weights[part], lists.offsets[chunk]
        for row in range(len(own)):
            own[row] = base - sums[row]
        for place in range(len(topics)):
            table = tables[place]
            for entry in range(offsets[topics[place]], offsets[topics[place] + 1]):
                own[rows[entry]] -= table[codes[entry]]
    if len(allowed):
        for row in range(len(bounds)):
            if not allowed[row]:
                bounds[row] = np.inf
    return most


@kernel
def _tabulate(measure: int, q: Array, lists: TopicLists) -> tuple[Array, Array, float]:
    """Return the query's large topics, what an entry of each step adds to a row there, and what the
    query's own values can add to every row."""
    plan, tops = lists.plans[measure], lists.tops
    row_slope, query_slope = find_slopes(measure, plan.ratio)
    count, most = 0, 0.0
    topics = np.empty(len(q), np.int64)
    for topic in range(len(q)):
        if q[topic] > plan.low:
            topics[count] = topic
            count += 1
        else:
            most += query_slope * q[topic]
    steps, parts = np.empty(len(tops)), np.empty(len(tops))
    for code in range(len(tops)):
        steps[code] = find_excess(measure, tops[code], plan.low, query_slope)
        parts[code] = tops[code] * math.log(tops[code])
    tables = np.empty((count, len(tops)), np.float32)
    for place in range(count):
        value = q[topics[place]]
        excess = find_excess(measure, value, plan.threshold, row_slope)
        part = value * math.log(value)
        most += excess
        for code in range(len(tops)):
            if measure == HELLINGER_SQUARED:
                exact = affinity(measure, value, tops[code])
            else:  # the same, with a single logarithm
                both = value + tops[code]
                exact = 0.5 * (both * math.log(both) - part - parts[code])
            tables[place, code] = exact - excess - steps[code]
    return topics[:count], tables, most
