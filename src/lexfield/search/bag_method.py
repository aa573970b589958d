"""The bag methods: a query is weighted n-grams, and a score is the sum of their values.

    score(row) = Σ weight(g) · value(g, row)   over the n-grams g of the query

A method says what an n-gram is worth in a row that holds it. Rows that hold no n-gram with a
positive weight are not returned; n-grams with a negative weight lower the scores of the others.
``count`` and ``frequency``, the simplest methods of this kind, are here too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.bags.algebra import parse_algebra
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import push, sort_heap
from lexfield.errors import list_names
from lexfield.explain import Explanation, Reason
from lexfield.index.bags import Bags, Occurrences
from lexfield.index.chance import Scorer
from lexfield.index.collection import Collection
from lexfield.index.query import Query, check_length, note_nothing
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.block_max import BlockSums, ValueList
from lexfield.search.method import Mask
from lexfield.text.stopwords import stopwords

NOTHING: Array = np.empty(0)
_EVERY_ROW: Mask = np.empty(0, bool)
_WORDS = 200  # of a query whose coincidence is considered
_NO_ROWS: NDArray[np.int32] = np.empty(0, np.int32)
_MANY = 200_000  # entries of lists: fewer are added up faster than their blocks are chosen


class Term(NamedTuple):
    """An n-gram of a query: its words, and the terms (stems, if there is a stemmer) to count."""

    weight: float
    words: tuple[str, ...]
    gram: tuple[str, ...]
    forms: tuple[str, ...] = ()  # further words of the query with the same stem

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def name(self, match: str) -> str:
        """Return the word of the query that a word answers: itself if the query has it."""
        return match if match in self.forms else self.text


@dataclass(frozen=True)
class TermScores:
    """What a term is worth in each row that holds it: always more than 0.

    Where other terms may stand for it, ``related`` are their ids and ``weights`` what one
    occurrence of each counts; ``counts`` are then weighted sums.
    """

    rows: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: Array
    holding: int
    own: int  # rows that hold the term itself
    related: Array | None = None
    weights: Array | None = None

    @cached_property
    def list(self) -> ValueList:
        return ValueList.of(self.rows, self.values)

    def find(self, row: int) -> int:
        """Return the place of a row, or -1."""
        place = int(np.searchsorted(self.rows, row))
        return place if place < len(self.rows) and self.rows[place] == row else -1


Scored = list[tuple[Term, TermScores]]


class BagMethod(ABC):
    """The base of count, frequency, bm25, lm and translation."""

    name: str
    is_fast = True

    @abstractmethod
    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        """Return what an n-gram is worth in each row that holds it."""

    def compute_norm(self, bags: Bags, n: int) -> Array:
        """Return what the length of each row adds per n-gram of a query; empty for nothing."""
        return NOTHING

    def score_term(self, bags: Bags, term: Term, query: Query) -> TermScores:
        """Return what a term is worth in each row that holds it."""
        held = bags.occurrences(term.gram)
        values = self.compute_values(bags, held, len(term.gram)) if held.holding else NOTHING
        return TermScores(held.rows, values, held.counts, held.holding, held.holding)

    def read(self, index: Collection, text: str, algebra: bool) -> Query:
        """Read a query as its words or, as ``algebra``, as sums of words and quoted phrases.

        Stopwords count within phrases only.
        """
        if not algebra:
            return index.query(text)
        tokens, excluded = index.normalisation.words(text), stopwords(index.language)
        check_length(tokens)
        terms: list[tuple[float, tuple[str, ...]]] = []
        for item in parse_algebra(text):
            words = index.normalisation.words(item.text)
            if item.quoted:
                terms.append((item.weight, tuple(words)))
            else:
                terms += [(item.weight, (word,)) for word in words if word not in excluded]
        every = index.query(" ".join(word for _, gram in terms for word in gram))
        notes = [] if terms else [note_nothing(tokens)]
        return replace(every, text=text, tokens=tokens, terms=tuple(terms), notes=notes)

    def start_scoring(self, rows: Rows, query: Query) -> Scorer:
        """Return how any rows are scored: the scores of all are known."""
        bags = Bags.of(rows)
        scored, _ = self.score_terms(bags, query)
        sums = self.add_up(bags, scored)
        return Scorer(np.where(sums == 0, np.nan, sums).__getitem__, sums, list_words(scored))

    def add_up(self, bags: Bags, scored: Scored) -> NDArray[np.float64]:
        """Return the score of every row: 0 for a row without any term."""
        sums = np.zeros(len(bags.rows))
        for term, one in scored:
            add_list(sums, one.rows, one.values, term.weight)
        norms, scales = self._scale_norms(bags, [term for term, _ in scored])
        for norm, scale in zip(norms, scales, strict=True):
            sums += np.where(sums != 0, scale * norm, 0)
        return sums

    def wants_preview(self, query: Query) -> bool:
        """Phrases are counted in all parts first: there are too many to store their counts."""
        return any(len(words) > 1 for _, words in query.terms or ())

    def preview(self, rows: Rows, query: Query, k: int, among: Mask | None) -> None:
        """Look up the statistics of everything in the query, which records what is needed."""
        bags = Bags.of(rows)
        for term in list_terms(bags, query):
            self.score_term(bags, term, query)
            bags.total(len(term.gram))

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        bags = Bags.of(rows)
        scored, notes = self.score_terms(bags, query)
        best, scores = self._find_best(bags, scored, k, among)
        chosen = best.tolist()

        def explain(place: int) -> Explanation:
            return self.explain_row(bags, scored, chosen[place])

        return Found(chosen, scores.tolist(), explain, notes)

    def _find_best(
        self, bags: Bags, scored: Scored, k: int, among: Mask | None
    ) -> tuple[Array, NDArray[np.float64]]:
        """Return the ``k`` best rows and their scores, best first."""
        norms, scales = self._scale_norms(bags, [term for term, _ in scored])
        is_sum = not len(norms) and all(term.weight > 0 for term, _ in scored)
        sizes = [len(one.rows) for _, one in scored]
        if is_sum and sum(sizes) > _MANY:
            return sum_blocks(bags, scored, among).find_highest(k)
        rows = np.concatenate([_NO_ROWS, *[one.rows for _, one in scored]])
        values = np.concatenate([NOTHING, *[one.values for _, one in scored]])
        weights = np.array([term.weight for term, _ in scored], np.float64)
        mask = _EVERY_ROW if among is None else among
        best, scores, sums = np.empty(k, np.int64), np.empty(k), bags.borrow_sums()
        size = rank_sums(
            rows, values, np.array(sizes), weights, norms, scales, mask, sums, best, scores
        )
        bags.return_sums(sums)
        return best[:size], scores[:size]

    def _scale_norms(self, bags: Bags, terms: Sequence[Term]) -> tuple[Array, Array]:
        """Return the norms of each order of n-grams, and the sum of the weights of its n-grams."""
        weights: dict[int, float] = {}
        for term in terms:
            weights[len(term.gram)] = weights.get(len(term.gram), 0.0) + term.weight
        norms = {n: norm for n in sorted(weights) if len(norm := self.compute_norm(bags, n))}
        if len(norms) == 1:  # without a copy
            ((n, norm),) = norms.items()
            return norm[None], np.array([weights[n]])
        together = np.array([*norms.values()]) if norms else np.empty((0, 0))
        return together, np.array([weights[n] for n in norms])

    def score_terms(self, bags: Bags, query: Query) -> tuple[Scored, list[str]]:
        """Return the terms of a query that the index holds, scored, and notes on the others."""
        lists = bags.lists(self)
        known: Scored = []
        unknown = []
        for term in list_terms(bags, query):
            one = lists.get(term.gram)
            if one is None:
                one = self.score_term(bags, term, query)
                bags.keep(self, term.gram, one, len(one.rows))
            if one.holding:
                known.append((term, one))
            else:
                unknown.append(term)
        notes = note_unknown(unknown)
        if known and all(term.weight < 0 for term, _ in known):
            notes.append("every weight is negative: there is nothing to find")
        return known, notes

    def explain_row(self, bags: Bags, scored: Scored, row: int) -> Explanation:
        """Return what each term adds to the score of a row."""
        reasons: list[Reason] = []
        counts = []
        for term, one in scored:
            place = one.find(row)
            reasons += self.explain_term(bags, term, one, row, place)
            counts.append(f"{term.text} {one.counts[place] if place >= 0 else 0:g}")
        facts = {"counts": counts, "length": int(bags.rows.lengths[row])}
        return Explanation(reasons, additive=True, facts=facts)

    def explain_term(
        self, bags: Bags, term: Term, one: TermScores, row: int, place: int
    ) -> list[Reason]:
        """Return what a term adds to the score of a row, split by the words that the row holds."""
        norm = self.compute_norm(bags, len(term.gram))
        length = term.weight * float(norm[row]) if len(norm) else 0.0
        if place < 0:
            return [Reason(term.text, "", length)] if length else []
        value = term.weight * float(one.values[place])
        forms = _count_forms(bags, term, row)
        shares = [count / sum(forms.values()) for count in forms.values()]
        return [
            Reason(term.name(form), form, (value + length) * share)
            for form, share in zip(forms, shares, strict=True)
        ]


def sum_blocks(bags: Bags, scored: Scored, among: Mask | None) -> BlockSums:
    """Return the sums of rows over terms with weights above 0."""
    return BlockSums(len(bags.rows), [(term.weight, one.list) for term, one in scored], among)


def note_unknown(terms: Sequence[Term]) -> list[str]:
    """Return a note on terms that the index does not hold."""
    names = [f'"{term.text}"' if len(term.words) > 1 else term.text for term in terms]
    return [f"not in the index: {list_names(names)}"] if names else []


def list_words(scored: Scored, scale: float = 1.0) -> list[tuple[Array, Array]]:
    """Return what words add to the scores of the rows that hold them: of a long query the rarest,
    none that count against a row."""
    wanted = [(term, one) for term, one in scored if term.weight > 0]
    wanted.sort(key=lambda pair: pair[1].holding)
    return [(one.rows, scale * term.weight * one.values) for term, one in wanted[:_WORDS]]


def list_terms(bags: Bags, query: Query) -> list[Term]:
    """Return the n-grams of a query, the weights of equal ones added up, without zero weights."""
    return bags.read_once(query, _list_terms)


def _list_terms(bags: Bags, query: Query) -> list[Term]:
    given = query.terms
    if given is None:
        counted = zip(query.words, query.counts.tolist(), strict=True)
        given = tuple((float(count), (word,)) for word, count in counted)
    added: dict[tuple[str, ...], Term] = {}
    stems = iter(bags.terms([word for _, words in given for word in words]))
    for weight, words in given:
        gram = tuple(islice(stems, len(words)))
        before = added.get(gram)
        if before is None:
            added[gram] = Term(weight, words, gram)
        else:
            forms = (*before.forms, " ".join(words))
            added[gram] = before._replace(weight=before.weight + weight, forms=forms)
    return [term for term in added.values() if term.weight]


def _count_forms(bags: Bags, term: Term, row: int) -> dict[str, int]:
    """Return the words of a row that are counted as a term, with their counts; an n-gram is one."""
    if len(term.gram) > 1 or bags.stemmer == "none":
        return {term.text: 1}
    wanted = bags.ids[term.gram[0]]
    _, words = bags.rows.tokens_of(np.array([row]))
    forms: dict[str, int] = {}
    for word in words[bags.term_of[words] == wanted].tolist():
        name = bags.rows.lexicon.words[word]
        forms[name] = forms.get(name, 0) + 1
    return forms


@dataclass(frozen=True, kw_only=True)
class Count(BagMethod):
    """The value of an n-gram is its count in the row."""

    name = "count"

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        return held.counts.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Frequency(BagMethod):
    """The value of an n-gram is its count divided by the number of n-grams of the row."""

    name = "frequency"

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        frequencies: NDArray[np.float64] = held.counts / bags.sizes(n)[held.rows]
        return frequencies


@kernel
def add_list(sums: Array, rows: Array, values: Array, weight: float) -> None:
    """Add the weighted values of a list to the sums of its rows."""
    for place in range(len(rows)):
        sums[rows[place]] += weight * values[place]


@kernel
def rank_sums(
    rows: Array,
    values: Array,
    sizes: Array,
    weights: Array,
    norms: Array,
    scales: Array,
    among: Array,
    sums: Array,
    best: Array,
    scores: Array,
) -> int:
    """Write the best rows and their scores, best first. Return how many there are.

    The lists of all terms lie one after another in ``rows`` and ``values``. The score of a row is
    the sum of its values times positive weights, plus that of those times negative ones, plus
    ``scales`` times its ``norms``. ``sums`` are zeros, and are left so. An empty ``among`` allows
    all rows.
    """
    less = np.zeros(len(sums) if (weights < 0).any() else 0)
    ends = np.cumsum(sizes)
    for number in range(len(sizes)):
        added, weight = sums if weights[number] > 0 else less, weights[number]
        for place in range(ends[number] - sizes[number], ends[number]):
            added[rows[place]] += weight * values[place]
    size = 0
    for row in rows:
        score = sums[row]
        if score <= 0:  # only negative weights, or pushed already
            continue
        sums[row] = 0
        if len(among) and not among[row]:
            continue
        if len(less):
            score += less[row]
        for order in range(len(norms)):
            score += scales[order] * norms[order, row]
        if size < len(best) or score >= scores[0]:  # few are: a call takes longer than a sum
            size = push(best, scores, size, row, score)
    sort_heap(best[:size], scores[:size])
    return size
