"""Approximate neighbours in the simplex (Krstovski et al. 2013): k-d trees, hashing, and faiss.

``ApproximateNeighbours(mixtures, KdTree)`` orders what one of these classes finds by the requested
measure. Each takes the square roots of all mixtures, and ``candidates(√q, k)`` returns rows that
are probably near, in any order: since h² = ½ |√p − √q|², Euclidean neighbours of square roots are
Hellinger neighbours.

The hashing is Euclidean, with p-stable projections (Datar et al. 2004; E2LSH of Andoni and Indyk,
which Krstovski et al. used). A hash is ⌊(a·x + b) / w⌋ with normally distributed a and b uniform in
[0, w). m hashes make a key, and there are L tables with a key each. Two points at distance c agree
in one hash with probability

    P(c) = 1 − 2 Φ(−w/c) − 2c / (√(2π) w) · (1 − exp(−w² / 2c²))

so a point within the radius R is found with probability at least 1 − δ once
L ≥ ln δ / ln(1 − P(R)^m). The m that is cheapest on a sample is chosen, as in E2LSH. Only points
within R are reported, which may be fewer than k.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.engine import cores
from lexfield.errors import InputError, check, need
from lexfield.topics.simplex import Nearest, Neighbours

_WIDTH = 4.0  # w divided by the radius, as in E2LSH
_MAX_TABLES = 150
_SAMPLE = 300


class Candidates(Protocol):
    """An approximate structure over √p."""

    def candidates(self, roots: Array, k: int) -> Array:
        """Return rows that are probably among the ``k`` nearest to √q, in any order."""


Method = str | Callable[[Array], Candidates]
SEARCHES = ("certified", "scan", "kdtree", "lsh", "ivf", "hnsw")


@dataclass(frozen=True, kw_only=True)
class Search:
    """How neighbours are found: exactly (certified, scan), or by one of the structures below.

    eps: of the k-d tree. radius, delta: of the hashing (lsh), R and δ of the paper.
    """

    neighbours: str = "certified"
    eps: float = 0.0
    radius: float = 0.8
    delta: float = 0.1

    def __post_init__(self) -> None:
        check(self.neighbours in SEARCHES, "neighbours", " or ".join(SEARCHES), self.neighbours)
        check(0 <= self.eps <= 1000, "eps", "from 0 to 1000", self.eps)
        check(0 < self.radius <= 2, "radius", "over 0 and at most 2", self.radius)
        check(0 < self.delta < 1, "delta", "between 0 and 1", self.delta)

    def build(self, mixtures: ArrayLike) -> Neighbours:
        """Return a structure that finds neighbours among mixtures."""
        methods: dict[str, Method] = {
            "kdtree": partial(KdTree, eps=self.eps),
            "lsh": partial(PStableHashes, radius=self.radius, delta=self.delta),
            "ivf": Ivf,
            "hnsw": Hnsw,
        }
        return make_neighbours(mixtures, methods.get(self.neighbours, self.neighbours))


class ApproximateNeighbours(Neighbours):
    """Neighbours among the candidates of a structure that ``build`` makes from √p."""

    def __init__(self, mixtures: ArrayLike, build: Callable[[Array], Candidates]) -> None:
        super().__init__(mixtures, "scan")
        self._structure = build(np.sqrt(self.mixtures))
        self.method = type(self._structure).__name__

    def find_nearest(self, q: Array, k: int, measure: str, allowed: Array | None) -> Nearest:
        if measure == "kl":
            raise InputError(
                f"{self.method} finds neighbours by Hellinger, which says nothing about KL.",
                "Use the method 'scan', or the measure 'js'.",
            )
        # JS orders rows a little differently from Hellinger, so more than k are reordered.
        wanted = k if measure in ("hellinger", "he") else 4 * k + 10
        if allowed is not None:
            wanted *= int(np.ceil(len(self) / max(1, int(allowed.sum()))))
        rows = self._structure.candidates(np.sqrt(q), min(wanted, len(self)))
        rows = np.asarray(rows if allowed is None else rows[allowed[rows]], np.int64)
        return self.rank_rows(q, k, measure, rows, exact=False)


def make_neighbours(mixtures: ArrayLike, method: Method) -> Neighbours:
    """Return neighbours by one of lexfield's own methods, or by an approximate structure."""
    if isinstance(method, str):
        return Neighbours(mixtures, method)
    return ApproximateNeighbours(mixtures, method)


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


