"""Word Mover's Distance (Kusner et al. 2015), exact top-k by pruning.

Two relaxations bound the distance from below: every word of the row moves to its nearest query
word, or every query word to its nearest word of the row. The first takes one pass over all rows;
the second is computed where the first does not decide. Rows that share rare words with the query
come first, as they yield a limit; then the others, part by part. Rows are visited in ascending
order of the bound, until it exceeds the k-th best distance. Before one is solved exactly, the bound
is tightened: no pair of words can exchange more than the share of either (ICT of Atasu and
Mittelholzer 2019, in both directions).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel
from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.chance import Scorer
from lexfield.index.lists import split_rows
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.index.segment import Segment
from lexfield.index.units import token_starts
from lexfield.results import Aside, JsonObject
from lexfield.search.bm25 import Bm25
from lexfield.search.in_parts import describe
from lexfield.search.method import Mask
from lexfield.search.token_wmd import search_tokens

_FIRST, _TIMES = 64, 2  # rows that yield a first limit: so many, or so many times k
_PART = 1 << 17  # rows whose bounds are computed at a time
_ONE = float(1 << 16)  # costs of words are added up as multiples of 1 / _ONE, rounded down
_MOST = 1 << 30  # a cost in these
_WIDTH = 16  # distances of a word are padded to a multiple: a vector of the processor
_SHARE = 0.5  # entries of lists per row that are read rather than all rows


@dataclass(frozen=True, kw_only=True)
class Wmd:
    """The score is minus the distance; the explanation is the transport.

    tokens: move the encoder's vectors of words in their context (``token_wmd.py``).
    """

    tokens: bool = False
    name = "wmd"

    def __post_init__(self) -> None:
        check(self.tokens in (True, False), "tokens", "true or false", self.tokens)

    @property
    def uses_vectors(self) -> bool:
        return not self.tokens

    def wants_preview(self, query: Query) -> bool:
        return True

    def preview(self, rows: Rows, query: Query, k: int, among: Mask | None) -> list[float]:
        """Return the distances of the most promising rows."""
        found = self.search(rows, query, min(k, len(rows)), among, stages=1)
        return [-score for score in found.scores]

    def combine(self, previews: Sequence[list[float]], k: int) -> float | None:
        """Return a distance that the ``k`` best of all parts cannot exceed."""
        together = sorted(distance for some in previews for distance in some)
        return together[k - 1] + 1e-12 if len(together) >= k else None

    def partial(
        self, rows: Rows, query: Query, k: int, among: Mask | None, hint: float | None
    ) -> JsonObject:
        limit = np.inf if hint is None else hint
        return describe(self.search(rows, query, min(k, len(rows)), among, limit))

    def search(
        self,
        rows: Rows,
        query: Query,
        k: int,
        among: Mask | None,
        limit: float = np.inf,
        stages: int = 2,
    ) -> Found:
        """Return the ``k`` nearest rows within ``limit``. One stage visits only the most promising
        rows, which is enough to find a limit."""
        if self.tokens:
            return search_tokens(rows, query, k, among)
        if not query.known.any():
            return Found([], [], notes=["no word of the query has a vector"])
        problem, nearest = _Problem(rows, query), _Nearest(k, limit)
        if len(rows) > _FIRST:
            count = max(_FIRST, _TIMES * k)
            found = Bm25().search(rows, query, count, among).rows
            first = np.sort(np.array(found, np.int64))
            nearest.visit(problem, first, problem.bound(first))
        for number in range(len(rows.units)):
            if stages == 1 and len(nearest.best) == k:
                break
            for some in problem.list_rows(number, nearest.limit, among):
                nearest.visit(problem, *problem.select(number, some, nearest.limit))
        chosen = [row for _, row in nearest.best]
        return Found(
            chosen,
            [-distance for distance, _ in nearest.best],
            lambda place: problem.explain(chosen[place]),
            [
                Aside(
                    f"wmd solved {len(nearest.solved):,} of {len(rows):,} rows exactly; bounds"
                    " excluded the rest"
                )
            ],
        )

    def start_scoring(self, rows: Rows, query: Query) -> Scorer | None:
        """Return how any rows are scored at best: by the bounds, as solving many takes long.

        So more rows seem to score well, and a chance is rather too high than too low.
        """
        if self.tokens or not query.known.any():
            return None
        problem = _Problem(rows, query)

        def score(chosen: Array) -> NDArray[np.float64]:
            lower = problem.bound(chosen)
            return np.where(lower < np.inf, -lower, np.nan)

        return Scorer(score)


class _Nearest:
    """The ``k`` nearest rows so far, in ascending order of distance and row."""

    def __init__(self, k: int, limit: float) -> None:
        self._k, self.limit = k, limit  # distance that none of the nearest exceeds
        self.best: list[tuple[float, int]] = []
        self.solved: set[int] = set()

    def visit(self, problem: _Problem, rows: Array, bounds: NDArray[np.float64]) -> None:
        """Solve the rows that may be among the nearest."""
        for place in np.argsort(bounds, kind="stable"):
            row = int(rows[place])
            if bounds[place] > self.limit or bounds[place] == np.inf:
                break
            if row in self.solved or problem.bound_flows(row) > self.limit:
                continue
            self.best = sorted([*self.best, (problem.solve(row)[0], row)])[: self._k]
            self.solved.add(row)
            if len(self.best) == self._k:
                self.limit = min(self.limit, self.best[-1][0] + 1e-12)


class _Problem:
    """The distances of all words from the query's, from which bounds are computed."""

    def __init__(self, rows: Rows, query: Query) -> None:
        self._rows = rows
        self._words = np.flatnonzero(query.known)
        self._query = query
        self._vectors = query.vectors[self._words].astype(np.float64)
        self._shares = query.shares[self._words]
        squares = rows.cached("squares", _squares)
        own = np.einsum("ij,ij->i", self._vectors, self._vectors).astype(np.float32)
        # Bounds must not be too high: this is more than single precision loses by rounding.
        slack = np.float32(4e-3) * np.sqrt(own.max(initial=0))
        count = len(own)
        self._distances = np.zeros((len(squares), -(-count // _WIDTH) * _WIDTH), np.float32)
        self._weights = np.zeros(self._distances.shape[1], np.float32)
        self._weights[:count] = self._shares
        np.matmul(
            rows.lexicon.vectors,
            (-2 * self._vectors).astype(np.float32).T,
            out=self._distances[:, :count],
        )
        nearest = finish_distances(self._distances[:, :count], squares, own, slack)
        costs = np.minimum(nearest * np.float64(_ONE), _MOST).astype(np.int32)
        moved = rows.cached("moved words", list_moved)
        self._segments = [
            (*some, own_ids, costs[own_ids])
            for some, own_ids in zip(moved, rows.lexicon.maps, strict=True)
        ]

    def bound(self, rows: Array) -> NDArray[np.float64]:
        """Return lower bounds of the distances of rows; infinite for one without a vector."""
        bounds = np.zeros(len(rows))
        for number, _, inside, own in self._rows.split(rows):
            segment = self._segments[number]
            bounds[inside] = bound_rows(own, *segment, self._distances, self._weights)
        return bounds

    def list_rows(self, number: int, limit: float, among: Mask | None) -> Iterator[Array]:
        """Yield the rows of a segment that may be within a limit, part by part.

        Their mean cost is not below the lowest, so they hold a word that costs no more. If few rows
        hold such a word, they are found by their lists.
        """
        start, size = int(self._rows.starts[number]), self._rows.units[number].rows
        postings, segment = self._rows.postings_by_segment[number], self._rows.segments[number]
        is_near = (
            segment.content & (segment.matches > 0) & (self._segments[number][3] <= limit * _ONE)
        )
        near = np.flatnonzero(is_near)
        mask = np.ones(size, bool) if among is None else among[start : start + size].copy()
        if int(postings.sizes[near].sum()) < _SHARE * size:
            held = np.zeros(size, bool)
            for word in near.tolist():
                held[postings.find(word)[0]] = True
            mask &= held
        for first in range(0, size, _PART):
            yield first + np.flatnonzero(mask[first : first + _PART])

    def select(
        self, number: int, some: Array, limit: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return those of some rows of a segment whose bounds do not exceed a limit, and these."""
        segment = self._segments[number]
        near = select_rows(some, *segment, float(limit))
        bounds = bound_rows(near, *segment, self._distances, self._weights)
        is_near = bounds <= limit
        return near[is_near] + self._rows.starts[number], bounds[is_near]

    def bound_flows(self, row: int) -> float:
        """Return a bound of the distance of a row in which each flow is within both its shares."""
        words, weights = self._weigh(row)
        costs = np.ascontiguousarray(self._distances[words, : len(self._shares)].T)
        return (1 - 1e-6) * bound_transport(costs, self._shares, weights)

    def _weigh(self, row: int) -> tuple[Array, NDArray[np.float64]]:
        """Return the words of a row that have vectors, and their shares."""
        words, counts, shares = self._rows.entries(row)
        counts = counts[shares > 0].astype(np.float64)
        return words[shares > 0], counts / counts.sum()

    def solve(self, row: int) -> tuple[float, NDArray[np.float64], Array]:
        """Return the distance, the flows (query word × row word) and the row's words."""
        from ot.lp.emd_wrap import emd_c

        words, weights = self._weigh(row)
        costs = measure_costs(self._vectors, self._rows.lexicon.vectors[words])
        flows, cost, _, _, _ = emd_c(self._shares.copy(), weights, costs, 1_000_000, 1)
        return float(cost), flows, words

    def explain(self, row: int) -> Explanation:
        _, flows, words = self.solve(row)
        reasons, moved = [], []
        for i, j in zip(*np.nonzero(flows > 1e-12), strict=True):
            query, match = self._query.words[self._words[i]], self._rows.lexicon.words[words[j]]
            vector = self._rows.lexicon.vectors[words[j]].astype(np.float64)
            distance = float(np.linalg.norm(self._vectors[i] - vector))
            reasons.append(Reason(query, match, -float(flows[i, j]) * distance, distance))
            moved.append({"query": query, "match": match, "flow": float(flows[i, j])})
        return Explanation(reasons, additive=True, facts={"flows": moved})


@kernel
def finish_distances(products: Array, squares: Array, own: Array, slack: float) -> Array:
    """Turn −2 times products with the query's words into distances, less ``slack`` but at least 0.

    Return the lowest of each word. ``squares`` and ``own`` are squared lengths.
    """
    nearest = np.full(len(products), np.inf, np.float32)
    for word in range(len(products)):
        for place in range(len(own)):
            square = max(products[word, place] + own[place] + squares[word], np.float32(0))
            distance = max(np.sqrt(square) - slack, np.float32(0))
            products[word, place] = distance
            nearest[word] = min(nearest[word], distance)
    return nearest


@kernel
def select_rows(
    some: Array, starts: Array, words: Array, ids: Array, costs: Array, limit: float
) -> NDArray[np.int64]:
    """Return the rows whose words cost no more than a limit on average, if each moves to the
    nearest query word."""
    rows, found = np.empty(len(some), np.int64), 0
    most = limit * _ONE
    for row in some:
        begin, end, total = starts[row], starts[row + 1], 0
        for place in range(begin, end):
            total += costs[words[place]]
        rows[found] = row
        found += total <= most * (end - begin) and begin < end
    return rows[:found].copy()


@reordered_kernel
def bound_rows(
    rows: Array,
    starts: Array,
    words: Array,
    ids: Array,
    costs: Array,
    distances: Array,
    weights: Array,
) -> NDArray[np.float64]:
    """Return the larger bound of each row: the mean cost of its words, or the weighted sum over
    query words of the distance to the nearest word of the row. It is infinite without words.

    ``ids`` are the rows of words in ``distances``.
    """
    bounds, nearest = np.full(len(rows), np.inf), np.empty(len(weights), np.float32)
    for place in range(len(rows)):
        begin, end = starts[rows[place]], starts[rows[place] + 1]
        if begin == end:
            continue
        nearest[:] = np.float32(np.inf)
        total, needed = 0, 0.0
        for entry in range(begin, end):
            word = words[entry]
            total += costs[word]
            own = distances[ids[word]]
            for number in range(len(nearest)):
                nearest[number] = min(nearest[number], own[number])
        for number in range(len(nearest)):
            needed += weights[number] * nearest[number]
        bounds[place] = max(total / _ONE / (end - begin), needed)
    return bounds


@kernel
def bound_transport(costs: Array, left: Array, right: Array) -> float:
    """Return a lower bound of the cost of moving ``left`` to ``right``: each side's words move on
    their own to the nearest of the other's, no more to each than its share."""
    forth, back = 0.0, 0.0
    for i in range(len(left)):
        rest = left[i]
        for j in np.argsort(costs[i]):
            moved = min(rest, right[j])
            forth += moved * costs[i, j]
            rest -= moved
            if rest <= 0:
                break
    for j in range(len(right)):
        rest = right[j]
        for i in np.argsort(costs[:, j]):
            moved = min(rest, left[i])
            back += moved * costs[i, j]
            rest -= moved
            if rest <= 0:
                break
    return max(forth, back)


@reordered_kernel
def measure_costs(left: Array, right: Array) -> Array:
    """Return the distances between two sets of vectors, in double precision."""
    costs = np.empty((len(left), len(right)))
    for i in range(len(left)):
        for j in range(len(right)):
            square = 0.0
            for axis in range(left.shape[1]):
                step = left[i, axis] - np.float64(right[j, axis])
                square += step * step
            costs[i, j] = np.sqrt(square)
    return costs


def _squares(rows: Rows) -> NDArray[np.float32]:
    vectors = rows.lexicon.vectors
    squares: NDArray[np.float32] = np.einsum("ij,ij->i", vectors, vectors)
    return squares


def list_moved(rows: Rows) -> list[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Return for each segment where its rows begin among the words that are moved, and these: words
    with a vector that are not stopwords, as often as they occur."""
    return [_take_moved(segment, rows.unit) for segment in rows.segments]


def _take_moved(segment: Segment, unit: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    known = segment.content & (segment.matches > 0)
    starts = token_starts(segment.corpus, unit)
    moved, words = np.zeros(len(starts), np.int64), [np.empty(0, np.int32)]
    for first, own, tokens in split_rows(segment.corpus, starts):
        sizes, some = take_known(own, np.asarray(tokens), known)
        moved[first + 1 : first + len(own)] = sizes
        words.append(some)
    return np.cumsum(moved), np.concatenate(words)


@kernel
def take_known(starts: Array, tokens: Array, known: Array) -> tuple[Array, Array]:
    """Return how many words of each row are known, and these."""
    sizes, words = np.empty(len(starts) - 1, np.int64), np.empty(len(tokens) + 1, np.int32)
    size = 0
    for row in range(len(sizes)):
        before = size
        for token in tokens[starts[row] : starts[row + 1]]:
            words[size] = token  # without a branch, which could not be predicted
            size += known[token]
        sizes[row] = size - before
    return sizes, words[:size].copy()
