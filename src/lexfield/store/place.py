"""A folder of stores that several machines share: a path, or an address that fsspec knows.

A store appears completely or not at all: in a folder by renaming a complete, flushed folder, on
object storage by sending CURRENT last. Nothing is ever changed in place. A store at an address is
copied to this machine when it is first used, checked block by block, and kept, because it has to be
memory-mapped.

Nothing that comes from an address is trusted: CURRENT and the manifest are read first, up to a
maximal size, and checked as on disk; then exactly the files that the manifest lists are fetched,
each with the size it states. Only S3 is allowed unless ``LEXFIELD_SCHEMES`` names other schemes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import xxhash

from lexfield.errors import CorruptError, LexfieldError, StoreError, need
from lexfield.store.files import canonical_json, replace_file, sync_folder
from lexfield.store.folder import Store, discard, verify
from lexfield.store.manifest import (
    CURRENT,
    MANIFEST,
    MOST_MANIFEST,
    MOST_POINTER,
    REBUILD,
    parse_current,
    parse_manifest,
    read_current,
)

SCHEMES = "LEXFIELD_SCHEMES"  # further kinds of addresses, such as "https gs"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_COPY = re.compile(r"[0-9a-f]{32}")
_AT_ONCE, _PIECE = 8, 1 << 22  # files that are fetched side by side; bytes of each in memory
_KEPT = 20e9  # bytes of copies on this machine before the oldest are removed


def is_address(path: str | Path) -> bool:
    """Return whether this is an address such as s3://bucket/name rather than a path."""
    return "://" in str(path)


def place_of(path: str | Path) -> Place:
    """Return the place at a path or an address."""
    return Remote(str(path)) if is_address(path) else Place(str(path))


class Place:
    """A folder that all machines see under one path."""

    def __init__(self, path: str) -> None:
        self.path = path

    def store(self, name: str = "") -> Path:
        """Return the path at which a store can be opened."""
        return Path(self.path) / name

    def has(self, name: str = "") -> bool:
        """Return whether there is a complete store of this name."""
        return (self.store(name) / CURRENT).exists()

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Provide a folder for a new store, which gets its name when the block ends without error.

        If another process has finished the same store meanwhile, theirs is kept. Without a name
        it is the store at the place itself, which ``write`` replaces in one step.
        """
        target = self.store(name)
        if not name:
            yield target
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = target.parent / f".{target.name}.{uuid.uuid4().hex}.tmp"
        try:
            yield folder
            with suppress(FileNotFoundError):
                (folder / ".lock").unlink()
            sync_folder(folder)
            try:
                os.rename(folder, target)
            except OSError:
                if not self.has(name):
                    raise
            sync_folder(target.parent)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def read(self, name: str) -> bytes:
        return self.store(name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        self.store(name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.store(name), data)

    def holds(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        return self.store(name).is_file()

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder."""
        where = self.store(folder)
        return sorted(entry.name for entry in where.iterdir()) if where.is_dir() else []

    def remove(self, name: str) -> None:
        """Delete a store, or a file."""
        path = self.store(name)
        if path.is_dir():
            discard(path)
            with suppress(OSError):  # it may be new and empty
                path.rmdir()
        else:
            path.unlink(missing_ok=True)


