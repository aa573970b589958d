"""The scatter of rows about the centroids of their clusters, gathered block by block.

    A = Σ_i ξ_i Σ_{s ∈ X_i} (s − c_i)(s − c_i)ᵀ      (Mochihashi et al., eq. 7 and section 4.3)

Members of a cluster may come in any block. A block adds the scatter about its own centroids
(``apart.py``, one pass), and for a cluster seen before ξ · ab/(a+b) · δδᵀ, with a and b the
members so far and in the block and δ the difference of the two centroids (Chan, Golub and LeVeque
1979). So nothing is ever kept but A, the centroids and the sizes, and no large sums are
subtracted from each other.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks, single_thread
from lexfield.progress import Progress, silent

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]
_WINDOW = 1 << 27  # bytes of rows sorted by cluster together
_STEP = 4 << 20  # bytes of rows whose product is computed together
_BLOCK = 12 << 20  # bytes of rows given to a core


class Scatter:
    """``add`` blocks of rows with the names of their clusters; then read ``matrix()``."""

    def __init__(self, features: int, weights: Mapping[Any, float] | None = None) -> None:
        """``weights`` are ξ by cluster; 1 for a cluster that is not named."""
        self.features = features
        self.rows = 0
        self.numbers: dict[Any, int] = {}  # cluster → its place below
        self.sizes = np.zeros(0, np.int64)
        self.centroids = np.zeros((0, features))
        self._weights = weights or {}
        self._xi = np.zeros(0)
        self._matrix = np.zeros((features, features))

    def add(self, rows: Any, clusters: Sequence[Any], progress: Progress = silent) -> None:
        """Rows (an array or a scipy CSR matrix) and the cluster of each."""
        from scipy.sparse import issparse

        places = self._places(clusters)
        if issparse(rows):
            self._add_sparse(rows, places)
            progress(len(places), len(places))
            return
        for start in range(0, len(places), window := max(1, _WINDOW // (8 * self.features))):
            stop = min(start + window, len(places))
            self._add_dense(rows[start:stop], places[start:stop])
            progress(stop, len(places))

    def _places(self, clusters: Sequence[Any]) -> NDArray[np.int64]:
        names, own = clusters, slice(None)
        if isinstance(clusters, np.ndarray):
            if clusters.dtype.kind in "iu":  # others are numbered sooner than sorted
                names, own = np.unique(clusters, return_inverse=True)
            names = names.tolist()
        numbers = [self.numbers.setdefault(name, len(self.numbers)) for name in names]
        places = np.array(numbers, np.int64)[own]
        if new := len(self.numbers) - len(self.sizes):
            xi = np.ones(new)
            if self._weights:
                xi[:] = [self._weights.get(name, 1.0) for name in list(self.numbers)[-new:]]
            self._xi = np.append(self._xi, xi)
            self.sizes = np.append(self.sizes, np.zeros(new, np.int64))
            more = np.zeros((new, self.features))
            self.centroids = np.concatenate([self.centroids, more]) if len(self.centroids) else more
        return places

    def _add_dense(self, rows: NDArray[Any], places: NDArray[np.int64]) -> None:
        """Blocks of rows in the order of clusters: most clusters are whole in one of them."""
        from lexfield.metric.apart import contrasts

        order = members(places).indices
        places, roots = places[order], np.sqrt(self._xi)

        def gather(start: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Matrix, Matrix]:
            part = order[start : start + block]
            here, own = np.unique(places[start : start + block], return_inverse=True)
            sizes = np.zeros(len(here), np.int64)
            means = np.empty((len(here), self.features))
            if not hasattr(kept, "apart"):
                kept.apart = np.empty((step, self.features))
            apart = kept.apart
            total, product = np.zeros_like(self._matrix), np.empty_like(self._matrix)
            for first in range(0, len(own), step):
                few = slice(first, first + step)
                count = contrasts(rows, part[few], own[few], roots[here], sizes, means, apart)
                np.matmul(apart[:count].T, apart[:count], out=product)  # by itself: half the work
                total += product
            return here, sizes, means, total

        kept = threading.local()
        step = max(_STEP // (8 * self.features), self.features)
        block = max(_BLOCK // (8 * self.features), step)
        for here, sizes, means, product in map_blocks(gather, range(0, len(order), block)):
            self._matrix += product
            self._merge(here, sizes, means)

    def _add_sparse(self, rows: csr_matrix, places: NDArray[np.int64]) -> None:
        """Σ ssᵀ − Σ b ccᵀ: rows and the sums of clusters stay sparse."""
        from scipy.sparse import csr_matrix, diags

        here, own, sizes = np.unique(places, return_inverse=True, return_counts=True)
        if not len(here):
            return
        roots = np.sqrt(self._xi[here])
        rows = csr_matrix(rows, dtype=np.float64)
        sums = members(own) @ rows
        for part, factors, sign in ((rows, roots[own], 1), (sums, roots / np.sqrt(sizes), -1)):
            weighted = diags(factors) @ part
            product = (weighted.T @ weighted).tocoo()
            self._matrix[product.row, product.col] += sign * product.data
        self._merge(here, sizes, sums.toarray() / sizes[:, None])

    def _merge(self, here: NDArray[np.int64], sizes: NDArray[np.int64], means: Matrix) -> None:
        """Join the centroids of a block with those so far, and add what lies between them."""
        seen = np.flatnonzero(self.sizes[here])
        if len(seen):
            old = here[seen]
            gaps = means[seen] - self.centroids[old]
            shares = sizes[seen] / (self.sizes[old] + sizes[seen])
            between = gaps * np.sqrt(self._xi[old] * self.sizes[old] * shares)[:, None]
            with single_thread():
                self._matrix += between.T @ between
            means[seen] = self.centroids[old] + gaps * shares[:, None]
        self.centroids[here] = means
        self.sizes[here] += sizes
        self.rows += int(sizes.sum())

    def matrix(self) -> Matrix:
        """A, symmetric."""
        return self._matrix.copy()


def members(own: NDArray[np.int64]) -> csr_matrix:
    """Clusters × rows, 1 for a member: times rows it gives their sums."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(own)), (own, np.arange(len(own)))))
