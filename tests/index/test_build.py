"""Building an index: what is refused before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from lexfield.errors import StoreError
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.verbs.index import index


def test_a_full_disk_is_refused_with_the_size_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(StoreError, match=r"needs about \d+ MB; .* has room for 0 MB"):
        Index.build(["A storm at sea. " * 9000], tmp_path / "new" / "i", language="en")
    assert not list(tmp_path.iterdir())


def test_files_that_no_disk_could_hold_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("A storm at sea. " * 90_000, "utf-8")
    monkeypatch.setattr(Corpus, "read", None)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000_000))
    with pytest.raises(StoreError, match=r"needs about 6 MB; .* has room for 1 MB"):
        index([tmp_path / "texts"], output=tmp_path / "new" / "i")
    assert not (tmp_path / "new").exists()


def test_training_vectors_is_announced(tmp_path: Path) -> None:
    class Shown:
        def __init__(self) -> None:
            self.stages: list[str] = []

        def __call__(self, done: int, total: int | None) -> None:
            pass

        def stage(self, name: str) -> None:
            self.stages.append(name)

    words = [f"{a}{b}" for a in "abcdef" for b in "uvwxyz"]
    texts = [" ".join(words[i:] + words[:i]) for i in range(9)]
    shown = Shown()
    Index.build(texts, tmp_path / "a.idx", vectors="own", language="en", progress=shown)
    assert shown.stages[-2:] == ["training vectors", "comparing words"]
