"""The compiled loop against sums and a full sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.search.selection import add_list, best_of_queries, distinct_rows

ROWS = 40


@settings(deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 50),
    orders=st.integers(0, 2),
    masked=st.booleans(),
    negative=st.booleans(),
)
def test_best_of_queries_against_sorting(
    seed: int, k: int, orders: int, masked: bool, negative: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = [
        (np.sort(rng.choice(ROWS, n, replace=False)).astype(np.int32), rng.integers(1, 4, n) / 2)
        for n in rng.integers(0, ROWS, 5)
    ]
    offsets = np.append(0, np.cumsum([len(rows) for rows, _ in lists]))
    queries = [rng.choice(5, n, replace=False) for n in rng.integers(0, 5, 4)]
    starts = np.append(0, np.cumsum([len(query) for query in queries]))
    chosen = np.concatenate([np.empty(0, np.int64), *queries])
    weights = rng.choice([1.0, 2.0, -1.0] if negative else [1.0, 2.0], len(chosen))
    norms = rng.integers(-3, 0, (orders, ROWS)).astype(float)
    scales = rng.integers(0, 3, (len(queries), orders)).astype(float)
    allowed = rng.random(ROWS) < 0.5 if masked else np.empty(0, bool)
    sums, less = np.zeros(ROWS), np.zeros(ROWS if negative else 0)
    rows, values = (np.concatenate([one[part] for one in lists]) for part in (0, 1))
    sizes, best, scores = best_of_queries(
        starts, chosen, weights, offsets, rows, values, norms, scales, allowed, sums, less, k
    )
    assert not sums.any() and not less.any()
    for number, query in enumerate(queries):
        dense, touched = np.zeros(ROWS), np.zeros(ROWS, bool)
        for place, one in enumerate(query.tolist(), starts[number]):
            dense[lists[one][0]] += weights[place] * lists[one][1]
            touched[lists[one][0]] |= weights[place] > 0
        dense += scales[number] @ norms
        wanted = touched & allowed if masked else touched
        expected = sorted((-dense[row], row) for row in np.flatnonzero(wanted).tolist())[:k]
        assert best[number, : sizes[number]].tolist() == [row for _, row in expected]
        np.testing.assert_allclose(scores[number, : sizes[number]], [-s for s, _ in expected])


def test_add_list() -> None:
    sums = np.zeros(4)
    add_list(sums, np.array([1, 3], np.int32), np.array([2.0, 0.5]), 3.0)
    add_list(sums, np.array([3], np.int32), np.array([4], np.int32), 1.0)
    assert sums.tolist() == [0, 6, 0, 5.5]


def test_distinct_rows() -> None:
    sums = np.array([1.0, 0.0, 2.0, 3.0])
    assert distinct_rows(sums, np.array([3, 0, 3, 1, 0], np.int32)).tolist() == [3, 0]
    assert sums.tolist() == [-1, 0, 2, -3]
