from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lexfield.compare.knn import (
    CloudSums,
    estimate_dimension,
    estimate_entropy,
    estimate_renyi,
    gaussian_kl,
)
from lexfield.compare.pair import divergence, knn_divergence
from lexfield.errors import InputError


def test_gaussian_kl_by_hand() -> None:
    one = np.eye(1)
    # ½(½ + 9·½ − 1 + ln 2): variance 1 from variance 2, three apart
    by_hand = (0.5 + 4.5 - 1 + math.log(2)) / 2
    assert gaussian_kl(np.zeros(1), one, np.full(1, 3.0), 2 * one) == pytest.approx(by_hand)
    assert gaussian_kl(np.zeros(2), np.eye(2), np.zeros(2), np.eye(2)) == pytest.approx(0)


def test_entropy_by_hand() -> None:
    """psi(4) - psi(2) = 1/2 + 1/3; a ball of radius 1 has the volume 4 pi / 3."""
    log_rho = np.log([1.0, 2.0, 4.0, 8.0])
    expected = 5 / 6 + math.log(4 * math.pi / 3) + 3 * 1.5 * math.log(2)
    assert estimate_entropy(log_rho, np.ones(4), k=2, d=3) == pytest.approx(expected)
    twice = np.array([2.0, 0, 1, 1])  # the first point stands for two
    moved = expected - 3 * math.log(2) / 4
    assert estimate_entropy(log_rho, twice, k=2, d=3) == pytest.approx(moved)


def test_dimension_by_hand() -> None:
    assert estimate_dimension(np.array([[1.0, 2, 4]])) == pytest.approx(1 / (3 * math.log(2)))
    assert estimate_dimension(np.array([[1.0, 2, 4, 8]])) == pytest.approx(1 / (3 * math.log(2)))
    assert estimate_dimension(np.ones((2, 3))) == math.inf


def test_renyi_by_hand() -> None:
    sums = CloudSums(n=5, m=6, k=3, powers={0.5: 1.2, 2.0: 0.7})

    def order(alpha: float) -> float:
        bias = math.gamma(3) ** 2 / (math.gamma(4 - alpha) * math.gamma(2 + alpha))
        sigma = bias * (4 / 6) ** (1 - alpha) * math.exp(sums.powers[alpha]) / 5
        return math.log(sigma) / (alpha - 1)

    assert estimate_renyi(sums, lambda: sums) == pytest.approx((order(0.5) + order(2.0)) / 2)


@pytest.mark.parametrize("d", [5, 10])
@pytest.mark.parametrize("turned", [False, True])
def test_calibration_at_least_halves_the_error_on_gaussians(d: int, turned: bool) -> None:
    errors = []
    for seed in range(4):
        rng = np.random.default_rng([d, seed])
        spread, other, far = np.eye(d), np.eye(d), np.full(d, 1 / math.sqrt(d))
        if turned:
            spread, other = (m @ m.T / d for m in rng.normal(size=(2, d, 2 * d)))
        x = rng.multivariate_normal(np.zeros(d), spread, 1000)
        y = rng.multivariate_normal(far, other, 1000)
        truth = gaussian_kl(np.zeros(d), spread, far, other)
        errors.append(
            [
                abs(knn_divergence(x, y, k=5, estimator=name).raw - truth)
                for name in ("plain", "calibrated")
            ]
        )
    plain, calibrated = np.mean(errors, axis=0)
    assert calibrated < plain / 2


def clouds(n: int, d: int = 3) -> tuple[Any, Any]:
    x, y = np.random.default_rng(n).normal(size=(2, n, d))
    y[:, 0] += 1
    return x, y


def test_the_bias_is_taken_off_the_interval_and_leaves_p_alone() -> None:
    x, y = clouds(150)
    asked: dict[str, Any] = {"k": 5, "interval": 0.9, "p": True, "resamples": 30}
    plain = knn_divergence(x, y, **asked)
    calibrated = knn_divergence(x, y, estimator="calibrated", **asked)
    moved = calibrated.raw - plain.raw
    assert moved != 0 and plain.interval and calibrated.interval
    assert calibrated.interval == pytest.approx([end + moved for end in plain.interval])
    assert calibrated.p == plain.p


def test_clouds_are_reduced_before_they_are_compared() -> None:
    x, y = clouds(300)
    wide_x, wide_y = (np.hstack([cloud, np.zeros((300, 40))]) for cloud in (x, y))
    options: dict[str, Any] = {"k": 5, "estimator": "calibrated"}
    reduced = knn_divergence(wide_x, wide_y, reduce="pca(3)", **options).raw
    assert reduced == pytest.approx(knn_divergence(x, y, **options).raw, abs=0.1)
    with pytest.raises(InputError, match="30"):
        knn_divergence(wide_x, wide_y, **options)


def test_what_cannot_be_calibrated_is_refused() -> None:
    x, y = clouds(300)
    with pytest.raises(InputError, match="singular"):
        knn_divergence(x[:, [0, 0, 1]], y[:, [0, 0, 1]], estimator="calibrated")
    with pytest.raises(InputError, match="too few"):
        knn_divergence(x[:4], y, k=2, estimator="calibrated")
    with pytest.raises(InputError, match="arrays"):
        divergence("a b c d e", "a b c d f", space="latent", estimator="calibrated")
    with pytest.raises(InputError, match="kl"):
        knn_divergence(x, y, measure="renyi", estimator="calibrated")
