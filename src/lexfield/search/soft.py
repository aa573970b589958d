"""Bag methods in which other words of a row may stand for a word of the query."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.index.bags import Bags, Occurrences
from lexfield.index.collection import Collection
from lexfield.index.query import Query
from lexfield.index.related import Related, relatable
from lexfield.search.weighted import NOTHING, BagMethod, Scored, Term, query_terms, read_terms
from lexfield.vectors.threshold import DEVIATION, SYNONYMS, Curve, Threshold, threshold
from lexfield.vectors.wordvectors import WordVectors

_SCAN = 50  # lists that together hold a row in so many are merged by looking at every row
_SAMPLE = 2000  # words whose neighbours are counted for the default threshold


@dataclass(frozen=True)
class SoftScored(Scored):
    """With the terms that stand for the word of the query, and what one of each counts."""

    terms: NDArray[np.int64]
    weights: NDArray[np.float64]


class SoftMethod(BagMethod):
    """The base of translation and of bm25 with extended counts."""

    threshold: float | None
    top: int | None
    translates: bool  # are the weights of related words probabilities?

    @property
    def extends(self) -> bool:
        """Do other words count?"""
        return True

    def wants_preview(self, query: Query) -> bool:
        return self.extends or super().wants_preview(query)

    def check_related(self) -> None:
        cosine = isinstance(self.threshold, int | float) and 0 < self.threshold <= 1
        ok = self.threshold is None or cosine
        check(ok, "threshold", "none, or a cosine above 0 and at most 1", self.threshold)
        ok = self.top is None or (isinstance(self.top, int) and 0 <= self.top <= 1000)
        check(ok, "top", "none, or a whole number from 0 to 1000", self.top)
        ok = self.threshold is None or self.top is None
        check(ok, "top", "left out where a threshold is given", self.top)

    def weights(
        self, similarities: NDArray[np.float64], probabilities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What one occurrence of each related term counts."""
        raise NotImplementedError

    def soft_values(self, bags: Bags, own: Occurrences, found: Occurrences) -> NDArray[np.float64]:
        """What the word of the query is worth where it is ``found``, and its own list."""
        raise NotImplementedError

    def read(self, index: Collection, text: str, algebra: bool) -> Query:
        """Read a query as weighted n-grams, with the vectors of its words."""
        tokens, terms = read_terms(index, text, algebra)
        query = index.query(" ".join(word for _, words in terms for word in words))
        notes = [] if terms else super().read(index, text, algebra).notes
        return replace(query, text=text, tokens=tokens, terms=terms, notes=notes)

    def scored(self, bags: Bags, term: Term, query: Query) -> Scored:
        if len(term.gram) > 1:
            return super().scored(bags, term, query)
        related = self._related(bags)
        terms, similarities, probabilities = related.group(term.gram[0], query)
        weights = self.weights(similarities, probabilities)
        found = _merged(bags, terms, weights)
        if not found.holding:
            return SoftScored(found.rows, NOTHING, found.counts, 0, terms, weights)
        values = self.soft_values(bags, bags.occurrences(term.gram), found)
        return SoftScored(found.rows, values, found.counts, found.holding, terms, weights)

    def known(self, bags: Bags, query: Query) -> tuple[list[tuple[Term, Scored]], list[str]]:
        lists = bags.lists(self)
        grams = (term.gram for term in query_terms(bags, query) if term.gram not in lists)
        new = [bags.ids[gram[0]] for gram in grams if len(gram) == 1 and gram[0] in bags.ids]
        if new and self.extends:
            self._related(bags).meet(new)
        return super().known(bags, query)

    def _related(self, bags: Bags) -> Related:
        return Related.of(bags, self.threshold or index_threshold(bags).threshold, self.top)

    def reasons(self, bags: Bags, term: Term, one: Scored, row: int, at: int) -> list[Reason]:
        """What each word of the row that stands for the term adds."""
        if not isinstance(one, SoftScored) or at < 0:
            return super().reasons(bags, term, one, row, at)
        norm = self.norm(bags, 1)
        value = term.weight * (float(one.values[at]) + (float(norm[row]) if len(norm) else 0.0))
        words, counts = np.unique(bags.rows.tokens_of(np.array([row]))[1], return_counts=True)
        weight_of = dict(zip(one.terms.tolist(), one.weights.tolist(), strict=True))
        reasons = []
        for word, count, own in zip(
            words.tolist(), counts.tolist(), bags.term_of[words].tolist(), strict=True
        ):
            if own in weight_of:
                name, weight = bags.rows.lexicon.words[word], weight_of[own]
                part = value * weight * count / float(one.counts[at])
                probability = weight if self.translates else None
                reasons.append(Reason(term.text, name, part, probability=probability))
        return reasons


def index_threshold(bags: Bags) -> Threshold:
    """The threshold at which a word of the index has as many relatives in it as a word has synonyms
    (``vectors/threshold.py``); of a large lexicon a sample is counted."""

    def found() -> Threshold:
        lexicon = bags.rows.lexicon
        # in an order that does not depend on segments, for a sample is drawn
        words = sorted(relatable(bags).tolist(), key=lexicon.words.__getitem__)
        names = [lexicon.words[word] for word in words]
        if len(words) < 3:
            nothing = Curve(np.array([0.0, 1.0]), np.zeros(2))
            return Threshold(1.0, (1.0, 1.0), SYNONYMS, DEVIATION, len(words), 0.0, nothing, ())
        return threshold(WordVectors(names, lexicon.vectors[words]), sample=_SAMPLE)

    return bags.remember("threshold", found)


def _merged(bags: Bags, terms: NDArray[np.int64], weights: NDArray[np.float64]) -> Occurrences:
    """The rows that hold any of the terms, with weighted counts; ``total`` is weighted too."""
    from lexfield.search.selection import add_list, distinct_rows

    lists = [bags.occurrences((bags.names[term],)) for term in terms.tolist()]
    total = float(sum(weight * one.total for weight, one in zip(weights, lists, strict=True)))
    if len(lists) == 1:  # its own holding is that of all rows
        return replace(lists[0], counts=weights[0] * lists[0].counts, total=total)
    sums = bags.take_sums()
    for weight, one in zip(weights.tolist(), lists, strict=True):
        add_list(sums, one.rows, one.counts, weight)
    if sum(len(one.rows) for one in lists) > len(sums) / _SCAN:
        rows = np.flatnonzero(sums != 0).astype(np.int32)
        counts = sums[rows]
    else:
        own = [np.empty(0, np.int32), *(one.rows for one in lists)]
        rows = np.sort(distinct_rows(sums, np.concatenate(own)))
        counts = -sums[rows]
    sums[rows] = 0
    bags.give_back(sums)
    live = bags.rows.live
    holding = len(rows) if live is None else int(live[rows].sum())
    return Occurrences(rows, counts, bags.count_holding_any(terms.tolist(), holding), total)
