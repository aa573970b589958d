"""The sketch of mean vectors: its bounds hold, and the rows it leaves are those of sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexfield.index import axes, nearest
from lexfield.index.axes import FAR, NEAR, TextRows, far_bounds, near_bounds, text_axes
from lexfield.index.nearest import find_nearest
from lexfield.index.units import Unit
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.repair import repair
from lexfield.vectors.wordvectors import WordVectors


def unit_of(
    seed: int, rows: int, dims: int, scale: float
) -> tuple[Unit, NDArray[np.float64], NDArray[np.float32]]:
    """Random rows of up to five words, some without any; their means; the words' vectors."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((12, dims)) * scale * 0.9 ** np.arange(dims)
    sizes = rng.integers(0, 6, rows)
    offsets = np.append(0, np.cumsum(sizes))
    words = rng.integers(0, 12, offsets[-1]).astype(np.int32)
    means = np.full((rows, dims), np.nan)
    for row in np.flatnonzero(sizes):
        means[row] = vectors.astype(np.float32)[words[offsets[row] : offsets[row + 1]]].mean(axis=0)
    matrix = vectors.astype(np.float32)
    arrays = text_axes(TextRows(offsets, words, np.arange(12, dtype=np.int32), matrix, plain=True))
    return Unit(arrays.__getitem__), means, matrix


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
    scanned = weights[:NEAR], unit.rests[0], tails[0], unit.squares
    bounds = near_bounds(unit.near, *scanned, 0, unit.rows)
    assert np.isinf(np.delete(bounds, known)).all()
    closer = far_bounds(unit.far, weights[NEAR:], unit.rests, tails, known, bounds[known])
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
    found, squares = find_nearest(unit, query, k, allowed)
    distances = np.sqrt(squares)
    wanted = ~np.isnan(means[:, 0]) & (True if allowed is None else allowed)
    expected = np.sqrt(((means - query) ** 2).sum(axis=1))
    assert wanted[found].all()
    near = pytest.approx(np.sort(expected[wanted])[:k], abs=1e-5 * scale)
    assert np.sort(distances)[:k] == near
    np.testing.assert_allclose(distances, expected[found], atol=1e-5 * scale)


@pytest.mark.parametrize("part", [1, 7, 100])
@pytest.mark.parametrize("seed", range(6))
def test_parts_of_the_scan_do_not_show(
    part: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit, _, vectors = unit_of(seed, 1000, 150, 1.0)
    query, allowed = vectors[:3].mean(axis=0), np.arange(1000) % 5 != seed
    credits = np.random.default_rng(seed).random(1000) if seed % 2 else None
    ways = []
    for size in (1 << 17, part):
        monkeypatch.setattr(nearest, "_PART", size)
        found, squares = find_nearest(unit, query, 4, allowed, credits)
        values = squares if credits is None else squares - credits[found]
        order = np.lexsort((found, values))[:4]
        ways.append((found[order].tolist(), values[order].tolist()))
    assert ways[0] == ways[1]


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _, _ = unit_of(7, 250, 150, 1.0)
    monkeypatch.setattr(axes, "_BLOCK", 33)
    parts, _, _ = unit_of(7, 250, 150, 1.0)
    for name in ("axes", "squares", "near", "far", "rests", "errors"):
        assert getattr(whole, name).tobytes() == getattr(parts, name).tobytes(), name


@pytest.fixture(scope="module")
def index(sample: Corpus) -> Index:
    return Index(sample)


def text_vector(index: Index, text: str) -> NDArray[np.float64]:
    """The definition, word by word."""
    vectors = WordVectors.default()
    total = np.zeros(vectors.dims)
    for word, count in zip(*(index.query(text).words, index.query(text).counts), strict=True):
        match, rows = repair(word, vectors.row)
        if match:
            mean = vectors.contribute(np.array(rows)).astype(np.float32).mean(axis=0)
            total += count * mean.astype(np.float16).astype(np.float64)
    length = np.linalg.norm(total)
    return total / length if length else total


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_scores_are_cosines_of_weighted_sums(index: Index, unit: str) -> None:
    rows = index.rows(unit)
    texts = np.array([text_vector(index, rows.text(row)) for row in range(len(rows))])
    for query in ("The boat came home before the storm.", "well-known ice-cream, twice twice"):
        found = index.search(query, "mean", 9, unit=unit)
        cosines = texts @ text_vector(index, query)
        assert found.scores == pytest.approx(np.sort(cosines)[::-1][:9].tolist(), abs=2e-6)
        assert found.scores == pytest.approx(cosines[found.rows].tolist(), abs=2e-6)
        explanation = found[0].explanation
        assert explanation.additive
        total = sum(reason.contribution for reason in explanation.reasons)
        assert total == pytest.approx(found.scores[0], abs=2e-6)
    assert index.search(rows.text(3), "mean", 1, unit=unit).scores[0] == pytest.approx(1)


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_plain_is_the_distance_of_means(index: Index, unit: str) -> None:
    rows = index.rows(unit)
    vectors = WordVectors.default()

    def mean(text: str) -> NDArray[np.float64]:
        query = index.query(text)
        embedded = vectors.embed(query.words)
        counts = np.where(embedded.known, query.counts, 0)
        total = max(1, counts.sum())
        found: NDArray[np.float64] = counts @ embedded.matrix.astype(np.float64) / total
        return found

    query = "The boat came home before the storm."
    means = [mean(rows.text(row)) for row in range(len(rows))]
    far = [float(np.linalg.norm(one - mean(query))) for one in means if one.any()]
    found = index.search(query, "mean(plain=true)", 9, unit=unit)
    assert found.scores == pytest.approx([-x for x in sorted(far)[:9]], abs=2e-6)
    assert not found.notes


@shapes
@settings(deadline=None, max_examples=60)
def test_best_sums_are_those_of_sorting(seed: int, rows: int, dims: int, scale: float) -> None:
    """With credits, the rows without a vector have a squared distance of 2."""
    unit, means, vectors = unit_of(seed, rows, dims, scale)
    rng = np.random.default_rng(seed + 3)
    query = vectors[rng.integers(0, 12, 3)].mean(axis=0)
    credits = np.where(rng.random(rows) < 0.3, rng.random(rows) * 3, 0)
    k = int(rng.integers(1, rows + 1))
    allowed = rng.random(rows) < 0.7 if seed % 2 else None
    squares = np.where(np.isnan(means[:, 0]), 2, ((means - query) ** 2).sum(axis=1)) - credits
    wanted = (~np.isnan(means[:, 0]) | (credits > 0)) & (True if allowed is None else allowed)
    found, values = find_nearest(unit, query, k, allowed, credits)
    assert wanted[found].all()
    room = 1e-5 * max(1, np.abs(squares).max())  # means are stored in single precision
    sums = np.sort(values - credits[found])[:k]
    np.testing.assert_allclose(sums, np.sort(squares[wanted])[:k], atol=room)
    np.testing.assert_allclose(values - credits[found], squares[found], atol=room)
