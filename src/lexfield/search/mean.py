"""Texts with similar vectors, exact.

A text's vector is the weighted sum of its words' vectors without their common direction, of length
1 (``vectors/weights.py``); the score is the cosine with the query's, which is a sum over pairs of
words. As stored vectors have length 1, cos = 1 − d²/2 for the distance d, so a search for the
nearest rows (``index/nearest.py``) finds the highest cosines.

``plain=true`` is AVG of Hare et al.: the score is minus the Euclidean distance between the plain
means of the words' vectors. Indexes of lexfield 0.1 store these, and are always searched so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.axes import TINY, measure_vector
from lexfield.index.chance import SAMPLE, Scorer
from lexfield.index.nearest import find_nearest, measure
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows, mean_vectors
from lexfield.search.method import Mask

OLD_INDEX = (
    "this index was built by an older lexfield and holds plain means of word vectors: index the"
    " texts again for better answers"
)
_SHOWN = 20  # pairs of words in an explanation


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The score is the cosine. Rows without any vector are not returned.

    plain: compare plain means of word vectors by minus their Euclidean distance.
    """

    plain: bool = False
    name = "mean"
    uses_vectors = True

    def __post_init__(self) -> None:
        check(self.plain in (True, False), "plain", "true or false", self.plain)

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        if not query.known.any():
            return Found([], [], notes=["no word of the query has a vector"])
        is_old = rows.lexicon.contributions is None
        if is_old or self.plain:
            found = self._search_means(rows, query, k, among, is_old)
            found.notes += [OLD_INDEX] if is_old and not self.plain else []
            return found
        near, squares = find_nearest_rows(rows, query.vector(), k, among)
        return rank(rows, query, near, 1 - squares / 2, k)

    def start_scoring(self, rows: Rows, query: Query) -> Scorer | None:
        """Return a scorer for arbitrary rows, or None for plain means."""
        if self.plain or rows.lexicon.contributions is None or not query.known.any():
            return None
        vector = query.vector()
        near, squares = find_nearest_rows(rows, vector, min(SAMPLE // 2, len(rows)), rows.live)
        known = np.zeros(len(rows))  # the best rows: too few of them are in a sample of all
        known[near] = np.maximum(1 - squares / 2, 0)
        return Scorer(partial(find_cosines, rows, vector), known, copy=1.0)

    def _search_means(
        self, rows: Rows, query: Query, k: int, among: Mask | None, is_old: bool
    ) -> Found:
        mean = query.mean()
        if is_old:
            near, squares = find_nearest_rows(rows, mean, k, among)
        else:
            means = rows.cached("means", mean_vectors)
            near = np.flatnonzero(means.any(axis=1) & (True if among is None else among))
            squares = ((means[near] - mean.astype(np.float64)) ** 2).sum(axis=1)
        return rank(rows, query, near, -np.sqrt(squares), k, plain=True)


def find_nearest_rows(
    rows: Rows, vector: NDArray[np.float32], k: int, among: Mask | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return rows that include the ``k`` nearest to a vector, and their squared distances."""
    parts = []
    for start, unit in rows.blocks():
        own = None if among is None else among[start : start + unit.rows]
        near, squares = find_nearest(unit, vector, k, own)
        parts.append((near + start, squares))
    near, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    return near, squares


def find_cosines(rows: Rows, vector: NDArray[np.float32], chosen: Array) -> NDArray[np.float64]:
    """Return the cosines of chosen rows with a vector; 0 for a row without one."""
    cosines = np.zeros(len(chosen))
    for _, unit, inside, own in rows.split(chosen):
        squares = measure(unit, vector, own)
        cosines[inside] = np.where(np.isinf(unit.squares[own]), 0, 1 - squares / 2)
    return cosines


def rank(
    rows: Rows, query: Query, near: Array, scores: Array, k: int, plain: bool = False
) -> Found:
    """Return the ``k`` best of some rows, with reasons."""
    places = top_k(scores, k, near)
    chosen = near[places].tolist()
    return Found(
        chosen, scores[places].tolist(), lambda place: _explain(rows, query, chosen[place], plain)
    )


def _explain(rows: Rows, query: Query, row: int, plain: bool) -> Explanation:
    """Return the pairs of words with the largest parts in the cosine; of plain means, in twice
    their inner product, which is what the squared distance is made of besides their lengths."""
    parts = 2 * split_means(rows, query, row) if plain else split_product(rows, query, row)
    return Explanation(explain_pairs(rows, query, row, parts), additive=not plain)


def split_product(rows: Rows, query: Query, row: int) -> NDArray[np.float64]:
    """Return the part of each pair (query word, row word) in the product of the texts' vectors."""
    contributions = rows.lexicon.contributions
    if contributions is None:
        return split_means(rows, query, row)
    words, counts, _ = rows.entries(row)
    own = contributions[words].astype(np.float64)
    length, most = measure_vector(counts, own)
    parts: NDArray[np.float64] = query.vector_parts @ own.T
    parts *= counts / length if length > TINY * most else 0.0
    return parts


def split_means(rows: Rows, query: Query, row: int) -> NDArray[np.float64]:
    """Return the part of each pair of words in the inner product of the plain means."""
    words, _, shares = rows.entries(row)
    own = query.vectors.astype(np.float64)
    vectors = rows.lexicon.vectors[words].astype(np.float64)
    parts: NDArray[np.float64] = query.shares[:, None] * shares[None] * (own @ vectors.T)
    return parts


def explain_pairs(rows: Rows, query: Query, row: int, parts: Array) -> list[Reason]:
    """Return the largest parts as reasons, and the sum of the others as one."""
    words = rows.entries(row)[0]
    order = top_k(np.abs(parts).ravel(), _SHOWN)
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
