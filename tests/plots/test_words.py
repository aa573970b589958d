"""Figures about words: what they show, and the same bytes for the same data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.bags.bag import Bag
from lexfield.bags.keyness import keyness
from lexfield.errors import InputError
from lexfield.plots.words import draw_keyness, draw_threshold, draw_uncertainty
from lexfield.vectors.models import Models, uncertainty
from lexfield.vectors.threshold import threshold
from lexfield.vectors.wordvectors import WordVectors


@pytest.fixture(scope="module")
def models() -> Models:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(200, 5))
    words = [f"w{i}" for i in range(200)]
    return Models(
        [
            WordVectors(words, (base + rng.normal(scale=0.2, size=base.shape)).astype(np.float32))
            for _ in range(3)
        ]
    )


def test_threshold(models: Models, tmp_path: Path) -> None:
    found = {"all": threshold(models), "first": threshold(models[0])}
    path = draw_threshold(found).save(tmp_path / "t.svg")
    shown = path.read_text("utf-8")
    for name, one in found.items():
        assert f"{name}: {one.threshold:.3f}" in shown
    assert "1.6 synonyms per word" in shown
    again = draw_threshold(found).save(tmp_path / "again.svg").read_bytes()
    assert again == path.read_bytes()
    assert draw_threshold({"one": found["all"]}).save(tmp_path / "t.png").stat().st_size > 10_000
    with pytest.raises(InputError, match="does not name a figure"):
        draw_threshold(found).save(tmp_path / "t.gif")


def test_uncertainty(models: Models, tmp_path: Path) -> None:
    curves = {"5 dimensions": uncertainty(models, 20)}
    shown = draw_uncertainty(curves).save(tmp_path / "u.svg").read_text("utf-8")
    assert "5 dimensions" in shown and "mean difference from another model" in shown
    few = {"few": uncertainty(models, ["w1"], step=1)}  # hardly a step
    assert draw_uncertainty(few).save(tmp_path / "few.png").is_file()


def test_keyness(tmp_path: Path) -> None:
    found = keyness(Bag({"sea": 30, "x": 90}), Bag({"sky": 20, "x": 290}), least=1)
    shown = draw_keyness(found, ("one", "other")).save(tmp_path / "k.svg").read_text("utf-8")
    for text in ("sea", "sky", "30 : 0", "0 : 20", "Words that distinguish one from other"):
        assert text in shown
    assert draw_keyness([], ("one", "other")).save(tmp_path / "none.png").is_file()
