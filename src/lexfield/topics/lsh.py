"""Euclidean locality-sensitive hashing with p-stable projections (Datar et al. 2004; E2LSH of
Andoni and Indyk, which Krstovski et al. used).

A hash is ⌊(a·x + b) / w⌋ with a of normal numbers and b uniform in [0, w); m hashes together are a
key, L keys a table each. Two points at distance c agree in one hash with probability

    P(c) = 1 − 2 Φ(−w/c) − 2c / (√(2π) w) · (1 − exp(−w² / 2c²))

so a point within the radius R is found with probability at least 1 − δ once
L ≥ ln δ / ln(1 − P(R)^m). m is what a sample says is cheapest, as in E2LSH. Only points within R
are reported: for small radii that may be fewer than were asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check

WIDTH = 4.0  # w over the radius, as in E2LSH
MOST_TABLES = 150
SAMPLE = 300

Array = NDArray[Any]


class PStableHashes:
    """Tables of keys over √p. ``radius`` is Euclidean there: √2 times the Hellinger distance."""

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
        self._shifts = rng.uniform(0, WIDTH * radius, total)
        self._mixers = rng.integers(1, 1 << 62, self.hashes, np.int64) | 1
        keys = np.concatenate(
            [self._keys(self._roots[i : i + 4096]) for i in range(0, len(roots), 4096)]
        )
        self._order = np.argsort(keys, axis=0, kind="stable").astype(np.int32).T.copy()
        self._sorted = np.take_along_axis(keys.T, self._order, axis=1)

    def _keys(self, roots: Array) -> NDArray[np.int64]:
        """One number a table: its hashes, mixed. Different ones may meet, which only adds work."""
        cells = np.floor((roots @ self._directions + self._shifts) / (WIDTH * self._radius))
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
    """How likely two points at a distance agree in one hash of this width; 1 at distance 0."""
    from scipy.special import ndtr

    ratio = width / np.maximum(distance, 1e-12)
    falls = 2 / (np.sqrt(2 * np.pi) * ratio) * (1 - np.exp(-(ratio**2) / 2))
    chance: Array = 1 - 2 * ndtr(-ratio) - falls
    return chance


def choose_hashes(
    roots: Array, radius: float, delta: float, rng: np.random.Generator
) -> tuple[int, int]:
    """Hashes a key and tables: of those that keep the promise, the cheapest on a sample."""
    rows = roots[rng.permutation(len(roots))[:SAMPLE]]
    squares = (rows**2).sum(axis=1)
    gaps = squares[:, None] + squares - 2 * rows @ rows.T
    agree = collision(np.sqrt(np.maximum(gaps, 0)), WIDTH * radius)
    best = (1, 1)
    lowest = np.inf
    for hashes in range(1, 33):
        hit = float(collision(radius, WIDTH * radius)) ** hashes
        tables = int(np.ceil(np.log(delta) / np.log1p(-hit)))
        if tables > MOST_TABLES:
            break
        met = (1 - (1 - agree**hashes) ** tables).mean()
        cost = hashes * tables + met * len(roots)  # inner products a query
        if cost < lowest:
            best, lowest = (hashes, tables), cost
    return best
