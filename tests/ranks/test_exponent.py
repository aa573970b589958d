"""The exponent: texts drawn from known laws, and the expected numbers against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from lexfield.ranks.exponent import estimate_exponent, expect_numbers
from lexfield.ranks.fit import Counts


def draw(alpha: float, beta: float, size: int, words: int, seed: int) -> Counts:
    shares = (np.arange(1.0, size + 1) + beta) ** -alpha
    counts = np.random.default_rng(seed).multinomial(words, shares / shares.sum())
    return np.sort(counts[counts > 0])[::-1]


@pytest.mark.parametrize(
    ("alpha", "beta", "size", "words"),
    [(1.0, 0, 20_000, 40_000), (1.2, 0, 50_000, 40_000), (1.5, 0, 100_000, 40_000),
     (1.1, 2.7, 50_000, 40_000), (0.8, 0, 3_000, 20_000)],
)  # fmt: skip
def test_intervals_contain_the_truth(alpha: float, beta: float, size: int, words: int) -> None:
    """``benchmarks/exponent.py`` counts it over a hundred texts of each law."""
    for seed in range(2):
        found = estimate_exponent(draw(alpha, beta, size, words, seed))
        assert found is not None and found.interval[0] <= alpha <= found.interval[1]
        assert found.interval[1] - found.interval[0] < 0.12
        assert found.p > 0.01


def test_expected_numbers_are_sums_over_all_ranks() -> None:
    edges = np.array([1, 2, 3, 5, 9, 40])
    rates = (np.arange(1.0, 3001) + 1.5) ** -1.1
    rates *= 5000 / rates.sum()
    below = poisson.cdf(edges[:, None] - 1, rates)
    plain = (np.vstack([below[1:], np.ones(3000)]) - below).sum(axis=1)
    np.testing.assert_allclose(expect_numbers(1.1, 1.5, 3000, 5000, edges), plain, rtol=2e-3)


def test_counts_of_another_kind_do_not_fit() -> None:
    counts = np.sort(np.random.default_rng(0).poisson(20, 500))[::-1]  # all words alike
    found = estimate_exponent(counts[counts > 0])
    assert found is not None and (found.value < 0.3 or found.p < 0.05)


def test_few_words_have_no_exponent() -> None:
    assert estimate_exponent(np.array([5, 3, 2, 1, 1])) is None