class Remote(Place):
    """A place on object storage, or anything else that fsspec reaches."""

    def __init__(self, path: str) -> None:
        super().__init__(path.rstrip("/"))
        check_scheme(path)
        fsspec = need("fsspec", "cluster")
        try:
            # S3-compatible servers are named by AWS_ENDPOINT_URL, as in other tools.
            endpoint = os.environ.get("AWS_ENDPOINT_URL")
            options = {"endpoint_url": endpoint} if endpoint and path.startswith("s3://") else {}
            self._files, self._root = fsspec.core.url_to_fs(self.path, **options)
        except (ImportError, ValueError) as error:
            raise StoreError(
                f"{path} cannot be reached: {error}", "Install the package that it names."
            ) from error

    def store(self, name: str = "") -> Path:
        """Return the path of a complete, checked copy on this machine."""
        current = self._bounded(f"{name}/{CURRENT}" if name else CURRENT, MOST_POINTER)
        key = xxhash.xxh3_128_hexdigest(self.path.encode() + name.encode() + current)
        copy = copies() / key
        if (copy / CURRENT).exists():
            try:
                Store.open(copy)
            except CorruptError:  # here, not there
                shutil.rmtree(copy)
        if not (copy / CURRENT).exists():
            self._fetch(name, current, copy)
        with suppress(OSError):
            os.utime(copy)
        return copy

    def _fetch(self, name: str, current: bytes, copy: Path) -> None:
        where = f"{self.path}/{name}".rstrip("/")
        generation, expected = parse_current(current, f"{where}/{CURRENT}")
        inside = f"{name}/{generation}".lstrip("/")
        listing = f"{inside}/{MANIFEST}"
        data = self._bounded(listing, MOST_MANIFEST)
        files = parse_manifest(data, expected, where, f"{self.path}/{listing}")["files"]
        copies().mkdir(parents=True, exist_ok=True)
        _make_room(sum(entry["bytes"] for entry in files.values()), where)
        folder = Path(tempfile.mkdtemp(dir=copies(), prefix="."))
        try:
            (folder / generation).mkdir()

            def fetch(file: str) -> None:
                self._copy(f"{inside}/{file}", folder / generation / file, files[file]["bytes"])

            with ThreadPoolExecutor(_AT_ONCE) as threads:
                list(threads.map(fetch, files))
            (folder / generation / MANIFEST).write_bytes(data)
            (folder / CURRENT).write_bytes(current)
            if damaged := [found for found in verify(folder) if found.problem]:
                problem = damaged[0].problem.replace(str(folder), where)
                raise CorruptError(f"{where}: {damaged[0].file}: {problem}.", REBUILD)
            for path in (folder / generation, folder):
                sync_folder(path)
            with suppress(OSError):  # another process has fetched it meanwhile
                os.rename(folder, copy)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _copy(self, name: str, target: Path, size: int) -> None:
        """Copy a file of a known size, and never more, whatever the other side sends."""
        with self._open(name) as source, open(target, "xb") as file:
            left = size
            while left and (piece := source.read(min(left, _PIECE))):
                file.write(piece)
                left -= len(piece)
            if left or source.read(1):
                found = "more" if not left else f"{size - left:,}"
                raise CorruptError(
                    f"{self.path}/{name} has {found} bytes; {size:,} were written.", REBUILD
                )
            file.flush()
            os.fsync(file.fileno())

    def _bounded(self, name: str, most: int) -> bytes:
        """Return a small file. Raise CorruptError if it has more than ``most`` bytes."""
        self._files.invalidate_cache()
        with self._open(name) as source:
            data = bytes(source.read(most + 1))
        if len(data) > most:
            raise CorruptError(f"{self.path}/{name} is too large.", REBUILD)
        return data

    @contextmanager
    def _open(self, name: str) -> Iterator[Any]:
        with _translate_errors(self.path):
            try:
                with self._files.open(f"{self._root}/{name}") as file:
                    yield file
            except FileNotFoundError:
                raise StoreError(f"{self.path} has no {name}.", "Check the address.") from None

    def has(self, name: str = "") -> bool:
        return self.holds(f"{name}/{CURRENT}" if name else CURRENT)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        copies().mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=copies(), prefix="."))
        try:
            yield folder / "store"
            root = folder / "store"
            replaced = self._number_after(root, name)
            files = [p for p in sorted(root.rglob("*")) if p.is_file() and p.name[0] != "."]
            files.sort(key=lambda path: path.name == CURRENT)  # last: it makes this a store
            target = f"{self._root}/{name}".rstrip("/")
            with _translate_errors(self.path):
                for some in (files[:-1], files[-1:]):
                    targets = [f"{target}/{p.relative_to(root).as_posix()}" for p in some]
                    self._files.put([str(p) for p in some], targets)
            self._files.invalidate_cache()
            if replaced:
                self.remove(f"{name}/{replaced}".lstrip("/"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _number_after(self, root: Path, name: str) -> str:
        """Give a new store a higher generation than the one at the address, and return that one.

        So the old store is complete until CURRENT leads to the new one.
        """
        pointer = f"{name}/{CURRENT}".lstrip("/")
        if not self.holds(pointer):
            return ""
        try:
            old, _ = parse_current(self._bounded(pointer, MOST_POINTER), pointer)
        except CorruptError:  # it leads nowhere
            return ""
        generation, manifest = read_current(root)
        number = f"{max(int(old) + 1, int(generation)):06d}"
        os.rename(root / generation, root / number)
        replace_file(root / CURRENT, canonical_json({"generation": number, "manifest": manifest}))
        return old

    def read(self, name: str) -> bytes:
        self._files.invalidate_cache()
        with self._open(name) as file:
            return bytes(file.read())

    def write(self, name: str, data: bytes) -> None:
        with _translate_errors(self.path):
            self._files.pipe_file(f"{self._root}/{name}", data)

    def holds(self, name: str) -> bool:
        with _translate_errors(self.path):
            self._files.invalidate_cache()
            return bool(self._files.isfile(f"{self._root}/{name}"))

    def names(self, folder: str) -> list[str]:
        self._files.invalidate_cache()
        with _translate_errors(self.path), suppress(FileNotFoundError):
            found = self._files.ls(f"{self._root}/{folder}", detail=False)
            return sorted(str(file).rpartition("/")[2] for file in found)
        return []

    def remove(self, name: str) -> None:
        with _translate_errors(self.path), suppress(FileNotFoundError):
            self._files.rm(f"{self._root}/{name}", recursive=True)


def copies() -> Path:
    """Return the folder of copies on this machine."""
    from platformdirs import user_cache_path

    home = os.environ.get("LEXFIELD_HOME")
    return (Path(home) if home else user_cache_path("lexfield")) / "copies"


def _make_room(needed: int, where: str) -> None:
    """Delete the least recently used copies if they take too much space."""
    found = [path for path in copies().iterdir() if _COPY.fullmatch(path.name)]
    sizes = {path: sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) for path in found}
    total = sum(sizes.values())
    for path in sorted(found, key=lambda path: path.stat().st_mtime):
        if total > _KEPT:
            discard(path)
            total -= sizes[path]
    if needed > (free := shutil.disk_usage(copies()).free):
        raise StoreError(
            f"{where} has {needed / 1e6:,.1f} MB; {copies()} has room for {free / 1e6:,.1f} MB.",
            "Set LEXFIELD_HOME to a folder on a larger disk.",
        )


def check_scheme(address: str) -> None:
    """Raise StoreError if an address is not allowed; by default only S3 and files are."""
    allowed = {"s3", "file", *os.environ.get(SCHEMES, "").replace(",", " ").lower().split()}
    found = _SCHEME.match(address)
    if found is None or "::" in address:
        raise StoreError(f"{address} is not an address.", "Addresses look like s3://bucket/name.")
    if found[1].lower() not in allowed:
        raise StoreError(
            f"{found[1]}:// is not among the addresses that lexfield opens:"
            f" {', '.join(sorted(allowed))}.",
            f"If you trust what is there, allow it: {SCHEMES}={found[1].lower()} lexfield …",
        )


@contextmanager
def _translate_errors(path: str) -> Iterator[None]:
    """Turn network errors into a StoreError that names the address."""
    try:
        yield
    except LexfieldError:
        raise
    except Exception as error:
        raise StoreError(f"{path} cannot be reached: {error}") from error
