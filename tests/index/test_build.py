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
