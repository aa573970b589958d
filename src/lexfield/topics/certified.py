"""The exact nearest rows by Jensen–Shannon (or Hellinger) without looking at most of them.

Write JS(p, q) = ln 2 − Σ s(pⱼ, qⱼ) with s(p, q) = ½[(p+q) ln(p+q) − p ln p − q ln q]; for the
squared Hellinger distance 1 − Σ √(pⱼ qⱼ). Both s grow in p and q, are concave and homogeneous, so
merging topics can only raise their sum (the data-processing inequality). With a threshold t

    both over t          s(p, q), through lists of the rows that hold much of each topic
    only one over t      s(p, q) ≤ s(p, t)
    neither              Σ s(p, q) ≤ s(Σ p, Σ q)

bounds every row's divergence from below after reading the lists of the query's large topics. What
passes is bounded again by JS ≥ ln 2 · h² (``docs/methods/topics.md`` has the proofs). What is left
is computed, in rising order of that bound, until the next bound is over the k-th value found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel
from lexfield.topics.kernels import JS, SQUARE, overlap, shared, value
from lexfield.topics.threshold import choose_threshold

LEVELS = 255  # steps of their values
FIRST = 16  # rows over k that are computed before the bounds are read
LARGEST = {JS: float(np.log(2)), SQUARE: 1.0}

Array = NDArray[Any]


@dataclass(frozen=True)
class Lists:
    """For every topic the rows that hold more of it than ``threshold``, ascending.

    codes: each value as the step it lies in; ``tops`` are the steps' upper ends.
    rests: 255 times the root of the mass at or under the threshold, rounded up.
    """

    threshold: float
    tops: NDArray[np.float64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    codes: NDArray[np.uint8]
    rests: NDArray[np.uint8]


class CertifiedSearch:
    """Lists over checked mixtures; rows sum to one within 1e-6."""

    def __init__(self, mixtures: Array) -> None:
        self._mixtures = mixtures
        self.lists = build_lists(mixtures)
        self._everything = np.zeros(0, bool)

    @cached_property
    def _weights(self) -> dict[int, NDArray[np.float32]]:
        return {}

    def weights(self, measure: int) -> NDArray[np.float32]:
        """For each row Σ s(t, value) over its listed topics."""
        if measure not in self._weights:
            lists = self.lists
            steps = np.array([shared(measure, lists.threshold, top) for top in lists.tops])
            made = np.bincount(lists.rows, steps[lists.codes], minlength=len(self._mixtures))
            self._weights[measure] = made.astype(np.float32)
        return self._weights[measure]

    def query(
        self, q: NDArray[np.float64], k: int, measure: int, allowed: Array | None
    ) -> tuple[Array, Array, int, float]:
        """Rows and values of the ``k`` nearest, how many were computed, and the lowest bound of a
        row that was not."""
        lists = self.lists
        weights = self.weights(measure)
        bounds = np.zeros(len(self._mixtures), np.float32)
        mask = self._everything if allowed is None else allowed
        head = list_bounds(
            measure, LARGEST[measure], q, lists.threshold, lists.tops, lists.offsets, lists.rows,
            lists.codes, lists.rests, weights, mask, bounds,
        )  # fmt: skip
        # A bound is a float32 sum of up to T + 3 parts, which together are at most as large as
        # this; and sums of rows may be off by 1e-6. With the room no rounding loses a row.
        size = 2 * LARGEST[measure] + head + float(weights.max(initial=0))
        room = 2.0**-23 * (len(q) + 4) * size + 4e-6
        roots = np.sqrt(q).astype(self._mixtures.dtype)
        return search_bounds(
            measure, LARGEST[measure], q, roots, self._mixtures, bounds, k, k + FIRST, room
        )


def build_lists(mixtures: Array) -> Lists:
    """List the large values of every topic, row by row."""
    threshold = choose_threshold(mixtures)
    edges = np.geomspace(threshold, 1 + 1e-5, LEVELS + 1)
    sizes, rests = _count(mixtures, threshold)
    offsets = np.append(0, np.cumsum(sizes))
    rows, codes = _fill(mixtures, threshold, edges[1:], offsets)
    roots = np.ceil(255 * np.sqrt(rests) * (1 + 1e-6)).clip(0, 255).astype(np.uint8)
    return Lists(threshold, edges[1:], offsets, rows, codes, roots)


@kernel
def _count(mixtures: Array, threshold: float) -> tuple[Array, Array]:
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
def list_bounds(
    measure: int,
    largest: float,
    q: Array,
    threshold: float,
    tops: Array,
    offsets: Array,
    rows: Array,
    codes: Array,
    rests: Array,
    weights: Array,
    allowed: Array,
    bounds: Array,
) -> float:
    """Fill ``bounds``, which are zeros, with a lower bound of each row; gives Σ s(q, t)."""
    head, small = 0.0, 0.0
    table = np.empty(256, np.float32)
    lows = np.empty(len(tops))
    for c in range(len(tops)):
        lows[c] = shared(measure, threshold, tops[c])
    for j in range(len(q)):
        if q[j] <= threshold:
            small += q[j]
            continue
        own = shared(measure, q[j], threshold)
        head += own
        for c in range(len(tops)):
            table[c] = shared(measure, q[j], tops[c]) - own - lows[c]
        for i in range(offsets[j], offsets[j + 1]):
            bounds[rows[i]] += table[codes[i]]
    for c in range(256):
        table[c] = shared(measure, small, (c / 255.0) ** 2)
    base = np.float32(largest - head)
    for i in range(len(bounds)):
        bounds[i] = base - (bounds[i] + weights[i] + table[rests[i]])
    if len(allowed):
        for i in range(len(bounds)):
            if not allowed[i]:
                bounds[i] = np.inf
    return head


@kernel
def _lowest(bounds: Array, count: int) -> Array:
    """Places of the lowest finite bounds, by insertion: few are wanted of many."""
    places = np.full(count, -1, np.int64)
    limit = np.float32(np.inf)
    for i in range(len(bounds)):
        if bounds[i] < limit:
            at = count - 1
            while at > 0 and (places[at - 1] < 0 or bounds[places[at - 1]] > bounds[i]):
                places[at] = places[at - 1]
                at -= 1
            places[at] = i
            if places[count - 1] >= 0:
                limit = bounds[places[count - 1]]
    return places[places >= 0]


@kernel
def _insert(kept: Array, values_: Array, row: int, found: float, size: int) -> int:
    """Put a row into the k best, which are in order of value, then row; gives their number."""
    k = len(kept)
    if size == k and (found > values_[k - 1] or (found == values_[k - 1] and row > kept[k - 1])):
        return size
    at = min(size, k - 1)
    while at > 0 and (values_[at - 1] > found or (values_[at - 1] == found and kept[at - 1] > row)):
        kept[at], values_[at] = kept[at - 1], values_[at - 1]
        at -= 1
    kept[at], values_[at] = row, found
    return min(size + 1, k)


@kernel
def _under(bounds: Array, limit: float) -> tuple[Array, float]:
    """Places of finite bounds up to ``limit``, and the lowest bound over it."""
    count, over = 0, np.float32(np.inf)
    for i in range(len(bounds)):
        if bounds[i] <= limit:
            count += 1
        else:
            over = min(over, bounds[i])
    places = np.empty(count, np.int64)
    count = 0
    for i in range(len(bounds)):
        if bounds[i] <= limit and bounds[i] < np.inf:
            places[count] = i
            count += 1
    return places[:count], np.float64(over)


@kernel
def search_bounds(
    measure: int,
    largest: float,
    q: Array,
    roots: Array,
    mixtures: Array,
    bounds: Array,
    k: int,
    first: int,
    room: float,
) -> tuple[Array, Array, int, float]:
    """Compute rows in rising order of what bounds them until no other can be among the ``k``."""
    kept, values_ = np.full(k, -1, np.int64), np.full(k, np.inf)
    size, looked = 0, 0
    for row in _lowest(bounds, min(first, len(bounds))):
        size = _insert(kept, values_, row, value(measure, q, mixtures[row]), size)
        bounds[row] = np.inf  # done
        looked += 1
    passed, lowest = _under(bounds, values_[k - 1] + room)
    lowest -= room
    lows = np.empty(len(passed))
    for place, row in enumerate(passed):
        by_lists = np.float64(bounds[row])
        lows[place] = max(by_lists, largest * (1.0 - overlap(roots, mixtures[row]))) - room
    for place in np.argsort(lows):
        if lows[place] > values_[k - 1]:
            lowest = min(lowest, lows[place])
            break
        row = passed[place]
        size = _insert(kept, values_, row, value(measure, q, mixtures[row]), size)
        looked += 1
    return kept[:size], values_[:size], looked, lowest
