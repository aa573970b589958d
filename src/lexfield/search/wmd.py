"""Word Mover's Distance (Kusner et al. 2015), exact top-k by pruning.

Two relaxations bound the distance from below: every word of the row moves to its nearest query
word, or every query word to its nearest word of the row. The first takes one pass over all rows;
the second is computed where the first does not decide. The remaining rows are visited in ascending
order of the bound, until it exceeds the k-th best distance. Before one is solved exactly, the bound
is tightened: no pair of words can exchange more than the share of either (ICT of Atasu and
Mittelholzer 2019, in both directions).
"""

from __future__ import annotations

from collections.abc import Sequence
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
from lexfield.search.in_parts import describe
from lexfield.search.method import Mask
from lexfield.search.token_wmd import search_tokens

_FIRST = 256  # the most promising rows, which yield a first limit


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
        problem = _Problem(rows, query)
        bounds = problem.bound_rows()
        if among is not None:
            bounds[~among] = np.inf
        best: list[tuple[float, int]] = []  # distance and row of the k best so far
        done = np.zeros(len(rows), bool)
        candidates = np.argpartition(bounds, min(_FIRST, len(bounds) - 1))[:_FIRST]
        solved = 0
        for _ in range(stages):  # first the most promising, then all that the limit leaves
            candidates = candidates[(bounds[candidates] <= limit) & (bounds[candidates] < np.inf)]
            done[candidates] = True
            lower = np.maximum(bounds[candidates], problem.bound_query(candidates))
            for place in np.argsort(lower, kind="stable"):
                if lower[place] > limit:
                    break
                row = int(candidates[place])
                if problem.bound_flows(row) > limit:
                    continue
                best.append((problem.solve(row)[0], row))
                solved += 1
                if len(best) > k:
                    best.sort()
                    best.pop()
                if len(best) == k:
                    limit = min(limit, max(distance for distance, _ in best) + 1e-12)
            candidates = np.flatnonzero(~done & (bounds <= limit) & (bounds < np.inf))
        best.sort()
        chosen = [row for _, row in best]
        return Found(
            chosen,
            [-distance for distance, _ in best],
            lambda place: problem.explain(chosen[place]),
            [
                Aside(
                    f"wmd solved {solved:,} of {len(rows):,} rows exactly; bounds excluded the rest"
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
        bounds = problem.bound_rows()

        def score(chosen: Array) -> NDArray[np.float64]:
            lower = np.maximum(bounds[chosen], problem.bound_query(chosen)).astype(np.float64)
            return np.where(bounds[chosen] < np.inf, -lower, np.nan)

        return Scorer(score)


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
        self._distances = rows.lexicon.vectors @ (-2 * self._vectors).astype(np.float32).T
        self._nearest = finish_distances(self._distances, squares, own, slack)

    def bound_rows(self) -> NDArray[np.float32]:
        """Return the cost for every row if each of its words moves to the nearest query word."""
        moved = self._rows.cached("moved words", list_moved)
        maps = self._rows.lexicon.maps
        parts = [
            average_costs(starts, words, self._nearest[own])
            for (starts, words), own in zip(moved, maps, strict=True)
        ]
        return np.concatenate(parts) * np.float32(1 - 1e-5) - np.float32(1e-5)

    def bound_query(self, rows: Array) -> NDArray[np.float64]:
        """Return the cost for these rows if each query word moves to the nearest of their words."""
        bounds, moved = np.zeros(len(rows)), self._rows.cached("moved words", list_moved)
        for number, _, inside, own in self._rows.split(rows):
            ids = self._rows.lexicon.maps[number]
            bounds[inside] = add_nearest(own, *moved[number], ids, self._distances, self._shares)
        return bounds

    def bound_flows(self, row: int) -> float:
        """Return a bound of the distance of a row in which each flow is within both its shares."""
        words, weights = self._weigh(row)
        costs = np.ascontiguousarray(self._distances[words].T)
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
def average_costs(starts: Array, words: Array, costs: Array) -> NDArray[np.float32]:
    """Return the mean cost of the words of each row; infinite for a row without any."""
    averages = np.full(len(starts) - 1, np.inf, np.float32)
    for row in range(len(averages)):
        total = 0.0
        for place in range(starts[row], starts[row + 1]):
            total += costs[words[place]]
        if starts[row] < starts[row + 1]:
            averages[row] = total / (starts[row + 1] - starts[row])
    return averages


@kernel
def add_nearest(
    rows: Array, starts: Array, words: Array, ids: Array, distances: Array, weights: Array
) -> NDArray[np.float64]:
    """Return the weighted sum over query words of the distance to the nearest word of each row.

    ``ids`` are the rows of words in ``distances``.
    """
    sums, nearest = np.zeros(len(rows)), np.empty(len(weights), np.float32)
    for place in range(len(rows)):
        nearest[:] = np.inf
        for entry in range(starts[rows[place]], starts[rows[place] + 1]):
            own = distances[ids[words[entry]]]
            for number in range(len(weights)):
                nearest[number] = min(nearest[number], own[number])
        for number in range(len(weights)):
            sums[place] += weights[number] * nearest[number]
    return sums


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
    with a vector that are no stopwords, as often as they occur."""
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
