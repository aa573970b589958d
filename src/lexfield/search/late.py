"""Late interaction: every word's best partner, in both directions, rare words counting more.

    score = ½ Σ_i w_i max_j s_i·t_j / Σ_i w_i + ½ Σ_j w_j max_i s_i·t_j / Σ_j w_j

where s_i and t_j are the vectors, in context and of length 1, of the tokens (words or pieces of
words) of the query and of a row, and w is log((n + 1)/(n_w + ½)) for a token in n_w of n rows
(MaxSim of Khattab and Zaharia 2020, weighted, and symmetric: what a row says besides the query
lowers its score). Tokens of rows are stored in 36 bytes (``vectors/codec.py``). The rows
that are compared are those with the best cosine of whole texts (``candidates``; 0 for all rows).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import reordered_kernel
from lexfield.engine.topk import top_k
from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.chance import Scorer
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.row_encodings import RowEncodings, RowWords, encode_query, open_row_encodings
from lexfield.index.rows import Rows
from lexfield.results import Aside
from lexfield.search.encoder import score_rows
from lexfield.search.method import Mask
from lexfield.text.stopwords import stopwords
from lexfield.vectors.encoders import Encoded, find_words, is_word

_TOGETHER = 32_768  # words of rows per task: about 10 ms


@dataclass(frozen=True, kw_only=True)
class Late:
    """Needs ``lexfield encode`` with an encoder that returns vectors of words."""

    candidates: int = 200
    name = "late"
    is_fast = True

    def __post_init__(self) -> None:
        check(self.candidates >= 0, "candidates", "at least 0", self.candidates)

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        space = open_row_encodings(rows)
        if not query.words:
            return Found([], [])
        encoded = encode_query(space.name, space.dims, query.text)
        if not len(encoded.states):
            note = f"the encoder {space.name!r} has no vectors of words: use the method encoder"
            return Found([], [], notes=[note])
        count = max(self.candidates, k) if self.candidates else len(rows)
        chosen, notes = choose_rows(space, encoded, count, among)
        asked = AskedWords(space.words, encoded)
        scores = asked.score(chosen)
        best = top_k(scores, k, chosen)
        near = chosen[best].tolist()
        return Found(
            near, scores[best].tolist(), lambda place: asked.explain(near[place], query), notes
        )

    def start_scoring(self, rows: Rows, query: Query) -> Scorer | None:
        space = open_row_encodings(rows)
        encoded = encode_query(space.name, space.dims, query.text) if query.words else None
        if encoded is None or not len(encoded.states):
            return None
        asked = AskedWords(space.words, encoded)

        def score(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
            scores = asked.score(np.sort(chosen))[np.argsort(np.argsort(chosen))]
            return np.where(scores > -np.inf, scores, np.nan)

        return Scorer(score, copy=asked.score_copy())


def choose_rows(
    space: RowEncodings, encoded: Encoded, count: int, among: Mask | None
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the rows with the best cosine of whole texts, ascending, and notes."""
    first = score_rows(space, encoded.vector, among)
    chosen, notes = np.sort(top_k(first, count)), space.notes()
    if len(chosen) < int((first > -np.inf).sum()):
        compared = f"compared the {len(chosen):,} rows with the best cosine of whole texts"
        notes.append(Aside(compared))
    return chosen, notes


