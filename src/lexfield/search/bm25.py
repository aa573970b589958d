"""BM25 as Lucene computes it (Robertson and Zaragoza 2009; Kamphuis et al. 2020).

    value(g, d) = ln(1 + (N − n + ½) / (n + ½)) · c / (c + k1 (1 − b + b |d| / mean |d|))

c is the count of g in d, n the number of rows that hold g, N the number of all rows. With extended
counts (Rekabsaz et al., CIKM 2016) related words t of d count too, each as much as its cosine with
the query word: c' = c + Σ sim(q, t) c(t, d). n stays that of the query word, their generalised
translation model; if the index does not hold it, or with ``joint``, which is their extended one, n
is the number of rows with any word that stands for it. Their corrected length |d| is left out: it
changes nothing that could be measured (docs/results.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.errors import check
from lexfield.explain import Explanation
from lexfield.index.bags import Bags, Occurrences
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.bag_method import Scored, Term, TermScores, list_terms, note_unknown
from lexfield.search.extended import ExtendedMethod
from lexfield.search.max_score import Gain, Saturation, can_read, find_highest, find_saturation
from lexfield.search.method import Mask

_FEW = 10_000  # rows of a collection whose lists are all kept: that is as quick
_MANY = 500_000  # rows of a collection whose lists are too long to be kept
_OFTEN = 2  # times that words are asked for before their lists are kept


@dataclass(frozen=True, kw_only=True)
class Bm25(ExtendedMethod):
    """
    k1: how slowly further occurrences of a word add less.
    b: how much length counts against a row, from 0 to 1.
    extend: count related words too, chosen by threshold or top as in translation.
    joint: with extend, a word is as rare as it and its related words are together.
    """

    k1: float = 1.5
    b: float = 0.75
    extend: bool = False
    joint: bool = False
    threshold: float | None = None
    top: int | None = None
    name = "bm25"
    translates = False
    shortest = 0.0  # mean lengths: shorter rows count as so long

    def __post_init__(self) -> None:
        ok = isinstance(self.k1, int | float) and 0 < self.k1 <= 1000
        check(ok, "k1", "a number above 0, at most 1000", self.k1)
        ok = isinstance(self.b, int | float) and 0 <= self.b <= 1
        check(ok, "b", "a number from 0 to 1", self.b)
        check(self.extend in (True, False), "extend", "true or false", self.extend)
        self.check_related()
        is_given = self.threshold is not None or self.top is not None or self.joint
        expected = "true for joint, a threshold or top"
        check(self.extend or not is_given, "extend", expected, self.extend)

    @property
    def uses_vectors(self) -> bool:
        return self.extend

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        bags = Bags.of(rows)
        terms = list_terms(bags, query)
        is_sum = all(len(term.gram) == 1 and term.weight > 0 for term in terms)
        is_kept = len(rows) < _FEW or (len(rows) < _MANY and _are_asked_often(bags, terms))
        if self.extend or not is_sum or is_kept or not can_read(rows):
            return super().search(rows, query, k, among)
        counted = [(term, bags.count_rows(term.gram[0])) for term in terms]
        known = [(term, holding) for term, holding in counted if holding]
        gains = [
            Gain(bags.ids[term.gram[0]], term.weight, self.find_rarity(bags, holding))
            for term, holding in known
        ]
        best, scores = find_highest(bags, gains, self._find_saturation(bags), k, among)
        chosen = best.tolist()

        def explain(place: int) -> Explanation:
            return self.explain_row(bags, self._score_rows(bags, known, best), chosen[place])

        notes = note_unknown([term for term, holding in counted if not holding])
        return Found(chosen, scores.tolist(), explain, notes)

    def _score_rows(self, bags: Bags, known: list[tuple[Term, int]], rows: Array) -> Scored:
        """Return what terms are worth in a few rows, given how many rows hold each."""
        some = np.sort(rows)
        places, words = bags.rows.tokens_of(some)
        terms, scored = bags.term_of[words], []
        for term, holding in known:
            own = places[terms == bags.ids[term.gram[0]]]
            counts = np.bincount(own, minlength=len(some)).astype(np.int32)
            held = some[counts > 0].astype(np.int32)
            found = Occurrences(held, counts[counts > 0], holding, 0.0)
            values = self.compute_values(bags, found, 1)
            scored.append((term, TermScores(held, values, found.counts, holding, holding)))
        return scored

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        return self._weigh(bags, held, held.holding)

    def _weigh(self, bags: Bags, held: Occurrences, holding: int) -> NDArray[np.float64]:
        rarity, saturation = self.find_rarity(bags, holding), self._find_saturation(bags)
        return weigh(held.rows, held.counts, bags.rows.lengths, saturation, rarity)

    def _find_saturation(self, bags: Bags) -> Saturation:
        return Saturation(float(self.k1), float(self.b), _mean_length(bags), self._least_norm())

    def compute_extended(
        self, bags: Bags, own: Occurrences, held: Occurrences
    ) -> NDArray[np.float64]:
        return self._weigh(bags, held, self.choose_holding(own.holding, held.holding))

    def choose_holding(self, own: int, together: int) -> int:
        """Return n: rows that hold a word, or those that hold it or a related one."""
        return together if self.joint or not own else own

    def find_rarity(self, bags: Bags, holding: int) -> float:
        """Return the idf of an n-gram from the number of rows that contain it."""
        return math.log1p((bags.rows.statistics.rows - holding + 0.5) / (holding + 0.5))

    def find_norm(self, bags: Bags, length: int) -> float:
        """Return the saturation constant of BM25 for a row of the given length."""
        norm = self.k1 * (1 - self.b + self.b / _mean_length(bags) * length)
        return max(norm, self._least_norm())

    def _least_norm(self) -> float:
        return self.k1 * (1 - self.b + self.b * self.shortest)


def _are_asked_often(bags: Bags, terms: Sequence[Term]) -> bool:
    """Count the terms; return whether all were asked for before, so that keeping lists pays."""
    asked: Counter[str] = bags.remember("asked", Counter)
    known = {term.gram[0] for term in terms if term.gram[0] in bags.ids}
    asked.update(known)
    return all(asked[term] > _OFTEN for term in known)


def _mean_length(bags: Bags) -> float:
    return bags.total(1) / max(bags.rows.statistics.rows, 1) or 1.0  # none if all were deleted


@kernel
def weigh(
    rows: Array,
    counts: Array,
    lengths: Array,
    saturation: tuple[float, float, float, float],
    rarity: float,
) -> NDArray[np.float64]:
    """Return what a term is worth in each of some rows, given its counts there."""
    values = np.empty(len(rows))
    for place in range(len(rows)):
        count = float(counts[place])
        norm = find_saturation(lengths[rows[place]], saturation)
        values[place] = rarity * (count / (count + norm))
    return values
