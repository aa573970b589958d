"""Sentences of two parts of a collection that say the same: the pairs with the highest cosine.

A sentence's vector is that of the method ``mean``. Pairs are taken from the most similar down, each
sentence at most once (greedy matching). Of a large part an even sample is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.index.rows import Rows, text_vectors

_MOST = 8000  # sentences of each side
_BLOCK = 1000
_FEW = 100  # sentences of a side; if it has fewer long ones, shorter ones count, too
_SHORTEST, _SHORT, _LONGEST = 4, 8, 40  # words of a sentence, without stopwords
_LEAST = 0.3  # cosine below which two sentences do not say the same


@dataclass(frozen=True)
class RowAlignment:
    """Pairs of rows with their cosines, best first; how many rows of each side were compared."""

    pairs: list[tuple[int, int, float]]
    compared: tuple[int, int]


def align(rows: Rows, a: NDArray[np.bool_], b: NDArray[np.bool_], k: int) -> RowAlignment:
    """Return the ``k`` best pairs of a sentence that is allowed in ``a`` and one in ``b``."""
    left, right = (_choose(rows, mask) for mask in (a, b))
    if not (len(left) and len(right)):
        return RowAlignment([], (len(left), len(right)))
    vectors = text_vectors(rows, left), text_vectors(rows, right)
    firsts, seconds, cosines = _find_candidates(*vectors, 20 * k)
    pairs: list[tuple[int, int, float]] = []
    used: set[int] = set()
    for place in np.lexsort((seconds, firsts, -cosines)).tolist():
        one, other = int(left[firsts[place]]), int(right[seconds[place]])
        if len(pairs) < k and one != other and not {one, other} & used:
            pairs.append((one, other, float(min(1.0, cosines[place]))))
            used |= {one, other}
    return RowAlignment(pairs, (len(left), len(right)))


def _choose(rows: Rows, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
    sizes = rows.set_sizes
    held = np.flatnonzero(allowed & (sizes >= _SHORT) & (sizes <= _LONGEST))
    if len(held) < _FEW:
        held = np.flatnonzero(allowed & (sizes >= _SHORTEST) & (sizes <= _LONGEST))
    if len(held) <= _MOST:
        return held
    return held[np.linspace(0, len(held) - 1, _MOST).astype(np.int64)]


def _find_candidates(
    left: NDArray[np.float32], right: NDArray[np.float32], most: int
) -> tuple[Array, Array, Array]:
    """Return the best partner of each row of ``left``, for the ``most`` rows with the best ones."""
    best = np.zeros(len(left), np.int64)
    cosines = np.zeros(len(left), np.float32)
    for start in range(0, len(left), _BLOCK):
        products = left[start : start + _BLOCK] @ right.T
        best[start : start + _BLOCK] = products.argmax(axis=1)
        cosines[start : start + _BLOCK] = products.max(axis=1)
    kept = np.flatnonzero(cosines >= _LEAST)
    kept = kept[np.argsort(-cosines[kept], kind="stable")[:most]]
    return kept, best[kept], cosines[kept]
