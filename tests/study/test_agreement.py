"""Krippendorff's alpha on his published examples, and beside a count of pairs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.study.agreement import krippendorff_alpha, measure_agreement

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example A: two observers, ten
# units, α = 0.095.
FIRST = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
SECOND = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]


def test_published_example() -> None:
    units = [(unit, 0) for unit in range(10)] * 2
    found = measure_agreement(units, FIRST + SECOND)
    # by hand: 4 units of 10 disagree, 14 zeros, 6 ones: 1 − 19·4/(14·6)
    assert found.alpha == pytest.approx(1 - 76 / 84) and round(found.alpha or 0, 3) == 0.095
    assert (found.units, found.judgements) == (10, 20)
    assert found.low is not None and found.high is not None
    assert found.low < 0.095 < found.high


def pairs_alpha(units: list[list[int]]) -> float | None:
    """From every ordered pair of values, literally."""
    several = [values for values in units if len(values) > 1]
    values = [value for unit in several for value in unit]
    n = len(values)
    observed = sum(
        sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in several
    )
    expected = sum(a != b for a, b in permutations(values, 2))
    return None if not expected else 1 - (n - 1) * observed / expected


@given(st.lists(st.lists(st.integers(0, 1), max_size=5), max_size=6))
def test_beside_pairs(units: list[list[int]]) -> None:
    zeros = np.array([unit.count(0) for unit in units], float)
    ones = np.array([unit.count(1) for unit in units], float)
    slow = pairs_alpha(units)
    found = krippendorff_alpha(zeros, ones) if units else None
    assert found == (None if slow is None else pytest.approx(slow))
    flat = [((u % 3, u), value) for u, unit in enumerate(units) for value in unit]
    whole = measure_agreement([key for key, _ in flat], [value for _, value in flat], draws=100)
    assert whole.alpha == (None if slow is None else pytest.approx(slow))


def test_agreement_of_all_and_of_none() -> None:
    assert krippendorff_alpha(np.array([3.0, 0.0]), np.array([0.0, 3.0])) == 1
    assert krippendorff_alpha(np.array([3.0]), np.array([0.0])) is None  # nothing to tell apart
    assert measure_agreement([], []).alpha is None
    assert measure_agreement([(1, 1), (2, 1)], [0, 1]).units == 0
    rng = np.random.default_rng(0)
    units = [(int(q), 0) for q in rng.integers(0, 50, 2000)]
    chance = measure_agreement(units, rng.integers(0, 2, 2000).tolist())
    assert chance.low is not None and chance.high is not None
    assert chance.low < 0 < chance.high and chance.high - chance.low < 0.1
