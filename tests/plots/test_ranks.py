"""Figures 2 to 6: what is drawn, and that it is drawn the same way twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.plots.ranks import draw_layouts, draw_zipf, fit_curves, select_names, select_ranks
from lexfield.ranks.layout import LayoutResult, layout
from lexfield.ranks.zipf import ZipfResult, zipf


@pytest.fixture(scope="module")
def results(sample: lx.Corpus) -> list[ZipfResult]:
    clusters = zipf(
        sample, space="latent", clusters=12, seeds=1, nulls=False, draws=0, robustness=True
    )
    return [zipf(sample, draws=0, name="sample <&>"), clusters]


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_draws_side_by_side(results: list[ZipfResult], tmp_path: Path, ending: str) -> None:
    first = draw_zipf(results).save(tmp_path / f"a.{ending}").read_bytes()
    assert draw_zipf(results).save(tmp_path / f"b.{ending}").read_bytes() == first
    if ending == "svg":
        text = first.decode()
        assert "sample &lt;&amp;&gt;: slope" in text and "number of clusters" in text
        assert len(first) < 2_000_000
    if ending == "html":
        assert b"sample <&>" not in first and b"u003c&>" in first


def test_curves_go_through_the_fits(results: list[ZipfResult]) -> None:
    line, bent = fit_curves(results[0])
    slope = np.diff(np.log(line.y)) / np.diff(np.log(line.x))
    assert np.allclose(slope, results[0].slope)
    law = results[0].fits["mandelbrot"].parameters
    assert bent.y[0] == pytest.approx(law["c"] / (1 + law["beta"]) ** law["alpha"])


def test_ranks_shown() -> None:
    assert select_ranks(5).tolist() == [0, 1, 2, 3, 4]
    many = select_ranks(1_000_000)
    assert len(many) <= 2100 and many[:100].tolist() == list(range(100)) and many[-1] == 999_999


def test_refusals(results: list[ZipfResult], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not name a figure"):
        results[0].plot(tmp_path / "a.txt")
    with pytest.raises(InputError, match="no folder"):
        results[0].plot(tmp_path / "none" / "a.png")


def test_layouts_are_drawn(sample: lx.Corpus, tmp_path: Path) -> None:
    found = layout(sample, "pca", words=300)
    assert found.plot(tmp_path / "a.png").stat().st_size > 10_000
    assert b"noun" in draw_layouts([found, found]).save(tmp_path / "b.svg").read_bytes()


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
    assert select_names(places) == [0, 2, 3]


@pytest.mark.parametrize("n", [1, 3])
def test_named_when_all_are_in_one_place(n: int) -> None:
    assert select_names(np.zeros((n, 2), np.float32)) == [0]
