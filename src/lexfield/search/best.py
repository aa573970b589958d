"""The default: one score of words and meaning, each part a number with its own reasons.

    score = (1 − share) · words + share · sentence

    words     bm25 with related words (``best_words.py``), divided by what the query itself would
              score as a row, and 1 for a row that holds even more of the query
    sentence  the cosine of ``mean``; 0 for a row without a vector
    share     0.4 for queries of up to 10 different words, 0.4 √(10/n) for n: the words' part is a
              mean over n words, which varies less by chance; less if rare words of the query have
              no vector: they are missing from the sentence's part

Related words count in queries of up to 25 different words. If more ask, they add up in rows that
have nothing to do with the query.

A copy of the query scores 1 if the index holds its words. No part looks at other rows, so a score
does not depend on what else is found, nor on segments or shards. Where the k-th best of some
promising rows scores more than the share of the highest cosine, a row must have words that make up
the difference, and few rows have (``block_max.py``). Otherwise the words' part of every row is a
credit in the search for the nearest vectors (``index/nearest.py``). Both ways are exact.
docs/decisions/0012-best.md says how the weights were chosen. Where vectors do not cover the
language of the texts, words alone decide; of a query of stopwords only, such as "to be or not to
be", each two in a row are searched for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.explain import Explanation
from lexfield.index.bags import Bags
from lexfield.index.chance import Scorer
from lexfield.index.nearest import find_nearest
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.bag_method import list_terms, list_words, sum_blocks
from lexfield.search.best_encoded import EncodedParts, cap_scale, is_encoded, note_unfinished
from lexfield.search.best_words import BestWords, Gram
from lexfield.search.block_max import BlockSums
from lexfield.search.mean import (
    OLD_INDEX,
    explain_pairs,
    find_cosines,
    find_nearest_rows,
    split_product,
)
from lexfield.search.method import Mask
from lexfield.vectors.coverage import Coverage

WEIGHTS = {"words": 0.6, "sentence": 0.4}  # where every word of a short query has a vector
_SHORT = 10  # different words of a query; of longer ones the sentence weighs less
_RELATED = 25  # different words of a query whose related words count, at most
_FEW = 10_000  # rows that are all compared: that is as quick
_PROMISING, _TIMES = 64, 4  # rows measured to find a limit: so many, or so many times k
_SHARE = 0.5  # of all rows that may have enough words; with more, looking at all is quicker
_SLACK = 1e-5  # more than rounding changes a cosine
_PLAIN, _EXTENDED = BestWords(), BestWords(extend=True)


@dataclass(frozen=True, kw_only=True)
class Best:
    """Words that occur, words that are related to them, and the meaning of the whole text."""

    name = "best"
    uses_vectors = True
    needs_vectors = False

    def wants_preview(self, query: Query) -> bool:
        return True

    def preview(self, rows: Rows, query: Query, k: int, among: Mask | None) -> None:
        query = _pair_stopwords(query)
        _choose_words(rows, query).preview(rows, query, k, among)

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        both = _open_parts(rows, query)
        near, scores = both.find(k, among)
        places = top_k(scores, k, near)
        chosen = near[places].tolist()
        return Found(
            chosen, scores[places].tolist(), lambda place: both.explain(chosen[place]), both.notes
        )

    def start_scoring(self, rows: Rows, query: Query) -> Scorer:
        return _open_parts(rows, query).start_scoring()


def _open_parts(rows: Rows, query: Query) -> _Parts | EncodedParts:
    encoded: bool = rows.cached("encoded", is_encoded)
    if query.words and encoded:
        return EncodedParts(rows, query, _choose_words(rows, query))
    parts = _Parts(rows, _pair_stopwords(query))
    parts.notes += rows.cached("unfinished", note_unfinished)
    return parts


def _pair_stopwords(query: Query) -> Query:
    """Return a query of stopwords only as a sum of each two in a row; any other as it is."""
    tokens = query.tokens
    if query.words or not tokens:
        return query
    grams: list[tuple[str, ...]] = [*pairwise(tokens)] or [(tokens[0],)]
    return replace(query, terms=tuple((1.0, gram) for gram in grams))


class _Parts:
    """The parts of the score of one query."""

    def __init__(self, rows: Rows, query: Query) -> None:
        self._rows, self._query = rows, query
        self._method, self._bags = _choose_words(rows, query), Bags.of(rows)
        self._scored, self.notes = self._method.score_terms(self._bags, query)
        why = _why_words_alone(rows, query)
        if any(word in rows.lexicon.ids for word in query.words):  # else that is said already
            self.notes += why
        weights = self._method.weigh_terms(self._bags, query, self._scored)
        share = 0.0 if why else self._find_share(weights)
        self._weights = {"words": 1 - share, "sentence": share}
        itself = self._method.score_query(self._bags, query, self._scored, weights)
        self._scale = self._weights["words"] / itself if itself else 0.0

    def _find_share(self, weights: Mapping[Gram, float]) -> float:
        """Return the weight of the sentence's part: less for a long query, and for one of which a
        part, by the weights of its terms, has no vectors."""
        known = {
            word for word, has in zip(self._query.words, self._query.known, strict=True) if has
        }
        covered = sum(
            weights[term.gram]
            for term in list_terms(self._bags, self._query)
            if not known.isdisjoint(term.words) or not known.isdisjoint(term.forms)
        )
        total = sum(weights.values())
        length = math.sqrt(_SHORT / max(len(weights), _SHORT))
        return WEIGHTS["sentence"] * length * (covered / total if total else 1.0)

    def find(self, k: int, among: Mask | None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return rows that include the ``k`` best, and their scores."""
        if self._weights["sentence"]:
            return self._find_by_words(k, among) or self._find_by_vectors(k, among)
        words = self._score_words()
        near = np.flatnonzero(words if among is None else np.where(among, words, 0))
        return near, words[near]

    def _find_by_words(
        self, k: int, among: Mask | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Return rows that include the ``k`` best, from the words that they need to be among them;
        None if they need too few."""
        if not self._scale or len(self._rows) < _FEW:
            return None
        sums = sum_blocks(self._bags, self._scored, among)
        near, _ = sums.find_highest(max(_TIMES * k, _PROMISING))
        highest = 1.0  # cosine of any other row
        for has_nearest in (False, True):
            if len(near) >= k:
                kth = float(np.partition(self._score(sums, near), -k)[-k])
                floor = (kth - self._weights["sentence"] * highest - _SLACK) / self._scale
                if floor > 0 and sums.count_over(floor) < _SHARE * len(self._rows):
                    near = np.union1d(near, sums.find_over(floor)[0])
                    return near, self._score(sums, near)
            if not has_nearest:
                others, squares = find_nearest_rows(self._rows, self._query.vector(), k, among)
                near = np.union1d(near, others)
                if len(squares) >= k:
                    highest = 1 - float(np.partition(squares, k - 1)[k - 1]) / 2
        return None

    def _score(self, sums: BlockSums, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._add_sentence(rows, self._cap(sums.of(rows)))

    def _find_by_vectors(
        self, k: int, among: Mask | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        vector, words, parts = self._query.vector(), self._score_words(), []
        for start, unit in self._rows.blocks():
            own = slice(start, start + unit.rows)
            allowed = None if among is None else among[own]
            credits = 2 / self._weights["sentence"] * words[own]
            found, squares = find_nearest(unit, vector, k, allowed, credits)
            parts.append((found + start, 1 - squares / 2))
        near, cosines = (np.concatenate(part) for part in zip(*parts, strict=True))
        return near, words[near] + self._weights["sentence"] * cosines

    def _add_sentence(self, rows: Array, words: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of rows, given their words' parts."""
        cosines = find_cosines(self._rows, self._query.vector(), rows)
        return words + self._weights["sentence"] * cosines

    def _cap(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the words' part of rows, given the sums of their terms."""
        return np.minimum(self._scale * sums, self._weights["words"])

    def _score_words(self) -> NDArray[np.float64]:
        """Return the words' part of every row."""
        return self._cap(self._method.add_up(self._bags, self._scored))

    def start_scoring(self) -> Scorer:
        """Return how any rows are scored; the words' part is known."""
        words, weight = self._score_words(), self._weights["sentence"]

        def score(chosen: Array) -> NDArray[np.float64]:
            return self._add_sentence(chosen, words[chosen]) if weight else words[chosen]

        return Scorer(score, words, list_words(self._scored, self._scale), weight, 1.0)

    def explain(self, row: int) -> Explanation:
        """Return the reasons of the words' part, then those of the sentence's."""
        found = self._method.explain_row(self._bags, self._scored, row)
        scale = cap_scale(self._scale, found, self._weights["words"])
        reasons = [
            replace(one, contribution=scale * one.contribution, part="words")
            for one in found.reasons
        ]
        parts = {"words": sum(reason.contribution for reason in reasons)}
        if weight := self._weights["sentence"]:
            pairs = weight * split_product(self._rows, self._query, row)
            parts["sentence"] = float(pairs.sum())
            own = explain_pairs(self._rows, self._query, row, pairs)
            reasons += [replace(one, part="sentence") for one in own]
        return Explanation(reasons, additive=True, facts=found.facts, parts=parts)


def _choose_words(rows: Rows, query: Query) -> BestWords:
    is_short = len(list_terms(Bags.of(rows), query)) <= _RELATED
    return _EXTENDED if is_short and _is_covered(rows) else _PLAIN


def _is_covered(rows: Rows) -> bool:
    return rows.cached("covered", lambda own: Coverage(*own.lexicon.covered, "").is_enough)


def _why_words_alone(rows: Rows, query: Query) -> list[str]:
    """Return a note if there is nothing to compare vectors with."""
    if not _is_covered(rows):
        return ["words alone decide: too few words of the index have a vector"]
    if rows.lexicon.contributions is None:
        return [f"words alone decide: {OLD_INDEX}"]
    return [] if query.vector().any() else ["words alone decide: the query has no vector"]
