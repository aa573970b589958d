"""The threshold of similarity: beside plain counting, beside the sum of normals, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

import lexfield as lx
from lexfield.errors import InputError
from lexfield.vectors.threshold import NeighbourCurve, threshold
from lexfield.vectors.wordvectors import WordVectors


def vectors(size: int, dims: int = 8, seed: int = 0, name: str = "v") -> WordVectors:
    matrix = np.random.default_rng(seed).normal(size=(size, dims)).astype(np.float32)
    return WordVectors([f"w{i}" for i in range(size)], matrix, name=name)


def similarities(one: WordVectors) -> NDArray[np.float64]:
    """Every ordered pair of different words, slowly."""
    unit = one.matrix / np.linalg.norm(one.matrix, axis=1, keepdims=True)
    product = unit.astype(np.float64) @ unit.T.astype(np.float64)
    values: NDArray[np.float64] = product[~np.eye(len(one), dtype=bool)]
    return values


def test_by_hand() -> None:
    """Directions of 0°, 60°, 90°: cosines 1/2, 0, √3/2, each pair seen from both sides."""
    angles = np.radians([0, 60, 90])
    matrix = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    found = threshold(WordVectors(["a", "b", "c"], 3 * matrix), synonyms=1, deviation=0.5)
    assert found.curve.neighbours(-1) == 2
    assert found.curve.neighbours(0.25) == pytest.approx(4 / 3)
    assert found.curve.neighbours(0.6) == pytest.approx(2 / 3)
    assert found.curve.neighbours(0.9) == 0
    assert found.threshold == pytest.approx(0.5, abs=1e-4)  # from 4/3 to 2/3 of a neighbour
    assert found.interval[0] == pytest.approx(0, abs=1e-4)  # from 2 to 4/3 passes 1.5
    assert found.interval[1] == pytest.approx(np.sqrt(3) / 2, abs=1e-4)
    assert found.error == 0 and found.words == 3


@given(st.integers(3, 1200), st.integers(1, 20), st.integers(0, 99))
@settings(max_examples=15)
def test_curve_is_the_count_of_all_pairs(size: int, dims: int, seed: int) -> None:
    one = vectors(size, dims, seed)
    found = threshold(one, synonyms=0.5)
    values = similarities(one)
    for place in range(0, len(found.curve.edges), 397):
        edge = found.curve.edges[place]
        counts = [(values > edge + slack).sum() / size for slack in (1e-6, -1e-6)]
        assert counts[0] - 1e-12 <= found.curve.expected[place] <= counts[1] + 1e-12
    assert (np.diff(found.curve.expected) <= 0).all()
    assert found.interval[0] <= found.threshold <= found.interval[1]
    # about so many lie above the threshold: as near as a bin allows
    near = [(values > found.threshold + slack).sum() / size for slack in (2e-4, -2e-4)]
    assert near[0] <= 0.5 <= near[1]


def test_several_models_are_a_sum_of_normals() -> None:
    base = vectors(300, 10).matrix
    rng = np.random.default_rng(1)
    models = [
        WordVectors(
            [f"w{i}" for i in range(300)],
            base + rng.normal(scale=0.2, size=base.shape).astype(np.float32),
            name=f"m{number}",
        )
        for number in range(5)
    ]
    found = threshold(models)
    values = np.array([similarities(model) for model in models])
    mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1)
    for s in (0.3, 0.5, 0.7, 0.8, 0.9):
        expected = norm.sf(s, mean, deviation).sum() / 300
        assert found.curve.neighbours(s) == pytest.approx(expected, rel=2e-3, abs=1e-4)
    assert norm.sf(found.threshold, mean, deviation).sum() / 300 == pytest.approx(1.6, rel=2e-3)
    assert [model.name for model in found.models] == [f"m{i}" for i in range(5)]
    alone = threshold(models[2])
    assert found.models[2].threshold == alone.threshold
    assert found.models[2].interval == alone.interval


def test_equal_models_are_as_one() -> None:
    one = vectors(200)
    both = threshold([one, one, one], 1.555)  # between two steps of the count
    assert both.threshold == pytest.approx(threshold(one, 1.555).threshold, abs=1e-3)


def test_models_meet_in_the_words_they_share() -> None:
    one, other = vectors(60), vectors(60, seed=3)
    less = WordVectors(list(reversed(one.words[:50])), one.matrix[:50][::-1], name="less")
    found = threshold([one, less], 1.5)
    assert found.words == 50 and "10 of 60 words" in found.notes[0]
    short = WordVectors(one.words[:50], one.matrix[:50])
    assert found.threshold == pytest.approx(threshold(short, 1.5).threshold, abs=1e-3)
    strange = WordVectors([f"x{i}" for i in range(60)], other.matrix)
    with pytest.raises(InputError, match="no word in common"):
        threshold([one, strange])


def test_a_sample_says_how_far_it_may_be_off() -> None:
    one = vectors(1500, 6)
    exact = threshold(one)
    drawn = [threshold(one, sample=200, seed=seed) for seed in range(30)]
    off = np.array([found.threshold - exact.threshold for found in drawn])
    said = np.mean([found.error for found in drawn])
    assert said > 0
    assert 0.5 < off.std() / said < 2
    assert drawn[0].threshold == threshold(one, sample=200, seed=0).threshold
    assert threshold(one, sample=1500).threshold == exact.threshold
    assert threshold(one, sample=1500).error == 0


def test_any_number_of_threads_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one = vectors(1300)
    found = []
    for threads in "1", "3":
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        found.append(threshold([one, vectors(1300, seed=2)]))
    assert np.array_equal(found[0].curve.expected, found[1].curve.expected)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30), st.floats(0, 200))
def test_a_curve_is_read_both_ways(steps: list[int], wanted: float) -> None:
    expected = np.append(np.cumsum(steps[::-1])[::-1], 0).astype(float)
    curve = NeighbourCurve(np.linspace(-1, 1, len(expected)), expected)
    found = curve.similarity(wanted)
    assert curve.neighbours(found) <= wanted + 1e-9
    if found > -1:
        assert curve.neighbours(found - 1e-6) >= min(wanted, expected[0]) - 1e-3


def test_other_numbers_of_synonyms() -> None:
    found = threshold(vectors(400))
    assert found.at(3.0, 1.0) == (
        threshold(vectors(400), 3.0, 1.0).threshold,
        threshold(vectors(400), 3.0, 1.0).interval,
    )
    records = found.to_dicts(0.25)
    assert [record["similarity"] for record in records] == [0, 0.25, 0.5, 0.75, 1]
    assert records[1]["neighbours"] == found.curve.neighbours(0.25)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"synonyms": 0}, "synonyms must be a number above 0"),
        ({"synonyms": float("inf")}, "synonyms must be a number above 0"),
        ({"deviation": -1}, "deviation must be a number from 0"),
        ({"sample": 3}, "sample must be a whole number from 40"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"synonyms": 99}, "100 words are too few"),
    ],
)
def test_bad_input(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lx.threshold(vectors(100), **options)  # type: ignore[arg-type]
