"""k-means beside Lloyd's algorithm as it is written, and at any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexfield.ranks import kmeans as module
from lexfield.ranks.kmeans import choose_seeds, kmeans, measure_distances


def blobs(n: int, k: int, dims: int, seed: int = 1, spread: float = 0.3) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, dims))
    return (centres[rng.integers(0, k, n)] + spread * rng.normal(size=(n, dims))).astype(np.float32)


def lloyd(rows: NDArray[np.float32], centres: NDArray[np.float32], steps: int) -> NDArray[np.int64]:
    """Oracle: measure all distances in every step."""
    points, middle = rows.astype(np.float64), centres.astype(np.float64)
    for _ in range(steps):
        labels = ((points[:, None] - middle) ** 2).sum(axis=2).argmin(axis=1)
        middle = np.array(
            [points[labels == i].mean(axis=0).astype(np.float32) for i in range(len(middle))]
        ).astype(np.float64)
    return np.asarray(labels)


@pytest.mark.parametrize("steps", [1, 2, 5, 12])
@pytest.mark.parametrize("spread", [0.2, 1.5])
def test_every_step_is_lloyds(steps: int, spread: float) -> None:
    rows = blobs(9000, 7, 12, spread=spread)  # more than two blocks
    squares = np.einsum("ij,ij->i", rows, rows)
    seeds = choose_seeds(rows, squares, 7, np.random.default_rng(3))
    state = module._State(rows, squares, seeds)
    for _ in range(steps):
        state.step()
    expected = lloyd(rows, seeds, steps)
    assert (state.labels == expected).mean() > 0.9999  # a tie within float32 may fall otherwise
    assert (state.sizes == np.bincount(state.labels)).all()


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(9, 60))
def test_what_always_holds(seed: int, k: int, n: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, 3)).astype(np.float32)
    found = kmeans(rows, k, seed=seed)
    assert found.sizes.sum() == n and (found.sizes >= 1).all()
    assert (np.diff(found.sizes) <= 0).all()
    assert (found.sizes == np.bincount(found.labels, minlength=k)).all()
    own = np.linalg.norm(rows - found.centres[found.labels], axis=1)
    assert np.allclose(found.distances, own, atol=1e-5)
    assert found.inertia == pytest.approx(float((own.astype(np.float64) ** 2).sum()), rel=1e-4)


def test_clear_groups_are_found() -> None:
    rows = np.array([[0, 0], [0, 1], [1, 0], [10, 10], [10, 11], [-9, 5]], np.float32)
    found = kmeans(rows, 3)
    assert found.sizes.tolist() == [3, 2, 1]
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 2]
    # hand: centre (1/3, 1/3): 2/9 + 5/9 + 5/9; centre (10, 10.5): 1/4 + 1/4
    assert found.inertia == pytest.approx(12 / 9 + 0.5, rel=1e-5)


def test_equal_rows_still_fill_every_cluster() -> None:
    found = kmeans(np.ones((6, 4), np.float32), 4)
    assert found.sizes.tolist() == [3, 1, 1, 1]
    assert found.inertia == pytest.approx(0.0, abs=1e-6)


def test_not_worse_than_scikit_learn() -> None:
    from sklearn.cluster import KMeans

    rows = blobs(3000, 20, 16, spread=0.8)
    ours = min(kmeans(rows, 20, seed=seed).inertia for seed in range(3))
    theirs = KMeans(20, n_init=3, random_state=0).fit(rows).inertia_
    assert ours < 1.02 * theirs


def test_same_at_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = blobs(9000, 10, 24, spread=0.9)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        found.append(kmeans(rows, 10, seed=5))
    for other in found[1:]:
        assert (other.labels == found[0].labels).all()
        assert other.centres.tobytes() == found[0].centres.tobytes()
        assert other.inertia == found[0].inertia


def test_distances() -> None:
    rows, centres = np.array([[3, 4]], np.float32), np.array([[0, 0], [3, 4]], np.float32)
    assert measure_distances(rows, np.array([25], np.float32), centres).tolist() == [[5.0, 0.0]]


def test_steps_are_reported_without_a_promise_of_their_number() -> None:
    rows = np.random.default_rng(0).normal(size=(500, 4)).astype(np.float32)
    told: list[tuple[int, int | None]] = []
    found = kmeans(rows, 8, progress=lambda done, total: told.append((done, total)))
    assert told == [(step, None) for step in range(1, found.steps)]
