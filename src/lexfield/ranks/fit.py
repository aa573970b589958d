"""How counts fall with rank: the straight line in logs, and Zipf–Mandelbrot by likelihood.

Hare et al., Eq. 3: f(r) = c / (β + r)^α; Zipf's law is the case β = 0. Counts are sorted, the
largest first, which has rank 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST = 3  # a line through two points fits anything
STEEPEST = 20.0  # the largest α tried
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Fit:
    """A fitted curve or distribution.

    points: the number of ranks (or counts) it was fitted to.
    r2: for a curve over ranks, the share of the variance of log counts that it explains.
    distance: for a distribution of counts, the Kolmogorov–Smirnov distance.
    ratio, p: for an alternative to the power law, its normalised log-likelihood ratio (positive
        if the power law is likelier) and the chance of one as far from 0 if both fitted equally;
        for the power law itself, ``p`` is the chance of a distance as large if it were true.
    """

    name: str
    parameters: dict[str, float]
    points: int
    r2: float | None = None
    log_likelihood: float | None = None
    distance: float | None = None
    ratio: float | None = None
    p: float | None = None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def fit_line(counts: Counts) -> Fit:
    """Fit log count on log rank by least squares; the slope is the paper's −α."""
    x, y = np.log(np.arange(1, len(counts) + 1)), np.log(counts.astype(np.float64))
    across, up = x - x.mean(), y - y.mean()
    slope = float(across @ up / (across @ across))
    intercept = float(y.mean() - slope * x.mean())
    return Fit(
        "line",
        {"slope": slope, "intercept": intercept},
        len(counts),
        r2=_measure_r2(y, intercept + slope * x),
    )


def fit_mandelbrot(counts: Counts) -> Fit:
    """Fit c / (β + r)^α by likelihood, with each token one draw of a rank.

    With p(r) = (β + r)^−α / Z the log-likelihood is −α Σ n_r log(β + r) − N log Z. Least squares
    would weight each of the many rare words like the most frequent one.
    """
    from scipy.optimize import minimize

    ranks = np.arange(1, len(counts) + 1, dtype=np.float64)
    total = float(counts.sum())
    shares = counts / total

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        alpha, shifted = point[0], np.exp(point[1])  # 1 + β, which keeps β above −1
        places = ranks + (shifted - 1)
        logs = np.log(places)
        weights = np.exp(-alpha * (logs - logs[0]))
        z = weights.sum()
        gap = shares - weights / z
        value = alpha * (shares @ (logs - logs[0])) + np.log(z)
        return float(value), np.array([gap @ logs, alpha * (gap @ (1 / places)) * shifted])

    bounds = [(0.0, STEEPEST), (np.log(1e-3), np.log(10.0 * len(counts)))]
    starts = [np.array([1.0, np.log(shifted)]) for shifted in (1.0, 3.7)]
    best = min(
        (minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B") for start in starts),
        key=lambda result: float(result.fun),
    )
    alpha, beta = float(best.x[0]), float(np.exp(best.x[1])) - 1
    logs = np.log(beta + ranks)
    scale = float(np.log(total) - np.log(np.exp(-alpha * logs).sum()))
    fitted = scale - alpha * logs
    return Fit(
        "mandelbrot",
        {"alpha": alpha, "beta": beta, "c": float(np.exp(scale))},
        len(counts),
        r2=_measure_r2(np.log(counts.astype(np.float64)), fitted),
        log_likelihood=float(total * (shares @ (fitted - np.log(total)))),
    )


def _measure_r2(y: NDArray[np.float64], fitted: NDArray[np.float64]) -> float:
    residuals, centred = y - fitted, y - y.mean()
    return float(1 - (residuals @ residuals) / (centred @ centred)) if centred.any() else 0.0
