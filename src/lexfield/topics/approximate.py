"""Approximate neighbours of √p by a k-d tree or by faiss; hashing is in ``lsh.py``.

Each class takes the square roots of all mixtures, and ``candidates(√q, k)`` returns rows that are
probably near, in any order. Since h² = ½ |√p − √q|², Euclidean neighbours of square roots are
Hellinger neighbours.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lexfield.arrays import Array
from lexfield.engine import cores
from lexfield.errors import check, need


class Candidates(Protocol):
    """An approximate structure."""

    def candidates(self, roots: Array, k: int) -> Array: ...


class KdTree:
    """scipy's k-d tree; its neighbours are at most 1 + ``eps`` times as far as the true ones."""

    def __init__(self, roots: Array, *, eps: float = 0.0) -> None:
        from scipy.spatial import cKDTree

        check(eps >= 0, "eps", "at least 0", eps)
        self._tree = cKDTree(roots)
        self._eps = eps

    def candidates(self, roots: Array, k: int) -> Array:
        rows: Array = self._tree.query(roots, k=np.arange(1, k + 1), eps=self._eps)[1]
        return rows


class Ivf:
    """faiss: rows in cells around centres; the ``probes`` cells nearest to the query are read."""

    def __init__(self, roots: Array, *, probes: int = 16, cells: int | None = None) -> None:
        check(probes >= 1, "probes", "at least 1", probes)
        faiss = _import_faiss()
        vectors = np.ascontiguousarray(roots, np.float32)
        cells = cells or max(1, min(int(4 * len(vectors) ** 0.5), len(vectors) // 40))
        centres = faiss.IndexFlatL2(vectors.shape[1])
        self._index = faiss.IndexIVFFlat(centres, vectors.shape[1], cells)
        self._index.cp.seed = 1
        self._index.cp.niter = 10
        self._index.cp.max_points_per_centroid = 64
        self._index.cp.min_points_per_centroid = 1
        self._index.train(vectors)
        self._index.add(vectors)
        self._index.nprobe = min(probes, cells)

    def candidates(self, roots: Array, k: int) -> Array:
        return _search_faiss(self._index, roots, k)


class Hnsw:
    """faiss: a graph of near rows, walked from a fixed start with ``effort`` candidates."""

    def __init__(
        self, roots: Array, *, effort: int = 64, links: int = 16, building: int = 40
    ) -> None:
        check(effort >= 1, "effort", "at least 1", effort)
        self._index = _import_faiss().IndexHNSWFlat(roots.shape[1], links)
        self._index.hnsw.efConstruction = building
        self._index.add(np.ascontiguousarray(roots, np.float32))
        self._effort = effort

    def candidates(self, roots: Array, k: int) -> Array:
        self._index.hnsw.efSearch = max(self._effort, k)
        return _search_faiss(self._index, roots, k)


def _import_faiss() -> Any:
    faiss: Any = need("faiss", "faiss")
    faiss.omp_set_num_threads(cores())
    return faiss


def _search_faiss(index: Any, roots: Array, k: int) -> Array:
    rows: Array = index.search(roots[None].astype(np.float32), k)[1][0]
    return rows[rows >= 0]  # -1 where fewer than k were found
