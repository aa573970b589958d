"""Pairs counted by similarity: beside a slow count, in whole and by groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexfield.vectors.threshold import BINS, DEVIATIONS, MEANS, ROOTS, tally_all, tally_groups


def units(size: int, models: int, seed: int = 0) -> list[NDArray[np.float32]]:
    rows = np.random.default_rng(seed).normal(size=(models, size, 4))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    return list(rows.astype(np.float32))


def slow(rows: list[NDArray[np.float32]], own: range) -> tuple[NDArray[np.int64], list[int]]:
    """Bins of every pair, one by one: counts a model; and the cells of mean and deviation."""
    counts = np.zeros((len(rows), BINS), np.int64)
    cells = []
    products = [np.asarray(one @ one.T) for one in rows]
    for i in own:
        for j in range(len(rows[0])):
            if i == j:
                continue
            values = np.array([product[i, j] for product in products], np.float64)
            for model, value in enumerate(values):
                counts[model, min(BINS - 1, max(0, int((value + 1) * BINS / 2)))] += 1
            if len(rows) > 1:
                deviation = int(np.sqrt(values.std(ddof=1)) * ROOTS)
                mean = int((values.mean() + 1) * MEANS / 2)
                cells.append(min(deviation, DEVIATIONS - 1) * MEANS + min(mean, MEANS - 1))
    return counts, cells


@given(st.integers(2, 30), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=25)
def test_beside_a_slow_count(size: int, models: int, seed: int) -> None:
    rows = units(size, models, seed)
    found = tally_all(rows)
    counts, cells = slow(rows, range(size))
    assert found.rows == size
    # products of another shape can be rounded otherwise: a pair may be in the bin beside
    apart = np.abs(np.cumsum(found.single - counts, axis=1))
    assert apart.max(initial=0) <= 2
    assert found.single.sum() == models * size * (size - 1)
    if models == 1:
        assert found.joint.size == 0
    else:
        near = np.bincount(cells, minlength=found.joint.size).reshape(found.joint.shape)
        assert found.joint.sum() == near.sum() == size * (size - 1)
        assert np.abs(found.joint.sum(axis=0).cumsum() - near.sum(axis=0).cumsum()).max() <= 2
        assert np.abs(found.joint.sum(axis=1).cumsum() - near.sum(axis=1).cumsum()).max() <= 2


@pytest.mark.parametrize("models", [1, 2])
def test_groups_add_up_to_the_whole(models: int) -> None:
    rows = units(700, models)  # more than a block
    order = np.random.default_rng(1).permutation(700)
    groups = tally_groups(rows, np.array_split(order, 3))
    whole = tally_all(rows)
    assert sum(group.rows for group in groups) == whole.rows
    single = np.sum([group.single for group in groups], axis=0)
    assert single.sum() == whole.single.sum()
    assert np.abs(np.cumsum(single - whole.single, axis=1)).max() <= 20  # rounding at edges
    joint = np.sum([group.joint for group in groups], axis=0)
    assert joint.sum() == whole.joint.sum()
