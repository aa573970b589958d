"""The compiled loop against sums and a full sort."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexfield.index.near_terms import join_terms
from lexfield.index.postings import merge_sorted
from lexfield.search.bag_method import add_list, rank_sums

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


WEIGHTED = st.tuples(st.dictionaries(st.integers(0, 30), st.integers(1, 9)), st.floats(0.1, 1))


@given(st.lists(st.lists(WEIGHTED, max_size=4), max_size=4))
def test_merged_lists_are_sums_by_row(groups: list[list[tuple[dict[int, int], float]]]) -> None:
    lists = [one for group in groups for one in group]
    parts = [sorted(one.items()) for one, _ in lists]
    rows = np.array([row for part in parts for row, _ in part], np.int32)
    counts = np.array([count for part in parts for _, count in part], np.int32)
    sizes, weights = np.array([*map(len, parts)], int), np.array([w for _, w in lists], float)
    merged, sums, left = merge_sorted(
        rows, counts, sizes, weights, np.array([*map(len, groups)], int)
    )
    ends = np.cumsum(left).tolist()
    assert len(left) == len(groups) and len(merged) == sum(left)
    for group, first, last in zip(groups, [0, *ends], ends, strict=False):
        expected: dict[int, float] = {}
        for one, weight in group:
            for row, count in one.items():
                expected[row] = expected.get(row, 0.0) + weight * count
        assert merged[first:last].tolist() == sorted(expected)
        assert sums[first:last].tolist() == [expected[row] for row in sorted(expected)]


@given(st.lists(st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 9)), max_size=3)))
def test_merged_counts_without_weights_are_whole(
    groups: list[list[dict[int, int]]],
) -> None:
    lists = [sorted(one.items()) for group in groups for one in group]
    rows = np.array([row for one in lists for row, _ in one], np.int32)
    counts = np.array([count for one in lists for _, count in one], np.int32)
    sizes, many = np.array([*map(len, lists)], int), np.array([*map(len, groups)], int)
    merged, sums, left = merge_sorted(rows, counts, sizes, np.ones(len(sizes), np.int32), many)
    assert sums.dtype == np.int32
    ends = np.cumsum(left).tolist()
    assert len(left) == len(groups) and len(merged) == sum(left)
    for group, first, last in zip(groups, [0, *ends], ends, strict=False):
        expected = Counter[int]()
        for one in group:
            expected.update(one)
        own = zip(merged[first:last].tolist(), sums[first:last].tolist(), strict=True)
        assert list(own) == sorted(expected.items())


ONE = st.tuples(st.integers(0, 5), st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0, 1.5]))


@given(st.lists(st.tuples(st.integers(0, 5), st.lists(ONE)), max_size=5))
def test_joined_terms_have_their_highest_cosines(
    lists: list[tuple[int, list[tuple[int, float]]]],
) -> None:
    every = [one for _, some in lists for one in some]
    terms, cosines = (
        np.array([t for t, _ in every], np.int32),
        np.array([c for _, c in every], float),
    )
    sizes, own = (
        np.array([len(some) for _, some in lists], int),
        np.array([t for t, _ in lists], int),
    )
    joined, highest, left = join_terms(terms, cosines, sizes, own)
    ends = np.cumsum(left).tolist()
    assert len(left) == len(lists) and len(joined) == sum(left)
    for (itself, some), first, last in zip(lists, [0, *ends], ends, strict=False):
        best: dict[int, float] = {}
        for term, cosine in some:
            if term != itself and cosine > 0:
                best[term] = max(best.get(term, 0.0), cosine)
        expected = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
        assert joined[first:last].tolist() == [term for term, _ in expected]
        assert highest[first:last].tolist() == [min(cosine, 1.0) for _, cosine in expected]
