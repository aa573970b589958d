from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.vectors import nearest
from lexfield.vectors.nearest import nearest_rows, prepare_rows


def unit_rows(seed: int, n: int, dims: int) -> NDArray[np.float32]:
    matrix = np.random.default_rng(seed).standard_normal((n, dims)).round(1).astype(np.float32)
    matrix[:, 0] += 0.05
    unit: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit.astype(np.float32)


def oracle(
    query: NDArray[np.float32], base: NDArray[np.float32], skip: int
) -> list[tuple[float, int]]:
    similarities = base.astype(np.float64) @ query.astype(np.float64)
    return sorted((-s, row) for row, s in enumerate(similarities) if row != skip)


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(1, 6),
    st.integers(1, 70),
    st.sampled_from([4, 16, 1000]),
    st.floats(-1, 1),
)
def test_both_ways_agree_with_sorting_everything(
    seed: int, n: int, dims: int, k: int, columns: int, threshold: float
) -> None:
    base = unit_rows(seed, n, dims)  # rounded, so that ties are common
    queries, skip = base[: min(n, 9)], np.arange(min(n, 9))
    skip[::2] = -1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_COLUMNS", columns)
        patch.setattr(nearest, "_ROWS", 4)
        by_count = nearest_rows(queries, base, k=k, skip=skip)
        by_threshold = nearest_rows(queries, base, threshold=threshold, skip=skip)
    for i, query in enumerate(queries):
        expected = oracle(query, base, skip[i])
        part = slice(*by_count.offsets[i : i + 2])
        np.testing.assert_allclose(by_count.scores[part], [-s for s, _ in expected[:k]], atol=1e-12)
        above = {row for s, row in expected if -s >= threshold + 1e-12}
        within = {row for s, row in expected if -s >= threshold - 1e-12}
        found = set(by_threshold.rows[slice(*by_threshold.offsets[i : i + 2])].tolist())
        assert above <= found <= within


def test_ties_go_to_the_lower_row() -> None:
    base = np.tile(np.array([[1.0, 0.0], [0.6, 0.8]], np.float32), (50, 1))
    found = nearest_rows(base[:1], base, k=5)
    assert found.rows.tolist() == [0, 2, 4, 6, 8]
    assert nearest_rows(base[:1], base, k=3, skip=np.array([0])).rows.tolist() == [2, 4, 6]


def test_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    base = unit_rows(1, 3000, 32)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        results.append(nearest_rows(base, base, k=7, skip=np.arange(3000)))
    for other in results[1:]:
        assert other.rows.tobytes() == results[0].rows.tobytes()
        assert other.scores.tobytes() == results[0].scores.tobytes()


def test_edges() -> None:
    base = unit_rows(0, 3, 4)
    assert nearest_rows(base[:0], base, k=2).offsets.tolist() == [0]
    assert len(nearest_rows(base[:1], base, k=99).rows) == 3
    with pytest.raises(InputError, match="k must be"):
        nearest_rows(base, base, k=0)
    with pytest.raises(InputError, match="one or the other"):
        nearest_rows(base, base)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 6), st.integers(1, 70))
def test_euclidean_agrees_with_sorting_everything(seed: int, n: int, dims: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    base = (rng.standard_normal((n, dims)) * rng.integers(1, 100)).round(1).astype(np.float32)
    skip = np.arange(n)
    found = nearest_rows(base, prepare_rows(base, euclidean=True), k=k, skip=skip)
    for i, query in enumerate(base.astype(np.float64)):
        distances = np.linalg.norm(base.astype(np.float64) - query, axis=1)
        expected = sorted((d, row) for row, d in enumerate(distances) if row != i)[:k]
        part = slice(*found.offsets[i : i + 2])
        np.testing.assert_allclose(found.scores[part], [-d for d, _ in expected], atol=1e-9)
        assert found.rows[part].tolist() == [row for _, row in expected]


def test_approximate_finds_most() -> None:
    pytest.importorskip("faiss", reason="needs lexfield[faiss]")
    base = unit_rows(3, 4000, 8)
    exact = nearest_rows(base[:200], base, k=5, skip=np.arange(200))
    near = nearest_rows(base[:200], base, k=5, skip=np.arange(200), approximate=True)
    common = [
        len(set(a) & set(b))
        for a, b in zip(exact.rows.reshape(-1, 5), near.rows.reshape(-1, 5), strict=True)
    ]
    assert sum(common) > 0.7 * 1000
    above = nearest_rows(base[:200], base, threshold=0.9, approximate=True)
    assert (above.scores >= 0.9).all()
    assert len(above.rows) > 0
