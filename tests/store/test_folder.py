from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from lexfield.errors import (
    ChangedError,
    CorruptError,
    LockedError,
    NotAStoreError,
    StoreError,
    VersionError,
)
from lexfield.store import files, folder, owned
from lexfield.store.folder import Store, next_epoch, verify, write
from lexfield.store.owned import belongs


def fill(path: Path, value: int = 1, size: int = 1000) -> None:
    with write(path, "thing") as out:
        out.array("numbers", np.full(size, value, np.int32))
        out.strings("names", ["a", "é", "", "中文"])
        out.array("empty", np.empty((0, 3), np.float32))
        out.meta["value"] = value


def generations(path: Path) -> list[str]:
    return sorted(p.name for p in path.iterdir() if p.name.isdigit())


def test_round_trip(tmp_path: Path) -> None:
    fill(tmp_path / "s")
    store = Store.open(tmp_path / "s", "thing")
    assert store.array("numbers").tolist() == [1] * 1000
    assert list(store.strings("names")) == ["a", "é", "", "中文"]
    assert store.strings("names")[-1] == "中文"
    assert store.array("empty").shape == (0, 3)
    assert store.meta == {"value": 1}
    assert "numbers" in store
    with pytest.raises(VersionError, match="has no 'letters': another version"):
        store.array("letters")
    assert not store.array("numbers").flags.writeable


def test_same_input_same_bytes(tmp_path: Path) -> None:
    fill(tmp_path / "a")
    fill(tmp_path / "b")
    for file in (tmp_path / "a").rglob("*"):
        if file.is_file():
            assert (
                file.read_bytes()
                == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes()
            )


def test_new_generation_replaces_old_and_reader_keeps_what_it_opened(tmp_path: Path) -> None:
    fill(tmp_path / "s", 1)
    reader = Store.open(tmp_path / "s")
    fill(tmp_path / "s", 2)
    assert generations(tmp_path / "s") == ["000002"]
    assert reader.array("numbers")[0] == 1
    assert Store.open(tmp_path / "s").array("numbers")[0] == 2


def test_failure_while_writing_keeps_the_old(tmp_path: Path) -> None:
    fill(tmp_path / "s", 1)
    with pytest.raises(RuntimeError), write(tmp_path / "s", "thing") as out:
        out.array("numbers", np.zeros(5))
        raise RuntimeError
    assert generations(tmp_path / "s") == ["000001"]
    assert Store.open(tmp_path / "s").meta == {"value": 1}


@pytest.mark.parametrize("function", ["hashing_file", "replace_file", "sync_folder"])
def test_full_disk_keeps_the_old_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    fill(tmp_path / "s", 1)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(folder, function, fail)
        with pytest.raises(StoreError, match="No space left"):
            fill(tmp_path / "s", 2)
    assert Store.open(tmp_path / "s").meta == {"value": 1}


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_a_failure_after_the_rename_keeps_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """CURRENT names the new generation already: to delete it then would lose both."""
    fill(tmp_path / "s", 1)
    synced: list[Path] = []

    def fail_last(path: Path) -> None:
        synced.append(path)
        if (tmp_path / "s" / "CURRENT").read_bytes().find(b"000002") > 0:
            raise error

    with monkeypatch.context() as patch:
        patch.setattr(files, "sync_folder", fail_last)
        with pytest.raises((StoreError, KeyboardInterrupt)):
            fill(tmp_path / "s", 2)
    assert synced
    assert Store.open(tmp_path / "s").array("numbers")[0] == 2
    fill(tmp_path / "s", 3)
    assert generations(tmp_path / "s") == ["000003"]


def test_a_half_written_pointer_is_cleaned(tmp_path: Path) -> None:
    fill(tmp_path / "s", 1)
    (tmp_path / "s" / ".CURRENT.99999.tmp").write_bytes(b"{")
    fill(tmp_path / "s", 2)
    assert not list((tmp_path / "s").glob(".CURRENT.*"))


def test_what_is_discarded_is_gone_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "s", 1)
    with monkeypatch.context() as patch:  # interrupted before the first file is deleted
        patch.setattr(owned, "remove_leftovers", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            folder.discard(tmp_path / "s")
    with pytest.raises(NotAStoreError):
        Store.open(tmp_path / "s")
    folder.discard(tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_killed_writer_leaves_the_old_and_its_rest_is_cleaned(tmp_path: Path) -> None:
    fill(tmp_path / "s", 1)
    code = (
        "import os, sys, numpy as np\n"
        "from lexfield.store.folder import write\n"
        "with write(sys.argv[1], 'thing') as out:\n"
        "    out.array('numbers', np.zeros(5))\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")], check=False)
    assert ended.returncode == -9
    assert generations(tmp_path / "s") == ["000001", "000002"]
    assert Store.open(tmp_path / "s").meta == {"value": 1}
    fill(tmp_path / "s", 3)
    assert Store.open(tmp_path / "s").meta == {"value": 3}
    assert len(generations(tmp_path / "s")) == 1


