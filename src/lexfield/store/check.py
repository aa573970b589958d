"""Check that the files of a store are as they were written."""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexfield.errors import CorruptError
from lexfield.store.files import BLOCK, block_sums
from lexfield.store.manifest import MANIFEST, MARKER, REBUILD, missing, read_current, read_manifest


@dataclass(frozen=True)
class FileCheck:
    """The result of checking one file: ``problem`` is empty if every byte is as written."""

    file: str
    bytes: int
    problem: str = ""


def verify(path: str | Path) -> list[FileCheck]:
    """Check every byte of the current generation. Raise only if nothing can be checked."""
    root = Path(path)
    generation, manifest_sum = read_current(root)
    try:
        manifest = read_manifest(root, generation, manifest_sum)
    except FileNotFoundError as error:
        raise missing(error, root) from error
    files = manifest["files"]
    checks = [
        FileCheck(f"{generation}/{name}", entry["bytes"], _problem(root / generation / name, entry))
        for name, entry in sorted(files.items())
    ]
    present = sorted(entry.name for entry in (root / generation).iterdir())
    foreign = [name for name in present if name not in files and name not in (MANIFEST, MARKER)]
    return checks + [
        FileCheck(f"{generation}/{name}", 0, "foreign: the manifest does not list it")
        for name in foreign
    ]


def _problem(path: Path, entry: Mapping[str, Any]) -> str:
    """Return what is wrong with a file; empty if nothing is."""
    try:
        mapped = map_file(path, entry["bytes"])
    except FileNotFoundError:
        return "missing"
    except CorruptError as error:
        return error.message
    if problem := check_blocks(mapped, entry["xxh3"]):
        return problem
    if "sha256" in entry and hashlib.sha256(mapped).hexdigest() != entry["sha256"]:
        return "differs from what was written (SHA-256)"
    return ""


def map_file(path: Path, expected: int) -> mmap.mmap:
    """Map a file into memory. Raise CorruptError if it does not have the ``expected`` size."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for a writer
        raise CorruptError(f"{path} is not a plain file.", REBUILD)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != expected:
            raise CorruptError(f"{path} has {size:,} bytes; {expected:,} were written.", REBUILD)
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def check_blocks(mapped: mmap.mmap, expected: list[str]) -> str:
    """Return which blocks of a file differ from their checksums; empty if none does."""
    with memoryview(mapped) as view:
        actual = block_sums(view)
    wrong = [number for number, sum_ in enumerate(actual) if sum_ != expected[number]]
    if not wrong:
        return ""
    first = wrong[0] * BLOCK
    more = f", and {len(wrong) - 1} more blocks" if len(wrong) > 1 else ""
    return f"block {wrong[0]} (bytes from {first:,}) differs from what was written{more}"
