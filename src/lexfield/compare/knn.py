"""The k-nearest-neighbour estimators of Póczos et al. (2011), and three with less bias.

For a point x of X (N points), ρ is the distance to its k-th nearest other point of X and ν to its
k-th nearest of Y (M points); w is how often x occurs, d the exponent of distance:

    σ̂ = B/N Σ w ((N−1) ρ^d / (M ν^d))^(1−α),   B = Γ(k)² / (Γ(k−α+1) Γ(k+α−1))
    Rényi-α = ln σ̂ / (α−1)
    KL = its limit at α = 1:  ln(M/(N−1)) − Σ w d ln(ρ/ν) / N
    Hellinger = √(1 − σ̂) at α = ½, σ̂ the mean of both directions
    JS = mean of the two KL to the mixture, whose neighbours are those of both texts together

Equal radii (Wang, Kulkarni and Verdú 2009): both densities at x are counted within one radius, the
larger of ρ and ν, which holds l points of X and m of Y, so their errors largely cancel:

    KL = ln(M/(N−1)) − Σ w (ψ(m) − ψ(l)) / N

Extrapolation: the bias grows with the radius, which grows as k^(1/d). KL at k, 2k, 4k and 8k is
fitted by a + b k^(3/2d) and read off at k = 0; 3/2 lies between the orders for rough and smooth
densities.

Calibration (a parametric bootstrap): Gaussian clouds with the sizes, means and covariances of the
two clouds have a known KL, so the error of the estimate on them is known too, and subtracted:

    2 KL = tr(T⁻¹S) + (μ−ν)ᵀ T⁻¹ (μ−ν) − d + ln |T| − ln |S|,   clouds N(μ, S) and N(ν, T)

Entropy (Kozachenko and Leonenko): ψ(N) − ψ(k) + ln V_d + d Σ w ln ρ / N, V_d the volume of the unit
ball.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError, check

Floats = NDArray[np.float64]
STEPS = (1, 2, 4, 8)  # multiples of k from which KL is extrapolated
_MOST_DIMENSIONS = 30  # above, extrapolation magnifies noise and covariances are mostly noise
_DRAWS = 4  # pairs of Gaussian clouds over which the error is averaged


@dataclass(frozen=True)
class CloudSums:
    """What the formulas need to know about X and Y: numbers for one pair, arrays for many.

    n, m        N and M
    k           which neighbour
    ratio       Σ w d ln(ρ/ν) / N, or Σ w (ψ(m) − ψ(l)) / N for equal radii
    to_mixture  the same with ν the distance to the k-th nearest of both texts together
    mixture     points of the mixture other than x itself
    powers      ln Σ w (ρ/ν)^(d(1−α)) for each order α
    """

    n: Array | float
    m: Array | float
    k: Array | int
    ratio: Array | float = math.nan
    to_mixture: Array | float = math.nan
    mixture: Array | float = math.nan
    powers: Mapping[float, Array | float] = field(default_factory=dict)

    def swap(self) -> CloudSums:
        """Return the sums with X and Y exchanged, of arrays over all pairs."""
        one = {f.name: _swap(getattr(self, f.name)) for f in fields(self) if f.name != "powers"}
        powers = {alpha: _swap(values) for alpha, values in self.powers.items()}
        return CloudSums(**one, powers=powers)


def _swap(values: Array | float) -> Array:
    return np.swapaxes(values, 0, 1) if np.ndim(values) > 1 else np.asarray(values)


Reverse = Callable[[], CloudSums]  # the sums with X and Y exchanged


def estimate_kl(sums: CloudSums, reverse: Reverse) -> Array:
    """KL; at orders on both sides of 1 instead of its limit if there are any."""
    return estimate_renyi(sums, reverse) if sums.powers else _kl(sums.ratio, sums.n, sums.m)


def estimate_js(sums: CloudSums, reverse: Reverse) -> Array:
    halves = [_kl(one.to_mixture, one.n, one.mixture) for one in (sums, reverse())]
    return np.asarray((halves[0] + halves[1]) / 2)


def estimate_renyi(sums: CloudSums, reverse: Reverse) -> Array:
    """Rényi-α; the mean if there are several orders."""
    values = [_log_sigma(sums, alpha) / (alpha - 1) for alpha in sums.powers]
    return np.asarray(np.mean(values, axis=0))


def estimate_hellinger(sums: CloudSums, reverse: Reverse) -> Array:
    """Hellinger. If σ̂ is over 1, which is impossible, the value is negative: minus the root of the
    excess."""
    log_sigma = np.logaddexp(_log_sigma(sums, 0.5), _log_sigma(reverse(), 0.5)) - np.log(2)
    square = -np.expm1(log_sigma)
    return np.asarray(np.sign(square) * np.sqrt(np.abs(square)))


def _kl(ratio: Array | float, n: Array | float, m: Array | float) -> Array:
    return np.asarray(np.log(m / (n - 1)) - ratio)


def _log_sigma(sums: CloudSums, alpha: float) -> Array:
    from scipy.special import gammaln

    k = sums.k
    log_b = 2 * gammaln(k) - gammaln(k - alpha + 1) - gammaln(k + alpha - 1)
    shift = log_b - (1 - alpha) * np.log(sums.m / (sums.n - 1))
    return np.asarray(sums.powers[alpha] + shift - np.log(sums.n))


def extrapolate(values: Mapping[int, Array], k: int, d: float) -> Floats:
    """KL at no neighbours from its values at each of ``STEPS`` times k."""
    name = f"at most {_MOST_DIMENSIONS} to extrapolate (try pca(20))"
    check(d <= _MOST_DIMENSIONS, "dimension", name, d)
    radii = (k * np.array(STEPS, float)) ** (1.5 / d)
    weights = np.linalg.pinv(np.column_stack([np.ones(len(STEPS)), radii]))[0]
    result: Floats = np.tensordot(weights, np.stack([values[k * step] for step in STEPS]), 1)
    return result


def count_mixture(n: Array, m: Array, types_n: Array, types_m: Array, types_both: Array) -> Array:
    """Points of the mixture of two clouds, other than the point itself.

    Neighbours are distinct words, so a word of both texts is one point of the mixture although its
    tokens count twice: tokens are scaled by the share of points that remain distinct.
    """
    return np.asarray((n + m) * types_both / (types_n + types_m) - 1)


def estimate_entropy(log_rho: Array, weights: Array, k: int, d: float) -> float:
    """Differential entropy in nats."""
    from scipy.special import digamma, gammaln

    n = weights.sum()
    ball = d / 2 * math.log(math.pi) - gammaln(d / 2 + 1)
    return float(digamma(n) - digamma(k) + ball + d * (weights * log_rho).sum() / n)


def estimate_dimension(distances: Array) -> float:
    """Intrinsic dimension by Levina and Bickel (2004), in MacKay and Ghahramani's form: the inverse
    of the mean over points of the mean of ln(T_k/T_j), j < k. Rows of ``distances`` ascend."""
    logs = np.log(distances[:, -1:]) - np.log(distances[:, :-1])
    inverse = logs.sum(axis=1) / max(1, distances.shape[1] - 2)
    mean = float(inverse.mean())
    return 1 / mean if mean > 0 else math.inf


def find_gaussian_bias(
    vectors: Floats, counts: Array, estimate: Callable[[Floats, Floats], float]
) -> float:
    """Return the mean error of ``estimate`` on Gaussian clouds like the two given ones.

    ``counts`` has two rows: how often each vector occurs in each cloud.
    """
    d = vectors.shape[1]
    name = f"at most {_MOST_DIMENSIONS} to calibrate (try pca(20))"
    check(d <= _MOST_DIMENSIONS, "dimensions", name, d)
    sides = []
    for row in counts:
        distinct = int((row > 0).sum())
        if distinct <= d + 1:
            raise InputError(
                f"{distinct} points are too few for a covariance in {d} dimensions.",
                "Use more points, or reduce by pca(…).",
            )
        mean = np.average(vectors, axis=0, weights=row)
        covariance = np.atleast_2d(np.cov(vectors, rowvar=False, fweights=row.astype(int)))
        sides.append((mean, covariance, int(row.sum())))
    truth = gaussian_kl(*sides[0][:2], *sides[1][:2])
    rng = np.random.default_rng(0)
    values = [estimate(*(rng.multivariate_normal(*side) for side in sides)) for _ in range(_DRAWS)]
    return float(np.mean(values)) - truth


def gaussian_kl(mean: Array, covariance: Array, other_mean: Array, other: Array) -> float:
    """KL of N(mean, covariance) from N(other_mean, other), in nats."""
    logs = [np.linalg.slogdet(matrix) for matrix in (covariance, other)]
    if any(sign <= 0 or not np.isfinite(log) for sign, log in logs):
        raise InputError("A cloud lies in a plane: its covariance is singular.", "Try pca(…).")
    solved = np.linalg.solve(other, np.column_stack([covariance, other_mean - mean]))
    trace, apart = np.trace(solved[:, :-1]), (other_mean - mean) @ solved[:, -1]
    return float((trace + apart - len(mean) + logs[1][1] - logs[0][1]) / 2)
