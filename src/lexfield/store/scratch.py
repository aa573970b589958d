"""Arrays that may exceed the memory: in files without a name, which end with the process.

What is read or written of a mapped file counts as memory of the process until it is given back,
which ``release`` does between the steps of a computation. The system keeps it in the page cache as
long as there is room.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import sys
import tempfile
import threading
import weakref
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.errors import StoreError
from lexfield.store.strings import StringArray

Allocate = Callable[[Any, Any], Array]  # returns an array of zeros, given its shape and type
IN_MEMORY = 1 << 24  # bytes of an array that is kept in memory
_RESIDENT = 1 << 29  # bytes of mapped files in memory from which they are given back
_STEP = 1 << 20  # numbers that are converted at a time
_FOLDER: ContextVar[Path | None] = ContextVar("folder of spools", default=None)
_LOCK = threading.Lock()
_MAPS: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def make_scratch(folder: Path, shape: int | tuple[int, ...], dtype: Any) -> Array:
    """Return an array of zeros, if large in a file without a name, which ends with the array."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if size < IN_MEMORY:
        return np.zeros(shape, dtype)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.truncate(size)
        return _map(file, dtype).reshape(shape)


def _map(file: IO[bytes], dtype: Any) -> Array:
    return np.frombuffer(register_map(mmap.mmap(file.fileno(), 0)), dtype)


def register_map(mapped: mmap.mmap) -> mmap.mmap:
    """Return a file that is mapped shared, whose pages ``release`` may give back from now on."""
    with _LOCK:
        _MAPS.add(mapped)
    return mapped


def release() -> None:
    """Give the pages of mapped files back to the system, if many are in memory."""
    if sys.platform != "linux":
        return
    with open("/proc/self/statm", "rb") as file:
        shared = int(file.read().split()[2]) * mmap.PAGESIZE
    if shared > _RESIDENT:
        with _LOCK:
            maps = list(_MAPS)
        for mapped in maps:
            with suppress(ValueError):  # it was closed
                mapped.madvise(mmap.MADV_DONTNEED)


def shrink(values: Array, allocate: Allocate = np.zeros) -> Array:
    """Return whole numbers that are not negative in the smallest type that holds them."""
    steps = [slice(first, first + _STEP) for first in range(0, len(values), _STEP)]
    most = 0
    for part in steps:
        most = max(most, int(values[part].max(initial=0)))
        release()
    shrunk = allocate(values.shape, np.min_scalar_type(most))
    for part in steps:
        shrunk[part] = values[part]
        release()
    return shrunk


@contextmanager
def spool_beside(path: str | Path) -> Iterator[None]:
    """Let spools that are made in the block write to the disk of ``path``, which may not exist.

    What they hold will be stored there, too: they raise StoreError as soon as there is no room for
    that. Elsewhere they write to the folder for temporary files, which may be in memory.
    """
    folder = next(one for one in (Path(path).absolute(), *Path(path).absolute().parents)
                  if one.is_dir())  # fmt: skip
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


class Spool:
    """Numbers that are added at the end; many are moved to a file."""

    def __init__(self, code: str, first: tuple[int, ...] = ()) -> None:
        """``code`` is that of ``array.array``."""
        self.recent: array[int] = array(code, first)  # those that are not in the file yet
        self._file: IO[bytes] | None = None
        self._written = 0

    def __len__(self) -> int:
        return self._written + len(self.recent)

    def add(self, values: Array) -> None:
        """Add numbers of the same type."""
        numbers = np.ascontiguousarray(values, self.recent.typecode)
        self.recent.frombytes(numbers.view(np.uint8).data)
        self.settle()

    def settle(self) -> None:
        """Move what was added to the file, if it is much."""
        if len(self.recent) * self.recent.itemsize >= IN_MEMORY:
            self._write()

    def _write(self) -> None:
        folder = _FOLDER.get() or Path(tempfile.gettempdir())
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (lives on)
        size = len(self) * self.recent.itemsize
        needed, free = size if _FOLDER.get() else 0, shutil.disk_usage(folder).free
        try:
            if needed > free:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.recent.tofile(self._file)
        except OSError as error:
            raise StoreError(
                f"{folder} has no room for what was read so far, {size / 1e6:,.0f} MB and more:"
                f" {error.strerror or error}.",
                "Make room, or write to a larger disk; nothing was written.",
            ) from error
        self._written += len(self.recent)
        del self.recent[:]

    def view(self) -> Array:
        """Return all numbers. More can be added only when nothing holds them any more."""
        if self._file is None:
            return np.frombuffer(self.recent, self.recent.typecode)
        if self.recent:
            self._write()
        self._file.flush()
        return _map(self._file, self.recent.typecode)


class StringSpool:
    """Strings that are added at the end; many are moved to a file."""

    def __init__(self) -> None:
        self._data, self._ends = Spool("B"), Spool("q", (0,))

    def append(self, string: str) -> None:
        self._data.recent.frombytes(string.encode("utf-8", "surrogatepass"))
        self._ends.recent.append(len(self._data))
        self._data.settle()
        self._ends.settle()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def view(self) -> StringArray:
        """Return all strings. More can be added only when nothing holds them any more."""
        return StringArray(self._data.view(), self._ends.view())
