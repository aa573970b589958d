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
        places = self._places(clusters)
        step = max(1, _BLOCK // (8 * self.features))
        for start in range(0, len(places), step):
            part = slice(start, start + step)
            self._add(rows[part], places[part])
            progress(min(start + step, len(places)), len(places))

    def _places(self, clusters: Sequence[Any]) -> NDArray[np.int64]:
        places = np.array([self.numbers.setdefault(c, len(self.numbers)) for c in clusters], int)
        if new := len(self.numbers) - len(self.sizes):
            names = list(self.numbers)[-new:]
            self.sizes = np.append(self.sizes, np.zeros(new, np.int64))
            self._xi = np.append(self._xi, [self._weights.get(name, 1.0) for name in names])
            more = np.zeros((new, self.features))
            self.centroids = np.concatenate([self.centroids, more]) if len(self.centroids) else more
        return places

    def _add(self, rows: Any, places: NDArray[np.int64]) -> None:
        from scipy.sparse import csr_matrix, issparse

        here, own = np.unique(places, return_inverse=True)
        sizes = np.bincount(own)
        members = csr_matrix((np.ones(len(own)), (own, np.arange(len(own)))))
        if not issparse(rows):
            rows = np.asarray(rows, np.float64)
        sums = members @ rows
        means = np.asarray(sums.toarray() if issparse(sums) else sums) / sizes[:, None]
        roots = np.sqrt(self._xi[here])
        if issparse(rows):
            self._add_sparse(rows, roots[own], means * (roots * np.sqrt(sizes))[:, None])
        else:
            apart = rows - means[own]
            if self._weights:
                apart *= roots[own, None]
            self._add_product(apart)
        before = self.sizes[here]
        gaps = means - self.centroids[here]
        shares = before * sizes / (before + sizes)
        seen = np.flatnonzero(before)
        self._add_product(gaps[seen] * (roots * np.sqrt(shares))[seen, None])
        self.centroids[here] += gaps * (sizes / (before + sizes))[:, None]
        self.sizes[here] += sizes
        self.rows += len(own)

    def _add_sparse(self, rows: csr_matrix, roots: Matrix, centroids: Matrix) -> None:
        """Σ ssᵀ − Σ b ccᵀ: the rows stay sparse, only centroids are dense."""
        from scipy.sparse import diags

        weighted = (diags(roots) @ rows).astype(np.float64)
        product = (weighted.T @ weighted).tocoo()
        self._upper[product.row, product.col] += product.data
        self._add_product(centroids, -1.0)

    def _add_product(self, rows: Matrix, sign: float = 1.0) -> None:
        """Add rowsᵀ rows, each panel of columns down to the diagonal, on all cores."""
        if not len(rows):
            return
        width = max(1, min(_PANEL, -(-self.features // 2)))

        def panel(first: int) -> None:
            last = min(first + width, self.features)
            product = rows[:, :last].T @ rows[:, first:last]
            self._upper[:last, first:last] += sign * product

        for _ in map_blocks(panel, range(0, self.features, width)):
            pass

    def matrix(self) -> Matrix:
        """A, symmetric."""
        upper = np.triu(self._upper)
        whole: Matrix = upper + np.triu(upper, 1).T
        return whole
