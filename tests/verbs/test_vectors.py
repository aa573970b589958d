"""Sets of vectors and their thresholds from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.sample import TEXTS


def make(name: str, seed: int) -> lx.WordVectors:
    rows = np.random.default_rng(0).normal(size=(60, 6))
    rows += np.random.default_rng(seed).normal(scale=0.1, size=rows.shape)
    return lx.WordVectors([f"w{i}" for i in range(60)], rows.astype(np.float32), name=name)


def test_sets_are_imported_listed_and_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXFIELD_HOME", str(tmp_path))
    (tmp_path / "sky.vec").write_text("2 2\nsun 1 0\nmoon 0 1\n")
    assert lx.import_vectors(tmp_path / "sky.vec")[0].words == 2
    assert {"default", "sky"} <= {row.name for row in lx.list_vectors()}
    assert lx.describe_vectors("sky")[0].first == "sun moon"
    assert lx.describe_vectors(make("mine", 1))[0].dims == 6


def test_a_threshold_of_one_set_or_of_several() -> None:
    one, two = make("one", 1), make("two", 2)
    alone = lx.threshold(one)
    assert [row.vectors for row in alone] == ["one"] and alone.threshold == alone[0].threshold
    together = lx.threshold([one, two], synonyms=2)
    assert [row.vectors for row in together] == ["2 models", "one", "two"]
    assert lx.threshold(one, limit=20).words == 20
    with pytest.raises(InputError, match="synonyms must be a number above 0"):
        lx.threshold(one, synonyms=0)


def test_uncertainty_needs_several_models() -> None:
    found = lx.measure_uncertainty([make("one", 1), make("two", 2)], words=5)
    assert {row.models for row in found} == {"2 models"}
    with pytest.raises(InputError, match="at least two models"):
        lx.measure_uncertainty(make("one", 1))


def test_models_are_trained_on_texts(tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason="the extra 'train' is not installed")
    text, output = (TEXTS / "voss-sea.txt").read_text("utf-8"), tmp_path / "m"
    trained = lx.train_vectors(text, output=output, seeds=2, dimensions=[4], epochs=1, min_count=3)
    assert [(row.models, row.dims) for row in trained] == [(2, 4)]
    assert len(lx.near("sea", models=output, k=3)) == 3
