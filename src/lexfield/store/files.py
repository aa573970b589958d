"""The only place that writes files: every write is complete or never happened.

A file is written to its final bytes, flushed to the disk, and becomes visible by a rename whose
folder is flushed too. Nothing here knows what the bytes mean.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import xxhash

BLOCK = 1 << 20


class HashingFile:
    """A binary file that computes checksums of every block and of the whole while it is written."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._hash = xxhash.xxh3_64()
        self._whole = hashlib.sha256()
        self._room = BLOCK
        self.size = 0
        self.sums: list[str] = []

    def write(self, data: bytes | memoryview) -> int:
        view = memoryview(data).cast("B")
        self._raw.write(view)
        self.size += len(view)
        self._whole.update(view)
        start = 0
        while start < len(view):
            piece = view[start : start + self._room]
            self._hash.update(piece)
            start += len(piece)
            self._room -= len(piece)
            if not self._room:
                self._finish_block()
        return len(view)

    @property
    def sha256(self) -> str:
        return self._whole.hexdigest()

    def _finish_block(self) -> None:
        self.sums.append(self._hash.hexdigest())
        self._hash = xxhash.xxh3_64()
        self._room = BLOCK

    def close(self) -> None:
        if self._room < BLOCK:
            self._finish_block()
        self._raw.flush()
        os.fsync(self._raw.fileno())
        self._raw.close()


@contextmanager
def hashing_file(path: Path) -> Iterator[HashingFile]:
    """Open a new file for writing; it is flushed to the disk when the block ends."""
    with open(path, "xb") as raw:
        file = HashingFile(raw)
        yield file
        file.close()


def block_sums(data: bytes | memoryview) -> list[str]:
    """Return the checksum of each block of a file's bytes."""
    view = memoryview(data)
    return [
        xxhash.xxh3_64_hexdigest(view[start : start + BLOCK])
        for start in range(0, len(view), BLOCK)
    ]


def replace_file(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path``: readers see the old bytes or the new, never a part."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    with open(temporary, "xb") as file:  # x: never overwrites a file or follows a link
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    try:
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def create_empty(path: Path) -> None:
    """Create an empty file that survives a power cut; keep one that exists."""
    try:
        open(path, "xb").close()
    except FileExistsError:
        return
    sync_folder(path.parent)


def sync_file(path: Path) -> None:
    """Make a file's bytes durable."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder as durable as the files behind them."""
    if os.name == "nt":  # Windows has no handle for this; its renames are journalled
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def canonical_json(value: Any) -> bytes:
    """Return JSON that is the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    return text.encode() + b"\n"


@contextmanager
def private_files() -> Iterator[None]:
    """Within this context only the owner can read new files and folders."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
