"""The heap against a full sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.search.selection import add_list, best_rows


@settings(deadline=None)
@given(
    sums=st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, 7.0]), min_size=1, max_size=60),
    k=st.integers(1, 70),
    seed=st.integers(0, 99),
    parts=st.sets(st.sampled_from(["less", "norms", "allowed"])),
)
def test_best_rows_against_sorting(sums: list[float], k: int, seed: int, parts: set[str]) -> None:
    rng = np.random.default_rng(seed)
    size, nothing = len(sums), np.empty(0)
    less = rng.integers(0, 3, size).astype(float) if "less" in parts else nothing
    norms = rng.integers(-3, 0, size).astype(float) if "norms" in parts else nothing
    allowed = rng.random(size) < 0.5 if "allowed" in parts else np.empty(0, bool)
    rows, scores = best_rows(np.array(sums), less, norms, 2.0, allowed, k)
    expected = []
    for row, value in enumerate(sums):
        if value > 0 and (not len(allowed) or allowed[row]):
            value -= less[row] if len(less) else 0.0
            value += 2.0 * norms[row] if len(norms) else 0.0
            expected.append((-value, row))
    expected = sorted(expected)[:k]
    assert rows.tolist() == [row for _, row in expected]
    assert scores.tolist() == [-score for score, _ in expected]


def test_add_list() -> None:
    sums = np.zeros(4)
    add_list(sums, np.array([1, 3], np.int32), np.array([2.0, 0.5]), 3.0)
    add_list(sums, np.array([3], np.int32), np.array([4], np.int32), 1.0)
    assert sums.tolist() == [0, 6, 0, 5.5]
