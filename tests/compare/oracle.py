"""The estimators as they are written: loops over words, true distances, nothing shared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from scipy.special import digamma, gamma

Point = tuple[float, ...]


def kth(x: Point, cloud: set[Point], k: int) -> float:
    """Distance to the k-th nearest point of a cloud that is not x."""
    return sorted(math.dist(x, y) for y in cloud if y != x)[k - 1]


def within(x: Point, cloud: set[Point], radius: float) -> int:
    return sum(math.dist(x, y) <= radius for y in cloud if y != x)


def sigma(a: Counter[Point], b: Counter[Point], k: int, alpha: float, d: float) -> float:
    n, m = a.total(), b.total()
    factor = gamma(k) ** 2 / (gamma(k - alpha + 1) * gamma(k + alpha - 1))
    total = 0.0
    for x, w in a.items():
        rho, nu = kth(x, set(a), k), kth(x, set(b), k)
        total += w * ((n - 1) * rho**d / (m * nu**d)) ** (1 - alpha) * factor
    return total / n


def kl_to(a: Counter[Point], cloud: set[Point], size: float, k: int, d: float) -> float:
    n = a.total()
    ratios = (w * d * math.log(kth(x, cloud, k) / kth(x, set(a), k)) for x, w in a.items())
    return sum(ratios) / n + math.log(size / (n - 1))


def divergence(
    a: Sequence[Point],
    b: Sequence[Point],
    *,
    measure: str = "kl",
    k: int = 3,
    d: float = 1.0,
    alpha: float = 0.5,
    estimator: str = "plain",
) -> float:
    x, y = Counter(map(tuple, a)), Counter(map(tuple, b))
    if measure == "js":
        both = set(x) | set(y)
        size = (x.total() + y.total()) * len(both) / (len(x) + len(y)) - 1
        return (kl_to(x, both, size, k, d) + kl_to(y, both, size, k, d)) / 2
    if measure == "renyi":
        return math.log(sigma(x, y, k, alpha, d)) / (alpha - 1)
    if measure == "hellinger":
        mean = (sigma(x, y, k, 0.5, d) + sigma(y, x, k, 0.5, d)) / 2
        return math.copysign(math.sqrt(abs(1 - mean)), 1 - mean)
    if estimator == "equal_radius":
        total = 0.0
        for point, w in x.items():
            radius = max(kth(point, set(x), k), kth(point, set(y), k))
            total += w * (
                digamma(within(point, set(x), radius)) - digamma(within(point, set(y), radius))
            )
        return total / x.total() + math.log(y.total() / (x.total() - 1))
    return kl_to(x, set(y), y.total(), k, d)
