"""Bag methods in which related words of a row count for a word of the query too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.index.bags import Bags, Occurrences
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
        if self.uses_vectors:  # the relatives of all new words are found together
            lists = bags.lists(self)
            grams = [term.gram for term in list_terms(bags, query) if term.gram not in lists]
            new = [gram[0] for gram in grams if len(gram) == 1]
            if new:
                self._related(bags).find_all(new, query, translates=self.translates)
        return super().score_terms(bags, query)

    def score_term(self, bags: Bags, term: Term, query: Query) -> TermScores:
        if not self.uses_vectors or len(term.gram) > 1:
            return super().score_term(bags, term, query)
        relatives = self._related(bags)
        related, weights = relatives.group(term.gram[0], query)
        if self.translates:
            weights = relatives.compute_probabilities(term.gram[0], related, weights)
        own = bags.ids.get(term.gram[0], -1)
        weights = np.where(related == own, weights, self.related_share * weights)
        held, itself = _merge_lists(bags, related, weights), bags.occurrences(term.gram)
        values = self.compute_extended(bags, itself, held) if held.holding else NOTHING
        return TermScores(
            held.rows, values, held.counts, held.holding, itself.holding, related, weights
        )

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


def _merge_lists(bags: Bags, terms: NDArray[np.int64], weights: NDArray[np.float64]) -> Occurrences:
    """Return the rows that hold any of the terms, with weighted counts and a weighted total."""
    lists = [bags.occurrences((bags.names[term],)) for term in terms.tolist()]
    total = float(sum(weight * one.total for weight, one in zip(weights, lists, strict=True)))
    if len(lists) == 1:  # ``holding`` is already that of all rows
        return replace(lists[0], counts=weights[0] * lists[0].counts, total=total)
    parts = [(one.rows, w * one.counts) for w, one in zip(weights.tolist(), lists, strict=True)]
    while len(parts) != 1:
        groups = [parts[first : first + _TOGETHER] for first in range(0, len(parts), _TOGETHER)]
        parts = [_merge(group) for group in groups or [[]]]
    ((rows, counts),) = parts
    live = bags.rows.live
    holding = len(rows) if live is None else int(live[rows].sum())
    holding, _ = bags.rows.statistics.count(("any", *terms.tolist()), holding, 0)
    return Occurrences(rows, counts, holding, total)


def _merge(lists: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the rows of any of several lists, ascending, and the sums of their values."""
    rows = np.concatenate([np.empty(0, np.int32), *(rows for rows, _ in lists)])
    values = np.concatenate([np.empty(0), *(values for _, values in lists)])
    ends = np.cumsum([0, *(len(rows) for rows, _ in lists)])
    merged: tuple[Array, Array] = merge_sorted(rows, values, ends)
    return merged


@kernel
def merge_sorted(rows: Array, values: Array, ends: Array) -> tuple[Array, Array]:
    """Merge lists of ascending rows, which lie one after another; ``ends`` are 0 and their ends.

    Values of equal rows are added in the order of the lists.
    """
    heads, last = ends[:-1].copy(), np.int32(np.iinfo(np.int32).max)
    merged, sums = np.empty(len(rows), np.int32), np.empty(len(rows))
    size, left = 0, len(rows)
    while left:
        row = last
        for number in range(len(heads)):
            if heads[number] < ends[number + 1]:
                row = min(row, rows[heads[number]])
        total = 0.0
        for number in range(len(heads)):
            head = heads[number]
            if head < ends[number + 1] and rows[head] == row:
                total += values[head]
                heads[number] += 1
                left -= 1
        merged[size], sums[size] = row, total
        size += 1
    return merged[:size].copy(), sums[:size].copy()
