"""Word Mover's Distance (Kusner et al. 2015), exact top-k by pruning.

Two relaxations bound the distance from below: every word of the row moves to its nearest query
word, or every query word to its nearest word of the row. The first takes one pass over all rows;
the second is computed where the first does not decide. The remaining rows are solved exactly, in
ascending order of the bound, until the bound exceeds the k-th best distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.results import Aside, JsonObject
from lexfield.search.in_parts import describe
from lexfield.search.method import Mask
from lexfield.search.token_wmd import search_tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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


class _Problem:
    """The distances from the query's words to all words, from which bounds are computed."""

    def __init__(self, rows: Rows, query: Query) -> None:
        self._rows = rows
        self._words = np.flatnonzero(query.known)
        self._query = query
        self._vectors = query.vectors[self._words].astype(np.float64)
        self._shares = query.shares[self._words]
        vectors = rows.lexicon.vectors
        squares = rows.cached("squares", _squares)
        own = np.einsum("ij,ij->i", self._vectors, self._vectors).astype(np.float32)
        distances = (-2 * self._vectors).astype(np.float32) @ vectors.T
        distances += own[:, None]
        distances += squares
        np.sqrt(np.maximum(distances, 0, out=distances), out=distances)
        # Bounds must not be too high: this is more than the lines above lose by rounding.
        distances -= np.float32(4e-3) * np.sqrt(own.max(initial=0))
        self._distances = np.maximum(distances, 0, out=distances)

    def bound_rows(self) -> NDArray[np.float32]:
        """Return the cost for every row if each of its words moves to the nearest query word."""
        nearest = self._distances.min(axis=0)
        bounds = np.concatenate(
            [shares @ nearest[own] for shares, own in self._rows.cached("shares", _shares)]
        )
        bounds -= np.float32(1e-5) * (1 + bounds)
        bounds[self._rows.cached("without vectors", _without_vectors)] = np.inf
        return bounds

    def bound_query(self, rows: Array) -> NDArray[np.float64]:
        """Return the cost for these rows if each query word moves to the nearest of their words."""
        bounds = np.zeros(len(rows))
        for number, unit, inside, own in self._rows.split(rows):
            if not len(own):
                continue
            sizes = unit.offsets[own + 1] - unit.offsets[own]
            begins, entries = np.cumsum(sizes) - sizes, join_ranges(unit.offsets[own], sizes)
            words = self._rows.lexicon.maps[number][unit.words[entries]]
            far = np.where(unit.shares[entries] > 0, np.float32(0), np.float32(np.inf))
            for share, distances in zip(self._shares, self._distances, strict=True):
                bounds[inside] += share * np.minimum.reduceat(distances[words] + far, begins)
        return bounds

    def solve(self, row: int) -> tuple[float, NDArray[np.float64], Array]:
        """Return the distance, the flows (query word × row word) and the row's words."""
        from ot.lp.emd_wrap import emd_c

        words, counts, shares = self._rows.entries(row)
        words, counts = words[shares > 0], counts[shares > 0].astype(np.float64)
        vectors = self._rows.lexicon.vectors[words].astype(np.float64)
        costs = np.linalg.norm(self._vectors[:, None] - vectors[None], axis=2)
        weights = counts / counts.sum()
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


def _squares(rows: Rows) -> NDArray[np.float32]:
    vectors = rows.lexicon.vectors
    squares: NDArray[np.float32] = np.einsum("ij,ij->i", vectors, vectors)
    return squares


def _shares(rows: Rows) -> list[tuple[csr_matrix, NDArray[np.int32]]]:
    """Return for each segment the shares of words in rows as a sparse matrix, and word ids."""
    from scipy.sparse import csr_matrix

    return [
        (csr_matrix((unit.shares, unit.words, unit.offsets), (unit.rows, len(own))), own)
        for (_, unit), own in zip(rows.blocks(), rows.lexicon.maps, strict=True)
    ]


def _without_vectors(rows: Rows) -> NDArray[np.bool_]:
    totals = [shares @ np.ones(len(own), np.float32) for shares, own in _shares(rows)]
    return np.concatenate(totals) < 0.5
