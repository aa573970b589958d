"""A folder that holds one thing: mapped arrays, a manifest, and the promise to notice change.

    IDX/
      CURRENT          which generation counts, and the checksum of its manifest
      000007/          one generation: never changed after it was written
        manifest.json  kind, schema, meta, and for every file its size and a checksum a block
        tokens.npy …
      .lock            held while a writer works

A writer fills a new generation, flushes it, then replaces CURRENT; so a crash leaves the old one.
Readers check the manifest and all sizes when they open, and every block of an array before its
first use. Checksums are xxh3-64: they find rot and truncation, they are no defence against an
attacker who rewrites the manifest too.
"""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from lexfield.errors import (
    ChangedError,
    CorruptError,
    LockedError,
    NotAStoreError,
    StoreError,
    VersionError,
)
from lexfield.store.files import (
    BLOCK,
    block_sums,
    canonical_json,
    hashing_file,
    replace_file,
    sync_file,
    sync_folder,
)
from lexfield.store.manifest import (
    CURRENT,
    EPOCH,
    MANIFEST,
    REBUILD,
    SCHEMA,
    as_array,
    epoch_of,
    generations,
    missing,
    read_current,
    read_manifest,
)
from lexfield.store.strings import StringArray

SHARDS = "shards"  # a folder of other stores, which may be there first


@dataclass(frozen=True)
class FileCheck:
    """What ``verify`` found of one file: ``problem`` is empty when every byte is as written."""

    file: str
    bytes: int
    problem: str = ""


class Store:
    """An open generation, read only.

    All files are mapped when it is opened, so that it stays whole for its reader even when a writer
    has collected the generation meanwhile.
    """

    def __init__(
        self, path: Path, generation: str, manifest: Mapping[str, Any], maps: dict[str, mmap.mmap]
    ) -> None:
        self.path = path
        self.generation = generation
        self.kind: str = manifest["kind"]
        self.meta: dict[str, Any] = manifest["meta"]
        self._files: dict[str, dict[str, Any]] = manifest["files"]
        self._maps = maps
        self._arrays: dict[str, NDArray[Any]] = {}
        self.checksum = ""  # of the manifest

    @classmethod
    def open(cls, path: str | Path, kind: str | None = None) -> Store:
        """Open the current generation; manifest and sizes are checked here."""
        folder = Path(path)
        while True:
            generation, manifest_sum = read_current(folder)
            try:
                manifest = read_manifest(folder, generation, manifest_sum)
                if kind is not None and manifest["kind"] != kind:
                    raise NotAStoreError(f"{folder} holds a {manifest['kind']}, not a {kind}.")
                maps = {
                    name: _map_file(folder / generation / name, entry["bytes"])
                    for name, entry in manifest["files"].items()
                }
                store = cls(folder, generation, manifest, maps)
                store.checksum = manifest_sum
                return store
            except FileNotFoundError as error:
                # A writer may have swapped and collected between the two reads: look again.
                if read_current(folder)[0] == generation:
                    raise missing(error, folder) from error

    @property
    def state(self) -> str:
        """The generation and the checksum of its manifest: no two stores share it."""
        return f"{self.generation}-{self.checksum}"

    def is_current(self) -> bool:
        """Return whether this is what is at the path now: also not another of the same number."""
        return read_current(self.path) == (self.generation, self.checksum)

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._files

    def array(self, name: str) -> NDArray[Any]:
        """A memory-mapped array; all its blocks are checked the first time it is asked for."""
        if name not in self._arrays:
            file = f"{name}.npy"
            if file not in self._maps:
                raise VersionError(
                    f"{self.path} has no {name!r}: another version of lexfield wrote it.",
                    "Build it again from its source.",
                )
            mapped = self._maps[file]
            problem = _check_blocks(mapped, self._files[file]["xxh3"])
            if problem:
                raise CorruptError(f"{self.path / self.generation / file}: {problem}.", REBUILD)
            self._arrays[name] = as_array(mapped, self.path / self.generation / file)
        return self._arrays[name]

    def names(self, prefix: str) -> list[str]:
        """Of all arrays whose names begin with ``prefix``, what follows it."""
        return [n[len(prefix) : -len(".npy")] for n in self._files if n.startswith(prefix)]

    def strings(self, name: str) -> StringArray:
        return StringArray(self.array(f"{name}.bytes"), self.array(f"{name}.offsets"))

    def fingerprint(self, names: Sequence[str]) -> str:
        """Changes with the contents of these arrays, wherever they are kept."""
        sums = [self._files[f"{name}.npy"]["xxh3"] for name in names]
        return xxhash.xxh3_64_hexdigest(canonical_json(sums))

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(int(entry["bytes"]) for entry in self._files.values())


