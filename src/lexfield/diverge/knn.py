"""The k-nearest-neighbour estimators of Póczos et al. (2011), and one with less bias.

For a point x of X (N points) ρ is the distance to its k-th nearest other point of X, ν to its k-th
nearest of Y (M points); w says how often x occurs, d is the exponent of distance:

    σ̂ = B/N Σ w ((N−1) ρ^d / (M ν^d))^(1−α),   B = Γ(k)² / (Γ(k−α+1) Γ(k+α−1))
    Rényi-α = ln σ̂ / (α−1)
    KL = its limit at α = 1:  Σ w d ln(ν/ρ) / N + ln(M/(N−1))
    Hellinger = √(1 − σ̂) at α = ½

Equal radii (Wang, Kulkarni and Verdú 2009): both densities at x are counted within one radius, the
larger of ρ and ν, which holds l points of X and m of Y, so the errors of the two largely cancel:

    KL = Σ w (ψ(l) − ψ(m)) / N + ln(M/(N−1))

Extrapolated: the bias grows with the radius, which grows as k^(1/d). KL at k, 2k, 4k and 8k is
fitted by a + b k^(3/2d) and read off at k = 0; 3/2 lies between the orders that rough and smooth
densities have.

Entropy after Kozachenko and Leonenko: ψ(N) − ψ(k) + ln V_d + d Σ w ln ρ / N, V_d the volume of the
unit ball. All functions take logarithms of distances, in arrays whose first axis runs over the
points of X, and any further axes; so one pair and all pairs are the same code.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check

Array = NDArray[np.float64]
STEPS = (1, 2, 4, 8)
_HIGHEST = 30  # dimensions over which extrapolation would only magnify noise


def kl(log_ratio: Array, weights: Array, m: Any) -> Array:
    """KL from d ln(ρ/ν) of each point; ``m`` is M."""
    n = weights.sum(axis=0)
    result: Array = np.log(m / (n - 1)) - (weights * log_ratio).sum(axis=0) / n
    return result


def log_sigma(log_ratio: Array, weights: Array, m: Any, k: Any, alpha: float) -> Array:
    """ln σ̂, summed so that no power can overflow."""
    from scipy.special import logsumexp

    n = weights.sum(axis=0)
    powers = (1 - alpha) * (log_ratio + np.log((n - 1) / m))
    total: Array = logsumexp(powers, axis=0, b=weights) - np.log(n) + log_b(k, alpha)
    return total


def log_b(k: Any, alpha: float) -> Any:
    """ln B, which makes the sum unbiased."""
    from scipy.special import gammaln

    return 2 * gammaln(k) - gammaln(k - alpha + 1) - gammaln(k + alpha - 1)


def renyi(log_sigma: Array, alpha: float) -> Array:
    return log_sigma / (alpha - 1)


def hellinger(log_sigma: Array) -> Array:
    """From ln σ̂ at α = ½. An estimate of σ over one, which no distance has, comes out negative, as
    minus the root of what it is over."""
    square = -np.expm1(log_sigma)
    return np.asarray(np.sign(square) * np.sqrt(np.abs(square)))


def equal_radius(inside: Array, others: Array, weights: Array, m: Any) -> Array:
    """KL from the counts ``l`` and ``m`` within the larger of both radii."""
    from scipy.special import digamma

    n = weights.sum(axis=0)
    terms = weights * (digamma(inside) - digamma(others))
    result: Array = terms.sum(axis=0) / n + np.log(m / (n - 1))
    return result


def extrapolated(values: Array, k: int, d: float) -> Array:
    """KL at no neighbours from KL at each of ``STEPS`` times k (the first axis of ``values``)."""
    check(d <= _HIGHEST, "dimension", f"at most {_HIGHEST} to extrapolate (try pca(20))", d)
    radii = (k * np.array(STEPS, float)) ** (1.5 / d)
    weights = np.linalg.pinv(np.column_stack([np.ones(len(STEPS)), radii]))[0]
    result: Array = np.tensordot(weights, values, 1)
    return result


def mixture_size(n: Any, m: Any, types_n: Any, types_m: Any, types_both: Any) -> Any:
    """Points of the mixture of two clouds, on the scale of theirs.

    Neighbours are distinct words, so a word of both texts is one point of the mixture, while its
    tokens count twice: tokens are scaled by the share of points that stay distinct.
    """
    return (n + m) * types_both / (types_n + types_m)


def entropy(log_rho: Array, weights: Array, k: Any, d: float) -> Array:
    """Differential entropy in nats."""
    from scipy.special import digamma, gammaln

    n = weights.sum(axis=0)
    ball = d / 2 * math.log(math.pi) - gammaln(d / 2 + 1)
    result: Array = digamma(n) - digamma(k) + ball + d * (weights * log_rho).sum(axis=0) / n
    return result


def intrinsic_dimension(distances: Array) -> float:
    """Levina and Bickel (2004), in MacKay and Ghahramani's form: the inverse of the mean over
    points of the mean of ln(T_k/T_j), j < k. Rows of ``distances`` ascend."""
    logs = np.log(distances[:, -1:]) - np.log(distances[:, :-1])
    inverse = logs.sum(axis=1) / max(1, distances.shape[1] - 2)
    mean = float(inverse.mean())
    return 1 / mean if mean > 0 else math.inf
