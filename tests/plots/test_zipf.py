"""Figures 3, 4 and 6: what is drawn, and that it is drawn the same way twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.plots.zipf import curves, draw, shown_ranks
from lexfield.ranks.zipf import ZipfResult


@pytest.fixture(scope="module")
def results(sample: lx.Corpus) -> list[ZipfResult]:
    clusters = lx.zipf(
        sample, space="latent", clusters=12, seeds=1, nulls=False, draws=0, robustness=True
    )
    return [lx.zipf(sample, draws=0, name="sample <&>"), clusters]


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_draws_side_by_side(results: list[ZipfResult], tmp_path: Path, ending: str) -> None:
    first = draw(results, tmp_path / f"a.{ending}").read_bytes()
    assert draw(results, tmp_path / f"b.{ending}").read_bytes() == first
    if ending == "svg":
        text = first.decode()
        assert "sample &lt;&amp;&gt;: slope" in text and "number of clusters" in text
        assert len(first) < 2_000_000
    if ending == "html":
        assert b"sample <&>" not in first and b"u003c&>" in first


def test_curves_go_through_the_fits(results: list[ZipfResult]) -> None:
    line, bent = curves(results[0])
    slope = np.diff(np.log(line.y)) / np.diff(np.log(line.x))
    assert np.allclose(slope, results[0].slope)
    law = results[0].fits["mandelbrot"].parameters
    assert bent.y[0] == pytest.approx(law["c"] / (1 + law["beta"]) ** law["alpha"])


def test_ranks_shown() -> None:
    assert shown_ranks(5).tolist() == [0, 1, 2, 3, 4]
    many = shown_ranks(1_000_000)
    assert len(many) <= 2100 and many[:100].tolist() == list(range(100)) and many[-1] == 999_999


def test_refusals(results: list[ZipfResult], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not name a figure"):
        results[0].plot(tmp_path / "a.txt")
    with pytest.raises(InputError, match="no folder"):
        results[0].plot(tmp_path / "none" / "a.png")
