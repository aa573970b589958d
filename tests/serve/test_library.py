"""What a server keeps on disk: private, and gone when nobody needs it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.serve.library import INDEXES, Library
from lexfield.serve.uploads import Sent, keep

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions and signals")
DIES = """
import os, sys, signal
from pathlib import Path
from lexfield.serve.library import Library
room = Library([], [], Path(sys.argv[1])).make_room()
(room / "private.txt").write_text("secret")
os.kill(os.getpid(), signal.SIGKILL)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_what_a_killed_server_leaves_is_deleted_at_the_next_start(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert list(tmp_path.rglob("private.txt"))
    theirs = tmp_path / "waiting" / "photos"
    theirs.mkdir()
    (theirs / "me.txt").write_text("not ours")
    running = Library([], [], tmp_path)
    assert not list(tmp_path.rglob("private.txt")) and (theirs / "me.txt").exists()
    room = running.make_room()
    Library([], [], tmp_path)  # another server with the same folder
    assert room.is_dir()
    running.close()
    assert not room.exists()


@posix
def test_uploads_can_be_read_by_their_owner_only(tmp_path: Path) -> None:
    library = Library([], [], tmp_path / "folder")
    room = library.make_room()
    keep([Sent("a.txt", b"a text")], room)
    assert mode(room) == mode(room.parent) == mode(tmp_path / "folder" / "waiting") == 0o700
    assert mode(room / "a.txt") == 0o600
    library.reserve(INDEXES, "x")
    assert mode(tmp_path / "folder" / "indexes") == 0o700
    library.close()


def test_an_id_is_given_once_even_before_anything_is_written(tmp_path: Path) -> None:
    library = Library([], [], tmp_path)
    first, second = library.reserve(INDEXES, "cat")[0], library.reserve(INDEXES, "cat")[0]
    assert (first, second) == ("cat", "cat-2")
    library.release(INDEXES, first)
    assert library.reserve(INDEXES, "cat")[0] == "cat"
