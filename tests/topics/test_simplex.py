"""Distances by hand and by slow code; the bounds between them on Dirichlet samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.topics import simplex
from lexfield.topics.kernels import (
    HELLINGER_SQUARED,
    JS,
    KL,
    affinity,
    bhattacharyya,
    divergence,
    divergences,
)


def oracle(p: Any, q: Any, measure: str) -> float:
    """Straight from the definitions, in Python's own numbers."""

    def kl(a: Any, b: Any) -> float:
        return sum(
            0.0 if x == 0 else math.inf if y == 0 else x * math.log(x / y)
            for x, y in zip(a, b, strict=True)
        )

    if measure == "kl":
        return kl(p, q)
    if measure == "js":
        middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
        return (kl(p, middle) + kl(q, middle)) / 2
    he = sum((math.sqrt(x) - math.sqrt(y)) ** 2 for x, y in zip(p, q, strict=True))
    return he if measure == "he" else math.sqrt(he / 2)


def pair(draw_: np.random.Generator, alpha: float, size: int) -> tuple[Any, Any]:
    made = draw_.dirichlet(np.full(size, alpha), 2)
    made[made < 1e-9] = 0
    made /= made.sum(axis=1, keepdims=True)
    return made[0], made[1]


def test_by_hand() -> None:
    p, q = [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]
    assert simplex.distance(p, q, "js") == pytest.approx(math.log(2) / 2)
    assert simplex.distance(p, q, "he") == pytest.approx(1.0)
    assert simplex.distance(p, q, "hellinger") == pytest.approx(math.sqrt(0.5))
    assert simplex.distance(p, q, "kl") == math.inf
    assert simplex.distance([0.25, 0.75], [0.5, 0.5], "kl") == pytest.approx(
        0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    )
    assert simplex.distance(p, p) == 0.0
    assert simplex.distance([1, 0], [0, 1]) == pytest.approx(math.log(2))


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.001, 0.01, 0.1, 1.0, 10.0, 100.0]),
    st.sampled_from([2, 3, 50, 200]),
)
def test_distances_and_bounds(seed: int, alpha: float, size: int) -> None:
    p, q = pair(np.random.default_rng(seed), alpha, size)
    if not (np.isfinite(p).all() and np.isfinite(q).all()):
        return
    for measure in simplex.MEASURES:
        assert simplex.distance(p, q, measure) == pytest.approx(oracle(p, q, measure), abs=1e-12)
    js, he = simplex.distance(p, q, "js"), simplex.distance(p, q, "he")
    square = simplex.distance(p, q, "hellinger") ** 2
    assert simplex.distance(q, p, "js") == pytest.approx(js, abs=1e-14)
    assert math.log(2) * square <= js + 1e-12
    assert js <= square + 1e-12
    low, high = simplex.bounds(min(1.0, math.sqrt(square)))
    assert low - 1e-12 <= js <= high + 1e-12
    bits = js / math.log(2)  # the paper's JS is at most 1: its logarithms are to base 2
    assert 0.5 * he <= bits + 1e-12
    assert bits <= 2 * math.log(2) * he + 1e-12
    for number, name in ((JS, "js"), (KL, "kl")):
        assert divergence(number, p, q) == pytest.approx(oracle(p, q, name), abs=1e-12)
    assert divergence(HELLINGER_SQUARED, p, q) == pytest.approx(square, abs=1e-12)
    assert bhattacharyya(np.sqrt(p), q) == pytest.approx(1 - square, abs=1e-12)


def test_the_bounds_are_attained() -> None:
    far = 1e-4
    p, q = [1 - far, far, 0.0], [1 - far, 0.0, far]  # ratios of 1 and of infinity only
    square = simplex.distance(p, q, "hellinger") ** 2
    assert simplex.distance(p, q, "js") == pytest.approx(math.log(2) * square)
    p, q = [0.5, 0.5], [0.5001, 0.4999]  # ratios near 1 only
    square = simplex.distance(p, q, "hellinger") ** 2
    assert simplex.distance(p, q, "js") == pytest.approx(square, rel=1e-5)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_what_the_certified_search_relies_on(seed: int, measure: int) -> None:
    """s grows in both, is homogeneous, and merging cells does not lower its sum."""
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.gamma(0.2, 1, 4) + 1e-12
    assert affinity(measure, a + c, b) >= affinity(measure, a, b) - 1e-12
    assert affinity(measure, a, b) == pytest.approx(affinity(measure, b, a))
    assert affinity(measure, 3 * a, 3 * b) == pytest.approx(3 * affinity(measure, a, b), rel=1e-6)
    apart = affinity(measure, a, b) + affinity(measure, c, d)
    assert apart <= affinity(measure, a + c, b + d) + 1e-12
    assert affinity(0, a, b) <= math.log(2) * affinity(1, a, b) + 1e-12
    assert affinity(measure, 0.0, b) == 0.0


def test_values_of_rows() -> None:
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(20, 0.1), 6).astype(np.float32)
    found = divergences(JS, rows[0].astype(float), rows, np.array([0, 5, 3]))
    assert found[0] == 0
    assert found[1] == pytest.approx(oracle(rows[0].astype(float), rows[5].astype(float), "js"))


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.5], [0.2, 0.3, 0.5], "Q has 3 topics where 2 are expected"),
        ([0.5, 0.6], [0.5, 0.5], "sums to 1.1"),
        ([1.5, -0.5], [0.5, 0.5], "negative value"),
        ([math.nan, 1], [0.5, 0.5], "NaN"),
        ([0.0, 0.0], [0.5, 0.5], "all zeros"),
        ([[0.5, 0.5]], [0.5, 0.5], "must be a row of numbers"),
        (["a", "b"], [0.5, 0.5], "must be numbers"),
    ],
)
def test_bad_mixtures(p: Any, q: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        simplex.distance(p, q)


def test_unknown_measures() -> None:
    with pytest.raises(InputError, match="measure must be 'js' or"):
        simplex.distance([1.0], [1.0], "cosine")
    with pytest.raises(InputError, match="hellinger must be"):
        simplex.bounds(1.5)
