"""What the bag methods share: a query is weighted n-grams, and a score is the sum of their values.

    score(row) = Σ weight(g) · value(g, row)   over the n-grams g of the query

A method says what an n-gram that a row holds is worth there. Rows that hold no n-gram with a
positive weight are not given; an n-gram with a negative weight takes from those that are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.algebra import parse_algebra
from lexfield.errors import list_names
from lexfield.explain import Explanation, Reason
from lexfield.index.bags import Bags, Occurrences
from lexfield.index.collection import Collection
from lexfield.index.query import Query, check_length, count_words
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.text.segment import words as cut_words
from lexfield.text.stopwords import stopwords

Array = NDArray[Any]
NOTHING: Array = np.empty(0)
_EVERYTHING: NDArray[np.bool_] = np.empty(0, bool)


@dataclass(frozen=True)
class Term:
    """An n-gram of a query: words as asked for, and the terms (stems, if any) that are counted."""

    weight: float
    words: tuple[str, ...]
    gram: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Scored:
    """What a term is worth in each row that holds it: always more than 0. ``counts`` is how often
    it is there, in part where a method counts other words too."""

    rows: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: Array
    holding: int

    def at(self, row: int) -> int:
        """The place of a row, or -1."""
        place = int(np.searchsorted(self.rows, row))
        return place if place < len(self.rows) and self.rows[place] == row else -1


class BagMethod:
    """The base of count, frequency, bm25, lm and translation."""

    name: str

    def values(self, bags: Bags, found: Occurrences, n: int) -> NDArray[np.float64]:
        """What an n-gram is worth in each row of its list."""
        raise NotImplementedError

    def scored(self, bags: Bags, term: Term, query: Query) -> Scored:
        found = bags.occurrences(term.gram)
        values = self.values(bags, found, len(term.gram)) if found.holding else NOTHING
        return Scored(found.rows, values, found.counts, found.holding)

    def norm(self, bags: Bags, n: int) -> Array:
        """What the length of each row adds for every n-gram of a query; empty for nothing."""
        return NOTHING

    def read(self, index: Collection, text: str, algebra: bool) -> Query:
        """Read a query as weighted n-grams; nothing is asked of word vectors."""
        tokens, terms = read_terms(index, text, algebra)
        return Query(
            text,
            tokens,
            [],
            np.empty(0, np.int64),
            np.empty(0, np.int32),
            np.empty((0, 0), np.float32),
            np.empty(0, bool),
            _empty_notes(tokens, terms),
            terms,
        )

    def wants_preview(self, query: Query) -> bool:
        """Phrases are counted in all parts first: there are too many to keep their counts."""
        return any(len(words) > 1 for _, words in query.terms or ())

    def preview(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> None:
        """Ask for the counts of everything in the query; they are noted by who keeps them."""
        bags = Bags.of(rows)
        for term in query_terms(bags, query):
            self.scored(bags, term, query)
            bags.total(len(term.gram))

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        from lexfield.engine.heap import sort_heap
        from lexfield.search.selection import add_list, take_rows

        bags = Bags.of(rows)
        known, notes = self.known(bags, query)
        norms, scales = self._scaled_norms(bags, [term for term, _ in known])
        sums = bags.take_sums()
        less = np.zeros(len(rows) if any(term.weight < 0 for term, _ in known) else 0)
        for term, one in known:
            add_list(sums if term.weight > 0 else less, one.rows, one.values, term.weight)
        mask = _EVERYTHING if allowed is None else allowed
        best, scores, size = np.empty(k, np.int64), np.empty(k), 0
        for term, one in known:
            if term.weight > 0:
                size = take_rows(sums, one.rows, less, norms, scales, mask, best, scores, size)
        bags.give_back(sums)
        best, scores = best[:size], scores[:size]
        sort_heap(best, scores)
        return self._found(bags, known, notes, best.tolist(), scores.tolist())

    def _scaled_norms(self, bags: Bags, terms: Sequence[Term]) -> tuple[Array, Array]:
        """What the lengths of rows add for each order of n-grams, and how often a query has it: the
        sum of the weights of its n-grams."""
        weights: dict[int, float] = {}
        for term in terms:
            weights[len(term.gram)] = weights.get(len(term.gram), 0.0) + term.weight
        norms = {n: norm for n in sorted(weights) if len(norm := self.norm(bags, n))}
        if len(norms) == 1:
            ((n, norm),) = norms.items()
            return norm[None], np.array([weights[n]])
        together = np.array([*norms.values()]) if norms else np.empty((0, 0))
        return together, np.array([weights[n] for n in norms])

    def known(self, bags: Bags, query: Query) -> tuple[list[tuple[Term, Scored]], list[str]]:
        """The terms of a query that the index holds, with their lists; and what to tell of it."""
        lists = bags.lists(self)
        known: list[tuple[Term, Scored]] = []
        unknown = []
        for term in query_terms(bags, query):
            one = lists.get(term.gram)
            if one is None:
                one = self.scored(bags, term, query)
                bags.keep(self, term.gram, one, len(one.rows))
            if one.holding:
                known.append((term, one))
            else:
                unknown.append(term)
        return known, _notes(unknown, known)

    def _found(
        self,
        bags: Bags,
        known: list[tuple[Term, Scored]],
        notes: list[str],
        rows: list[int],
        scores: list[float],
    ) -> Found:
        def explain(place: int) -> Explanation:
            reasons: list[Reason] = []
            counts = []
            for term, one in known:
                at = one.at(rows[place])
                reasons += self.reasons(bags, term, one, rows[place], at)
                counts.append(f"{term.text} {one.counts[at] if at >= 0 else 0:g}")
            facts = {"counts": counts, "length": int(bags.rows.lengths[rows[place]])}
            return Explanation(reasons, additive=True, facts=facts)

        return Found(rows, scores, explain, notes)

    def reasons(self, bags: Bags, term: Term, one: Scored, row: int, at: int) -> list[Reason]:
        """What a term adds to the score of a row, by the words that are there."""
        norm = self.norm(bags, len(term.gram))
        length = term.weight * float(norm[row]) if len(norm) else 0.0
        if at < 0:
            return [Reason(term.text, "", length)] if length else []
        value = term.weight * float(one.values[at])
        forms = _forms(bags, term, row)
        shares = [count / sum(forms.values()) for count in forms.values()]
        return [
            Reason(term.text, form, (value + length) * share)
            for form, share in zip(forms, shares, strict=True)
        ]


def read_terms(
    index: Collection, text: str, algebra: bool
) -> tuple[list[str], tuple[tuple[float, tuple[str, ...]], ...]]:
    """Return all words of a query, and its n-grams with their weights.

    Plain text is its words, each as often as it occurs, without stopwords; as ``algebra`` it is
    sums of words and quoted phrases, in which stopwords count."""
    normalise, excluded = index.normalisation, stopwords(index.language)
    tokens = cut_words(normalise(text.replace("\0", " ")))
    check_length(tokens)
    if not algebra:
        counted = zip(*count_words(tokens, excluded), strict=True)
        return tokens, tuple((float(count), (word,)) for word, count in counted)
    terms: list[tuple[float, tuple[str, ...]]] = []
    for item in parse_algebra(text):
        cut = cut_words(normalise(item.text))
        if item.quoted:
            terms.append((item.weight, tuple(cut)))
        else:
            terms += [(item.weight, (word,)) for word in cut if word not in excluded]
    return tokens, tuple(terms)


def query_terms(bags: Bags, query: Query) -> list[Term]:
    """The n-grams of a query, equal ones added up; what adds up to nothing is left out."""
    given = query.terms
    if given is None:
        counts = query.counts.tolist()
        given = tuple((c, (word,)) for word, c in zip(query.words, counts, strict=True))
    added: dict[tuple[str, ...], Term] = {}
    for weight, words in given:
        gram = bags.terms(list(words))
        before = added.get(gram)
        added[gram] = Term(weight + (before.weight if before else 0.0), words, gram)
    return [term for term in added.values() if term.weight]


def _empty_notes(tokens: list[str], terms: tuple[Any, ...]) -> list[str]:
    if terms:
        return []
    return [f"the query holds {'only stopwords' if tokens else 'no words'}"]


def _notes(unknown: list[Term], known: list[tuple[Term, Scored]]) -> list[str]:
    notes = []
    if unknown:
        names = [f'"{t.text}"' if len(t.words) > 1 else t.text for t in unknown]
        notes.append(f"not in the index: {list_names(names)}")
    if known and all(term.weight < 0 for term, _ in known):
        notes.append("every weight is negative: there is nothing to find")
    return notes


def _forms(bags: Bags, term: Term, row: int) -> dict[str, int]:
    """The words of a row that are counted as a term, with their counts; an n-gram is one."""
    if len(term.gram) > 1 or bags.stemmer == "none":
        return {term.text: 1}
    wanted = bags.ids[term.gram[0]]
    _, words = bags.rows.tokens_of(np.array([row]))
    forms: dict[str, int] = {}
    for word in words[bags.term_of[words] == wanted].tolist():
        name = bags.rows.lexicon.words[word]
        forms[name] = forms.get(name, 0) + 1
    return forms
