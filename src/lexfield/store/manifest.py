"""Parse CURRENT, manifests and arrays without trusting them, and check files against them.

A checksum proves that bytes are as written, not who wrote them: an index from elsewhere can hold
anything. So names must stay inside the folder, sizes and checksums must agree, and an array cannot
be larger than its file.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import mmap
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.errors import CorruptError, NotAStoreError, VersionError
from lexfield.results import JsonObject
from lexfield.store.bounds import MOST_PARTS, bounded_json
from lexfield.store.files import BLOCK, block_sums, canonical_json
from lexfield.store.scratch import register_map

SCHEMA = 2
READABLE = (1, 2)  # 1, of lexfield 0.1: no SHA-256, topics and metrics in stores of their own
CURRENT = "CURRENT"
MANIFEST = "manifest.json"
MARKER = ".lexfield"  # an empty file in every folder that lexfield makes for a store
REBUILD = "Restore it from a backup or build it again from its source."
CUT_SHORT = "cut short while it was in use"
_GENERATION = re.compile(r"[0-9]{6,18}")
EPOCH = 10**9  # generations of one epoch
_SUM = re.compile(r"[0-9a-f]{16}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,200}\.npy")
_PART_NAME = re.compile(r"[a-z]{1,20}(/[A-Za-z0-9][A-Za-z0-9._-]{0,63})?")
_KINDS = "biufcSU"  # of numbers and text; an array of objects would be a pickle
_HEADER = 1 << 12  # bytes of an array's header
MOST_POINTER = 1000  # bytes of CURRENT
MOST_MANIFEST = 1 << 26
_PART = 6  # bytes of a part of a large manifest at least; checksums have nine


def generations(root: Path) -> list[str]:
    """Return the generations in a store's folder, finished or not, oldest first."""
    found = [
        entry.name
        for entry in root.iterdir()
        if _GENERATION.fullmatch(entry.name) and is_generation(entry)
    ]
    return sorted(found, key=int)


def is_generation(folder: Path) -> bool:
    """Return whether a folder has our marker or manifest, or is so new that it is empty."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    if is_plain_file(folder / MARKER) or listed_names(folder) is not None:
        return True
    return next(folder.iterdir(), None) is None


def listed_names(folder: Path) -> set[str] | None:
    """Return the names of arrays in the manifest of a generation; None if it has no manifest."""
    path = folder / MANIFEST
    try:
        if not is_plain_file(path) or path.stat().st_size > MOST_MANIFEST:
            return None
        manifest = json.loads(path.read_bytes())
        if not {"schema", "kind", "meta", "files"} <= set(manifest):
            return None
        return {name for name in manifest["files"] if FILE.fullmatch(name)}
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def epoch_of(generation: str) -> int:
    """Return the epoch of a generation.

    A store that belongs to another has its epoch; one that replaces another has the next.
    """
    return int(generation) // EPOCH


def read_current(root: Path) -> tuple[str, str]:
    """Return the current generation and the checksum of its manifest."""
    path = root / CURRENT
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_POINTER)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _explain_missing_store(root) from error
    except OSError as error:  # a link to itself, a folder of this name, no permission
        raise NotAStoreError(
            f"{path} cannot be read: {error.strerror}.", "Check the path."
        ) from error
    return parse_current(data, path)


def parse_current(data: bytes, source: Path | str) -> tuple[str, str]:
    """Return the generation and the manifest checksum from the bytes of a CURRENT file."""
    try:
        value = json.loads(data)
        generation, manifest = value["generation"], value["manifest"]
        if not (
            canonical_json(value) == data
            and len(value) == 2
            and _GENERATION.fullmatch(generation)
            and _SUM.fullmatch(manifest)
        ):
            raise ValueError("not as written")
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise CorruptError(f"{source} differs from what was written.", REBUILD) from error
    return generation, manifest


def read_manifest(root: Path, generation: str, expected: str) -> JsonObject:
    """Return the manifest of a generation. Raise CorruptError if it is damaged or odd."""
    path = root / generation / MANIFEST
    return parse_manifest(_read_bounded(path), expected, root, path)


def _read_bounded(path: Path) -> bytes:
    """Return the bytes of a manifest, which is a plain file of a bounded size."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise CorruptError(f"{path} is not a plain file.", REBUILD)
    if status.st_size > MOST_MANIFEST:
        raise CorruptError(f"{path} is too large for a manifest.", REBUILD)
    with path.open("rb") as file:
        return file.read(status.st_size)


