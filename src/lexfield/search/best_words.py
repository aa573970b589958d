"""The words' part of ``best``: bm25 with related words, for short queries and for whole documents.

    Σ (1 + ln n_g) · idf(g)^1.5 · c / (c + K(d))

over the n-grams g of the query, which holds each n_g times; c, idf and K are those of ``bm25``. In
a query that is a document itself, common words are many and repeat: rarity counts more than in
``bm25``, and repetition less. A related word counts half its cosine. Where texts write a word and
its neighbour in the query as one, as *namenode* for "name node", that counts like the word itself.
K is never less than that of a row of ¾ the mean length: two words are no better an answer for being
alone.
docs/decisions/0012-best.md compares this with other rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lexfield.index.bags import Bags, Occurrences
from lexfield.index.query import Query
from lexfield.search.bag_method import Scored, TermScores, list_terms
from lexfield.search.bm25 import Bm25

_RARITY = 1.5
_MOST_JOINED = 4  # words of a query that texts may write as one
Gram = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BestWords(Bm25):
    """Internal to ``best``; the public method is ``bm25``."""

    related_share = 0.5
    shortest = 0.75

    def find_rarity(self, bags: Bags, holding: int) -> float:
        return math.pow(super().find_rarity(bags, holding), _RARITY)

    def score_terms(self, bags: Bags, query: Query) -> tuple[Scored, list[str]]:
        scored, notes = super().score_terms(bags, query)
        if self.extend and (joined := find_joined(bags, query)):
            scored = [
                (term, self._add_joined(bags, one, joined[term.gram]))
                if term.gram in joined
                else (term, one)
                for term, one in scored
            ]
        damped = [
            (term._replace(weight=_damp(term.weight)) if term.weight > 1 else term, one)
            for term, one in scored
        ]
        return damped, notes

    def _add_joined(self, bags: Bags, one: TermScores, joined: list[int]) -> TermScores:
        """Return the scores of a term with the rows that write it and its neighbour as one word."""
        if one.related is None or one.weights is None:
            return one
        new = [number for number in joined if number not in one.related]
        lists = bags.collect(new)
        rows = np.concatenate([one.rows, *(held.rows for held in lists)])
        counts = np.concatenate([one.counts, *(held.counts for held in lists)])
        rows, places = np.unique(rows, return_inverse=True)
        held = Occurrences(rows, np.bincount(places, counts), one.holding, 0.0)
        values = self._weigh(bags, held, self.choose_holding(one.own, one.holding))
        related = np.append(one.related, new).astype(np.int64)
        weights = np.append(one.weights, np.ones(len(new)))
        return TermScores(rows, values, held.counts, one.holding, one.own, related, weights)

    def weigh_terms(self, bags: Bags, query: Query, scored: Scored) -> dict[Gram, float]:
        """Return how much each term of a query tells rows apart.

        A word that neither is in the index nor has a related one there counts as one that is in no
        row: a text that holds the rest of the query is not a copy of it.
        """
        missing = self.find_rarity(bags, 0)
        weights = dict.fromkeys((term.gram for term in list_terms(bags, query)), missing)
        for term, one in scored:
            holding = self.choose_holding(one.own, one.holding)
            weights[term.gram] = self.find_rarity(bags, holding)
        return weights

    def score_query(
        self, bags: Bags, query: Query, scored: Scored, weights: dict[Gram, float]
    ) -> float:
        """Return what the query would score if it were a row, by the weights of its terms."""
        counts = {term.gram: term.weight for term in list_terms(bags, query)}
        own = {bags.ids[gram[0]]: n for gram, n in counts.items() if gram[0] in bags.ids}
        norm = self.find_norm(bags, len(query.tokens))
        score = 0.0
        for term, one in scored:
            count = counts[term.gram]
            if one.related is not None and one.weights is not None:
                pairs = zip(one.related.tolist(), one.weights.tolist(), strict=True)
                count = max(count, sum(weight * own.get(other, 0.0) for other, weight in pairs))
            score += term.weight * weights[term.gram] * count / (count + norm)
            del counts[term.gram]
        for gram, count in counts.items():  # in no row
            score += _damp(count) * weights[gram] * count / (count + norm)
        return float(score)


def _damp(count: float) -> float:
    """Return 1 + ln of a count; counts up to 1 as they are."""
    return 1 + math.log(count) if count > 1 else count


def find_joined(bags: Bags, query: Query) -> dict[Gram, list[int]]:
    """Return the terms of an index that write several words of a query as one, by these words:
    *namenode* by *name* and by *node*. Stopwords and single letters are no such words."""
    own = {word for word in query.words if len(word) > 1}
    runs = [
        query.tokens[place : place + size]
        for place in range(len(query.tokens) - 1 if query.terms is None else 0)
        for size in range(2, min(_MOST_JOINED, len(query.tokens) - place) + 1)
        if own.issuperset(query.tokens[place : place + size])
    ]
    found: dict[Gram, list[int]] = {}
    for run, word in zip(runs, bags.terms(["".join(run) for run in runs]), strict=True):
        terms = bags.terms(run) if word in bags.ids else ()
        for term in terms:
            numbers = found.setdefault((term,), [])
            if word not in terms and bags.ids[word] not in numbers:
                numbers.append(bags.ids[word])
    return found
