"""Faults at every step of the store's file layer, and what a power cut would leave of it.

``Faulty`` counts the steps of a process (open, write, fsync, rename, link, mkdir, unlink, rmdir)
and at step ``at`` does one of

    kill     ends the process, as SIGKILL does: what was written is there, nothing more comes
    full     from now on the disk is full: all that takes room fails with ENOSPC
    broken   this step fails with EIO, the next ones do not

Its journal tells, after a kill, which bytes and names no fsync had made durable: ``cut_power``
takes those away (half of a file, a name, a rename), as a disk may.
"""

from __future__ import annotations

import builtins
import errno
import os
import random
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lexfield.store import files

TAKES_ROOM = ("open", "write", "fsync", "rename", "link", "mkdir")


class _Watched:
    """A file whose writes are steps."""

    def __init__(self, raw: Any, faulty: Faulty) -> None:
        self._raw, self._faulty = raw, faulty

    def write(self, data: Any) -> int:
        self._faulty.step("write", self._raw.name)
        self._faulty.log("write", self._raw.name)
        count: int = self._raw.write(data)
        self._raw.flush()  # so that a kill finds on disk what was written before it
        return count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def __enter__(self) -> _Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()


@dataclass
class Faulty:
    """Install it in a process that will end: it is never taken out."""

    journal: Path
    at: int = 0  # 0: never
    how: str = "kill"
    steps: int = 0
    _log: Any = field(default=None, repr=False)

    def install(self) -> None:
        self._log = os.open(self.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        real_open, replace, fsync, link = builtins.open, os.replace, os.fsync, os.link
        mkdir, unlink, rmdir = os.mkdir, os.unlink, os.rmdir

        def watched_open(path: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if not set(mode) & set("wxa+"):
                return real_open(path, mode, *args, **kwargs)
            self.step("open", path)
            file = _Watched(real_open(path, mode, *args, **kwargs), self)
            self.log("open", path)
            return file

        def stepped(name: str, real: Any) -> Any:
            def call(path: Any, *args: Any, **kwargs: Any) -> Any:
                self.step(name, path)
                try:
                    real(path, *args, **kwargs)
                except OSError:  # as it should, such as a folder that is there already
                    self.log("failed", path)
                    raise
                self.log(name, path, args[0] if name in ("rename", "link") else "")

            return call

        def watched_fsync(handle: int) -> None:
            path = os.readlink(f"/proc/self/fd/{handle}")
            self.step("fsync", path)
            fsync(handle)
            self.log("fsync", path)

        files.open = watched_open  # type: ignore[attr-defined]
        os.fsync = watched_fsync  # type: ignore[assignment]
        os.replace = stepped("rename", replace)
        os.link = stepped("link", link)
        os.mkdir = stepped("mkdir", mkdir)
        os.unlink = stepped("unlink", unlink)
        os.rmdir = stepped("rmdir", rmdir)

    def step(self, name: str, path: Any) -> None:
        self.steps += 1
        due = self.at and self.steps >= self.at
        if due and self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if due and self.how == "full" and name in TAKES_ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        if self.steps == self.at and self.how == "broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    def log(self, name: str, path: Any, target: Any = "") -> None:
        os.write(self._log, f"{name}\t{path}\t{target}\n".encode())


def steps_of(journal: Path) -> list[tuple[str, str, str]]:
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    return [(name, path, target) for name, path, target in (line.split("\t") for line in lines)]


def chosen_steps(journal: Path, each: int) -> list[int]:
    """Steps, from 1: at least ``each`` of every class, which is a call and what it is done to.

    Classes with few steps (the manifest, the pointer, folders) are there with all of them.
    """
    classes: dict[tuple[str, str], list[int]] = {}
    for number, (name, path, target) in enumerate(steps_of(journal), 1):
        what = os.path.basename(target or path)
        kind = "array" if what.endswith(".npy") else "folder" if what.isdigit() else what[:8]
        classes.setdefault((name, kind), []).append(number)
    found: list[int] = []
    for steps in classes.values():
        stride = max(1, len(steps) // each)
        found += [*steps[::stride], steps[-1]]
    return sorted(set(found))


def cut_power(journal: Path, before: Path, root: Path, rng: random.Random | None = None) -> None:
    """Take from ``root`` all that is not durable; ``before`` is a copy of how it was.

    With ``rng``, some of it only, in any order, as a disk that reorders writes may; and files keep
    their size but end in zeros.
    """
    dirty: dict[str, None] = {}  # files with bytes that no fsync followed
    named: dict[str, None] = {}  # names that no fsync of their folder followed
    renamed: dict[str, None] = {}
    for name, path, target in steps_of(journal):
        if name in ("open", "write"):
            dirty[path] = None
        if name in ("open", "mkdir"):
            named[path] = None
        if name == "link":
            named[target] = None
        if name == "rename":
            renamed[target] = None
        if name == "fsync":
            dirty.pop(path, None)
            for kept in (named, renamed):
                for one in [one for one in kept if os.path.dirname(one) == path]:
                    del kept[one]
    if rng is not None:
        dirty, named, renamed = (
            {one: None for one in kept if rng.random() < 0.5} for kept in (dirty, named, renamed)
        )
    for torn in map(Path, dirty):
        if torn.exists():
            size = torn.stat().st_size
            os.truncate(torn, size // 2)
            if rng is not None:
                os.truncate(torn, size)
    for target_path in map(Path, renamed):
        old = before / target_path.relative_to(root)
        target_path.unlink(missing_ok=True)
        if old.exists():
            shutil.copyfile(old, target_path)
    for lost in map(Path, named):
        if lost.is_dir():
            shutil.rmtree(lost)
        else:
            lost.unlink(missing_ok=True)
