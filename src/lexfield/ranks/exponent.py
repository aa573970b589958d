"""The exponent of the law of Zipf and Mandelbrot behind a sample of words, with its interval.

Words are drawn with p(r) ∝ (r + β)^−α from a vocabulary of V words, r = 1 … V. Ranks by observed
counts are not the true ones: words that happened to be drawn often move up, and words that were not
drawn are missing, so curves fitted to counts by rank are too flat (Pilgrim and Hills 2021). How
many words occur m times does not depend on ranks. With N words in the text it is expected to be

    E_m = Σ_r exp(−λ_r) λ_r^m / m!      λ_r = N p(r)

(Baayen 2001, Evert 2004). α, β ≥ 0 and V maximise the likelihood of these numbers, taken as
independent and Poisson, in bins of m. The interval comes from the Fisher information of all three.
The numbers vary less than Poisson's, so intervals are wider than they need be: a test draws texts
from known laws and counts how many contain the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.ranks.fit import Counts, Floats

FEWEST_TYPES = 50
_HEAD, _STEP = 100, 0.05  # ranks summed one by one; cells beyond, in logs of the rank
_RATIO = 1.3  # of the edges of bins
_BOUNDS = ((0.05, 8.0), (0.0, 8.0), (1e-6, 14.0))  # of α, ln(1 + β), ln(V / words seen)
_NEAR = 1e-4  # for derivatives
_LEVEL = 1.96  # standard errors: 95%
_FLAT = 1e-6  # information that a parameter always has


@dataclass(frozen=True)
class Exponent:
    """α with its 95% interval; β and V of the same fit.

    p: how often a text drawn from the law would have counts as far from it. Where it is small, the
    law is not quite right, and the interval says only what sampling contributes.
    """

    value: float
    interval: tuple[float, float]
    beta: float
    vocabulary: float
    p: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.interval[0]:.2f} to {self.interval[1]:.2f})"


def estimate_exponent(counts: Counts) -> Exponent | None:
    """Return the exponent of the law that words were drawn from; None if there are too few."""
    from scipy.optimize import minimize
    from scipy.special import chdtrc

    if len(counts) < FEWEST_TYPES:
        return None
    edges = _choose_edges(int(counts.max()))
    observed = np.histogram(counts, np.append(edges, np.inf))[0].astype(np.float64)
    total = float(counts.sum())

    def expect(point: Floats) -> Floats:
        alpha, beta, size = point[0], np.expm1(point[1]), len(counts) * np.exp(point[2])
        return np.maximum(expect_numbers(alpha, beta, size, total, edges), 1e-12)

    def loss(point: Floats) -> float:
        expected = expect(point)
        return float(expected.sum() - observed @ np.log(expected))

    def improve(start: Floats, bounds: tuple[tuple[float, float], ...]) -> tuple[float, Floats]:
        options = {"maxiter": 100, "ftol": 1e-11, "gtol": 1e-4}
        found = minimize(
            loss, start, method="L-BFGS-B", jac="3-point", bounds=bounds, options=options
        )
        return float(found.fun), np.asarray(found.x)

    fixed = (_BOUNDS[0], (0.0, 0.0), _BOUNDS[2])  # β = 0: Zipf's law
    zipf = min(
        (improve(np.array(start), fixed) for start in ((1.0, 0.0, 0.5), (1.5, 0.0, 3.0))),
        key=lambda one: one[0],
    )[1]
    starts = (zipf + np.array([0, shift, 0]) for shift in (0.02, 1.0))
    point = min((improve(start, _BOUNDS) for start in starts), key=lambda one: one[0])[1]
    expected = expect(point)
    error = _find_error(expect, point)
    misfit = float(((observed - expected) ** 2 / np.maximum(expected, 1)).sum())
    value = float(point[0])
    return Exponent(
        value,
        (value - _LEVEL * error, value + _LEVEL * error),
        float(np.expm1(point[1])),
        float(len(counts) * np.exp(point[2])),
        float(chdtrc(max(len(edges) - len(point), 1), misfit)),
    )


def _find_error(expect: Callable[[Floats], Floats], point: Floats) -> float:
    """Return the standard error of α: Fisher's information of Poisson numbers is Σ dE dE' / E."""
    steps = np.eye(len(point)) * _NEAR
    slopes = np.column_stack(
        [(expect(point + step) - expect(point - step)) / (2 * _NEAR) for step in steps]
    )
    information = slopes.T @ (slopes / expect(point)[:, None]) + _FLAT * np.eye(len(point))
    return float(np.sqrt(np.linalg.inv(information)[0, 0]))


def _choose_edges(largest: int) -> NDArray[np.int64]:
    """Return the lowest count of each bin; the last bin has no end."""
    edges = [1]
    while edges[-1] <= 1.5 * largest:
        edges.append(max(edges[-1] + 1, int(edges[-1] * _RATIO)))
    return np.array(edges)


def expect_numbers(
    alpha: float, beta: float, size: float, total: float, edges: NDArray[np.int64]
) -> Floats:
    """Return how many of ``size`` words are expected to have a count in each bin."""
    from scipy.special import gammaincc

    ranks = np.arange(1.0, min(size, _HEAD) + 1)
    weights = np.ones(len(ranks))
    if size > _HEAD:
        cells = max(4, int(np.ceil(np.log(size / _HEAD) / _STEP)))
        bounds = np.exp(np.linspace(np.log(_HEAD + 0.5), np.log(size + 0.5), cells + 1))
        ranks = np.append(ranks, np.sqrt(bounds[1:] * bounds[:-1]))
        weights = np.append(weights, np.diff(bounds))
    shares = (ranks + beta) ** -alpha
    rates = total * shares / (weights @ shares)
    below = gammaincc(edges[:, None].astype(np.float64), rates)  # Poisson: fewer than the edge
    upto = np.vstack([below[1:], np.ones(len(rates))])
    return np.asarray((upto - below) @ weights)
