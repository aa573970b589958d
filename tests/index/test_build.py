"""Building an index: what is refused before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from lexfield.errors import StoreError
from lexfield.search.index import Index


def test_a_full_disk_is_refused_with_the_size_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(StoreError, match=r"needs about \d+ MB; .* has room for 0 MB"):
        Index.build(["A storm at sea. " * 9000], tmp_path / "new" / "i", language="en")
    assert not list(tmp_path.iterdir())
