"""Euclidean locality-sensitive hashing with p-stable projections (Datar et al. 2004; E2LSH of
Andoni and Indyk, which Krstovski et al. used).

A hash is ⌊(a·x + b) / w⌋ with normally distributed a and b uniform in [0, w). m hashes make a key,
and there are L tables with a key each. Two points at distance c agree in one hash with probability

    P(c) = 1 − 2 Φ(−w/c) − 2c / (√(2π) w) · (1 − exp(−w² / 2c²))

so a point within the radius R is found with probability at least 1 − δ once
L ≥ ln δ / ln(1 − P(R)^m). The m that is cheapest on a sample is chosen, as in E2LSH. Only points
within R are reported, which may be fewer than k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import check

_WIDTH = 4.0  # w divided by the radius, as in E2LSH
_MAX_TABLES = 150
_SAMPLE = 300


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
