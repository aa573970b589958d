"""A writer to an address that is killed between any two steps."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fsspec", reason="the extra 'cluster' is not installed")

from lexfield.store.cache import copies
from lexfield.store.folder import Store
from lexfield.store.garbage import GRACE, find_used
from lexfield.store.mirror import find_folder
from lexfield.store.remote import Remote
from tests.store.test_mirror import files, get, machine, put

STEPS = ("create", "send", "write", "_put_if", "remove", "read_tagged", "list_times")


def _count_steps(at: int) -> Callable[[], int]:
    """End this process at the ``at``-th call that reaches the address, before it or after it."""
    calls = 0

    def watch(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at:
                os._exit(9)
            made = work(*given, **options)
            calls += 1
            if calls == at:
                os._exit(9)
            return made

        return call

    for name in STEPS:
        setattr(Remote, name, watch(getattr(Remote, name)))
    return lambda: calls


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks")
def test_a_writer_that_is_killed_between_any_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"file://{tmp_path}/there"
    monkeypatch.setenv(GRACE, "0")
    outcomes = set()
    for at in range(1, 200):
        shutil.rmtree(tmp_path / "there", ignore_errors=True)
        shutil.rmtree(copies(), ignore_errors=True)
        put(address, a=np.arange(1))
        child = os.fork()
        if child == 0:
            _count_steps(at)
            put(address, b=np.arange(1, 2))
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        found = get(address)
        assert found in ({"a": 0}, {"a": 0, "b": 1}), at
        with machine("other", tmp_path):
            assert get(address) == found
        outcomes.add((ended, len(found)))
        put(address, c=np.arange(2, 3))
        assert get(address) == {**found, "c": 2}
        current, held = Path(find_folder(address)), files(address)
        used = find_used(Remote(address), Store.open(current).generation, {})
        assert {name for name in held if name[0] == "0"} <= used, at
        if ended == 0:
            break
    assert outcomes == {(9, 1), (9, 2), (0, 2)} and at > 20
