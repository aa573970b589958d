"""Do participants agree? Krippendorff's alpha for two values (Krippendorff 2011).

A unit is something that several participants judged: in choose-3 a sentence for a query (chosen or
not), in head-to-head a pair of lists for a query (the target's or the baseline's). With m values in
a unit, n₀ zeros and n₁ ones among them, over units with m ≥ 2,

    o₀₁ = Σ n₀ n₁/(m − 1)        α = 1 − (n − 1) · o₀₁ / (N₀ · N₁)

N₀, N₁, n = N₀ + N₁ summed over the units. 1 is agreement, 0 what chance gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """``alpha`` is None where no two participants judged the same, or all judged alike."""

    alpha: float | None
    low: float | None
    high: float | None
    units: int
    judgements: int


def alpha(zeros: Array, ones: Array) -> float | None:
    """Krippendorff's α from the zeros and ones of each unit."""
    found = _alphas(np.ones((1, len(zeros))), zeros, ones)[0]
    return None if np.isnan(found) else float(found)


def agreement(
    units: Sequence[tuple[int, int]],
    values: Sequence[int],
    draws: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """α of judgements; ``units[i]`` is (query, thing), ``values[i]`` 0 or 1.

    The interval is from redrawing queries: the units of one query come and go together. Redrawing
    participants would let each agree with their own copies.
    """
    if not units:
        return Agreement(None, None, None, 0, 0)
    keys, places = np.unique(np.asarray(units, np.int64), axis=0, return_inverse=True)
    judged = np.asarray(values, float)
    ones: Array = np.bincount(places.ravel(), judged, len(keys)).astype(float)
    zeros: Array = np.bincount(places.ravel(), 1 - judged, len(keys)).astype(float)
    several = zeros + ones >= 2
    zeros, ones, keys = zeros[several], ones[several], keys[several]
    value = alpha(zeros, ones) if len(zeros) else None
    if value is None:
        return Agreement(None, None, None, len(zeros), int((zeros + ones).sum()))
    names, query = np.unique(keys[:, 0], return_inverse=True)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), draws)
    found = _alphas(times[:, query.ravel()].astype(float), zeros, ones)
    tail = (1 - level) / 2
    low, high = np.nanquantile(found, [tail, 1 - tail])
    return Agreement(value, float(low), float(high), len(zeros), int((zeros + ones).sum()))


def _alphas(weights: Array, zeros: Array, ones: Array) -> Array:
    sizes = zeros + ones
    use = sizes >= 2
    mixed = np.where(use, zeros * ones / np.maximum(sizes - 1, 1), 0)
    all_zeros, all_ones = weights @ np.where(use, zeros, 0), weights @ np.where(use, ones, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            1 - (all_zeros + all_ones - 1) * (weights @ mixed) / (all_zeros * all_ones)
        )
