"""Reasons by pairs of words, one of the query and one of a row, for methods that use vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.explain import Reason
from lexfield.index.query import Query
from lexfield.index.rows import Rows

_SHOWN = 20


def split_product(rows: Rows, query: Query, row: int) -> NDArray[np.float64]:
    """Return the part of each pair (query word, row word) in the inner product of the means."""
    words, _, shares = rows.entries(row)
    own = query.vectors.astype(np.float64)
    vectors = rows.lexicon.vectors[words].astype(np.float64)
    parts: NDArray[np.float64] = query.shares[:, None] * shares[None] * (own @ vectors.T)
    return parts


def explain_pairs(rows: Rows, query: Query, row: int, parts: Array) -> list[Reason]:
    """Return the largest parts as reasons, and the sum of the others as one."""
    words = rows.entries(row)[0]
    order = np.argsort(-np.abs(parts), axis=None, kind="stable")[:_SHOWN]
    values = parts.ravel()[order]
    order, values = order[values != 0], values[values != 0]
    own, columns = np.divmod(order, parts.shape[1])
    matched = words[columns].tolist()
    differences = query.vectors[own] - rows.lexicon.vectors[matched].astype(np.float64)
    distances = np.sqrt(np.einsum("ij,ij->i", differences, differences))
    names = rows.lexicon.words
    reasons = [
        Reason(query.words[place], names[word], value, distance)
        for place, word, value, distance in zip(
            own.tolist(), matched, values.tolist(), distances.tolist(), strict=True
        )
    ]
    if np.count_nonzero(parts) > _SHOWN:
        rest = float(parts.sum()) - sum(reason.contribution for reason in reasons)
        reasons.append(Reason("(other pairs)", "(other pairs)", rest))
    return reasons
