"""Bag methods in which related words of a row count for a word of the query too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.index.bags import Bags, Occurrences
from lexfield.index.postings import merge_sorted
from lexfield.index.query import Query
from lexfield.index.related import Related, list_relatable
from lexfield.search.bag_method import (
    NOTHING,
    BagMethod,
    Scored,
    Term,
    TermScores,
    list_terms,
)
from lexfield.vectors.threshold import SYNONYMS, read_threshold

WeightedList = tuple[Array, Array, float]  # rows, ascending, their counts, and the weight of these
_NO_ROWS: NDArray[np.int32] = np.empty(0, np.int32)
_NO_COUNTS: NDArray[np.int32] = np.empty(0, np.int32)
_TOGETHER = 16  # lists that are merged at a time
_SAMPLE = 1000  # words whose neighbours are counted for the default threshold
_LIKELY = 0.75  # a cosine that the threshold is rarely below


class ExtendedMethod(BagMethod):
    """The base of translation, and of bm25 with extended counts."""

    threshold: float | None
    top: int | None
    translates: bool  # are the weights of related words probabilities?
    related_share = 1.0  # how much an occurrence of a related word counts, times its cosine

    @property
    def uses_vectors(self) -> bool:
        """Do related words count?"""
        return True

    def compute_extended(
        self, bags: Bags, own: Occurrences, held: Occurrences
    ) -> NDArray[np.float64]:
        """Return what a query word is worth in each row that holds it or a related word.

        ``own`` are the occurrences of the word itself, ``held`` the weighted ones of all.
        """
        return self.compute_values(bags, held, 1)

    def wants_preview(self, query: Query) -> bool:
        return self.uses_vectors or super().wants_preview(query)

    def check_related(self) -> None:
        is_cosine = isinstance(self.threshold, int | float) and 0 < self.threshold <= 1
        ok = self.threshold is None or is_cosine
        check(ok, "threshold", "none, or a cosine above 0 and at most 1", self.threshold)
        ok = self.top is None or (isinstance(self.top, int) and 0 <= self.top <= 1000)
        check(ok, "top", "none, or a whole number from 0 to 1000", self.top)
        ok = self.threshold is None or self.top is None
        check(ok, "top", "left out where a threshold is given", self.top)

    def score_terms(self, bags: Bags, query: Query) -> tuple[Scored, list[str]]:
        if self.uses_vectors:  # all new words at once
            lists = bags.lists(self)
            terms = [term for term in list_terms(bags, query) if term.gram not in lists]
            new = [term for term in terms if len(term.gram) == 1]
            for term, one in zip(new, self._score_all(bags, new, query), strict=True):
                bags.keep(self, term.gram, one, len(one.rows))
        return super().score_terms(bags, query)

    def score_term(self, bags: Bags, term: Term, query: Query) -> TermScores:
        if not self.uses_vectors or len(term.gram) > 1:
            return super().score_term(bags, term, query)
        return self._score_all(bags, [term], query)[0]

    def _score_all(self, bags: Bags, terms: list[Term], query: Query) -> list[TermScores]:
        """Return what terms of one word are worth in each row that holds them or related words."""
        relatives = self._related(bags)
        names = [term.gram[0] for term in terms]
        bags.collect(relatives.find_all(names, query, translates=self.translates))
        groups = [self._weigh_related(relatives, name, bags, query) for name in names]
        scored = []
        for term, group, held in zip(terms, groups, _merge_groups(bags, groups), strict=True):
            own = bags.occurrences(term.gram)
            values = self.compute_extended(bags, own, held) if held.holding else NOTHING
            counts = held.rows, values, held.counts, held.holding, own.holding
            scored.append(TermScores(*counts, *group))
        return scored

    def _weigh_related(
        self, relatives: Related, name: str, bags: Bags, query: Query
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the terms that may stand for one, and what an occurrence of each counts."""
        related, weights = relatives.group(name, query)
        if self.translates:
            weights = relatives.compute_probabilities(name, related, weights)
        if self.related_share != 1:
            own = bags.ids.get(name, -1)
            weights = np.where(related == own, weights, self.related_share * weights)
        return related, weights

    def _related(self, bags: Bags) -> Related:
        return Related.of(bags, self.threshold or find_threshold(bags), self.top)

    def explain_term(
        self, bags: Bags, term: Term, one: TermScores, row: int, place: int
    ) -> list[Reason]:
        """Return what each word of the row that stands for the term adds."""
        if one.related is None or one.weights is None or place < 0:
            return super().explain_term(bags, term, one, row, place)
        norm = self.compute_norm(bags, 1)
        length = float(norm[row]) if len(norm) else 0.0
        value = term.weight * (float(one.values[place]) + length)
        counts = bags.count_words(row)
        weight_of = dict(zip(one.related.tolist(), one.weights.tolist(), strict=True))
        held = sorted(
            (word, count, weight)
            for term_id, weight in weight_of.items()
            for word in bags.words_of(term_id)
            if (count := int(counts[word]))
        )
        reasons = []
        for word, count, weight in held:
            name = bags.rows.lexicon.words[word]
            part = value * weight * count / float(one.counts[place])
            probability = weight if self.translates else None
            reasons.append(Reason(term.name(name), name, part, probability=probability))
        return reasons