def test_interrupted_first_writing_is_told(tmp_path: Path) -> None:
    owned.claim(tmp_path / "s")
    (tmp_path / "s" / "000001").mkdir()
    with pytest.raises(NotAStoreError, match="interrupted"):
        Store.open(tmp_path / "s")
    fill(tmp_path / "s")
    assert Store.open(tmp_path / "s").meta == {"value": 1}


def test_every_flipped_bit_and_truncation_is_found(tmp_path: Path) -> None:
    fill(tmp_path / "s", size=64)
    wholes = [p for p in (tmp_path / "s").rglob("*") if p.is_file() and p.stat().st_size]
    assert len(wholes) == 6
    for path in wholes:
        original = path.read_bytes()
        for at in range(0, len(original), 7):
            flipped = bytearray(original)
            flipped[at] ^= 1 << at % 8
            for damaged in (bytes(flipped), original[:at]):
                path.write_bytes(damaged)
                with pytest.raises((CorruptError, NotAStoreError)):
                    store = Store.open(tmp_path / "s")
                    for name in ("numbers", "empty", "names.bytes", "names.offsets"):
                        store.array(name)
                with suppress(CorruptError, NotAStoreError):
                    assert any(check.problem for check in verify(tmp_path / "s"))
        path.write_bytes(original)
    assert not any(check.problem for check in verify(tmp_path / "s"))


def test_verify_names_file_and_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "s", size=1_000_000)
    path = tmp_path / "s" / "000001" / "numbers.npy"
    data = bytearray(path.read_bytes())
    data[2_500_000] ^= 1
    path.write_bytes(data)
    (problem,) = [check for check in verify(tmp_path / "s") if check.problem]
    assert problem.file == "000001/numbers.npy"
    assert problem.problem.startswith(f"block {2_500_000 // files.BLOCK} ")
    path.unlink()
    assert [check.problem for check in verify(tmp_path / "s") if check.problem] == ["missing"]
    with pytest.raises(CorruptError, match="missing"):
        Store.open(tmp_path / "s")


def _hold(path: str, ready: multiprocessing.synchronize.Event) -> None:
    with write(path, "thing") as out:
        ready.set()
        import time

        time.sleep(30)
        out.array("numbers", np.zeros(1))


def test_parts_belong_to_what_they_were_written_for(tmp_path: Path) -> None:
    """A store has parts of its epoch; what takes its place has the next, and none of them."""
    whole, part = tmp_path / "s", tmp_path / "s" / "part"
    assert next_epoch(whole) == 0
    fill(whole)
    with write(part, "part", epoch=0) as out:
        out.meta["of"] = "the first"
    assert belongs(part, whole) and not belongs(tmp_path / "s" / "none", whole)
    fill(whole, 2)  # changed, not replaced
    assert belongs(part, whole) and generations(whole) == ["000002"]
    with write(whole, "thing", epoch=next_epoch(whole)) as out:
        out.meta["value"] = 3
    assert generations(whole) == ["1000000001"] and not belongs(part, whole)
    fill(whole, 4)
    assert generations(whole) == ["1000000002"] and next_epoch(whole) == 2
    with write(part, "part", epoch=1) as out:
        out.meta["of"] = "the second"
    assert belongs(part, whole)
    with pytest.raises(ChangedError), write(part, "part", epoch=0):
        pass  # somebody who still has the first
    assert Store.open(part).meta == {"of": "the second"}


def test_second_writer_is_told(tmp_path: Path) -> None:
    fill(tmp_path / "s")
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=_hold, args=(str(tmp_path / "s"), ready))
    process.start()
    assert ready.wait(30)
    with pytest.raises(LockedError, match="another process is writing"):
        fill(tmp_path / "s")
    process.kill()
    process.join()
    fill(tmp_path / "s", 7)
    assert Store.open(tmp_path / "s").meta == {"value": 7}


def test_wrong_places(tmp_path: Path) -> None:
    with pytest.raises(NotAStoreError, match="does not exist"):
        Store.open(tmp_path / "nowhere")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(NotAStoreError, match="not a folder written by lexfield"):
        Store.open(tmp_path / "other")
    with pytest.raises(StoreError, match="other files"):
        fill(tmp_path / "other")
    assert (tmp_path / "other" / "letter.txt").read_text() == "dear"
    with pytest.raises(StoreError, match="is a file"):
        fill(tmp_path / "other" / "letter.txt")
    fill(tmp_path / "s")
    with pytest.raises(NotAStoreError, match="contains something else: thing, not index"):
        Store.open(tmp_path / "s", "index")
    with pytest.raises(NotAStoreError), write(tmp_path / "s", "index"):
        pass


def test_other_version_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(folder, "SCHEMA", 99)
        fill(tmp_path / "s")
    with pytest.raises(VersionError, match="has format 99; this lexfield reads 1 and 2"):
        Store.open(tmp_path / "s")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_told(tmp_path: Path) -> None:
    fill(tmp_path / "s")
    (tmp_path / "s").chmod(0o555)
    with pytest.raises(StoreError, match="cannot be written"):
        fill(tmp_path / "s")
