from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

VECTORS = WordVectors(["sun", "moon"], np.eye(2, dtype=np.float32), name="sky")


def test_build_and_open(tmp_path: Path) -> None:
    corpus = Corpus.of(["Sun and moon. Sun-moon!", "Moon."])
    Index.build(corpus, tmp_path / "i", vectors=VECTORS)
    index = Index.open(tmp_path / "i")
    assert list(index.corpus.vocabulary) == ["moon", "sun", "and"]
    assert index.lexicon.vectors.tolist() == [[0, 1], [1, 0], [0, 0]]
    info = index.info()
    assert info["vectors"]["coverage"]["unknown"] == {"types": 1, "tokens": 1}
    assert info["documents"] == 2


def test_same_input_same_bytes(sample: Corpus, tmp_path: Path) -> None:
    for name in "ab":
        Index.build(sample, tmp_path / name)
    for file in (tmp_path / "a").rglob("*"):
        if file.is_file():
            other = tmp_path / "b" / file.relative_to(tmp_path / "a")
            assert file.read_bytes() == other.read_bytes()


def test_bad_use(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no words"):
        Index.build(Corpus.of(["..."]), tmp_path / "i", vectors=VECTORS)
    Index.build(Corpus.of(["sun"]), tmp_path / "i", vectors=VECTORS)
    with pytest.raises(InputError, match="already"):
        Index.build(Corpus.of(["moon"]), tmp_path / "i", vectors=VECTORS)
    assert list(Index.open(tmp_path / "i").corpus.vocabulary) == ["sun"]
