"""A sample of every failure."""

from __future__ import annotations

import faulthandler
from pathlib import Path

import pytest

from lexfield.store.folder import Store
from tests.fault.artefacts import Artefact, make_index, use_index
from tests.fault.crash import OPERATIONS
from tests.fault.faults import cut_in_use, every_failure, interrupted, little_memory, zero_tails

ADD, DELETE = (next(one for one in OPERATIONS if one.name == name) for name in ("add", "delete"))


def test_failing_reads_and_writes_leave_the_old_or_the_new_state(tmp_path: Path) -> None:
    found = every_failure(DELETE, tmp_path, stride=150)
    assert found["trials"] >= 6 and not found["faults"], found
    assert set(found["outcomes"]) <= {"failed,", "done,"}


def test_too_little_memory_is_an_error(tmp_path: Path) -> None:
    found = little_memory(ADD, tmp_path, [2])
    assert not [word for word in found["outcomes"] if "fault" in word], found


def test_zeros_at_the_end_of_a_file_are_noticed(tmp_path: Path) -> None:
    make_index(tmp_path / "x.idx")
    found = zero_tails(Artefact("index", tmp_path / "x.idx", use_index), stride=25)
    assert set(found["outcomes"]) <= {"detected", "same"} and found["outcomes"]["detected"] > 2


def test_a_file_that_is_cut_short_in_use_is_an_error(tmp_path: Path) -> None:
    found = cut_in_use(make_index(tmp_path / "x.idx"), stride=9)
    assert set(found["outcomes"]) == {"detected", "same"} and found["outcomes"]["detected"] > 5


def test_without_the_check_it_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "check_sizes", lambda store: faulthandler.disable())
    found = cut_in_use(make_index(tmp_path / "x.idx"), stride=9)
    assert found["outcomes"]["crash"] > 5  # SIGBUS


def test_signals_that_interrupt_calls_do_no_harm(tmp_path: Path) -> None:
    assert interrupted(DELETE, tmp_path)["outcomes"] == {"ended with 0: done, new": 1}
