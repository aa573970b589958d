"""The walk of ``walk.py`` over blocks of words, with what every block needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.options import Options
from lexfield.diverge.sums import Block
from lexfield.diverge.walk import union_block, walk_block, walk_lists
from lexfield.vectors.nearest import nearest_rows, prepare_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Array = NDArray[Any]
_SPARE = 4  # times as many neighbours are listed as the median document should need
_ROWS = 64  # words whose products with all others are held at a time


class Walker:
    """What every block of words needs."""

    def __init__(
        self,
        vectors: Array,
        counts: csr_matrix,
        ks: Array,
        chosen: Options,
        size: int,
        approximate: bool,
    ) -> None:
        by_word = counts.T.tocsr()
        self._holders = by_word.indptr.astype(np.int64)
        self._held = by_word.indices.astype(np.int32)
        self._weights = by_word.data.astype(np.float64)
        self._vectors, self._documents = vectors, counts.shape[0]
        self._lengths = np.einsum("ij,ij->i", vectors, vectors)
        self._ks, self._chosen, self._size = ks, chosen, size
        self._plain = vectors.astype(np.float32) if approximate else None
        self._base = None if self._plain is None else prepare_rows(self._plain, euclidean=True)
        if self._base is not None:
            _ = self._base.cells  # trained here, once, and not by every thread
        share = int(ks[-1]) / float(np.median(np.diff(counts.indptr)))
        self._listed_words = min(int(_SPARE * share * len(vectors)), len(vectors) - 1)

    def block(self, first: int) -> Block:
        """What the words of one block tell of all documents."""
        last = min(first + self._size, len(self._vectors))
        entries = slice(int(self._holders[first]), int(self._holders[last]))
        sizes = np.diff(self._holders[first : last + 1])
        shape = (entries.stop - entries.start, self._documents, len(self._ks))
        none = (0, 0, 0)
        radii = self._chosen.estimator == "equal_radius"
        out = np.full((last - first, *shape[1:]), np.nan)
        own, others = (np.zeros(shape if radii else none, np.int32) for _ in range(2))
        union = np.zeros(shape if self._chosen.measure == "js" else none)
        left = np.ones(last - first, bool) if self._base is None else self._listed(first, out)
        room = np.empty((_ROWS, len(self._vectors)))
        for start, end in _runs(np.flatnonzero(left), _ROWS):
            at = first + start
            part = self._vectors[at : first + end]
            products = np.matmul(part, self._vectors.T, out=room[: end - start])
            common = (self._holders, self._held, self._ks)
            before = int(self._holders[at] - self._holders[first])
            if len(union):
                again = products.copy()
                union_block(self._vectors, self._lengths, again, at, *common, union[before:])
            walk_block(
                self._vectors, self._lengths, products, at, *common, out[start:end],
                own[before:], others[before:],
            )  # fmt: skip
        return Block(
            np.repeat(np.arange(last - first), sizes),
            self._held[entries],
            self._weights[entries],
            out,
            own,
            others,
            union,
        )

    def _listed(self, first: int, out: Array) -> Array:
        """Walk along approximate lists; True for the words whose list was too short."""
        assert self._plain is not None and self._base is not None
        part = self._plain[first : first + len(out)]
        found = nearest_rows(
            part,
            self._base,
            k=self._listed_words,
            skip=np.arange(first, first + len(out)),
            approximate=True,
        )
        reached = np.zeros(len(out), np.bool_)
        walk_lists(
            found.offsets, found.rows, -found.scores, first,
            self._holders, self._held, self._ks, out, reached,
        )  # fmt: skip
        return ~reached


def _runs(places: Array, most: int) -> Iterator[tuple[int, int]]:
    """Consecutive numbers as (first, last + 1), at most so many at a time."""
    if len(places):
        for run in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
            for start in range(int(run[0]), int(run[-1]) + 1, most):
                yield start, min(start + most, int(run[-1]) + 1)