def parse_manifest(data: bytes, expected: str, root: Path | str, path: Path | str) -> JsonObject:
    """Return the manifest in ``data``, with its SHA-256 as ``root``.

    Raise CorruptError unless it has the expected checksum.
    """
    if xxhash.xxh3_64_hexdigest(data) != expected:
        raise CorruptError(
            f"{path} does not fit {root}/{CURRENT}: one differs from what was written.", REBUILD
        )
    try:
        manifest = bounded_json(data.decode(), 2 * MOST_PARTS + len(data) // _PART)
        schema = manifest["schema"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise CorruptError(f"{path} is not a manifest.", REBUILD) from error
    if schema not in READABLE:
        raise VersionError(
            f"{root} has format {str(schema)[:20]}; this lexfield reads"
            f" {' and '.join(map(str, READABLE))}.",
            "Install the lexfield that wrote it, or build it again from its source.",
        )
    if problem := _find_fault(manifest):
        raise CorruptError(f"{path} is not a manifest: {problem}.", REBUILD)
    found: JsonObject = {"parts": {}, **manifest, "root": hashlib.sha256(data).hexdigest()}
    return found


def part_prefix(name: str) -> str:
    """Return the prefix of the names of a part's arrays."""
    return f"{name.replace('/', '@')}@"


def root_of(root: Path) -> str:
    """Return the SHA-256 of the current manifest: one checksum over everything in the store.

    The manifest has the SHA-256 of every array, parts included, and the root of every shard. Equal
    contents have equal roots, wherever and in whichever generation they are stored.
    """
    found: str = read_manifest(root, *read_current(root))["root"]
    return found


def _find_fault(manifest: JsonObject) -> str:
    """Return what lexfield would not have written; empty if nothing is wrong."""
    if not isinstance(manifest.get("kind"), str):
        return "its kind is missing"
    if not isinstance(manifest.get("meta"), dict) or not isinstance(manifest.get("files"), dict):
        return "a part is missing"
    parts = manifest.get("parts", {})
    if not isinstance(parts, dict) or not all(isinstance(meta, dict) for meta in parts.values()):
        return "its parts are not described"
    if wrong := [name for name in parts if not _PART_NAME.fullmatch(name)]:
        return f"{wrong[0][:60]!r} cannot be the name of a part"
    prefixes = tuple(part_prefix(name) for name in parts)
    for name, entry in manifest["files"].items():
        if not FILE.fullmatch(name):
            return f"{name[:60]!r} cannot be the name of an array"
        if "@" in name and not name.startswith(prefixes):
            return f"{name[:60]!r} is of a part that is not listed"
        size = entry.get("bytes") if isinstance(entry, dict) else None
        sums = entry.get("xxh3") if isinstance(entry, dict) else None
        if type(size) is not int or size < 1 or not isinstance(sums, list):
            return f"{name} has no size or no checksums"
        if len(sums) != -(-size // BLOCK) or not all(isinstance(one, str) for one in sums):
            return f"{name} does not have one checksum per block"
        if manifest["schema"] != 1 and not _SHA256.fullmatch(str(entry.get("sha256"))):
            return f"{name} has no SHA-256"
    return ""


def missing(error: FileNotFoundError, root: Path) -> CorruptError:
    """Return the error for a missing file: it was deleted, or CURRENT is damaged."""
    return CorruptError(f"{error.filename} is missing; {root / CURRENT} leads to it.", REBUILD)


def _explain_missing_store(root: Path) -> NotAStoreError:
    if not root.exists():
        build = f", or build it: lexfield index TEXTS -o {root}" if root.suffix == ".idx" else ""
        return NotAStoreError(f"{root} does not exist.", f"Check the path{build}.")
    if (root / MARKER).is_file():
        return NotAStoreError(
            f"{root} has no {CURRENT}: its first writing was interrupted, or the file is gone.",
            "Build it again.",
        )
    return NotAStoreError(
        f"{root} is not a folder written by lexfield.",
        f"If it holds texts, build an index first: lexfield index {root} -o NAME.idx",
    )


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
        files = read_manifest(root, generation, manifest_sum)["files"]
    except FileNotFoundError as error:
        raise missing(error, root) from error
    folder = root / generation
    checks = [
        FileCheck(f"{generation}/{name}", entry["bytes"], check_file(folder / name, entry))
        for name, entry in sorted(files.items())
    ]
    foreign = {entry.name for entry in folder.iterdir()} - {*files, MANIFEST, MARKER}
    return checks + [
        FileCheck(f"{generation}/{name}", 0, "foreign: the manifest does not list it")
        for name in sorted(foreign)
    ]


def check_file(path: Path, entry: JsonObject) -> str:
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
        return register_map(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


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


def check_block(mapped: mmap.mmap, expected: list[str], number: int) -> str:
    """Return what is wrong with one block of a file; empty if it is as written."""
    if mapped.size() < len(mapped):
        return CUT_SHORT
    with memoryview(mapped) as view, view[number * BLOCK : (number + 1) * BLOCK] as block:
        if xxhash.xxh3_64_hexdigest(block) == expected[number]:
            return ""
    return f"block {number} (bytes from {number * BLOCK:,}) differs from what was written"


def parse_array(data: bytes | bytearray | mmap.mmap, *, strict: bool) -> NDArray[Any]:
    """Return the array of a ``.npy`` file over its bytes.

    Raise ValueError unless it is of numbers or text and the file holds all that its header
    promises; if ``strict``, also unless it is stored by rows and nothing follows.
    """
    header = io.BytesIO(data[:_HEADER])
    try:
        if np.lib.format.read_magic(header) != (1, 0):
            raise ValueError("another version of the format")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(header)
    except Exception as error:  # a header is parsed as a Python literal: it can fail in many ways
        raise ValueError(str(error)) from error
    size, room = math.prod(shape) * dtype.itemsize, len(data) - header.tell()
    if dtype.hasobject:
        raise ValueError("it contains Python objects (a pickle), which can run code")
    if dtype.kind not in _KINDS or not dtype.itemsize or (strict and is_fortran):
        raise ValueError("it contains neither numbers nor text, or is stored by columns")
    if min(shape, default=0) < 0:
        raise ValueError(f"its shape {shape} is damaged")
    if size > room or (strict and size < room):
        raise ValueError(f"its header promises shape {shape}, {size:,} bytes; there are {room:,}")
    if not size:  # nothing to map
        return np.empty(shape, dtype)
    array = np.frombuffer(data, dtype, math.prod(shape), header.tell())
    return array.reshape(shape, order="F" if is_fortran else "C")
