"""The k best, selected at once and one at a time, against sorting everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexfield.engine.topk import push, replace_worst, sort_heap, top_k

SCORES = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0]), max_size=40)


@given(SCORES, st.integers(0, 50), st.booleans())
def test_top_k_is_a_sort(values: list[float], k: int, reverse: bool) -> None:
    scores = np.array(values)
    ties = np.arange(len(scores))[::-1].copy() if reverse else None
    order = -np.arange(len(scores)) if reverse else np.arange(len(scores))
    expected = [place for place in np.lexsort((order, -scores)) if scores[place] > -np.inf]
    assert top_k(scores, k, ties).tolist() == expected[:k]


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), max_size=40), st.integers(1, 20))
def test_the_heap_keeps_the_same(values: list[float], k: int) -> None:
    items, scores, size = np.empty(k, np.int64), np.empty(k), 0
    for item in np.random.default_rng(k).permutation(len(values)).tolist():
        size = push(items, scores, size, item, values[item])
    sort_heap(items[:size], scores[:size])
    assert items[:size].tolist() == top_k(np.array(values), k).tolist()
    assert scores[:size].tolist() == sorted(values, reverse=True)[:k]


def test_the_worst_is_replaced() -> None:
    items, scores = np.array([3, 1, 2]), np.array([0.0, 1.0, 2.0])
    replace_worst(items, scores, 3, 9, 1.5)
    assert (items[0], scores[0]) == (1, 1.0)
    assert sorted(items.tolist()) == [1, 2, 9]
