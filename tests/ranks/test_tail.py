"""The discrete power law: beside the powerlaw package and an obvious search, and in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import zeta

from lexfield.ranks.tail import SHORTEST, Tail, distributions, draw, goodness, tail


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


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 200), min_size=SHORTEST, max_size=60))
def test_tail_is_the_best_of_all_starts(counts: list[int]) -> None:
    found = tail(np.array(counts))
    starts = [x for x in set(counts) if sum(y >= x for y in counts) >= SHORTEST and x < max(counts)]
    if found is None:
        assert not starts
        return
    alpha, distance = oracle(counts, found.xmin)
    assert found.alpha == pytest.approx(alpha, abs=2e-3)
    assert found.distance == pytest.approx(distance, abs=2e-3)
    assert found.distance <= min(oracle(counts, x)[1] for x in starts) + 2e-3
    assert found.points == sum(x >= found.xmin for x in counts)


def test_agrees_with_the_package() -> None:
    import powerlaw

    counts = np.random.default_rng(2).zipf(2.2, 3000)
    found = tail(counts)
    assert found is not None
    peer = powerlaw.Fit(
        counts, discrete=True, xmin=found.xmin, estimate_discrete=False, verbose=False
    )
    assert found.alpha == pytest.approx(peer.power_law.alpha, abs=1e-3)


@pytest.mark.parametrize("xmin", [1, 5, 300])
@pytest.mark.parametrize("alpha", [1.6, 2.0, 3.5])
def test_draws_follow_the_law(alpha: float, xmin: int) -> None:
    n = 40_000
    drawn = draw(Tail(alpha, xmin, 0.0, n), n, np.random.default_rng(0))
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
        found = tail(counts)
        assert found is not None
        chances.append(goodness(counts, found, 50, np.random.default_rng(0)))
    assert chances[0] > 0.1
    assert chances[1] < 0.1 or tail(other).points < 100  # type: ignore[union-attr]


def test_distributions_and_their_comparison() -> None:
    counts = np.random.default_rng(5).zipf(2.0, 800)
    fits, notes = distributions(counts, draws=0, seed=0)
    assert list(fits) == ["power_law", "lognormal", "exponential", "truncated_power_law"]
    assert fits["power_law"].p is None and fits["power_law"].ratio is None
    exponential = fits["exponential"]
    assert exponential.ratio is not None and exponential.ratio > 0  # the power law is likelier
    assert (exponential.log_likelihood or 0) < (fits["power_law"].log_likelihood or 0)
    assert fits["power_law"].parameters["alpha"] == pytest.approx(2.0, abs=0.15)
    assert notes == []


@pytest.mark.parametrize("counts", [[5] * 30, [1, 2, 3], [9] * 12 + [1]])
def test_nothing_is_fitted_to_too_little(counts: list[int]) -> None:
    fits, notes = distributions(np.array(counts), draws=10, seed=0)
    if counts == [9] * 12 + [1]:
        assert fits["power_law"].points == 13
    else:
        assert fits == {} and "no distribution is fitted" in notes[0]