def _import_faiss() -> ModuleType:
    faiss = need("faiss", "faiss")
    faiss.omp_set_num_threads(cores())
    return faiss


def _search_faiss(index: Any, roots: Array, k: int) -> Array:
    rows: Array = index.search(roots[None].astype(np.float32), k)[1][0]
    return rows[rows >= 0]  # -1 where fewer than k were found


class PStableHashes:
    """Hash tables over √p. ``radius`` is Euclidean: √2 times the Hellinger distance."""

    def __init__(
        self, roots: Array, *, radius: float = 0.6, delta: float = 0.1, seed: int = 0
    ) -> None:
        check(radius > 0, "radius", "over 0", radius)
        check(0 < delta < 1, "delta", "between 0 and 1", delta)
        rng = np.random.default_rng(seed)
        self._roots = np.ascontiguousarray(roots, np.float32)
        self._radius = radius
        self.hashes, self.tables = choose_hashes(self._roots, radius, delta, rng)
        total = self.hashes * self.tables
        self._directions = rng.standard_normal((roots.shape[1], total)).astype(np.float32)
        self._shifts = rng.uniform(0, _WIDTH * radius, total)
        self._mixers = rng.integers(1, 1 << 62, self.hashes, np.int64) | 1
        keys = np.concatenate(
            [self._keys(self._roots[i : i + 4096]) for i in range(0, len(roots), 4096)]
        )
        self._order = np.argsort(keys, axis=0, kind="stable").astype(np.int32).T.copy()
        self._sorted = np.take_along_axis(keys.T, self._order, axis=1)

    def _keys(self, roots: Array) -> NDArray[np.int64]:
        """Return a key per table: its hashes, mixed. A collision only adds a candidate."""
        cells = np.floor((roots @ self._directions + self._shifts) / (_WIDTH * self._radius))
        shaped = cells.astype(np.int64).reshape(len(roots), self.tables, self.hashes)
        with np.errstate(over="ignore"):
            keys: NDArray[np.int64] = (shaped * self._mixers).sum(axis=2)
        return keys

    def candidates(self, roots: Array, k: int) -> Array:
        keys = self._keys(roots[None].astype(np.float32))[0]
        found = [
            order[np.searchsorted(row, key, "left") : np.searchsorted(row, key, "right")]
            for key, row, order in zip(keys, self._sorted, self._order, strict=True)
        ]
        rows = np.unique(np.concatenate(found)).astype(np.int64)
        far = np.linalg.norm(self._roots[rows] - roots.astype(np.float32), axis=1)
        near = np.flatnonzero(far <= self._radius)
        return rows[near[np.argsort(far[near], kind="stable")[:k]]]


def collision(distance: Array | float, width: float) -> Array:
    """Return the probability that two points agree in one hash of this width."""
    from scipy.special import ndtr

    ratio = width / np.maximum(distance, 1e-12)
    falls = 2 / (np.sqrt(2 * np.pi) * ratio) * (1 - np.exp(-(ratio**2) / 2))
    chance: Array = 1 - 2 * ndtr(-ratio) - falls
    return chance


def choose_hashes(
    roots: Array, radius: float, delta: float, rng: np.random.Generator
) -> tuple[int, int]:
    """Return hashes per key and the number of tables that miss at most δ at the least cost."""
    rows = roots[rng.permutation(len(roots))[:_SAMPLE]]
    squares = (rows**2).sum(axis=1)
    gaps = squares[:, None] + squares - 2 * rows @ rows.T
    agree = collision(np.sqrt(np.maximum(gaps, 0)), _WIDTH * radius)
    best = (1, 1)
    lowest = np.inf
    for hashes in range(1, 33):
        hit = float(collision(radius, _WIDTH * radius)) ** hashes
        tables = int(np.ceil(np.log(delta) / np.log1p(-hit)))
        if tables > _MAX_TABLES:
            break
        met = (1 - (1 - agree**hashes) ** tables).mean()
        cost = hashes * tables + met * len(roots)  # inner products per query
        if cost < lowest:
            best, lowest = (hashes, tables), cost
    return best
