"""The encoder's vectors of rows, queried with word vectors: cosine with their sum.

    score = (r − μ)·v / |r − μ| |v|,   v = Σ_w n_w v_w

over the words w of the query that are not stopwords, n_w times each. ``index/fitted.py`` says how
the vectors v_w are fitted to what the encoder says of this collection. A query needs no encoder,
costs what ``mean`` costs, and its score is a sum over its words, which are the reasons; beside each
stands the word of the row whose own vector is most like it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.errors import InputError
from lexfield.explain import Explanation, Reason, no_reasons
from lexfield.index.chance import Scorer
from lexfield.index.fitted import FittedVectors
from lexfield.index.names import name_encoding
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.row_encodings import RowEncodings, open_row_encodings
from lexfield.index.rows import Rows
from lexfield.search.method import Mask


@dataclass(frozen=True, kw_only=True)
class FittedMethod:
    """Needs ``lexfield encode``, but no encoder for queries."""

    name = "fitted"
    uses_vectors = True
    is_fast = True

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        space = open_row_encodings(rows)
        scores, explain = ask_words(space, query)
        if among is not None:
            scores[~among] = -np.inf
        chosen = top_k(scores, k)
        near, values = chosen.tolist(), scores[chosen].tolist()
        notes = space.notes() if len(near) else ["no word of the query has a vector"]
        return Found(near, values, lambda place: explain(near[place], values[place]), notes)

    def start_scoring(self, rows: Rows, query: Query) -> Scorer:
        return Scorer.of(ask_words(open_row_encodings(rows), query)[0])


def ask_words(
    space: RowEncodings, query: Query
) -> tuple[NDArray[np.float64], Callable[[int, float], Explanation]]:
    """Return the score of every row, -inf where there is none, and how one is explained."""
    words = space.rows.cached("fitted", lambda _: _open(space))
    parts = query.counts[:, None] * words.look_up(query.words, query.vectors, query.known)
    total = parts.sum(axis=0)
    length = float(np.linalg.norm(total))
    if not length > 0:
        return np.full(len(space.rows), -np.inf), lambda row, score: no_reasons(row)
    scores = space.cosines(total / length)
    return scores, lambda row, score: _explain(space, words, query, parts / length, row, score)


def _open(space: RowEncodings) -> FittedVectors:
    found = space.encodings.fitted
    if found is None:
        path = space.rows.segments[0].index_store.path
        raise InputError(
            "The words of this index were not fitted: encoding it was interrupted.",
            f"Continue with: {name_encoding(path)}",
        )
    return found


def _explain(
    space: RowEncodings,
    words: FittedVectors,
    query: Query,
    parts: NDArray[np.float64],
    row: int,
    score: float,
) -> Explanation:
    own = space.vector(row) - space.mean
    values = parts @ own / np.linalg.norm(own)
    matches = _match(space, words, parts, row)
    reasons = [
        Reason(word, match, float(value))
        for word, match, value in zip(query.words, matches, values, strict=True)
        if value
    ]
    rest = score - sum(reason.contribution for reason in reasons)
    return Explanation([*reasons, Reason("(rounding)", "(rounding)", rest)], additive=True)


def _match(
    space: RowEncodings, words: FittedVectors, parts: NDArray[np.float64], row: int
) -> list[str]:
    """Return the word of a row whose vector has the greatest cosine with each of these."""
    ids = space.rows.words_of(row)
    lexicon = space.rows.lexicon
    names = [lexicon.words[number] for number in ids.tolist()]
    if not names:
        return [""] * len(parts)
    vectors = words.look_up(names, lexicon.vectors[ids], lexicon.known[ids])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return [names[place] for place in (parts @ vectors.T).argmax(axis=1).tolist()]
