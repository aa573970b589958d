"""Arrays in files: the same numbers as in memory, and nothing is left behind."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lexfield.errors import StoreError
from lexfield.store import scratch
from lexfield.store.scratch import (
    Spool,
    StringSpool,
    make_scratch,
    release,
    shrink,
    spool_beside,
)


@pytest.fixture(params=[10, 1 << 24], ids=["files", "memory"])
def budget(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(scratch, "IN_MEMORY", request.param)
    monkeypatch.setattr(scratch, "_RESIDENT", 0)
    monkeypatch.setattr(scratch, "_STEP", 3)
    return int(request.param)


def test_a_spool_returns_what_was_added(tmp_path: Path, budget: int) -> None:
    with spool_beside(tmp_path / "new" / "index"):
        spool = Spool("q", (7,))
        for number in range(20):
            spool.add(np.array([number, -number]))
        expected = [7, *(sign * number for number in range(20) for sign in (1, -1))]
        assert len(spool) == len(expected) and spool.view().tolist() == expected
        spool.add(np.array([5]))
        assert spool.view().tolist() == [*expected, 5]
    values = spool.view()
    values[:] = 3  # as on disk, so in memory
    release()
    assert spool.view().tolist() == [3] * 42
    assert not list(tmp_path.iterdir())


def test_strings(budget: int) -> None:
    spool, words = StringSpool(), ["a storm", "", "Été 中国", "\ud800", "x" * 50]
    for word in words:
        spool.append(word)
    assert len(spool) == 5 and list(spool.view()) == words and spool.view()[2] == words[2]


def test_numbers_are_shrunk(tmp_path: Path, budget: int) -> None:
    for most, expected in ((255, np.uint8), (256, np.uint16), (1 << 16, np.uint32)):
        values = np.arange(most - 20, most + 1)
        small = shrink(values.reshape(-1, 3), lambda *like: make_scratch(tmp_path, *like))
        assert small.dtype == expected and small.ravel().tolist() == values.tolist()
    assert shrink(np.zeros(0, np.int64)).dtype == np.uint8


def test_a_disk_that_cannot_hold_it_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "IN_MEMORY", 100)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    spool = Spool("q")
    with spool_beside(tmp_path), pytest.raises(StoreError, match="has no room for what was read"):
        for number in range(1000):
            spool.add(np.array([number]))
