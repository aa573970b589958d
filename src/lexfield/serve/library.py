"""What a server holds: indexes and models by id. Paths stay inside; nobody outside names one."""

from __future__ import annotations

import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from lexfield.errors import InputError, list_names
from lexfield.serve.problems import NotFoundError
from lexfield.store.folder import discard

INDEXES, MODELS, WAITING = "indexes", "models", "waiting"
_ROOMS, _MARK = "uploads-", ".lexfield-uploads"


@dataclass(frozen=True)
class Kept:
    """Something by its id; ``uploaded`` if it was made by this server."""

    id: str
    path: Path
    uploaded: bool = False

    def state(self) -> tuple[object, ...]:
        """Changes whenever the index or its topics are written."""
        return tuple(_mark(self.path / name) for name in ("CURRENT", "topics/CURRENT"))


def _mark(path: Path) -> tuple[object, ...] | None:
    """What a pointer says, and when it was written."""
    try:
        return path.read_bytes()[:1000], path.stat().st_mtime_ns
    except OSError:
        return None


def slug(text: str) -> str:
    """An id of a name: ASCII letters, digits, dots and hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:60].lower() or "texts"


class Library:
    """Indexes that were named at the start, and those that were built in ``folder`` since."""

    def __init__(
        self, indexes: Iterable[str | Path], models: Iterable[str | Path], folder: Path
    ) -> None:
        self.folder = folder
        self.indexes: dict[str, Kept] = {}
        self.models: dict[str, Kept] = {}
        for path in indexes:
            self._add(self.indexes, Path(path), uploaded=False)
        for path in models:
            self._add(self.models, Path(path), uploaded=False)
        self._rooms: Path | None = None
        self._lock: FileLock | None = None
        self._reserved: set[tuple[str, str]] = set()
        self._remove_leftovers()
        for kind, kept in ((INDEXES, self.indexes), (MODELS, self.models)):
            inside = folder / kind
            for path in sorted(inside.iterdir()) if inside.is_dir() else []:
                if (path / "CURRENT").is_file():
                    self._add(kept, path, uploaded=True)

    def _add(self, kept: dict[str, Kept], path: Path, *, uploaded: bool) -> Kept:
        stem = slug(path.resolve().name.removesuffix(".idx"))
        number, id = 2, stem
        while id in kept:
            id, number = f"{stem}-{number}", number + 1
        kept[id] = Kept(id, path.resolve(), uploaded)
        return kept[id]

    def index(self, id: str | None) -> Kept:
        """The index of an id; without one, the only one there is."""
        if id is None and len(self.indexes) == 1:
            return next(iter(self.indexes.values()))
        if id is None:
            known = list_names(self.indexes) if self.indexes else "none yet"
            raise InputError("An index is needed.", f"Name one with index=. There are: {known}.")
        if id not in self.indexes:
            known = list_names(self.indexes) if self.indexes else "none yet"
            raise NotFoundError(f"There is no index {id!r}.", f"There are: {known}.")
        return self.indexes[id]

    def model(self, id: str) -> Kept:
        if id not in self.models:
            known = list_names(self.models or ["none yet; train some with POST /v1/jobs"])
            raise NotFoundError(f"There are no models {id!r}.", f"There are: {known}.")
        return self.models[id]

    def named(self) -> dict[str, Kept]:
        """Return everything by a name of its own: models may have the id of an index."""
        models = {f"models/{kept.id}": kept for kept in self.models.values()}
        return {**self.indexes, **models}

    def place(self, kind: str, name: str) -> tuple[str, Path]:
        """An id that is free, and where the thing is to be written."""
        taken = self.indexes if kind == INDEXES else self.models
        stem = slug(name)
        number, id = 2, stem
        while (
            id in taken
            or (kind, id) in self._reserved  # by a job that has not written it yet
            or (self.folder / kind / id).exists()
        ):
            id, number = f"{stem}-{number}", number + 1
        self._reserved.add((kind, id))
        make_private(self.folder / kind)
        return id, self.folder / kind / id

    def register(self, kind: str, id: str, path: Path) -> None:
        taken = self.indexes if kind == INDEXES else self.models
        taken[id] = Kept(id, path.resolve(), uploaded=True)

    def release(self, kind: str, id: str) -> None:
        """Let an id be used again, unless something has it by now."""
        self._reserved.discard((kind, id))

    def forget(self, id: str) -> None:
        """Delete an index that was built here; one that was named at the start stays."""
        kept = self.index(id)
        if not kept.uploaded:
            raise InputError(f"{id!r} was not built here, so it is not deleted here.")
        del self.indexes[id]
        discard(kept.path)

    def room(self) -> Path:
        """A new folder for files on their way into an index, and for the index until it is whole.

        All of one server are in a folder that it holds a lock on as long as it runs: so the next
        one can tell what is left of a server that was killed.
        """
        if self._rooms is None:
            make_private(self.folder / WAITING)
            with FileLock(self.folder / WAITING / ".lock"):
                self._rooms = Path(tempfile.mkdtemp(prefix=_ROOMS, dir=self.folder / WAITING))
                self._lock = FileLock(self._rooms / _MARK)
                self._lock.acquire()
        return Path(tempfile.mkdtemp(dir=self._rooms))

    def _remove_leftovers(self) -> None:
        """Delete what is left of servers that were killed: what has our mark and no lock."""
        marks = list((self.folder / WAITING).glob(f"{_ROOMS}*/{_MARK}"))
        if not marks:
            return
        with FileLock(self.folder / WAITING / ".lock"):
            for mark in marks:
                with suppress(Timeout, OSError), FileLock(mark, timeout=0):
                    shutil.rmtree(mark.parent, ignore_errors=True)

    def close(self) -> None:
        """Delete the folder of uploads, as the server ends."""
        if self._rooms is not None and self._lock is not None:
            self._lock.release()
            shutil.rmtree(self._rooms, ignore_errors=True)
            self._rooms = None


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(0o700, exist_ok=True)
    folder.chmod(0o700)