@dataclass(frozen=True)
class Blocks:
    """An array too large for memory, whose rows are made a block at a time as they are written."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[], Iterable[NDArray[Any]]]


class Writer:
    """A generation being written; see ``write``."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder = folder
        self._kind = kind
        self._files: dict[str, dict[str, Any]] = {}
        self.meta: dict[str, Any] = {}
        folder.mkdir()

    def array(self, name: str, values: NDArray[Any] | Blocks) -> None:
        path = self._folder / f"{name}.npy"
        with hashing_file(path) as file:
            if isinstance(values, Blocks):
                descr = np.lib.format.dtype_to_descr(values.dtype)
                header = {"descr": descr, "fortran_order": False, "shape": values.shape}
                np.lib.format.write_array_header_1_0(file, header)
                for block in values.make():
                    file.write(np.ascontiguousarray(block, values.dtype).data)
            else:
                values = np.ascontiguousarray(values)
                np.lib.format.write_array(file, values, version=(1, 0), allow_pickle=False)
        self._files[path.name] = {"bytes": file.size, "xxh3": file.sums}

    def keep(self, store: Store, prefix: str) -> None:
        """Take over the arrays of an earlier generation whose names begin with ``prefix``.

        They are linked, not copied, where the file system can: a generation stays a folder of its
        own, and what did not change costs nothing.
        """
        for name, entry in store._files.items():
            if name.startswith(prefix):
                source, target = store.path / store.generation / name, self._folder / name
                try:
                    os.link(source, target)
                except OSError:
                    shutil.copyfile(source, target)
                    sync_file(target)
                self._files[name] = entry

    def strings(self, name: str, values: StringArray | Sequence[str]) -> None:
        packed = values if isinstance(values, StringArray) else StringArray.pack(values)
        self.array(f"{name}.bytes", packed.data)
        self.array(f"{name}.offsets", packed.offsets)

    def _finish(self) -> str:
        manifest = canonical_json(
            {"schema": SCHEMA, "kind": self._kind, "meta": self.meta, "files": self._files}
        )
        with hashing_file(self._folder / MANIFEST) as file:
            file.write(manifest)
        sync_folder(self._folder)
        return xxhash.xxh3_64_hexdigest(manifest)


@contextmanager
def write(
    path: str | Path, kind: str, base: str | None = None, epoch: int | None = None
) -> Iterator[Writer]:
    """Write a new generation of ``path``; it counts from the moment the block ends well.

    A writer whose work builds on generation ``base`` is told if there is a newer one by now, and
    one that writes in an ``epoch`` if there is a later.

    >>> with write("idx", "index") as out:          # doctest: +SKIP
    ...     out.array("tokens", tokens)
    """
    root = Path(path)
    _check_target(root, kind)
    with _lock(root):
        before = generations(root)
        last = int(before[-1]) if before else 0
        number = f"{1 + max(last, (epoch or 0) * EPOCH):06d}"
        current = _current_or_none(root)
        if (base is not None and current != base) or (
            epoch is not None and epoch < epoch_of(number)
        ):
            raise ChangedError(f"{root} was changed meanwhile.", "Try again.")
        for leftover in before:
            if leftover != current:  # an interrupted writer's, or one no reader had let go
                shutil.rmtree(root / leftover, ignore_errors=True)
        for half in root.glob(f".{CURRENT}.*.tmp"):
            half.unlink(missing_ok=True)
        try:
            out = Writer(root / number, kind)
            yield out
            manifest_sum = out._finish()
            sync_folder(root)
            replace_file(
                root / CURRENT, canonical_json({"generation": number, "manifest": manifest_sum})
            )
        except BaseException as error:
            # An interrupt, or a disk that fails to flush, can come after the rename that counts.
            counts = _current_or_none(root) == number
            if not counts:
                shutil.rmtree(root / number, ignore_errors=True)
            if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
                raise _unwritten(root, error, current, counts) from error
            raise
        if current:
            shutil.rmtree(root / current, ignore_errors=True)


