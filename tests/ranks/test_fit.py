"""Lines and curves over ranks: hand-computed, recovered, and never worse than a grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.ranks.fit import fit_line, fit_mandelbrot


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


@settings(deadline=None)
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


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=5, max_size=30))
def test_mandelbrot_is_the_likeliest_on_a_grid(numbers: list[int]) -> None:
    counts = np.sort(numbers)[::-1]
    fit = fit_mandelbrot(counts)
    alpha, beta = fit.parameters["alpha"], fit.parameters["beta"]
    assert fit.log_likelihood == pytest.approx(likelihood(counts, alpha, beta), rel=1e-6)
    best = max(likelihood(counts, a, b) for a in (0, 0.5, 1, 1.5, 3) for b in (-0.5, 0, 1, 2.7, 10))
    assert (fit.log_likelihood or 0) >= best - 1e-4 * abs(best)
