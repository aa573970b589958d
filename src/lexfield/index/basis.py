"""The axes that text vectors lie on: the principal axes of a sample of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.store.scratch import release

_BLOCK = 4096  # vectors that are multiplied at a time
_TOKENS = 1 << 22  # of rows that are read at a time


@dataclass(frozen=True)
class Basis:
    """The axes that text vectors lie on; ``turned`` are the vectors of all words on them.

    Vectors are rotated before they are added up: there are fewer words than rows.
    """

    center: NDArray[np.float64]
    rotation: NDArray[np.float32]
    turned: NDArray[np.float32]

    @classmethod
    def of(
        cls, offsets: Array, words: Array, shares: Array, places: Array, vectors: Array
    ) -> Basis:
        """Return the basis of some rows: the mean of their vectors, and their principal axes.

        ``places`` are those of all words in ``vectors``; the rest is what ``TextRows.sample``
        returns.
        """
        from scipy.sparse import csr_matrix

        vectors = vectors.astype(np.float32, copy=False)
        parts = list(split_tokens(np.diff(offsets)))
        entries = [slice(int(offsets[part.start]), int(offsets[part.stop])) for part in parts]
        is_used = np.zeros(len(vectors), bool)
        for own in entries:
            is_used[places[words[own]]] = True
        used, columns = np.flatnonzero(is_used), np.cumsum(is_used, dtype=np.int32) - 1
        some, totals = vectors[used], np.zeros(len(used))
        means = np.empty((len(offsets) - 1, vectors.shape[1]), np.float32)
        for part, own in zip(parts, entries, strict=True):
            chosen, starts = columns[places[words[own]]], offsets[part.start : part.stop + 1]
            shape = part.stop - part.start, len(used)
            means[part] = csr_matrix((shares[own], chosen, starts - starts[0]), shape) @ some
            np.add.at(totals, chosen, shares[own])  # in order, whatever the parts
            release()
        center = np.zeros(vectors.shape[1])
        for first in range(0, len(used), _BLOCK):  # a product copies its vectors in float64
            part = slice(first, first + _BLOCK)
            center += totals[part] @ some[part]
        center /= max(1, len(offsets) - 1)
        moved = means - center.astype(np.float32)
        axes = np.linalg.eigh((moved.T @ moved).astype(np.float64))[1]
        rotation = np.ascontiguousarray(axes[:, ::-1]).astype(np.float32)
        return cls(center, rotation, vectors @ rotation)


def split_tokens(sizes: NDArray[np.int64]) -> Iterator[slice]:
    """Yield rows in parts of about ``_TOKENS`` tokens, given the tokens of each."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.unique(np.searchsorted(ends, np.arange(_TOKENS, total, _TOKENS)) + 1).tolist()
    return (slice(*bounds) for bounds in pairwise(np.unique([0, *cuts, len(sizes)]).tolist()))
