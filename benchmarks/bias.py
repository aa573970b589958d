"""The error of each k-NN estimator of KL where the truth is known: 5,000 points a cloud, k = 5.

``seen`` families were looked at while the estimators were chosen (the exponent of ``extrapolated``
on the first two, ``calibrated`` on all of them); ``fresh`` ones were drawn once, after that. Given
is the mean of |estimate − truth| over the draws, in nats; ratios against ``plain`` come first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import rounded
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, multivariate_t

from lexfield.compare.knn import gaussian_kl
from lexfield.compare.pair import knn_divergence

Array = NDArray[Any]
Family = Callable[[int, np.random.Generator], tuple[Array, Array, float]]
ESTIMATORS = ("plain", "extrapolated", "equal_radius", "calibrated")
POINTS, K, DRAWS, KL = 5000, 5, 3, 0.5


def run(data: Path) -> dict[str, Any]:
    del data  # none is needed
    tables: dict[str, Any] = {}
    for part, families in (("seen", SEEN), ("fresh", FRESH)):
        for d in (5, 10):
            rows = {}
            for number, (name, family) in enumerate(families.items()):
                seeds = [np.random.SeedSequence([d, number, draw]) for draw in range(DRAWS)]
                errors = [_errors(family, d, np.random.default_rng(seed)) for seed in seeds]
                rows[name] = dict(
                    zip(ESTIMATORS, np.mean(errors, axis=0).round(3).tolist(), strict=True)
                )
            tables[f"{part}, {d} dimensions"] = rows
    ratios = {
        title: {name: rounded(_mean(rows, name) / _mean(rows, "plain")) for name in ESTIMATORS[1:]}
        for title, rows in tables.items()
    }
    return {"error_over_that_of_plain": ratios, "mean_absolute_error": tables}


def _mean(rows: dict[str, dict[str, float]], name: str) -> float:
    return float(np.mean([row[name] for row in rows.values()]))


def _errors(family: Family, d: int, rng: np.random.Generator) -> list[float]:
    x, y, truth = family(d, rng)
    return [abs(knn_divergence(x, y, k=K, estimator=name).raw - truth) for name in ESTIMATORS]


def _shifted(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    x, y = rng.normal(size=(2, POINTS, d))
    y[:, 0] += np.sqrt(2 * KL)
    return x, y, KL


def _wider(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    scale = brentq(lambda s: d * (np.log(s) + (s**-2 - 1) / 2) - KL, 1, 9)
    x, y = rng.normal(size=(2, POINTS, d))
    return x, y * scale, KL


def _narrower(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    scale = brentq(lambda s: d * (np.log(s) + (s**-2 - 1) / 2) - KL, 0.2, 1)
    x, y = rng.normal(size=(2, POINTS, d))
    return x, y * scale, KL


def _covariance(d: int, rng: np.random.Generator, spread: float) -> Array:
    """Random axes, whose log-variances have the deviation ``spread``."""
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return np.asarray(axes * np.exp(spread * rng.normal(size=d)) @ axes.T)


def _turned(spread: float, shift: float) -> Family:
    """Gaussians of different covariance, as far apart as KL says."""

    def family(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
        first, other = _covariance(d, rng, spread), _covariance(d, rng, spread)
        zero, far = np.zeros(d), shift * rng.normal(size=d)

        def kl(t: float) -> float:
            return gaussian_kl(zero, first, t * far, (1 - t) * first + t * other) - KL

        t = brentq(kl, 0, 1) if kl(1) > 0 else 1.0
        second = (1 - t) * first + t * other
        x = rng.multivariate_normal(zero, first, POINTS)
        return x, rng.multivariate_normal(t * far, second, POINTS), kl(t) + KL

    return family


def _scaled(draw: str, shape: float) -> Family:
    """Independent Laplace, exponential or gamma coordinates, the second cloud wider."""

    def family(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
        scale = brentq(lambda s: d * shape * (np.log(s) + 1 / s - 1) - KL, 1, 99)
        size = (2, POINTS, d)
        x, y = rng.laplace(size=size) if draw == "laplace" else rng.gamma(shape, size=size)
        return x, y * scale, KL

    return family


def _bent(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Shifted Gaussians whose coordinates were put through sinh, which leaves KL as it is."""
    x, y = rng.normal(size=(2, POINTS, d))
    return np.sinh(x), np.sinh(y + np.sqrt(2 * KL / d)), KL


def _sampled(x: Array, y: Array, p: Any, q: Any, more: Array) -> tuple[Array, Array, float]:
    """Truth by the mean log-ratio over ``more`` points of the first density."""
    return x, y, float(np.mean(p.logpdf(more) - q.logpdf(more)))


def _students(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Heavy tails: t with 6 degrees of freedom, moved and wider."""
    p = multivariate_t(np.zeros(d), np.eye(d), df=6)
    q = multivariate_t(np.full(d, 0.8 / np.sqrt(d)), 1.5 * np.eye(d), df=6)
    draws = [t.rvs(size, random_state=rng) for t, size in ((p, POINTS), (q, POINTS), (p, 400_000))]
    return _sampled(draws[0], draws[1], p, q, draws[2])


class _Mixture:
    """Gaussians of unit variance around ``centres`` with ``weights``."""

    def __init__(self, centres: Array, weights: list[float]) -> None:
        self._parts = [multivariate_normal(centre) for centre in centres]
        self._weights = np.array(weights)

    def rvs(self, size: int, rng: np.random.Generator) -> Array:
        sizes = rng.multinomial(size, self._weights)
        return np.vstack(
            [part.rvs(n, random_state=rng) for part, n in zip(self._parts, sizes, strict=True)]
        )

    def logpdf(self, points: Array) -> Array:
        parts = [part.logpdf(points) for part in self._parts]
        return np.asarray(np.logaddexp.reduce(np.array(parts).T + np.log(self._weights), axis=1))


def _mixtures(d: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Three humps, in another proportion in the second cloud."""
    centres = 2.5 * rng.normal(size=(3, d)) / np.sqrt(d) * 2
    p, q = _Mixture(centres, [0.6, 0.3, 0.1]), _Mixture(centres, [0.15, 0.25, 0.6])
    return _sampled(p.rvs(POINTS, rng), q.rvs(POINTS, rng), p, q, p.rvs(400_000, rng))


SEEN: dict[str, Family] = {
    "gaussians, moved": _shifted,
    "gaussians, wider": _wider,
    "gaussians, narrower": _narrower,
    "gaussians, turned": _turned(1.0, 0.0),
    "laplace, wider": _scaled("laplace", 1),
    "exponential, wider": _scaled("gamma", 1),
    "gamma(3), wider": _scaled("gamma", 3),
    "sinh of gaussians, moved": _bent,
}
FRESH: dict[str, Family] = {
    "gaussians, turned a little and moved": _turned(0.5, 1.0),
    "gaussians, turned much and moved": _turned(1.5, 1.0),
    "gamma(8), wider": _scaled("gamma", 8),
    "students, moved and wider": _students,
    "mixtures of three gaussians": _mixtures,
}
