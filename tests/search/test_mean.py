"""The sketch of mean vectors: its bounds hold, and the rows it leaves are those of sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexfield.index import axes
from lexfield.index.axes import FAR, NEAR, far_bounds, mean_axes, near_bounds
from lexfield.index.units import Unit
from lexfield.search.mean import _find_nearest


def unit_of(
    seed: int, rows: int, dims: int, scale: float
) -> tuple[Unit, NDArray[np.float64], NDArray[np.float32]]:
    """Random rows of up to five words, some without any; their means; the words' vectors."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((12, dims)) * scale * 0.9 ** np.arange(dims)
    sizes = rng.integers(0, 6, rows)
    offsets = np.append(0, np.cumsum(sizes))
    words = rng.integers(0, 12, offsets[-1]).astype(np.int32)
    shares = np.repeat(1 / np.maximum(sizes, 1), sizes).astype(np.float32)
    means = np.full((rows, dims), np.nan)
    for row in np.flatnonzero(sizes):
        means[row] = vectors.astype(np.float32)[words[offsets[row] : offsets[row + 1]]].mean(axis=0)
    matrix = vectors.astype(np.float32)
    fields: dict[str, Any] = dict.fromkeys(Unit.__dataclass_fields__)
    return Unit(**{**fields, **mean_axes(offsets, words, shares, matrix)}), means, matrix


shapes = given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 300),
    dims=st.sampled_from([1, 5, NEAR - 1, NEAR, NEAR + 1, FAR, FAR + 1, 200]),
    scale=st.sampled_from([1e-3, 1.0, 50.0]),
)


@shapes
@settings(max_examples=60)
def test_bounds_are_below_and_close(seed: int, rows: int, dims: int, scale: float) -> None:
    unit, means, _ = unit_of(seed, rows, dims, scale)
    query = np.random.default_rng(seed + 1).standard_normal(dims) * scale
    known = np.flatnonzero(~np.isnan(means[:, 0]))
    turned = (query - unit.center) @ unit.rotation.astype(np.float64)
    distances = ((means[known] - query) ** 2).sum(axis=1)
    head = np.append(turned, np.zeros(FAR))[:FAR]
    weights = (2 * head * unit.steps).astype(np.float32)
    tails = np.array([2 * np.linalg.norm(turned[n:]) for n in (NEAR, FAR)], np.float32)
    bounds = near_bounds(unit.near, weights[:NEAR], unit.rests[0], tails[0], unit.squares)
    assert np.isinf(np.delete(bounds, known)).all()
    closer = far_bounds(unit.far, weights[NEAR:], unit.rests, tails, known, bounds)
    own = turned @ turned
    rooms = 2 * unit.errors * [np.linalg.norm(head[:NEAR]), np.linalg.norm(head[NEAR:])]
    rounding = 4e-5 * (distances + own)
    assert (bounds[known] + own <= distances + rooms[0] + rounding).all()
    assert (closer + own <= distances + rooms.sum() + rounding).all()
    if dims <= FAR:  # nothing is left out: the bound is the distance
        assert (closer + own >= distances - rooms.sum() - rounding).all()


@shapes
@settings(max_examples=60)
def test_nearest_rows_are_those_of_sorting(seed: int, rows: int, dims: int, scale: float) -> None:
    unit, means, vectors = unit_of(seed, rows, dims, scale)
    rng = np.random.default_rng(seed + 2)
    query = vectors[rng.integers(0, 12, 3)].mean(axis=0)
    k = int(rng.integers(1, rows + 1))
    allowed = rng.random(rows) < 0.7 if seed % 2 else None
    found, distances = _find_nearest(unit, query, k, allowed)
    wanted = ~np.isnan(means[:, 0]) & (True if allowed is None else allowed)
    expected = np.sqrt(((means - query) ** 2).sum(axis=1))
    assert wanted[found].all()
    near = pytest.approx(np.sort(expected[wanted])[:k], abs=1e-5 * scale)
    assert np.sort(distances)[:k] == near
    np.testing.assert_allclose(distances, expected[found], atol=1e-5 * scale)


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _, _ = unit_of(7, 250, 150, 1.0)
    monkeypatch.setattr(axes, "_BLOCK", 33)
    parts, _, _ = unit_of(7, 250, 150, 1.0)
    for name in ("axes", "squares", "near", "far", "rests", "errors"):
        assert getattr(whole, name).tobytes() == getattr(parts, name).tobytes(), name
