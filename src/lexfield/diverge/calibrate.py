"""The bias of a k-NN divergence, seen where the truth is known (a parametric bootstrap).

Gaussian clouds of the same sizes, means and covariances as the two that are compared have a known
KL divergence. What the estimator says of them, less the truth, is its bias there:

    2 KL = tr(T⁻¹S) + (μ−ν)ᵀ T⁻¹ (μ−ν) − d + ln |T| − ln |S|,   clouds N(μ, S) and N(ν, T)

For clouds that are themselves Gaussian this leaves only noise; for others, what they share with a
Gaussian: how wide they are in each direction and how far apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.points import Points
from lexfield.errors import InputError, check

Array = NDArray[np.float64]
_DRAWS = 4  # Gaussian clouds whose error is averaged
_HIGHEST = 30  # dimensions over which the covariances would be mostly noise


def gaussian_bias(points: Points, estimate: Callable[[Array, Array], float]) -> float:
    """What ``estimate`` adds to the divergence of two Gaussian clouds like the given ones."""
    d = points.vectors.shape[1]
    check(d <= _HIGHEST, "dimensions", f"at most {_HIGHEST} to calibrate (try pca(20))", d)
    sides = []
    for row in points.counts.toarray():
        if (row > 0).sum() <= d + 1:
            raise InputError(
                f"{int((row > 0).sum())} points are too few for a covariance in {d} dimensions.",
                "Take more points, or reduce by pca(…).",
            )
        mean = np.average(points.vectors, axis=0, weights=row)
        spread = np.atleast_2d(np.cov(points.vectors, rowvar=False, fweights=row.astype(int)))
        sides.append((mean, spread, int(row.sum())))
    (mean, spread, n), (other_mean, other_spread, m) = sides
    truth = gaussian_kl(mean, spread, other_mean, other_spread)
    rng = np.random.default_rng(0)
    found = [
        estimate(
            rng.multivariate_normal(mean, spread, n),
            rng.multivariate_normal(other_mean, other_spread, m),
        )
        for _ in range(_DRAWS)
    ]
    return float(np.mean(found)) - truth


def gaussian_kl(mean: Any, spread: Any, other_mean: Any, other_spread: Any) -> float:
    """KL of N(mean, spread) from N(other_mean, other_spread), in nats."""
    logs = [np.linalg.slogdet(matrix) for matrix in (spread, other_spread)]
    if any(sign <= 0 or not np.isfinite(log) for sign, log in logs):
        raise InputError("A cloud lies in a plane: its covariance is singular.", "Try pca(…).")
    solved = np.linalg.solve(other_spread, np.column_stack([spread, other_mean - mean]))
    trace, apart = np.trace(solved[:, :-1]), (other_mean - mean) @ solved[:, -1]
    return float((trace + apart - len(mean) + logs[1][1] - logs[0][1]) / 2)
