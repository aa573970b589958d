"""Samples of what ``make fault`` does at length: others' folders, others' parts, lying remotes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lexfield.store import mirror, owned
from tests.fault.places import LIES, folders, parts, remotes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks")


def test_what_others_keep_is_there_afterwards(tmp_path: Path) -> None:
    found = folders(tmp_path, 60)
    assert found["faults"] == [] and set(found["outcomes"]) == {"written", "refused"}


def test_a_store_that_deletes_by_name_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owned, "is_generation", lambda folder: True)
    monkeypatch.setattr("lexfield.store.manifest.is_generation", lambda folder: True)
    monkeypatch.setattr(owned, "remove_generation", lambda f: shutil.rmtree(f, ignore_errors=True))
    assert any(word.startswith("LOST") for word in folders(tmp_path, 60)["faults"])


def test_parts_of_another_index_are_found_and_not_used(tmp_path: Path) -> None:
    found = parts(tmp_path)
    assert found["faults"] == [] and found["outcomes"]["detected"] > 100


def test_remotes_that_lie(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="the extra 'cluster' is not installed")
    found = remotes(tmp_path, 10 * len(LIES))
    assert found["faults"] == [] and found["outcomes"]["detected"] > 50


def test_a_remote_that_is_believed_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec", reason="the extra 'cluster' is not installed")
    monkeypatch.setattr(mirror, "parse_manifest", lambda data, *_: __import__("json").loads(data))
    assert remotes(tmp_path, 10 * len(LIES))["faults"] != []
