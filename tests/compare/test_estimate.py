"""Intervals stay within the range of the measure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.compare.pair import divergence, knn_divergence
from lexfield.errors import InputError

texts = st.lists(st.sampled_from("abcdef"), min_size=2, max_size=8)
MOST = {"js": math.log(2), "hellinger": 1.0, "kl": math.inf, "renyi": math.inf}


@pytest.mark.parametrize("measure", MOST)
@settings(max_examples=15)
@given(a=texts, b=texts)
def test_intervals_of_short_texts_stay_in_range(measure: str, a: list[str], b: list[str]) -> None:
    found = divergence(a, b, measure, interval=0.95, resamples=20)
    assert found.interval is not None
    low, high = found.interval
    assert 0 <= low <= found.value + 1e-12 and found.value - 1e-12 <= high <= MOST[measure]


def test_an_interval_would_have_been_negative() -> None:
    texts = ("a a b c d", "a b b c e")
    found = divergence(*texts, "js", interval=0.95, unit="bits")
    assert found.interval is not None and found.interval[0] == 0 < found.value < found.interval[1]


def test_over_shared_words_kl_is_a_divergence() -> None:
    # on the shared words a and b: p = (1/4, 3/4), q = (4/5, 1/5)
    options: dict[str, Any] = {"interval": 0.95, "resamples": 20, "smoothing": "shared"}
    found = divergence("a b b b d " * 9, "a a a a b c c " * 9, **options)
    expected = 0.25 * math.log(0.25 / 0.8) + 0.75 * math.log(0.75 / 0.2)
    assert found.value == pytest.approx(expected)
    assert sum(one.contribution for one in found.explanation.reasons) == pytest.approx(expected)
    assert found.interval is not None and found.interval[0] >= 0
    assert divergence("a b", "b a", smoothing="shared").value == 0


def test_clouds_in_range() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 60, 2))
    every = [
        knn_divergence(x, y + apart, measure="js", interval=0.95, resamples=20)
        for apart in (0.25, 0.5, 1.0, 2.0)
    ]
    possible = [found for found in every if found.possible]
    assert len(possible) >= 2
    for found in possible:
        assert found.interval is not None
        assert 0 <= found.interval[0] <= found.value <= found.interval[1] <= math.log(2)
    with pytest.raises(InputError, match="spread is for texts"):
        knn_divergence(x, y, estimator="spread")


def test_no_interval_where_the_second_density_vanishes() -> None:
    """KL is infinite there, and no interval around a finite estimate could hold it."""
    rng = np.random.default_rng(3)
    x, y = rng.uniform(0, 1, (300, 1)), rng.uniform(0, 0.5, (300, 1))
    outside = knn_divergence(x, y, interval=0.95, resamples=20)
    assert outside.interval is None
    assert any(note.startswith("no interval:") and "vanishes" in note for note in outside.notes)
    inside = knn_divergence(y, x, interval=0.95, resamples=20)
    assert inside.interval is not None
    half = knn_divergence(x, y, measure="renyi(0.5)", interval=0.95, resamples=20)
    assert half.interval is not None  # finite, whatever the densities


def test_intervals_hold_the_truth_where_both_densities_are_positive() -> None:
    """KL of N(0, 1) from N(1/2, 1) is 1/8."""
    held = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(0, 1, (400, 1)), rng.normal(0.5, 1, (400, 1))
        found = knn_divergence(x, y, 5, interval=0.95, resamples=40, seed=seed)
        held += found.interval is None or found.interval[0] <= 0.125 <= found.interval[1]
    assert held >= 17


def test_an_interval_that_misses_the_truth_says_so() -> None:
    """Counts of short texts are biased, and so are clouds of many dimensions."""
    rng = np.random.default_rng(7)
    shares = 1 / (np.arange(2000) + 2.7)
    p = shares / shares.sum()
    q = p * np.exp(rng.normal(0, 0.5, len(p)))
    q /= q.sum()
    middle = (p + q) / 2
    truth = float((p * np.log(p / middle) + q * np.log(q / middle)).sum() / 2)
    words = np.array([f"w{i}" for i in range(len(p))])
    texts = [words[rng.choice(len(p), 2000, p=own)].tolist() for own in (p, q)]
    found = divergence(texts[0], texts[1], "js", interval=0.95, resamples=20)
    assert found.interval is not None and found.interval[0] > truth
    assert any("texts of this length" in note for note in found.notes)
    x, y = rng.standard_normal((2, 200, 10))
    wide = knn_divergence(x, y, interval=0.95, resamples=20)
    assert wide.interval is None or any("10 dimensions" in note for note in wide.notes)
    narrow = knn_divergence(x[:, :1], y[:, :1], measure="js", interval=0.95, resamples=20)
    assert not any("dimensions" in note for note in narrow.notes)


def test_renyi_of_order_one_is_eq_5() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((60, 3)), rng.standard_normal((70, 3)) + 0.5
    limit = knn_divergence(x, y, 4, "renyi(1)")
    sides = [knn_divergence(x, y, 4, f"renyi({order})").raw for order in (1 - 1e-5, 1 + 1e-5)]
    assert limit.raw == pytest.approx(np.mean(sides), abs=1e-9)
    assert limit.measure == "kl"
