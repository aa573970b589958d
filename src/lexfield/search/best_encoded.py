"""``best`` on an encoded index: words, the encoder's vector of the whole text, and its tokens.

    score = 0.15 · words + 0.65 · sentence + 0.2 · tokens   up to 12 words per text on average
    score =  0.3 · words +  0.4 · sentence + 0.3 · tokens   from 30 words on

Between 12 and 30 words the weights are in proportion.

    words     as without an encoder: bm25 with related words over what the query itself would score
    sentence  the cosine of ``encoder``
    tokens    the score of ``late``, for the 100 rows that are best by the first two parts, or as
              many of them, best first, as make a million pairs of tokens with the query, and have
              30,000 tokens; 0 for all others

A row that was not encoded scores 0.6 · words, so that it is not lost behind those that were. The
first two parts are computed for every row, so the rows returned are exactly the best by this
rule. An encoder without vectors of tokens leaves 0.2 · words + 0.8 · sentence for short texts, 0.4
and 0.6 for long ones. Where the encoder is not installed, the words that were fitted to it stand
for it (``fitted``): 0.4 · words + 0.6 · sentence. docs/decisions/0012-best.md says how the weights
were chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.errors import LexfieldError
from lexfield.explain import Explanation
from lexfield.index.bags import Bags
from lexfield.index.chance import Scorer
from lexfield.index.encodings import find_encodings
from lexfield.index.names import name_encoding
from lexfield.index.query import Query
from lexfield.index.row_encodings import (
    EncoderError,
    encode_query,
    open_query_encoder,
    open_row_encodings,
)
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search.bag_method import list_words
from lexfield.search.best_words import BestWords
from lexfield.search.encoder import explain_row, score_rows
from lexfield.search.fitted import ask_words
from lexfield.search.late import AskedWords
from lexfield.search.method import Mask

_SHORT_TO_LONG = (12, 30)  # words per text, on average
WITH_TOKENS = {"words": (0.15, 0.3), "sentence": (0.65, 0.4), "tokens": (0.2, 0.3)}
WITHOUT_TOKENS = {"words": (0.2, 0.4), "sentence": (0.8, 0.6)}
FITTED = {"words": 0.4, "sentence": 0.6}
WORDS_ALONE = 0.6  # of a row that was not encoded
_ROWS = 100  # whose tokens are compared, at most
_TOKENS = 30_000  # of these rows together, at most
_PAIRS = 1_000_000  # of these with the query's, at most: about 10 ms
Floats = NDArray[np.float64]
Sentence = tuple[Floats, Callable[[int, float], Explanation]]


class EncodedParts:
    """The parts of the score of one query."""

    def __init__(self, rows: Rows, query: Query, method: BestWords) -> None:
        self._rows, self._query, self._method = rows, query, method
        self._space = open_row_encodings(rows)
        self._bags = Bags.of(rows)
        self._scored, self.notes = method.score_terms(self._bags, query)
        self.notes += self._space.notes("count by their words only")
        self._tokens: AskedWords | None = None
        self._compared: set[int] = set()
        self._sentence, self._explain_sentence = self._ask()
        weights = method.weigh_terms(self._bags, query, self._scored)
        itself = method.score_query(self._bags, query, self._scored, weights)
        self._scale = 1 / itself if itself else 0.0

    def _ask(self) -> Sentence:
        """Return the cosine of every row, and how one is explained; choose the weights."""
        space, query, rows = self._space, self._query, self._rows
        try:
            open_query_encoder(space.name)
        except LexfieldError as error:
            return self._ask_words(f"{error.message} {error.hint or ''}".rstrip())
        try:
            encoded = encode_query(space.name, space.dims, query.text)
        except EncoderError as error:
            return self._ask_words(error.message)
        self.weights = choose_weights(rows, WITHOUT_TOKENS)
        if len(encoded.states):
            self.weights = choose_weights(rows, WITH_TOKENS)
            self._tokens = AskedWords(space.words, encoded)
        return score_rows(space, encoded.vector), lambda row, score: explain_row(
            space, rows, encoded, query, row, score
        )

    def _ask_words(self, why: str) -> Sentence:
        self.weights = FITTED
        name = self._space.name
        self.notes.append(f"word vectors fitted to the encoder {name!r} are used instead: {why}")
        return ask_words(self._space, self._query)

    def _score_first(self) -> Floats:
        """Return words and sentence of every row; -inf for a row that has neither."""
        words = np.minimum(self._scale * self._method.add_up(self._bags, self._scored), 1)
        found = self._sentence > -np.inf
        cosines = np.where(found, self._sentence, 0)
        both = self.weights["words"] * words + self.weights["sentence"] * cosines
        first = np.where(found, both, WORDS_ALONE * words)
        return np.where(found | (words != 0), first, -np.inf)

    def find(self, k: int, among: Mask | None) -> tuple[NDArray[np.int64], Floats]:
        """Return rows that include the ``k`` best, and their scores."""
        first = self._score_first()
        if among is not None:
            first[~among] = -np.inf
        near = np.flatnonzero(first > -np.inf)
        return near, self._add_tokens(near, first[near])

    def _add_tokens(self, rows: Array, first: Floats) -> Floats:
        """Return the scores of rows from their first two parts: the best of these have tokens."""
        if self._tokens is None or not len(rows):
            return first
        places = self._choose(rows, first, len(self._tokens.names))
        values = self._tokens.score(rows[places])
        scores, has_words = first.copy(), values > -np.inf
        scores[places[has_words]] += self.weights["tokens"] * values[has_words]
        self._compared = set(rows[places[has_words]].tolist())
        return scores

    def _choose(self, rows: Array, first: Floats, asked: int) -> NDArray[np.int64]:
        """Return the places of the rows whose tokens are compared with so many of the query's, in
        the order of the rows."""
        most = min(_TOKENS, _PAIRS // max(1, asked))
        best = top_k(first, _ROWS, rows)
        order = np.argsort(rows[best])
        sizes = np.empty(len(best), np.int64)
        sizes[order] = self._space.words.count(rows[best][order])
        count = int(np.searchsorted(np.cumsum(sizes), most, "right"))
        return best[order[order < count]]

    def start_scoring(self) -> Scorer:
        """Return how any rows are scored: the best of those that are asked for have tokens."""
        first = self._score_first()

        def score(chosen: Array) -> Floats:
            own = np.where(first[chosen] > -np.inf, first[chosen], np.nan)
            kept = np.flatnonzero(~np.isnan(own))
            own[kept] = self._add_tokens(chosen[kept], own[kept])
            return own

        copy, weight = 1.0, self.weights["words"]
        if self._tokens is not None:
            copy -= self.weights["tokens"] * (1 - self._tokens.score_copy())
        words = list_words(self._scored, weight * self._scale)
        return Scorer(score, np.where(first > -np.inf, first, 0), words, copy - weight, copy)

    def explain(self, row: int) -> Explanation:
        """Return the reasons of each part, one after another."""
        words = self._method.explain_row(self._bags, self._scored, row)
        cosine = float(self._sentence[row])
        weight = self.weights["words"] if cosine > -np.inf else WORDS_ALONE
        made = {"words": (words, weight * cap_scale(self._scale, words, 1))}
        if cosine > -np.inf:
            made["sentence"] = self._explain_sentence(row, cosine), self.weights["sentence"]
        if self._tokens is not None and row in self._compared:
            made["tokens"] = self._tokens.explain(row, self._query), self.weights["tokens"]
        reasons, parts = [], dict.fromkeys(self.weights, 0.0)
        facts: JsonObject = {}
        for part, (one, weight) in made.items():
            own = [
                replace(reason, contribution=weight * reason.contribution, part=part)
                for reason in one.reasons
            ]
            reasons += own
            parts[part] = float(sum(reason.contribution for reason in own))
            if not one.additive:  # what the score loses without each word
                parts[part] = weight * cosine
            facts |= one.facts
        additive = all(one.additive for one, _ in made.values())
        return Explanation(reasons, additive=additive, facts=facts, parts=parts)


def choose_weights(rows: Rows, ends: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Return the weights for texts as long as these, between those for short and for long ones."""
    length = rows.statistics.tokens / max(rows.statistics.rows, 1)
    return {part: float(np.interp(length, _SHORT_TO_LONG, pair)) for part, pair in ends.items()}


def cap_scale(scale: float, words: Explanation, most: float) -> float:
    """Return the scale of the words' reasons, less where they would add up to more than ``most``.

    A short row, or one that repeats a word, can hold more of a query than the query itself.
    """
    total = scale * sum(reason.contribution for reason in words.reasons)
    return scale * most / total if total > most else scale


def is_encoded(rows: Rows) -> bool:
    """Were all rows encoded once? Those that were added since may be without vectors."""
    found = find_encodings(rows.segments[0].index_store)
    return found is not None and found.is_finished


def note_unfinished(rows: Rows) -> list[str]:
    """Return a note if encoding the rows has begun but was interrupted."""
    index = rows.segments[0].index_store
    if find_encodings(index) is None or is_encoded(rows):
        return []
    step = name_encoding(index.path)
    return [f"encoding was interrupted, so no encoder is used; continue with: {step}"]
