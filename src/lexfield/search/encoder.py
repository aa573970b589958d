"""Cosine between what an encoder says of the query and of a row, without the collection's mean μ.

    score = (q − μ)·(r − μ) / |q − μ| |r − μ|,   q and r of length 1

The vectors of an encoder share a large common part; removing it makes cosines comparable. Where the
encoder pools by the mean, q = Σ_i s_i / m|q̂| over the m tokens of the query with vectors s_i and
pooled vector q̂, and r likewise, so the score is exactly a sum over pairs of tokens:

    Σ_ij (s_i/|q̂| − μ)·(t_j/|r̂| − μ) / (m n |q − μ| |r − μ|)

The reasons are these pairs, summed by word; of a row of more than 1,000 tokens, what each word of
the query adds. A token's vector also carries its neighbours: that is what the encoder is for.
Encoders that return vectors of whole texts only are asked what the score loses without each word of
the query.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.explain import MARKS, Explanation, Reason, is_sum
from lexfield.index.chance import Scorer
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.row_encodings import RowEncodings, encode_query, open_row_encodings
from lexfield.index.rows import Rows
from lexfield.search.method import Mask
from lexfield.text.stopwords import stopwords
from lexfield.vectors.encoders import Encoded, is_word

_LONG = 1000  # words of a row that is not encoded again to explain it
_SHOWN = 20  # pairs of words in an explanation
_MOST_LEFT_OUT = 50  # words of a query that are left out one by one


@dataclass(frozen=True, kw_only=True)
class EncoderMethod:
    """Needs ``lexfield encode``. Rows that were not encoded are not returned."""

    name = "encoder"
    is_fast = True

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        space = open_row_encodings(rows)
        if not query.words:
            return Found([], [], notes=[])
        encoded = encode_query(space.name, space.dims, query.text)
        scores = score_rows(space, encoded.vector, among)
        chosen = top_k(scores, k)
        near, values = chosen.tolist(), scores[chosen].tolist()
        found = Found(near, values, notes=space.notes())
        found.explain = lambda place: explain_row(space, rows, encoded, query, near[place],
                                               values[place])  # fmt: skip
        return found

    def start_scoring(self, rows: Rows, query: Query) -> Scorer:
        space = open_row_encodings(rows)
        if not query.words:
            return Scorer.of(np.full(len(rows), -np.inf))
        return Scorer.of(score_rows(space, encode_query(space.name, space.dims, query.text).vector))

    def search_row(self, rows: Rows, row: int, k: int, among: Mask | None) -> Found:
        """Return the rows nearest to the vector of a row; only reasons need the encoder."""
        space = open_row_encodings(rows)
        if not space.norms[row] > 0:
            return Found([], [], notes=[f"{rows.describe(row)['id']} was not encoded"])
        scores = score_rows(space, space.vector(row), among)
        chosen = top_k(scores, k)
        near, values = chosen.tolist(), scores[chosen].tolist()

        def explain(place: int) -> Explanation:
            encoded = encode_query(space.name, space.dims, rows.text(row))
            return explain_row(space, rows, encoded, None, near[place], values[place])

        return Found(near, values, explain, space.notes())


def score_rows(
    space: RowEncodings, vector: NDArray[np.float32], among: Mask | None = None
) -> NDArray[np.float64]:
    """Return the score of every row; -inf for one that is not allowed or has no vector."""
    return space.cosines(center(space, vector), among)


def center(space: RowEncodings, vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the direction of a query's vector, of length 1, seen from the mean of the rows."""
    own = vector.astype(np.float64)
    own = own / np.linalg.norm(own) - space.mean
    length = float(np.linalg.norm(own))
    return np.asarray(own / length if length > 0 else own)


