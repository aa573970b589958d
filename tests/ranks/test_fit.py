"""Lines and curves over ranks: hand-computed, recovered, and never worse than a grid; the discrete
power law and its rivals: beside the powerlaw package, a plain search and draws."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import zeta

from lexfield.ranks.fit import (
    ALTERNATIVES,
    SHORTEST,
    PowerLaw,
    _log_lerch,
    bootstrap,
    draw_counts,
    fit_distributions,
    fit_line,
    fit_mandelbrot,
    fit_tail,
)


def test_line_by_hand() -> None:
    # counts 8, 4, 2 over ranks 1, 2, 3: x = 0, ln 2, ln 3; y = ln 8, ln 4, ln 2
    x, y = np.log([1, 2, 3]), np.log([8, 4, 2])
    slope, intercept = np.polyfit(x, y, 1)
    fit = fit_line(np.array([8, 4, 2]))
    assert fit.parameters["slope"] == pytest.approx(slope)
    assert fit.parameters["intercept"] == pytest.approx(intercept)
    assert fit.r2 == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)


@given(st.floats(0.2, 2.5), st.integers(5, 300))
def test_line_recovers_a_slope(alpha: float, n: int) -> None:
    counts = np.round(1e9 * np.arange(1, n + 1) ** -alpha).astype(np.int64)
    fit = fit_line(counts)
    assert fit.parameters["slope"] == pytest.approx(-alpha, abs=1e-3)
    assert fit.r2 == pytest.approx(1, abs=1e-4)


@given(st.floats(0.5, 2.0), st.floats(0.0, 20.0))
def test_mandelbrot_recovers_its_parameters(alpha: float, beta: float) -> None:
    ranks = np.arange(1, 500)
    counts = np.round(1e12 / (beta + ranks) ** alpha).astype(np.int64)
    fit = fit_mandelbrot(counts)
    assert fit.parameters["alpha"] == pytest.approx(alpha, rel=1e-2, abs=1e-2)
    assert fit.parameters["beta"] == pytest.approx(beta, rel=3e-2, abs=3e-2)
    assert fit.parameters["c"] == pytest.approx(1e12, rel=0.2)


def likelihood(counts: np.ndarray, alpha: float, beta: float) -> float:
    """Oracle: one term a rank."""
    weights = [(beta + rank) ** -alpha for rank in range(1, len(counts) + 1)]
    return float(sum(n * np.log(w / sum(weights)) for n, w in zip(counts, weights, strict=True)))


@settings(max_examples=20)
@given(st.lists(st.integers(1, 1000), min_size=5, max_size=30))
def test_mandelbrot_is_the_likeliest_on_a_grid(numbers: list[int]) -> None:
    counts = np.sort(numbers)[::-1]
    fit = fit_mandelbrot(counts)
    alpha, beta = fit.parameters["alpha"], fit.parameters["beta"]
    assert fit.log_likelihood == pytest.approx(likelihood(counts, alpha, beta), rel=1e-6)
    best = max(likelihood(counts, a, b) for a in (0, 0.5, 1, 1.5, 3) for b in (-0.5, 0, 1, 2.7, 10))
    assert (fit.log_likelihood or 0) >= best - 1e-4 * abs(best)


def oracle(counts: list[int], xmin: int) -> tuple[float, float]:
    """α on a fine grid, and the distance over every whole number."""
    above = np.array([x for x in counts if x >= xmin])
    grid = np.arange(1.001, 25, 0.001)
    losses = grid * np.log(above).mean() + np.log(zeta(grid, xmin))
    alpha = float(grid[losses.argmin()])
    numbers = np.arange(xmin, above.max() + 1)
    law = np.cumsum(numbers**-alpha) / zeta(alpha, xmin)
    seen = np.array([(above <= x).mean() for x in numbers])
    return alpha, float(np.abs(law - seen).max())


@settings(max_examples=25)
@given(st.lists(st.integers(1, 200), min_size=SHORTEST, max_size=60))
def test_tail_is_the_best_of_all_starts(counts: list[int]) -> None:
    found = fit_tail(np.array(counts))
    starts = [x for x in set(counts) if sum(y >= x for y in counts) >= SHORTEST and x < max(counts)]
    if found is None:
        assert not starts
        return
    alpha, distance = oracle(counts, found.xmin)
    assert found.alpha == pytest.approx(alpha, abs=2e-3)
    assert found.distance == pytest.approx(distance, abs=2e-3)
    assert found.distance <= min(oracle(counts, x)[1] for x in starts) + 2e-3
    assert found.points == sum(x >= found.xmin for x in counts)


SAMPLES = {
    "zipf": np.minimum(np.random.default_rng(2).zipf(2.2, 3000), 300),
    "lognormal": np.maximum(1, np.random.default_rng(3).lognormal(3, 1.5, 2000)).astype(np.int64),
    "few": np.array([30, 22, 19, 15, 14, 11, 10, 9, 9, 8, 7, 5, 4, 3, 2, 1]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_agrees_with_the_powerlaw_package(name: str) -> None:
    powerlaw = pytest.importorskip("powerlaw")
    counts = SAMPLES[name]
    fits, notes = fit_distributions(counts, draws=0, seed=0)
    law = fits["power_law"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"discrete": True, "estimate_discrete": False, "verbose": False}
        peer = powerlaw.Fit(counts, xmin=law.parameters["xmin"], **options)
        assert law.parameters["alpha"] == pytest.approx(peer.power_law.alpha, abs=1e-3)
        assert law.log_likelihood == pytest.approx(peer.power_law.loglikelihood, abs=1e-4)
        for alternative in ALTERNATIVES:
            ours, theirs = fits[alternative], getattr(peer, alternative)
            ratio, p = peer.distribution_compare("power_law", alternative, normalized_ratio=True)
            assert ours.log_likelihood == pytest.approx(theirs.loglikelihood, abs=1e-3)
            assert ours.ratio == pytest.approx(ratio, abs=2e-3)
            assert ours.p == pytest.approx(p, rel=1e-2)
            for key in theirs.parameter_names:
                value = getattr(theirs, key)
                assert ours.parameters[key.lower()] == pytest.approx(value, rel=5e-3, abs=2e-3)
    assert notes == []


def test_a_steep_power_law_is_not_beaten_by_its_own_special_cases() -> None:
    """The powerlaw package stops at an exponent of 3 and calls others likelier."""
    fits, _ = fit_distributions(np.random.default_rng(0).zipf(4.5, 3000), draws=0, seed=0)
    assert fits["power_law"].parameters["alpha"] == pytest.approx(4.5, abs=0.2)
    truncated, exponential = fits["truncated_power_law"], fits["exponential"]
    assert truncated.p == pytest.approx(1, abs=0.01)
    assert exponential.ratio is not None and exponential.ratio > 2
    better = (truncated.log_likelihood or 0) - (fits["power_law"].log_likelihood or 0)
    assert better == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("start", [1, 5, 40])
@pytest.mark.parametrize("rate", [1e-10, 1e-4, 0.01, 2.0])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0, 2.9])
def test_the_series_of_the_truncated_law(alpha: float, rate: float, start: int) -> None:
    if alpha <= 1 and rate < 1e-6:
        pytest.skip("the sum is nearly endless")
    mpmath = pytest.importorskip("mpmath")
    lerch = mpmath.lerchphi(mpmath.exp(-rate), alpha, start)
    expected = float(mpmath.log(lerch)) - rate * start
    assert _log_lerch(alpha, rate, float(start)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("start", [1.0, 40.0])
def test_the_series_without_truncation_is_zeta(start: float) -> None:
    for alpha in (1.5, 3.0, 14.0):
        expected = np.log(zeta(alpha, start))
        assert _log_lerch(alpha, 1e-13, start) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("xmin", [1, 5, 300])
@pytest.mark.parametrize("alpha", [1.6, 2.0, 3.5])
def test_draws_follow_the_law(alpha: float, xmin: int) -> None:
    n = 40_000
    drawn = draw_counts(PowerLaw(alpha, xmin, 0.0, n), n, np.random.default_rng(0))
    assert drawn.min() == xmin
    for x in (xmin, 2 * xmin, 10 * xmin, 5000 * xmin):
        expected = zeta(alpha, x + 1.0) / zeta(alpha, float(xmin))
        assert (drawn > x).mean() == pytest.approx(expected, abs=0.01)


def test_goodness_tells_a_power_law_from_another() -> None:
    rng = np.random.default_rng(4)
    law = rng.zipf(2.0, 1500)
    other = rng.poisson(40, 1500) + 1
    chances = []
    for counts in (law, other):
        found = fit_tail(counts)
        assert found is not None
        chances.append(bootstrap(counts, found, 50, np.random.default_rng(0)))
    assert chances[0] > 0.1
    assert chances[1] < 0.1 or fit_tail(other).points < 100  # type: ignore[union-attr]


def test_the_bootstrap_counts_samples_whose_best_fit_is_farther() -> None:
    """Not every fit is computed; the p value is that of fitting all of them."""
    counts = np.random.default_rng(5).zipf(2.0, 400)
    tail = fit_tail(counts)
    assert tail is not None
    rng, body, farther = np.random.default_rng(0), counts[counts < tail.xmin], 0
    for _ in range(40):
        size = int(rng.binomial(len(counts), tail.points / len(counts)))
        drawn = draw_counts(tail, size, rng)
        if len(body):
            drawn = np.concatenate([drawn, rng.choice(body, len(counts) - size)])
        again = fit_tail(drawn)
        assert again is not None
        farther += again.distance >= tail.distance
    assert 0 < farther < 40
    assert bootstrap(counts, tail, 40, np.random.default_rng(0)) == farther / 40


def test_distributions_and_their_comparison() -> None:
    counts = np.random.default_rng(5).zipf(2.0, 800)
    fits, notes = fit_distributions(counts, draws=0, seed=0)
    assert list(fits) == ["power_law", "lognormal", "exponential", "truncated_power_law"]
    assert fits["power_law"].p is None and fits["power_law"].ratio is None
    exponential = fits["exponential"]
    assert exponential.ratio is not None and exponential.ratio > 0  # the power law is likelier
    assert (exponential.log_likelihood or 0) < (fits["power_law"].log_likelihood or 0)
    assert fits["power_law"].parameters["alpha"] == pytest.approx(2.0, abs=0.15)
    assert notes == []


@pytest.mark.parametrize("counts", [[5] * 30, [1, 2, 3], [9] * 12 + [1]])
def test_nothing_is_fitted_to_too_little(counts: list[int]) -> None:
    fits, notes = fit_distributions(np.array(counts), draws=10, seed=0)
    if counts == [9] * 12 + [1]:
        assert fits["power_law"].points == 13
    else:
        assert fits == {} and "no distribution is fitted" in notes[0]
