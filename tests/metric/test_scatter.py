from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from lexfield.metric import scatter as module
from lexfield.metric.scatter import Scatter

from . import oracle


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 40),
    features=st.integers(1, 7),
    clusters=st.integers(1, 6),
    cuts=st.lists(st.integers(0, 40), max_size=4),
    sparse=st.booleans(),
    weighted=st.booleans(),
)
def test_any_blocks_give_the_sum_of_outer_products(
    seed: int,
    size: int,
    features: int,
    clusters: int,
    cuts: list[int],
    sparse: bool,
    weighted: bool,
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size, features)) * (rng.random((size, features)) < 0.6)
    names = rng.integers(0, clusters, size).tolist()
    weights = {name: float(rng.random()) for name in range(clusters)} if weighted else {}
    gathered = Scatter(features, weights)
    edges = [0, *sorted(cut for cut in cuts if cut < size), size]
    for first, last in pairwise(edges):
        part = rows[first:last]
        gathered.add(csr_matrix(part) if sparse else part, names[first:last])
    expected = oracle.scatter(rows, names, weights)
    np.testing.assert_allclose(gathered.matrix(), expected, atol=1e-10)
    assert gathered.rows == size
    for name, place in gathered.numbers.items():
        members = rows[[n == name for n in names]]
        np.testing.assert_allclose(gathered.centroids[place], members.mean(axis=0), atol=1e-12)
        assert gathered.sizes[place] == len(members)


def test_a_large_offset_costs_no_digits() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 5))
    names = (np.arange(300) % 7).tolist()
    near, far = Scatter(5), Scatter(5)
    near.add(rows, names)
    for start in range(0, 300, 50):
        far.add(rows[start : start + 50] + 1e6, names[start : start + 50])
    np.testing.assert_allclose(far.matrix(), near.matrix(), rtol=1e-6, atol=1e-6)


def test_small_windows_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    rows, names = rng.normal(size=(200, 30)), rng.integers(0, 9, 200).tolist()
    whole = Scatter(30)
    whole.add(rows, names)
    monkeypatch.setattr(module, "_WINDOW", 8 * 30 * 70)
    monkeypatch.setattr(module, "_STEP", 0)  # as many rows as features
    monkeypatch.setattr(module, "_BLOCK", 8 * 30 * 50)
    parts = Scatter(30)
    told: list[tuple[int, int | None]] = []
    parts.add(rows, names, lambda done, total: told.append((done, total)))
    np.testing.assert_allclose(parts.matrix(), whole.matrix(), atol=1e-10)
    assert (parts.matrix() == parts.matrix().T).all()
    assert told[-1] == (200, 200) and len(told) == 3


def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    rows, names = rng.normal(size=(3000, 40)), rng.integers(0, 50, 3000).tolist()
    monkeypatch.setattr(module, "_STEP", 0)
    monkeypatch.setattr(module, "_BLOCK", 0)
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        gathered = Scatter(40)
        gathered.add(rows, names)
        found.append(gathered.matrix())
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()
