"""Figures 2 and 5, static and to zoom into."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.plots.layout import draw, named
from lexfield.ranks.layout import LayoutResult


def test_draws(sample: lx.Corpus, tmp_path: Path) -> None:
    found = lx.layout(sample, "pca", words=300)
    assert found.plot(tmp_path / "a.png").stat().st_size > 10_000
    assert b"noun" in draw([found, found], tmp_path / "b.svg").read_bytes()


def test_fifty_thousand_words_are_under_five_megabytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 50_000
    found = LayoutResult(
        "many",
        "pca",
        [f"averagelylong{i}" for i in range(n)],
        rng.normal(size=(n, 2)).astype(np.float32),
        rng.integers(0, 6, n).astype(np.uint8),
        np.arange(n, 0, -1),
        "default",
    )
    assert found.plot(tmp_path / "many.html").stat().st_size < 5_000_000


def test_named_words_are_apart() -> None:
    places = np.array([[0, 0], [0.01, 0.01], [5, 5], [10, 10]], np.float32)
    assert named(places) == [0, 2, 3]


@pytest.mark.parametrize("n", [1, 3])
def test_named_when_all_are_in_one_place(n: int) -> None:
    assert named(np.zeros((n, 2), np.float32)) == [0]
