"""Several models: means and deviations by hand, ranks beside a slow oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.errors import InputError, UnknownWordError
from lexfield.vectors.models import Models
from lexfield.vectors.wordvectors import WordVectors


def turned(*degrees: float) -> WordVectors:
    angles = np.radians(degrees)
    matrix = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    return WordVectors(["book", "page", "river"][: len(degrees)], matrix)


def test_by_hand() -> None:
    models = Models([turned(0, 60, 90), turned(0, 90, 60)])
    mean, deviation = models.similarity("book", "page")
    assert mean == pytest.approx(0.25)  # of cos 60° and cos 90°
    assert deviation == pytest.approx(0.5 / np.sqrt(2))
    first, second = models.nearest("book", 1), models.nearest("book", 5)
    assert [near.word for near in second] == ["page", "river"]  # a tie goes to the lower row
    (near,) = first
    assert near.similarity == pytest.approx(0.25) and near.deviation == pytest.approx(0.35355, 1e-4)
    assert (near.share, near.best_rank, near.worst_rank) == (0.5, 1, 2)
    assert near.distance == pytest.approx(np.sqrt(1.5))
    assert second[1].share == 1


@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 50), st.integers(1, 12))
@settings(max_examples=40)
def test_neighbours_beside_slow_ones(size: int, count: int, seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(size)]
    sets = [WordVectors(words, rng.normal(size=(size, 5)).astype(np.float32)) for _ in range(count)]
    found = Models(sets).nearest("w1", k)
    table = {word: [one.similarity("w1", word) for one in sets] for word in words if word != "w1"}
    order = sorted(table, key=lambda word: (-np.mean(table[word]), words.index(word)))
    assert [near.word for near in found] == order[:k]
    for near in found:
        assert near.similarity == pytest.approx(np.mean(table[near.word]), abs=1e-6)
        deviation = np.std(table[near.word], ddof=1) if count > 1 else 0
        assert near.deviation == pytest.approx(deviation, abs=1e-6)
        ranks = []
        for model in range(count):
            one = sorted(table, key=lambda word: -table[word][model])
            ranks.append(1 + one.index(near.word))
        assert (near.best_rank, near.worst_rank) == (min(ranks), max(ranks))
        assert near.share == pytest.approx(np.mean([rank <= k for rank in ranks]))


def test_by_threshold_and_bad_input() -> None:
    models = Models([turned(0, 60, 90), turned(0, 60, 90)])
    assert [near.word for near in models.nearest("Book", threshold=0.4)] == ["page"]
    assert not len(models.nearest("book", threshold=0.9))
    with pytest.raises(UnknownWordError):
        models.nearest("xyzzy")
    with pytest.raises(InputError, match="k must be"):
        models.nearest("book", 0)
    with pytest.raises(InputError, match="threshold must be"):
        models.nearest("book", threshold=2)
    with pytest.raises(InputError, match="at least one"):
        Models([])


def test_words_that_one_set_lacks_are_told() -> None:
    models = Models([turned(0, 60, 90), turned(0, 60)])
    assert list(models.words) == ["book", "page"] and "1 of 3 words" in models.notes[0]
    assert "2 × 2 words" in repr(models)
