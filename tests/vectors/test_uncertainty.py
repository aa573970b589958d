"""The uncertainty of similarities: by hand, and beside the formula read out slowly."""

from __future__ import annotations

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.vectors.models import Models, choose_representative, uncertainty
from lexfield.vectors.wordvectors import WordVectors


def noisy(count: int, size: int = 150, dims: int = 6) -> Models:
    rng = np.random.default_rng(4)
    base = rng.normal(size=(size, dims))
    words = [f"w{i}" for i in range(size)]
    return Models(
        [
            WordVectors(words, (base + rng.normal(scale=0.3, size=base.shape)).astype(np.float32))
            for _ in range(count)
        ]
    )


def test_by_hand() -> None:
    """cos 0° to 60° is 0.5 in one model; it is cos 90° = 0 in the other: they differ by 0.5."""
    sets = []
    for degrees in ((0, 60), (0, 90)):
        angles = np.radians(degrees)
        matrix = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
        sets.append(WordVectors(["a", "b"], matrix))
    found = uncertainty(Models(sets), ["a"], step=0.3)
    # steps of 0.3 from −1: cosine 0 lies in (−0.1, 0.2], cosine 0.5 in (0.2, 0.5] or the next
    assert [point.pairs for point in found] == [1, 1]
    assert found[0].similarity == -0.1
    assert all(point.uncertainty == pytest.approx(0.5, abs=1e-6) for point in found)


def test_beside_the_formula() -> None:
    models = noisy(3)
    found = uncertainty(models, ["w0", "w7", "w149"], step=0.1)
    differences: dict[float, list[float]] = {}
    for first in models:
        for second in models:
            if first is second:
                continue
            for x in ("w0", "w7", "w149"):
                for y in models.words:
                    if x != y:
                        similarity = first.similarity(x, y)
                        s = round(-1 + 0.1 * (np.ceil((similarity + 1) / 0.1) - 1), 6)
                        apart = abs(similarity - second.similarity(x, y))
                        differences.setdefault(s, []).append(apart)
    assert {point.similarity: point.pairs for point in found} == {
        s: len(values) for s, values in differences.items()
    }
    for point in found:
        expected = np.mean(differences[point.similarity])
        assert point.uncertainty == pytest.approx(expected, abs=1e-6)


def test_equal_models_are_sure_and_pairs_are_counted() -> None:
    one = noisy(1)[0]
    found = uncertainty(Models([one, one]), 20)
    assert all(point.uncertainty == 0 for point in found)
    assert sum(point.pairs for point in found) == 2 * 20 * 149
    assert "2 models of 6 dimensions, 20 words" in found.title


@pytest.mark.parametrize(("size", "count"), [(100_000, 100), (110, 100), (5, 100), (1000, 1)])
def test_representative_words_are_of_all_frequencies(size: int, count: int) -> None:
    rows = choose_representative(size, count)
    assert len(rows) == len(set(rows.tolist())) == min(size, count)
    assert rows.min() == 0 and rows.max() < size
    if size == 100_000:
        assert (rows < 1000).sum() == pytest.approx(60, abs=8) and rows.max() > 99_000


def test_bad_input() -> None:
    models = noisy(2)
    with pytest.raises(InputError, match="needs at least two models"):
        uncertainty(Models(list(models)[:1]))
    with pytest.raises(InputError, match="lack 'nothing'"):
        uncertainty(models, ["w1", "nothing"])
    with pytest.raises(InputError, match="step must be"):
        lx.measure_uncertainty(list(models), step=0)
    with pytest.raises(InputError, match="words must be"):
        lx.measure_uncertainty(list(models), words=0)
