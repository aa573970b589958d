"""Divergences of counts: hand-computed, against slow sums, and by their properties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from lexfield.compare.measures import _js_parts, _kl_parts, _renyi_parts
from lexfield.compare.pair import divergence
from lexfield.compare.smoothing import (
    find_entropy,
    find_shared_mass,
    parse_smoothing,
    smooth,
)
from lexfield.errors import InputError
from tests.compare.tables import compute_divergences

rows = st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any)
tables = st.lists(rows, min_size=2, max_size=5)
SMOOTHED = ("additive", "additive(2)", "jm", "jm(0.1)")


def slow(
    p: list[int], q: list[int], measure: str, smoothing: str, alpha: float, both: list[int]
) -> float:
    """The sums as they are written, word by word."""
    how = parse_smoothing(smoothing)
    width = sum(c > 0 for c in both)

    def smooth(counts: list[int], word: int) -> float:
        share = counts[word] / sum(counts)
        if how.kind == "shared" or measure in ("js", "hellinger"):
            return share
        if how.kind == "additive":
            return (counts[word] + how.amount) / (sum(counts) + how.amount * width)
        return (1 - how.amount) * share + how.amount * both[word] / sum(both)

    pairs = [(smooth(p, w), smooth(q, w)) for w in range(len(p)) if both[w]]
    if measure == "hellinger":
        return math.sqrt(max(0, 1 - sum(math.sqrt(a * b) for a, b in pairs)))
    if measure == "js":
        m = [(a + b) / 2 for a, b in pairs]
        half = [sum(x[s] * math.log(x[s] / y) for x, y in zip(pairs, m, strict=True) if x[s]) / 2
                for s in (0, 1)]  # fmt: skip
        return sum(half)
    pairs = [(a, b) for a, b in pairs if a and b]
    if not pairs:
        return math.inf
    if how.kind == "shared":
        sums = [sum(one) for one in zip(*pairs, strict=True)]
        pairs = [(a / sums[0], b / sums[1]) for a, b in pairs]
    if measure == "kl":
        return sum(a * math.log(a / b) for a, b in pairs)
    total = sum(a**alpha * b ** (1 - alpha) for a, b in pairs)
    return math.log(total) / (alpha - 1) if total else math.inf


@given(
    tables,
    tables,
    st.sampled_from(["kl", "js", "renyi", "hellinger"]),
    st.sampled_from(["shared", *SMOOTHED]),
    st.sampled_from([0.3, 0.5, 2.0]),
)
def test_all_pairs_are_the_sums_as_written(
    left: Any, right: Any, measure: str, smoothing: str, alpha: float
) -> None:
    got = compute_divergences(
        csr_matrix(left), csr_matrix(right), measure, smoothing=smoothing, alpha=alpha
    )
    both = [sum(column) for column in zip(*left, *right, strict=True)]
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            expected = slow(p, q, measure, smoothing, alpha, both)
            assert got[i, j] == pytest.approx(expected, abs=2e-7 if measure != "kl" else 1e-9)


@given(tables, st.sampled_from(SMOOTHED))
def test_divergences_keep_their_bounds(table: Any, smoothing: str) -> None:
    counts = csr_matrix(table)
    kl = compute_divergences(counts, counts, "kl", smoothing=smoothing)
    assert (kl >= -1e-12).all() and np.allclose(np.diag(kl), 0, atol=1e-12)
    js = compute_divergences(counts, counts, "js")
    assert np.allclose(js, js.T, atol=1e-12)
    assert (js >= 0).all() and (js <= math.log(2)).all()
    h = compute_divergences(counts, counts, "hellinger")
    for i, j, k in np.ndindex(len(table), len(table), len(table)):
        assert h[i, k] <= h[i, j] + h[j, k] + 1e-7


def test_hand_computed() -> None:
    # "a a b" against "a b b": p = (2/3, 1/3), q = (1/3, 2/3)
    left, right = csr_matrix([[2, 1]]), csr_matrix([[1, 2]])
    assert find_entropy(left)[0] == pytest.approx(math.log(3) - 2 / 3 * math.log(2))
    kl = compute_divergences(left, right, "kl", smoothing="shared")[0, 0]
    assert kl == pytest.approx(math.log(2) / 3)
    # jm(0.5) draws both half-way to (1/2, 1/2): (7/12, 5/12) and (5/12, 7/12)
    kl = compute_divergences(left, right, "kl", smoothing="jm(0.5)")[0, 0]
    assert kl == pytest.approx((7 - 5) / 12 * math.log(7 / 5))
    # additive(1): (3/5, 2/5) and (2/5, 3/5)
    kl = compute_divergences(left, right, "kl", smoothing="additive(1)")[0, 0]
    assert kl == pytest.approx(math.log(3 / 2) / 5)
    assert compute_divergences(left, right, "hellinger")[0, 0] == pytest.approx(
        math.sqrt(1 - 2 * math.sqrt(2) / 3)
    )
    js = math.log(2) - find_entropy(left)[0]  # the mixture is (1/2, 1/2)
    assert compute_divergences(left, right, "js")[0, 0] == pytest.approx(js)


def test_what_each_word_adds_by_hand() -> None:
    p, q, log2 = np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5]), math.log(2)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.testing.assert_allclose(_js_parts(p, q, 0), [log2 / 4, 0, log2 / 4])
        np.testing.assert_allclose(_renyi_parts(p, q, 0.5), [0.5, 0, 0], atol=1e-15)
        halves, first = np.array([0.5, 0.5]), np.array([1.0, 0])
        np.testing.assert_allclose(_kl_parts(halves, first, 0), [-log2 / 2, 0])
        np.testing.assert_allclose(_renyi_parts(halves, first, 2), [-0.25, -0.5])
        above = _renyi_parts(first, halves, 1.5)
    np.testing.assert_allclose(above, [math.sqrt(2) - 1, 0], atol=1e-15)


@given(rows, rows)
def test_what_the_shared_support_ignores_is_told(p: list[int], q: list[int]) -> None:
    mass = find_shared_mass(csr_matrix([p]), csr_matrix([q]))[0, 0]
    assert mass == pytest.approx(sum(a for a, b in zip(p, q, strict=True) if b) / sum(p))


def test_texts_without_a_word_in_common_are_infinitely_far_for_renyi() -> None:
    left, right = csr_matrix([[1, 0]]), csr_matrix([[0, 1]])
    for alpha in (0.5, 2.0):
        assert (
            compute_divergences(left, right, "renyi", smoothing="shared", alpha=alpha)[0, 0]
            == np.inf
        )


def test_a_word_that_the_collection_lacks_counts_as_met_once() -> None:
    left, right = csr_matrix([[1, 1]]), csr_matrix([[2, 0]])
    given = compute_divergences(left, right, "kl", smoothing="jm", collection=np.array([3, 0]))
    assert given == compute_divergences(
        left, right, "kl", smoothing="jm", collection=np.array([3, 1])
    )


@pytest.mark.parametrize("spec", ["", "jm(1)", "additive(0)", "additive(x)", "laplace", "jm(nan)"])
def test_bad_smoothing_is_told(spec: str) -> None:
    with pytest.raises(InputError):
        parse_smoothing(spec)


def test_empty_rows_and_bad_parameters_are_told() -> None:
    one, none = csr_matrix([[1, 2]]), csr_matrix([[0, 0]])
    with pytest.raises(InputError, match="without words"):
        compute_divergences(one, none, "kl")
    with pytest.raises(InputError, match="measure"):
        compute_divergences(one, one, "cosine")
    with pytest.raises(InputError, match="alpha"):
        compute_divergences(one, one, "renyi", alpha=0.0)


@given(st.integers(2, 40))
@settings(max_examples=10)
def test_many_rows_go_through_in_blocks(height: int) -> None:
    table = np.random.default_rng(height).integers(0, 4, (height * 5, 7))
    table[:, 0] += 1
    counts = csr_matrix(table)
    whole = compute_divergences(counts, counts, "kl")
    assume(len(table) > 64)
    assert whole[:3, -2:] == pytest.approx(
        compute_divergences(counts[:3], counts[-2:], "kl", collection=2 * table.sum(axis=0))
    )


@pytest.mark.parametrize("smoothing", ["jm", "additive", "shared"])
def test_renyi_of_a_high_order_is_finite_and_exact(smoothing: str) -> None:
    rng = np.random.default_rng(0)
    a, b = (csr_matrix(rng.poisson(0.7, (n, 400)).astype(float)) for n in (3, 70))
    words = np.asarray(a.sum(axis=0) + b.sum(axis=0)).ravel()
    found = {
        alpha: compute_divergences(a, b, "renyi", smoothing=smoothing, alpha=alpha)
        for alpha in (2.0, 3, 100)
    }
    for alpha, values in found.items():
        for i, j in ((0, 0), (2, 69)):
            if smoothing == "shared":
                p, q = (m[row].toarray().ravel() / m[row].sum() for m, row in ((a, i), (b, j)))
            else:
                how = parse_smoothing(smoothing)
                p, q = (
                    smooth(m[row], how, words).to_dense().ravel() for m, row in ((a, i), (b, j))
                )
            both = (p > 0) & (q > 0)
            if smoothing == "shared":
                p, q = p / p[both].sum(), q / q[both].sum()
            powers = alpha * np.log(p[both]) + (1 - alpha) * np.log(q[both])
            expected = float(np.logaddexp.reduce(powers)) / (alpha - 1)
            assert values[i, j] == pytest.approx(expected, abs=1e-9)
    explained = divergence("a cat sat down", "a dog sat up", "renyi", alpha=100).explanation
    assert all(np.isfinite(reason.contribution) for reason in explained.reasons)
