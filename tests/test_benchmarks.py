"""``benchmarks/run.py``: each benchmark in a process of its own, recorded, and continued."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests import snippets

FOLDER = snippets.ROOT / "benchmarks"


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location("benchmarks_run", FOLDER / "run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for owner in (module, importlib.import_module("harness")):
        monkeypatch.setattr(owner, "RESULTS", tmp_path)
    return module


def test_every_benchmark_is_a_module(runner: ModuleType) -> None:
    for name in runner.ALL:
        assert "\ndef run(" in (FOLDER / f"{name}.py").read_text("utf-8")


def test_a_run_continues_where_it_was_interrupted(
    runner: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    codes = iter((0, runner.NO_DATA, 1))
    started = []

    class Done:
        def __init__(self, command: list[str], check: bool) -> None:
            started.append(command[3])
            self.returncode = next(codes)

    monkeypatch.setattr(runner.subprocess, "run", Done)
    assert runner.run_all(["zipf", "style", "bias"], tmp_path, "abc") == ["bias"]
    assert started == ["zipf", "style", "bias"]
    assert {name: one["commit"] for name, one in runner.read_runs().items()} == {"zipf": "abc"}
    assert set(runner.ALL) - set(runner.list_due("abc")) == {"zipf"}
    assert runner.list_due("abd") == runner.list_due("abc+changes") == list(runner.ALL)


def test_data_that_are_not_here_are_no_failure(runner: ModuleType, tmp_path: Path) -> None:
    assert runner.run_one("delta", tmp_path) == runner.NO_DATA
    assert not list(tmp_path.iterdir())
