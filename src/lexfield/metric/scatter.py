"""The scatter of rows about the centroids of their clusters, gathered block by block.

    A = Σ_i ξ_i Σ_{s ∈ X_i} (s − c_i)(s − c_i)ᵀ      (Mochihashi et al., eq. 7 and section 4.3)

Members of a cluster may come in any block. A block adds the scatter about its own centroids, and
for a cluster seen before ξ · ab/(a+b) · δδᵀ, with a and b the members so far and in the block
and δ the difference of the two centroids (Chan, Golub and LeVeque 1979). So nothing is ever kept
but A, the centroids and the sizes, and no large sums are subtracted from each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.progress import Progress, silent

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]
_BLOCK = 1 << 25  # bytes of rows worked on together
_WINDOW = 8  # blocks whose rows are put in order of their clusters
_PANEL = 256  # columns of A computed by one task


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
        self._upper = np.zeros((features, features))  # A on and over the diagonal, panel by panel

    def add(self, rows: Any, clusters: Sequence[Any], progress: Progress = silent) -> None:
        """Rows (an array or a scipy CSR matrix) and the cluster of each."""
        from scipy.sparse import issparse

        places = self._places(clusters)
        if issparse(rows):
            self._add_sparse(rows, places)
            progress(len(places), len(places))
            return
        block = max(1, _BLOCK // (8 * self.features))
        for window in range(0, len(places), _WINDOW * block):
            # Rows of one cluster together: it is then in one block, or in few.
            part = places[window : window + _WINDOW * block]
            order = window + np.argsort(part, kind="stable")
            for start in range(0, len(order), block):
                chosen = order[start : start + block]
                self._add_sorted(rows[chosen], places[chosen])
                progress(window + start + len(chosen), len(places))

    def _places(self, clusters: Sequence[Any]) -> NDArray[np.int64]:
        places = np.array([self.numbers.setdefault(c, len(self.numbers)) for c in clusters], int)
        if new := len(self.numbers) - len(self.sizes):
            names = list(self.numbers)[-new:]
            self.sizes = np.append(self.sizes, np.zeros(new, np.int64))
            self._xi = np.append(self._xi, [self._weights.get(name, 1.0) for name in names])
            more = np.zeros((new, self.features))
            self.centroids = np.concatenate([self.centroids, more]) if len(self.centroids) else more
        return places

    def _add_sorted(self, rows: NDArray[Any], places: NDArray[np.int64]) -> None:
        """A block whose clusters come one after another; ``rows`` is a copy to work on."""
        apart = np.asarray(rows, np.float64)
        first = np.flatnonzero(np.append(True, places[1:] != places[:-1]))
        here, sizes = places[first], np.diff(np.append(first, len(places)))
        means = np.add.reduceat(apart, first, axis=0) / sizes[:, None]
        apart -= np.repeat(means, sizes, axis=0)
        if self._weights:
            apart *= np.repeat(np.sqrt(self._xi[here]), sizes)[:, None]
        self._add_product(apart)
        self._merge(here, sizes, means)

    def _add_sparse(self, rows: csr_matrix, places: NDArray[np.int64]) -> None:
        """Σ ssᵀ − Σ b ccᵀ: rows and the sums of clusters stay sparse."""
        from scipy.sparse import csr_matrix, diags

        here, own = np.unique(places, return_inverse=True)
        if not len(here):
            return
        sizes, roots = np.bincount(own), np.sqrt(self._xi[here])
        rows = csr_matrix(rows, dtype=np.float64)
        members = csr_matrix((np.ones(len(own)), (own, np.arange(len(own)))))
        sums = members @ rows
        for part, factors, sign in ((rows, roots[own], 1), (sums, roots / np.sqrt(sizes), -1)):
            weighted = diags(factors) @ part
            product = (weighted.T @ weighted).tocoo()
            self._upper[product.row, product.col] += sign * product.data
        self._merge(here, sizes, sums.toarray() / sizes[:, None])

    def _merge(self, here: NDArray[np.int64], sizes: NDArray[np.int64], means: Matrix) -> None:
        """Join the centroids of a block with those so far, and add what lies between them."""
        before = self.sizes[here]
        gaps = means - self.centroids[here]
        shares = before * sizes / (before + sizes)
        seen = np.flatnonzero(before)
        self._add_product(gaps[seen] * np.sqrt(self._xi[here] * shares)[seen, None])
        self.centroids[here] += gaps * (sizes / (before + sizes))[:, None]
        self.sizes[here] += sizes
        self.rows += int(sizes.sum())

    def _add_product(self, rows: Matrix) -> None:
        """Add rowsᵀ rows, each panel of columns down to the diagonal, on all cores."""
        if not len(rows):
            return
        width = max(1, min(_PANEL, -(-self.features // 2)))

        def panel(first: int) -> None:
            last = min(first + width, self.features)
            self._upper[:last, first:last] += rows[:, :last].T @ rows[:, first:last]

        for _ in map_blocks(panel, range(0, self.features, width)):
            pass

    def matrix(self) -> Matrix:
        """A, symmetric."""
        upper = np.triu(self._upper)
        whole: Matrix = upper + np.triu(upper, 1).T
        return whole
