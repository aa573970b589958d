"""Word Mover's Distance between the encoder's vectors of words in their context.

As ``wmd``, with these vectors, of length 1, in the place of word vectors: every token is a point of
its own, "bank" in two texts is two. A token's share is its weight in ``late``: log((n + 1)/(n_w +
½)), so what "the" has to move hardly counts. The 100 rows with the best cosine of whole texts are
compared, of which the ``k`` best are exact: the relaxations of ``wmd`` leave out the others.
"""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.row_encodings import RowWords, encode_query, open_row_encodings
from lexfield.index.rows import Rows
from lexfield.search.late import AskedWords, choose_rows
from lexfield.search.method import Mask
from lexfield.vectors.encoders import find_words

_ROWS = 100  # that are compared, at least k


def search_tokens(rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
    """Return the rows that the query is moved to at the least cost."""
    space = open_row_encodings(rows)
    if not query.words:
        return Found([], [])
    encoded = encode_query(space.name, space.dims, query.text)
    asked = AskedWords(space.words, encoded) if len(encoded.states) else None
    if asked is None or not asked.weights.sum() > 0:
        return Found([], [], notes=[f"the encoder {space.name!r} has no vectors of these words"])
    chosen, notes = choose_rows(space, encoded, max(_ROWS, k), among)
    problems = [_Problem(asked, space.words, row) for row in chosen.tolist()]
    problems = [one for one in problems if len(one.shares)]
    bounds = np.array([one.bound() for one in problems])
    best: list[tuple[float, int]] = []
    for place in np.argsort(bounds, kind="stable").tolist():
        if len(best) == k and bounds[place] > best[-1][0] + 1e-12:
            break
        best = sorted([*best, (problems[place].solve()[0], place)])[:k]
    return Found(
        [problems[place].row for _, place in best],
        [-distance for distance, _ in best],
        lambda number: problems[best[number][1]].explain(),
        notes,
    )


class _Problem:
    """Moving the words of a query to those of a row."""

    def __init__(self, asked: AskedWords, words: RowWords, row: int) -> None:
        vectors, numbers, _ = words.of_all(np.array([row]))
        weights = np.maximum(words.idf[numbers], 0)
        kept = weights > 0
        own = asked.weights > 0
        self.row = row
        self._names = list(compress(asked.names, own))
        found = find_words([words.names[number] for number in numbers.tolist()])
        self._matches = list(compress(found, kept))
        self._asked = asked.weights[own] / asked.weights.sum()
        self.shares: NDArray[np.float64] = weights[kept] / max(weights.sum(), 1e-300)
        self._costs = _measure(asked.vectors[own], vectors[kept])

    def bound(self) -> float:
        """Return the cost if every word moves to the nearest one, at most what it really costs."""
        forth = self._asked @ self._costs.min(axis=1)
        return float(max(forth, self.shares @ self._costs.min(axis=0)))

    def solve(self) -> tuple[float, NDArray[np.float64]]:
        """Return the distance and the flows (query word × row word)."""
        from ot.lp.emd_wrap import emd_c

        flows, cost, _, _, _ = emd_c(self._asked.copy(), self.shares, self._costs, 1_000_000, 1)
        return float(cost), flows

    def explain(self) -> Explanation:
        _, flows = self.solve()
        reasons, moved = [], []
        for i, j in zip(*np.nonzero(flows > 1e-12), strict=True):
            names, distance = (self._names[i], self._matches[j]), float(self._costs[i, j])
            reasons.append(Reason(*names, -float(flows[i, j]) * distance, distance))
            moved.append({"query": names[0], "match": names[1], "flow": float(flows[i, j])})
        return Explanation(reasons, additive=True, facts={"flows": moved})


def _measure(a: Array, b: Array) -> NDArray[np.float64]:
    """Return the distances between the rows of two tables."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.asarray(np.sqrt(np.maximum(squares, 0)))
