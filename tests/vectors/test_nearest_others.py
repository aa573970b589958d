"""The nearest others of every row: the very answer of ``nearest_rows``, whatever the ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexfield.vectors import nearest as module
from lexfield.vectors.nearest import NearestRows, nearest_others, nearest_rows, prepare_rows


def same(found: NearestRows, rows: NDArray[np.float32], k: int) -> None:
    skip = np.arange(len(rows))
    expected = nearest_rows(rows, prepare_rows(rows, euclidean=True), k=k, skip=skip)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.rows.tolist() == expected.rows.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 90),
    dims=st.integers(1, 20),
    k=st.integers(1, 40),
    decimals=st.sampled_from([0, 1, 6]),  # few: many equal rows and equal distances
    scale=st.sampled_from([0.01, 1.0, 100.0]),
)
def test_as_nearest_rows(
    seed: int, size: int, dims: int, k: int, decimals: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    rows = (rng.standard_normal((size, dims)).round(decimals) * scale).astype(np.float32)
    same(nearest_others(rows, k), rows, k)


def test_against_sorting_everything() -> None:
    rows = np.random.default_rng(3).standard_normal((300, 12)).astype(np.float32)
    found = nearest_others(rows, 7).rows.reshape(-1, 7)
    for row, vector in enumerate(rows.astype(np.float64)):
        distances = np.linalg.norm(rows - vector, axis=1)
        distances[row] = np.inf
        assert found[row].tolist() == np.argsort(distances, kind="stable")[:7].tolist()


@pytest.mark.parametrize("size", [module._TILE, module._TILE + 1, 2 * module._TILE + 700])
def test_several_tiles(size: int) -> None:
    rows = np.random.default_rng(size).standard_normal((size, 24)).astype(np.float32)
    rows[::50] = rows[0]  # more equal rows than are kept: these are searched again
    same(nearest_others(rows, 5), rows, 5)


def test_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).standard_normal((5000, 16)).round(1).astype(np.float32)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        results.append(nearest_others(rows, 9))
    for other in results[1:]:
        assert other.rows.tobytes() == results[0].rows.tobytes()
        assert other.scores.tobytes() == results[0].scores.tobytes()
