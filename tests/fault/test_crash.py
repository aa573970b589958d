"""Samples of what ``make fault`` does at length: a writer dies, the last generation is there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lexfield.errors import LockedError
from lexfield.search.index import Index
from lexfield.store import folder
from lexfield.text.corpus import Corpus
from tests.fault.artefacts import documents
from tests.fault.crash import OPERATIONS, Case, every_step, random_kills, run_in_child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the harness reads /proc")
BY_NAME = {operation.name: operation for operation in OPERATIONS}


@pytest.mark.parametrize(
    ("name", "how"),
    [("import", "kill"), ("import", "power"), ("import", "full"), ("import", "broken"),
     ("delete", "power"), ("import", "reordered")],
)  # fmt: skip
def test_every_class_of_step(tmp_path: Path, name: str, how: str) -> None:
    found = every_step(BY_NAME[name], tmp_path, [how], each=1)
    assert found["examples"] == [] and found["trials"] >= 15


@pytest.mark.parametrize("name", ["index", "index over another", "add, with topics", "compact"])
def test_the_steps_around_the_commit(tmp_path: Path, name: str) -> None:
    case = Case(BY_NAME[name], tmp_path, each=1)
    case.set_up()
    journal = (case.folder / "journal").read_text().splitlines()
    rename, *_ = [n for n, s in enumerate(journal, 1) if s.endswith(f"\t{case.root / 'CURRENT'}")]
    assert case.trial(rename, "kill") == "ok killed, old"
    assert case.trial(rename + 1, "kill") == "ok killed, new"
    assert case.trial(rename, "full") == "ok told, old"
    assert case.trial(rename + 1, "power").startswith("ok killed, ")


def test_the_harness_sees_a_store_that_does_not_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexfield.store.files.os.fsync", lambda handle: None)
    monkeypatch.setattr(folder, "sync_folder", lambda path: None)
    monkeypatch.setattr("lexfield.store.files.sync_folder", lambda path: None)
    case = Case(BY_NAME["import"], tmp_path, each=99)
    case.set_up()
    words = [case.trial(at, "power") for at in case.chosen]
    assert any(not word.startswith("ok") for word in words)


def test_random_kills(tmp_path: Path) -> None:
    found = random_kills(tmp_path, 3, longest=0.4)
    assert found["kills"] == 3 and found["examples"] == [] and found["leftovers"] == []


def in_child(work: Callable[[], object], user: int | None = None) -> str:
    """What a child of another user says of its work."""

    def act() -> str:
        if user is not None and os.geteuid() == 0:
            os.setuid(user)
        return f"done {work()}"

    return run_in_child(act)


def test_a_read_only_folder_is_told_and_left(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(documents(0, 4)), tmp_path / "x.idx")
    before = sorted((p.name, p.stat().st_mtime_ns) for p in index.path.rglob("*"))
    for place in (tmp_path, index.path):
        place.chmod(0o555)
    for parent in list(tmp_path.parents)[:-2]:  # so that another user can come here
        parent.chmod(parent.stat().st_mode | 0o055)
    try:
        said = in_child(lambda: index.delete(["d1"]), user=65534)
        assert said.startswith("told StoreError") and "cannot be written: Permission denied" in said
        new = Corpus.of(documents(0, 2))
        said = in_child(lambda: Index.build(new, tmp_path / "new.idx"), user=65534)
        assert said.startswith("told StoreError") and "new.idx cannot be written" in said
        said = in_child(lambda: len(Index.open(index.path).search("boat")), user=65534)
        assert said.startswith("done ")  # reading needs no right to write
    finally:
        for place in (tmp_path, index.path):
            place.chmod(0o755)
    assert sorted((p.name, p.stat().st_mtime_ns) for p in index.path.rglob("*")) == before


def _adding(path: Path, first: int, ready: Any) -> None:
    index = Index.open(path)
    ready.wait(60)
    told = 0
    for number in range(first, first + 4):
        try:
            index.add(documents(number, 1))
        except LockedError:
            told += 1
    os.write(1, b"")
    Path(f"{path}.{first}").write_text(str(told))


def test_of_two_writers_one_wins_and_one_is_told(tmp_path: Path) -> None:
    import multiprocessing

    index = Index.build(Corpus.of(documents(0, 4)), tmp_path / "x.idx")
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    both = [context.Process(target=_adding, args=(index.path, n, ready)) for n in (100, 200)]
    for one in both:
        one.start()
    ready.set()
    for one in both:
        one.join(60)
        assert one.exitcode == 0
    told = sum(int(Path(f"{index.path}.{n}").read_text()) for n in (100, 200))
    index.refresh()
    assert len(index.documents) == 4 + 8 - told
    assert len(index.search("the boat", "bm25", 50)) > 0
    shutil.rmtree(index.path)
