"""Numba's cache of compiled code, checked: a file that is damaged or not ours is not read.

Numba pickles its cache and checks nothing, so a flipped bit could end the process, and whoever can
write there could run code. Here every file has its SHA-256 beside it, and a folder that others own
or that everybody can write is not used; code is compiled again instead.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SUM = ".sha256"


def check_cache(compiled: Any) -> Callable[..., Any]:
    """Make a function that Numba compiles check its cache. Raise RuntimeError if it cannot."""
    cache: Any = getattr(compiled, "_cache", None)
    file: Any = getattr(cache, "_cache_file", None)
    if file is None:
        raise RuntimeError("this Numba keeps compiled code in another way")
    if not is_private(cache.cache_path):
        raise RuntimeError(f"others can write to {cache.cache_path}")
    file.__class__ = _checked(type(file))
    made: Callable[..., Any] = compiled
    return made


def is_private(folder: str) -> bool:
    """Return whether a folder is ours or the system's, and not everybody's to write."""
    if not hasattr(os, "getuid"):
        return True  # Windows: the folder of a user is private by default
    try:
        status = os.stat(folder)
    except OSError:
        return False
    return status.st_uid in (0, os.getuid()) and not status.st_mode & 0o002


def _checked(kind: Any) -> Any:
    """Return Numba's class of cache files with checksums."""

    class CheckedFile(kind):  # type: ignore[misc]
        def _load_index(self) -> Any:
            return super()._load_index() if _is_as_written(self._index_path) else {}

        def _load_data(self, name: str) -> Any:
            path = self._data_path(name)
            if not _is_as_written(path):
                raise FileNotFoundError(path)
            return super()._load_data(name)

        @contextmanager
        def _open_for_write(self, path: str) -> Iterator[Any]:
            with super()._open_for_write(path) as file:
                yield file
                file.flush()
                digest = _digest(file.name)
            with super()._open_for_write(path + _SUM) as file:
                file.write(digest.encode())

    return CheckedFile


def _is_as_written(path: str) -> bool:
    try:
        with open(path + _SUM, "rb") as file:
            return file.read(65) == _digest(path).encode()
    except OSError:
        return False


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
