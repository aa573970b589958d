"""Samples of what ``make fault`` does at length: damage is found, and nothing wrong is served."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lexfield.store import checked, manifest
from tests.fault.artefacts import Artefact
from tests.fault.rot import rot, sample
from tests.fault.trials import run_trials, tally

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks")
KINDS = ("index", "vector set", "topic model", "learned metric", "study database")


@pytest.mark.parametrize("kind", KINDS)
def test_flips_and_truncations_are_found(artefacts: dict[str, Artefact], kind: str) -> None:
    found = rot(artefacts[kind], 30, least=1)
    for damage in ("flips", "truncations"):
        assert found[damage]["faults"] == []
        assert set(found[damage]["use"]) <= {"detected", "same"}
        if kind == "study database" and damage == "flips":  # all that change an answer are found
            missed = found[damage]["verify"].get("missed", 0)
            assert missed <= found[damage]["use"].get("same", 0)
        else:
            assert found[damage]["verify"] == {"found": found[damage]["trials"]}


def test_the_harness_sees_a_store_without_checksums(
    artefacts: dict[str, Artefact], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked, "check_block", lambda mapped, expected, number: "")
    monkeypatch.setattr(manifest, "check_file", lambda path, entry: "")
    found = rot(artefacts["vector set"], 60, least=1)["flips"]
    assert found["use"].get("wrong", 0) > 20 and found["verify"]["missed"] > 20


def test_trials_go_on_after_a_crash_and_a_hang(tmp_path: Path) -> None:
    repaired = []

    def trial(what: str) -> str:
        if what == "die":
            os.kill(os.getpid(), 9)
        if what == "sleep":
            import time

            time.sleep(60)
        return what

    words = run_trials(
        ["a", "die", "b", "sleep", "c"], trial, repair=lambda: repaired.append(1), seconds=1
    )
    assert words == ["a", "crash -9", "b", "hang", "c"]
    assert len(repaired) == 2
    assert tally(words) == {"a": 1, "b": 1, "c": 1, "crash": 1, "hang": 1}


def test_samples_cover_every_file(tmp_path: Path) -> None:
    for name, size in (("small", 3), ("large", 10_000)):
        (tmp_path / name).write_bytes(bytes(size))
    files = sorted(tmp_path.iterdir())
    flips = sample(files, 100, True, 0)
    assert len(flips) >= 100 and len({(one.file, one.at, one.bit) for one in flips}) == len(flips)
    assert sum(one.file.name == "small" for one in flips) == 12
    cut = sample(files, 100, False, 0)
    assert [one.at for one in cut if one.file.name == "small"] == [0, 1, 2]


def test_the_results_that_are_told_are_there() -> None:
    results = Path(__file__).parent / "results" / "rot.json"
    if not results.exists():
        pytest.skip("make fault has not been run")
    told = json.loads(results.read_text("utf-8"))
    for kind in KINDS:
        for damage in ("flips", "truncations"):
            one = told["lexfield"][kind][damage]
            assert one["trials"] >= 1000 and one["faults"] == []