def find_threshold(bags: Bags) -> float:
    """Return the cosine at which a word of the index has as many relatives in it as a word has
    synonyms (``vectors/threshold.py``). In a large lexicon a sample of words is counted."""

    def find() -> float:
        # sorted, so that the sample does not depend on segments
        words = sorted(list_relatable(bags).tolist(), key=bags.rows.lexicon.words.__getitem__)
        if len(words) - 1 <= SYNONYMS:
            return 1.0
        if len(words) > _SAMPLE:
            drawn = np.random.default_rng(0).permutation(len(words))[:_SAMPLE]
            words = [words[place] for place in drawn.tolist()]
        floor = _LIKELY  # only cosines above the threshold count, and few words have them
        while True:
            cosines = Related(bags, floor, None).list_cosines(words)
            if len(cosines) > SYNONYMS * len(words):
                return read_threshold(cosines, len(words))
            floor -= 0.1

    return bags.remember("threshold", find)


def _merge_groups(
    bags: Bags, groups: list[tuple[NDArray[np.int64], NDArray[np.float64]]]
) -> list[Occurrences]:
    """Return the rows that hold any term of each group, with weighted counts and totals."""
    lists = [bags.collect(terms.tolist()) for terms, _ in groups]
    parts = [
        [(one.rows, one.counts, weight) for one, weight in zip(some, each.tolist(), strict=True)]
        for some, (_, each) in zip(lists, groups, strict=True)
    ]
    while any(len(some) > _TOGETHER for some in parts):
        parts = [
            _merge([some[at : at + _TOGETHER] for at in range(0, len(some), _TOGETHER)])
            for some in parts
        ]
    found, live = [], bags.rows.live
    for (terms, each), some, (rows, counts, _) in zip(groups, lists, _merge(parts), strict=True):
        holding = len(rows) if live is None else int(live[rows].sum())
        if len(some) == 1:
            holding = some[0].holding  # already that of all rows
        elif some:
            holding, _ = bags.rows.statistics.count(("any", *terms.tolist()), holding, 0)
        total = float(
            sum(weight * one.total for weight, one in zip(each.tolist(), some, strict=True))
        )
        found.append(Occurrences(rows, counts, holding, total))
    return found


def _merge(groups: list[list[WeightedList]]) -> list[WeightedList]:
    """Return for each group of lists the rows of any of them, ascending, and the sums of their
    weighted counts, which weigh 1."""
    lists = [one for group in groups for one in group]
    rows = np.concatenate([_NO_ROWS, *[one[0] for one in lists]])
    counts = np.concatenate([_NO_COUNTS, *[one[1] for one in lists]])
    sizes = np.array([len(one[0]) for one in lists], np.int64)
    weights = np.array([weight for *_, weight in lists], np.float64)
    many = np.array([len(group) for group in groups], np.int64)
    rows, sums, left = merge_sorted(rows, counts, sizes, weights, many)
    ends = np.cumsum(left).tolist()
    return [(rows[a:b], sums[a:b], 1.0) for a, b in zip([0, *ends], ends, strict=False)]
