"""The scatter of rows about the centroids of their clusters, accumulated block by block.

    A = Σ_i ξ_i Σ_{s ∈ X_i} (s − c_i)(s − c_i)ᵀ      (Mochihashi et al., eq. 7 and section 4.3)

Members of a cluster may arrive in any block. A block adds the scatter about its own centroids,
and for a cluster seen before ξ · ab/(a+b) · δδᵀ, with a and b the members so far and in the block
and δ the difference of the two centroids (Chan, Golub and LeVeque 1979). So only A, the centroids
and the sizes are stored, and no large sums are subtracted from each other.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags, issparse

from lexfield.engine import map_blocks, single_thread
from lexfield.engine.compiled import kernel
from lexfield.progress import Progress, silent

Matrix = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.floating] | csr_matrix
Numbers = NDArray[np.int64]
_WINDOW = 1 << 27  # bytes of rows sorted by cluster together
_STEP = 4 << 20  # bytes of rows per matrix product
_BLOCK = 12 << 20  # bytes of rows per task


class Scatter:
    """``add`` blocks of rows with the names of their clusters, then read ``matrix()``."""

    def __init__(self, features: int, weights: Mapping[Any, float] | None = None) -> None:
        """``weights`` maps clusters to ξ; the default for each is 1."""
        self.features = features
        self.rows = 0
        self.numbers: dict[Hashable, int] = {}  # cluster → its row in ``centroids``
        self.sizes = np.zeros(0, np.int64)
        self.centroids = np.zeros((0, features))
        self._weights = weights or {}
        self._xi = np.zeros(0)
        self._matrix = np.zeros((features, features))

    def add(
        self,
        rows: Rows,
        clusters: Sequence[Hashable] | NDArray[np.generic],
        progress: Progress = silent,
    ) -> None:
        """Add rows and the cluster of each."""
        numbers = self._number(clusters)
        if issparse(rows):
            self._add_sparse(rows, numbers)
            progress(len(numbers), len(numbers))
            return
        for start in range(0, len(numbers), window := max(1, _WINDOW // (8 * self.features))):
            stop = min(start + window, len(numbers))
            self._add_dense(rows[start:stop], numbers[start:stop])
            progress(stop, len(numbers))

    def _number(self, clusters: Sequence[Hashable] | NDArray[np.generic]) -> Numbers:
        names, inverse = clusters, None
        if isinstance(clusters, np.ndarray):
            unique = clusters
            if clusters.dtype.kind in "iu":  # sorting integers is faster than hashing each
                unique, inverse = np.unique(clusters, return_inverse=True)
            names = unique.tolist()
        numbers = np.array(
            [self.numbers.setdefault(name, len(self.numbers)) for name in names], np.int64
        )
        if new := len(self.numbers) - len(self.sizes):
            xi = [self._weights.get(name, 1.0) for name in list(self.numbers)[-new:]]
            self._xi = np.append(self._xi, xi)
            self.sizes = np.append(self.sizes, np.zeros(new, np.int64))
            self.centroids = np.concatenate([self.centroids, np.zeros((new, self.features))])
        return numbers if inverse is None else numbers[inverse]

    def _add_dense(self, rows: NDArray[np.floating], numbers: Numbers) -> None:
        """Add rows in the order of clusters, so that few clusters span two blocks."""
        order = membership(numbers).indices
        numbers, roots = numbers[order], np.sqrt(self._xi)
        step = max(_STEP // (8 * self.features), self.features)
        block = max(_BLOCK // (8 * self.features), step)
        buffers = threading.local()

        def gather(start: int) -> tuple[Numbers, Numbers, Matrix, Matrix]:
            part = order[start : start + block]
            here, own = np.unique(numbers[start : start + block], return_inverse=True)
            sizes = np.zeros(len(here), np.int64)
            means = np.empty((len(here), self.features))
            if not hasattr(buffers, "contrasts"):
                buffers.contrasts = np.empty((step, self.features))
            contrasts = buffers.contrasts
            total, product = np.zeros_like(self._matrix), np.empty_like(self._matrix)
            for first in range(0, len(own), step):
                few = slice(first, first + step)
                count = helmert_contrasts(
                    rows, part[few], own[few], roots[here], sizes, means, contrasts
                )
                # BLAS computes half of a product of a matrix with its own transpose
                np.matmul(contrasts[:count].T, contrasts[:count], out=product)
                total += product
            return here, sizes, means, total

        for here, sizes, means, product in map_blocks(gather, range(0, len(order), block)):
            self._matrix += product
            self._merge(here, sizes, means)

    def _add_sparse(self, rows: csr_matrix, numbers: Numbers) -> None:
        """Add Σ ssᵀ − Σ b ccᵀ: the rows and the sums of clusters stay sparse."""
        here, own, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        if not len(here):
            return
        roots = np.sqrt(self._xi[here])
        rows = csr_matrix(rows, dtype=np.float64)
        sums = membership(own) @ rows
        for part, factors, sign in ((rows, roots[own], 1), (sums, roots / np.sqrt(sizes), -1)):
            weighted = diags(factors) @ part
            product = (weighted.T @ weighted).tocoo()
            self._matrix[product.row, product.col] += sign * product.data
        self._merge(here, sizes, sums.toarray() / sizes[:, None])

    def _merge(self, here: Numbers, sizes: Numbers, means: Matrix) -> None:
        """Merge the centroids of a block into those so far and add the scatter between them."""
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
        """Return a copy of A."""
        return self._matrix.copy()


@kernel
def helmert_contrasts(
    rows: NDArray[np.floating],
    order: Numbers,
    own: Numbers,
    roots: Matrix,
    sizes: Numbers,
    means: Matrix,
    out: Matrix,
) -> int:
    """Write Helmert's contrasts of the rows to ``out`` and return their number.

    There is one contrast per member of a cluster except its first: the j-th member minus the mean
    of those before it, times √((j−1)/j) and the cluster's entry in ``roots``. The sum of their
    outer products is the scatter. ``order`` lists the rows to take and ``own`` the cluster of
    each; ``sizes`` and ``means`` of clusters are updated in Welford's way.
    """
    count = 0
    for place in range(len(order)):
        row, cluster = rows[order[place]], own[place]
        mean, seen = means[cluster], sizes[cluster]
        sizes[cluster] += 1
        if seen == 0:
            for feature in range(len(mean)):
                mean[feature] = row[feature]
            continue
        share = 1 / (seen + 1)
        factor = np.sqrt(seen * share) * roots[cluster]
        for feature in range(len(mean)):
            gap = row[feature] - mean[feature]
            out[count, feature] = gap * factor
            mean[feature] += gap * share
        count += 1
    return count


def membership(own: Numbers) -> csr_matrix:
    """Return the matrix clusters × rows with 1 for each member; times rows it yields their sums."""
    return csr_matrix((np.ones(len(own)), (own, np.arange(len(own)))))
