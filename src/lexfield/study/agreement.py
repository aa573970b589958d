"""Agreement of participants: Krippendorff's alpha for two values (Krippendorff 2011).

A unit is what several participants judged: in choose-3 a sentence for a query (chosen or not), in
head-to-head a pair of lists for a query (the target's or the baseline's). With m values in a unit,
n₀ zeros and n₁ ones among them, over units with m ≥ 2,

    o₀₁ = Σ n₀ n₁/(m − 1)        α = 1 − (n − 1) · o₀₁ / (N₀ · N₁)

where N₀, N₁ and n = N₀ + N₁ are sums over the units. 1 is full agreement, 0 agreement by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """``alpha`` is None if no unit was judged twice, or if all judgements are the same."""

    alpha: float | None
    low: float | None
    high: float | None
    units: int
    judgements: int


def measure_agreement(
    units: Sequence[tuple[int, int]],
    values: Sequence[int],
    draws: int = 2_000,
    level: float = 0.95,
) -> Agreement:
    """Return α of judgements; ``units[i]`` is (query, item), ``values[i]`` is 0 or 1.

    The interval comes from resampling queries, each with all its units. Resampling participants
    would let each agree with copies of themselves.
    """
    keys, places = np.unique(
        np.asarray(units, np.int64).reshape(-1, 2), axis=0, return_inverse=True
    )
    judged = np.asarray(values, float)
    ones: Array = np.bincount(places.ravel(), judged, len(keys)).astype(float)
    zeros: Array = np.bincount(places.ravel(), 1 - judged, len(keys)).astype(float)
    several = zeros + ones >= 2
    zeros, ones, keys = zeros[several], ones[several], keys[several]
    sizes = len(zeros), int((zeros + ones).sum())
    alpha = krippendorff_alpha(zeros, ones)
    if alpha is None:
        return Agreement(None, None, None, *sizes)
    names, query = np.unique(keys[:, 0], return_inverse=True)
    rng = np.random.default_rng(0)
    times = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), draws)
    drawn = _weighted_alphas(times[:, query.ravel()].astype(float), zeros, ones)
    tail = (1 - level) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail])
    return Agreement(alpha, float(low), float(high), *sizes)


def krippendorff_alpha(zeros: Array, ones: Array) -> float | None:
    """Return α from the numbers of zeros and ones in each unit."""
    alpha = _weighted_alphas(np.ones((1, len(zeros))), zeros, ones)[0]
    return None if np.isnan(alpha) else float(alpha)


def _weighted_alphas(weights: Array, zeros: Array, ones: Array) -> Array:
    """Return α for each row of ``weights``, which says how often each unit counts."""
    sizes = zeros + ones
    use = sizes >= 2
    mixed = np.where(use, zeros * ones / np.maximum(sizes - 1, 1), 0)
    all_zeros, all_ones = weights @ np.where(use, zeros, 0), weights @ np.where(use, ones, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            1 - (all_zeros + all_ones - 1) * (weights @ mixed) / (all_zeros * all_ones)
        )