def belongs(part: Path, whole: Path) -> bool:
    """Is there a store ``part`` that was written for the store that is at ``whole`` now?"""
    if not (part / CURRENT).exists():
        return False
    return epoch_of(read_current(part)[0]) == epoch_of(read_current(whole)[0])


def next_epoch(path: str | Path) -> int:
    """For what takes the place of the store at ``path``, and shall not inherit its parts."""
    there = (Path(path) / CURRENT).exists()
    return epoch_of(generations(Path(path))[-1]) + 1 if there else 0


def manifest_sum(path: str | Path) -> str:
    """The checksum of the current manifest, which holds those of everything: what a store is."""
    return read_current(Path(path))[1]


def discard(path: str | Path) -> None:
    """Delete a store. It ends to exist at once, so that no interruption leaves a part of it."""
    (Path(path) / CURRENT).unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def _unwritten(root: Path, error: OSError, before: str | None, counts: bool) -> StoreError:
    if counts:
        hint = "It was written whole, but may be lost if the machine stops now. Try again."
    else:
        hint = "What was there before is unchanged." if before else ""
    return StoreError(f"{root} cannot be written: {error.strerror or error}.", hint)


def verify(path: str | Path) -> list[FileCheck]:
    """Check every byte of the current generation; raises only where nothing can be checked."""
    root = Path(path)
    generation, manifest_sum = read_current(root)
    try:
        manifest = read_manifest(root, generation, manifest_sum)
    except FileNotFoundError as error:
        raise missing(error, root) from error
    checks = []
    for name, entry in sorted(manifest["files"].items()):
        problem = ""
        try:
            problem = _check_blocks(
                _map_file(root / generation / name, entry["bytes"]), entry["xxh3"]
            )
        except FileNotFoundError:
            problem = "missing"
        except CorruptError as error:
            problem = error.message
        checks.append(FileCheck(f"{generation}/{name}", entry["bytes"], problem))
    return checks


def _map_file(path: Path, expected: int) -> mmap.mmap:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != expected:
            raise CorruptError(f"{path} has {size:,} bytes; {expected:,} were written.", REBUILD)
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _check_blocks(mapped: mmap.mmap, expected: list[str]) -> str:
    """Say which blocks of a file differ from their checksums; empty when none."""
    with memoryview(mapped) as view:
        actual = block_sums(view)
    wrong = [number for number, sum_ in enumerate(actual) if sum_ != expected[number]]
    if not wrong:
        return ""
    first = wrong[0] * BLOCK
    more = f", and {len(wrong) - 1} more blocks" if len(wrong) > 1 else ""
    return f"block {wrong[0]} (bytes from {first:,}) differs from what was written{more}"


def _current_or_none(root: Path) -> str | None:
    return read_current(root)[0] if (root / CURRENT).exists() else None


def _check_target(root: Path, kind: str) -> None:
    """Refuse to write into a folder that is somebody else's, or holds another kind of thing."""
    if not root.exists():
        try:
            root.mkdir(parents=True)
            sync_folder(root.parent)
        except FileExistsError:  # another writer was quicker
            pass
        except OSError as error:
            raise _unwritten(root, error, None, False) from error
    elif not root.is_dir():
        raise StoreError(f"{root} is a file; a folder is needed.", "Choose another name.")
    elif (root / CURRENT).exists():
        Store.open(root, kind)
    elif any(
        not (e.name.isdigit() or e.name.startswith(".") or e.name == SHARDS) for e in root.iterdir()
    ):
        raise StoreError(
            f"{root} is a folder with other files in it; nothing was written.",
            "Choose a new or an empty folder.",
        )


@contextmanager
def _lock(root: Path) -> Iterator[None]:
    lock = FileLock(root / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise LockedError(
            f"{root} is locked: another process is writing to it.", "Wait for it and try again."
        ) from error
    except OSError as error:
        raise StoreError(f"{root} cannot be written: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()