class AskedWords:
    """The words of a query with their vectors and weights, to be compared with those of rows."""

    def __init__(self, words: RowWords, encoded: Encoded) -> None:
        own = [place for place, token in enumerate(encoded.tokens) if is_word(token)]
        self._words = words
        self.names = [encoded.words[place] for place in own]
        self.vectors = words.codec.project(encoded.states[own])
        self.weights = words.weights_of([encoded.tokens[place] for place in own])
        self._states = encoded.states[own]

    def score_copy(self) -> float:
        """Return what a copy of the query scores: what is stored of its words is not all."""
        if not self.weights.sum() > 0:
            return 1.0
        words, scores = self._words.codec.encode(self._states), np.zeros(1)
        starts, weights = np.array([0, len(words)]), np.maximum(self.weights, 0)
        levels = self._words.codec.levels
        compare_words(words, starts, weights, levels, self.vectors, self.weights, scores)
        return float(scores[0])

    def score(self, chosen: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores of ascending rows; -inf for a row without words."""
        rows = np.asarray(chosen, np.int64)
        if not len(rows) or not self.weights.sum() > 0:
            return np.full(len(rows), -np.inf)
        sizes = self._words.count(rows)
        parts = np.split(rows, _cut_evenly(sizes))
        return np.concatenate(list(map_blocks(self._score, parts)))

    def _score(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        codes, numbers, sizes = self._words.codes_of(rows)
        weights = np.maximum(self._words.idf[numbers], 0)
        starts = np.append(0, np.cumsum(sizes))
        scores = np.full(len(rows), -np.inf)
        compare_words(
            codes, starts, weights, self._words.codec.levels, self.vectors, self.weights, scores
        )
        return scores

    def explain(self, row: int, query: Query) -> Explanation:
        """Return each word's best partner, and what that adds; the sum is the score. Pairs with a
        stopword are added up."""
        vectors, numbers, _ = self._words.of_all(np.array([row]))
        names = find_words([self._words.names[number] for number in numbers.tolist()])
        products = (vectors @ self.vectors.T).astype(np.float64)
        weights = np.maximum(self._words.idf[numbers], 0)
        added: dict[tuple[str, str], float] = {}
        halves = (
            (self.weights, products.max(axis=0), enumerate(products.argmax(axis=0).tolist())),
            (weights, products.max(axis=1), enumerate(products.argmax(axis=1).tolist())),
        )
        for side, (own, values, partners) in enumerate(halves):
            parts = own * values / (2 * own.sum()) if own.sum() > 0 else 0 * values
            for place, partner in partners:
                i, j = (place, partner) if side == 0 else (partner, place)
                pair = (self.names[i], names[j])
                added[pair] = added.get(pair, 0) + float(parts[place])
        reasons = [Reason(*pair, value) for pair, value in added.items()]
        reasons.sort(key=lambda reason: -abs(reason.contribution))
        note = "the vector of a word in a text also carries its neighbours"
        found = Explanation(reasons, additive=True, facts={"context": note})
        return found.add_up(stopwords(query.language))


def _cut_evenly(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where rows are split into tasks of about as many words."""
    tasks = (np.cumsum(sizes) - sizes) // _TOGETHER
    return np.flatnonzero(np.diff(tasks)) + 1


@reordered_kernel
def compare_words(
    codes: Array, starts: Array, weights: Array, levels: Array, asked: Array, own: Array, out: Array
) -> None:
    """Write the scores of rows to ``out``: row i has the words from ``starts[i]`` on.

    ``levels`` are the four coordinates of each byte of a code, ``asked`` the query's vectors.
    """
    count, axes = asked.shape
    vector, best = np.empty(4 * codes.shape[1], np.float32), np.empty(count, np.float32)
    for row in range(len(starts) - 1):
        if starts[row] == starts[row + 1]:
            continue
        best[:] = -np.inf
        back, total = 0.0, 0.0
        for word in range(starts[row], starts[row + 1]):
            for place in range(codes.shape[1]):
                code = codes[word, place]
                for axis in range(4):
                    vector[4 * place + axis] = levels[code, axis]
            square = np.float32(0)
            for axis in range(axes):
                square += vector[axis] * vector[axis]
            scale = np.float32(1) / np.sqrt(square)
            top = np.float32(-np.inf)
            for number in range(count):
                product = np.float32(0)
                for axis in range(axes):
                    product += asked[number, axis] * vector[axis]
                product *= scale
                top = max(top, product)
                best[number] = max(best[number], product)
            back += weights[word] * top
            total += weights[word]
        forth, sum_ = 0.0, 0.0
        for number in range(count):
            forth += own[number] * best[number]
            sum_ += own[number]
        out[row] = (forth / sum_ + (back / total if total > 0 else 0.0)) / 2
