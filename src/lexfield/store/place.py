"""A folder of stores that several machines share: a path, or an address that fsspec knows.

A store appears completely or not at all: in a folder by renaming a complete, flushed folder, at an
address by swapping CURRENT last. Nothing is ever changed in place. A store at an address is opened
as a copy on this machine, which is filled as it is read (see ``store/mirror.py``).

Nothing that comes from an address is trusted: CURRENT and the manifest are read first, up to a
maximal size, and checked as on disk; then blocks of the files that it lists, each by its checksum.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lexfield.results import JsonObject
from lexfield.store.cache import copies
from lexfield.store.files import replace_file, sync_folder
from lexfield.store.garbage import list_recent
from lexfield.store.manifest import CURRENT
from lexfield.store.mirror import Mirror
from lexfield.store.owned import discard
from lexfield.store.remote import Remote, is_address

__all__ = ["Place", "RemotePlace", "copies", "is_address", "place_of"]

_MOST = 1 << 40  # bytes of a file that a build has left for its tasks


def place_of(path: str | Path) -> Place:
    """Return the place at a path or an address."""
    return RemotePlace(str(path)) if is_address(path) else Place(str(path))


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


class RemotePlace(Place):
    """A place on object storage, or anything else that fsspec reaches."""

    def __init__(self, path: str) -> None:
        self._remote = Remote(path)
        self._remote.reach()
        super().__init__(self._remote.address)

    def _mirror(self, name: str) -> Mirror:
        return Mirror(f"{self.path}/{name}".rstrip("/"))

    def store(self, name: str = "") -> Path:
        """Return the path of a copy on this machine that is as the address is now."""
        return self._mirror(name).follow()

    def has(self, name: str = "") -> bool:
        return self.holds(f"{name}/{CURRENT}".lstrip("/"))

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        if not name:
            yield self._mirror(name).begin()
            return
        copies().mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=copies(), prefix="."))
        try:
            yield folder / "store"
            self._mirror(name).adopt(folder / "store")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def list_recent(self) -> list[JsonObject]:
        """Return what the manifests of the store say that is current, or was lately."""
        return [manifest["meta"] for manifest in list_recent(self._remote)]

    def read(self, name: str) -> bytes:
        return self._remote.read(name, _MOST)

    def write(self, name: str, data: bytes) -> None:
        self._remote.write(name, data)

    def holds(self, name: str) -> bool:
        return self._remote.holds(name)

    def names(self, folder: str) -> list[str]:
        return self._remote.names(folder)

    def remove(self, name: str) -> None:
        self._remote.remove(f"{name}/{CURRENT}")  # first: then it is no store any more
        self._remote.remove(name)
