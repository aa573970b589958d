"""The compiled loop against sums and a full sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexfield.search.bag_method import add_list, rank_sums
from lexfield.search.extended import merge_sorted

ROWS = 40


@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 50),
    orders=st.integers(0, 2),
    masked=st.booleans(),
    negative=st.booleans(),
)
def test_the_best_rows_against_sorting(
    seed: int, k: int, orders: int, masked: bool, negative: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = [
        (np.sort(rng.choice(ROWS, n, replace=False)).astype(np.int32), rng.integers(1, 4, n) / 2)
        for n in rng.integers(0, ROWS, 5)
    ]
    weights = rng.choice([1.0, 2.0, -1.0] if negative else [1.0, 2.0], len(lists))
    norms = rng.integers(-3, 0, (orders, ROWS)).astype(float)
    scales = rng.integers(0, 3, orders).astype(float)
    allowed = rng.random(ROWS) < 0.5 if masked else np.empty(0, bool)
    sums, best, scores = np.zeros(ROWS), np.empty(k, np.int64), np.empty(k)
    dense, touched = np.zeros(ROWS), np.zeros(ROWS, bool)
    for weight, (rows, values) in zip(weights, lists, strict=True):
        dense[rows] += weight * values
        touched[rows] |= weight > 0
    rows, values = (np.concatenate(part) for part in zip(*lists, strict=True))
    sizes = np.array([len(rows) for rows, _ in lists])
    size = rank_sums(rows, values, sizes, weights, norms, scales, allowed, sums, best, scores)
    assert not sums.any()
    best, scores = best[:size], scores[:size]
    dense += scales @ norms
    wanted = touched & allowed if masked else touched
    expected = sorted((-dense[row], row) for row in np.flatnonzero(wanted).tolist())[:k]
    assert best.tolist() == [row for _, row in expected]
    np.testing.assert_allclose(scores, [-score for score, _ in expected])


def test_add_list() -> None:
    sums = np.zeros(4)
    add_list(sums, np.array([1, 3], np.int32), np.array([2.0, 0.5]), 3.0)
    add_list(sums, np.array([3], np.int32), np.array([4], np.int32), 1.0)
    assert sums.tolist() == [0, 6, 0, 5.5]


@given(st.lists(st.dictionaries(st.integers(0, 30), st.floats(0.1, 9)), max_size=6))
def test_merged_lists_are_sums_by_row(lists: list[dict[int, float]]) -> None:
    parts = [sorted(one.items()) for one in lists]
    rows = np.array([row for part in parts for row, _ in part], np.int32)
    values = np.array([value for part in parts for _, value in part], float)
    ends = np.cumsum([0, *map(len, parts)])
    merged, sums = merge_sorted(rows, values, ends)
    expected: dict[int, float] = {}
    for part in parts:
        for row, value in part:
            expected[row] = expected.get(row, 0.0) + value
    assert dict(zip(merged.tolist(), sums.tolist(), strict=True)) == expected
    assert merged.tolist() == sorted(expected)
