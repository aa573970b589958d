"""An object store that fails, lags and lies, at every call once.

``Unreliable`` is a store for fsspec over a folder. Its n-th call fails with an error of the system,
of the network or of a library, returns half of the bytes, or what was there before the last change.
Then a reader gets an error of ours or the right state, the old or the new one; and what a writer
has left is the old state, the new one, or nothing that passes for a store.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
from fsspec.implementations.local import LocalFileSystem

from lexfield.errors import LexfieldError
from lexfield.store.folder import Store, write
from lexfield.store.place import copies, place_of
from lexfield.store.remote import SCHEMES
from tests.fault.trials import tally

ERRORS: dict[str, Callable[[], Exception]] = {
    "an error of the system": lambda: OSError(5, "Input/output error"),
    "no answer in time": lambda: TimeoutError("timed out"),
    "a broken connection": lambda: ConnectionResetError("reset by peer"),
    "an error of a library": lambda: RuntimeError("SlowDown: please reduce your request rate"),
}
HOWS = (*ERRORS, "half of the bytes", "twice the bytes", "the state before", "not there yet")


class Unreliable(LocalFileSystem):  # type: ignore[misc]
    """Files below ``new``, as they were below ``old`` where it lags."""

    protocol = "unreliable"
    cachable = False
    calls, at, how = 0, 0, ""
    is_lost = False  # are the answers of calls that fail lost, rather than the calls?
    new, old = "", ""

    def __init__(self, **options: Any) -> None:
        super().__init__(auto_mkdir=True, **options)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        return LocalFileSystem._strip_protocol(str(path).removeprefix("unreliable://"))

    def step(self, path: Any = "") -> Any:
        """Fail if it is time; return the path to use, and whether the answer is to be wrong."""
        Unreliable.calls += 1
        if Unreliable.calls != Unreliable.at:
            return path, ""
        if self.how in ERRORS:
            raise ERRORS[self.how]()
        if self.how == "not there yet":
            raise FileNotFoundError(path)
        if self.how == "the state before" and self.old:
            return str(path).replace(self.new, self.old), ""
        return path, self.how

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        path, wrong = self.step(path)
        file = super()._open(path, mode, **options)
        if not wrong or "r" not in mode:
            return file
        with file:
            data = file.read()
        return io.BytesIO(data[: len(data) // 2] if "half" in wrong else data + data)

    def isfile(self, path: str) -> bool:
        try:
            return bool(super().isfile(self.step(path)[0]))
        except FileNotFoundError:
            return False

    def ls(self, path: str, detail: bool = False, **options: Any) -> Any:
        return super().ls(self.step(path)[0], detail, **options)

    def put_file(self, source: str, target: str, **options: Any) -> None:
        if self.step(target)[1] == "half of the bytes":
            raise ConnectionAbortedError("the upload was cut")
        super().put_file(source, target, **options)

    def mv(self, source: str, target: str, **options: Any) -> None:
        """Rename, which swaps CURRENT: it may happen, and the answer be lost."""
        try:
            self.step(target)
        except Exception:
            if self.is_lost:
                super().mv(source, target, **options)
            raise
        super().mv(source, target, **options)

    def rm(self, path: Any, **options: Any) -> None:
        if self.how in ERRORS:
            self.step()
        super().rm(path, **options)


fsspec.register_implementation("unreliable", Unreliable, clobber=True)


def make_store(path: Path, value: int) -> None:
    with write(path, "thing") as out:
        out.array("numbers", np.full(1000, value))
        out.array("more", np.arange(value))


def read(address: str) -> int:
    """Return which store is at an address."""
    store = Store.open(place_of(address).store("s"))
    value = int(store.array("numbers")[0])
    assert store.array("numbers").tolist() == [value] * 1000 and len(store.array("more")) == value
    return value


def send(address: str) -> None:
    place = place_of(address)
    with place.writing("s") as folder:
        make_store(folder, 8)
    place.names("s")


def replace(address: str) -> None:
    send(address)


def remove(address: str) -> None:
    place_of(address).remove("s")


def every_call(folder: Path, work: Callable[[str], object], how: str) -> list[str]:
    """Let every call of an operation fail once; return what came of each."""
    words: list[str] = []
    for at in range(1, 1000):
        root = folder / f"{work.__name__}{len(how)}{how[:3]}{at}"
        Unreliable.new, Unreliable.old = str(root / "new"), str(root / "old")
        make_store(root / "old" / "s", 6)
        if work is not send:
            make_store(root / "new" / "s", 7)
        Unreliable.calls, Unreliable.at, Unreliable.how = 0, at, how
        words.append(judge(f"unreliable://{root}/new", work))
        done = Unreliable.calls < at
        shutil.rmtree(root)
        shutil.rmtree(copies(), ignore_errors=True)
        if done:
            break
    return words[:-1]  # in the last nothing failed


def judge(address: str, work: Callable[[str], object]) -> str:
    ended = "failed"
    try:
        found = work(address)
        ended = "done"
        if work is read and found not in (6, 7):
            return f"WRONG {found}"
    except LexfieldError:
        pass
    except Exception as error:
        return f"fault {error!r}"
    if copies().exists() and any(one.name.startswith(".") for one in copies().iterdir()):
        return "LEFT a half copy"
    Unreliable.at = 0
    with suppress(LexfieldError):
        found = read(address)
        allowed = {"send": (8,), "replace": (7, 8) if ended == "failed" else (8,)}
        if found not in allowed.get(work.__name__, (7,)):
            return f"WRONG afterwards: {found}"
        return f"{ended} (there)" if work is not remove or ended == "failed" else "NOT removed"
    if work in (read, replace):
        return "LOST"
    if work is send and ended == "done":
        return "NOT written, though it said so"
    return f"{ended} (not there)"


def remotes(folder: Path, hows: tuple[str, ...] = HOWS) -> dict[str, Any]:
    os.environ[SCHEMES] = "unreliable"
    found: dict[str, Any] = {}
    for work in (read, send, replace, remove):
        words = [word for how in hows for word in every_call(folder, work, how)]
        bad = [word for word in words if not word.startswith(("done", "failed"))]
        found[work.__name__] = {"trials": len(words), "outcomes": tally(words), "faults": bad[:10]}
    return found