def explain_row(
    space: RowEncodings, rows: Rows, encoded: Encoded, query: Query | None, row: int, score: float
) -> Explanation:
    """Return the pairs of words that the score of a row is the sum of, the largest by name.

    Pairs with a stopword are added up: they are no reasons.
    """
    excluded = stopwords(query.language if query else None)
    if not len(encoded.states):
        return _explain_by_leaving_out(space, query, row, score)
    if int(space.words.count(np.array([row]))[0]) > _LONG:
        return _explain_long(space, encoded, row, excluded)
    other = encode_query(space.name, space.dims, rows.text(row))
    parts = split_cosine(space, encoded, other)
    rest = score - float(parts.sum())  # the stored vector of the row is rounded to bytes
    pairs: dict[tuple[str, str], float] = {}
    for (i, j), part in np.ndenumerate(parts):
        pair = (encoded.words[i], other.words[j])
        if not all(map(is_word, pair)):
            pair = (MARKS, MARKS)
        pairs[pair] = pairs.get(pair, 0) + float(part)
    order = sorted(pairs, key=lambda pair: -abs(pairs[pair]))
    note = "the vector of a word in a text also carries its neighbours"
    every = [Reason(*pair, pairs[pair]) for pair in order]
    found = Explanation(every, additive=True, facts={"context": note}).add_up(excluded)
    named = [reason for reason in found.reasons if not is_sum(reason)]
    reasons = [*named[:_SHOWN], *filter(is_sum, found.reasons)]
    if weaker := named[_SHOWN:]:
        left = f"({len(weaker):,} other pairs)"
        reasons.append(Reason(left, left, sum(reason.contribution for reason in weaker)))
    return replace(found, reasons=[*reasons, Reason("(rounding)", "(rounding)", rest)])


def _explain_long(
    space: RowEncodings, encoded: Encoded, row: int, excluded: Container[str]
) -> Explanation:
    """Return what each word of the query adds, beside its best partner in the row, if that is no
    stopword.

    Reading a book again takes minutes; the sum over its words is its stored vector.
    """
    vectors, numbers, _ = space.words.of_all(np.array([row]))
    partners = (vectors @ space.words.codec.project(encoded.states).T).argmax(axis=0)
    names = [space.words.names[number] for number in numbers[partners].tolist()]
    own = space.vector(row) - space.mean
    parts = _split_vector(space, encoded) @ (own / np.linalg.norm(own))
    added: dict[tuple[str, str], float] = {}
    for word, name, part in zip(encoded.words, names, parts.tolist(), strict=True):
        match = "" if name in excluded else name.removeprefix("##")
        pair = (word, match) if is_word(word) else (MARKS, MARKS)
        added[pair] = added.get(pair, 0) + part
    reasons = [Reason(*pair, added[pair]) for pair in sorted(added, key=lambda p: -abs(added[p]))]
    note = "what each word of the query adds, beside the most similar word of this long text"
    return Explanation(reasons, additive=True, facts={"context": note}).add_up(excluded)


def split_cosine(space: RowEncodings, query: Encoded, row: Encoded) -> NDArray[np.float64]:
    """Return the part of each pair (token of the query, token of the row) in the score."""
    sides = [_split_vector(space, one) for one in (query, row)]
    return np.asarray(sides[0] @ sides[1].T)


def _split_vector(space: RowEncodings, one: Encoded) -> NDArray[np.float64]:
    """Return the part of each token in the direction of a text, seen from the mean."""
    length = float(np.linalg.norm(one.vector.astype(np.float64)))
    own = (one.states.astype(np.float64) / length - space.mean) / len(one.states)
    return np.asarray(own / np.linalg.norm(one.vector / length - space.mean))


def _explain_by_leaving_out(
    space: RowEncodings, query: Query | None, row: int, score: float
) -> Explanation:
    words = [] if query is None else query.text.split()[:_MOST_LEFT_OUT]
    reasons = []
    for number, word in enumerate(words):
        rest = " ".join([*words[:number], *words[number + 1 :]])
        if rest:
            vector = encode_query(space.name, space.dims, rest).vector
            without = float(space.cosines_of(center(space, vector), [row])[0])
            reasons.append(Reason(word, "", score - without))
    if not reasons:
        reasons = [Reason("(the whole text)", "", score)]
    note = "what the score loses without this word; the encoder has no vectors of words"
    return Explanation(reasons, additive=False, facts={"reasons": note})
