"""What a server holds: indexes and models by id, and whether their files are intact.

Callers know ids and never name a path.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from lexfield.errors import CorruptError, InputError, LexfieldError, list_names
from lexfield.serve.pool import Process, generation_of
from lexfield.serve.problems import NotFoundError, ServedError, status_of
from lexfield.store.folder import discard
from lexfield.store.manifest import REBUILD
from lexfield.store.mirror import LOOK, Mirror, find_folder
from lexfield.store.remote import is_address

INDEXES, MODELS, WAITING = "indexes", "models", "waiting"
_ROOMS, _MARK = "uploads-", ".lexfield-uploads"
_SCRUB = "lexfield.serve.tasks:scrub"
_PAUSE = 60.0  # seconds between two rounds of checks
_REST = 20  # rest for at least this many times the length of the last round


@dataclass(frozen=True)
class Holding:
    """An index or models; ``uploaded`` if this server made it."""

    id: str
    path: Path  # of the copy, where it is at an address
    uploaded: bool = False

    def state(self) -> tuple[object, ...]:
        """Return what changes whenever the index or its topics are written."""
        return tuple(_mark(self.path / name) for name in ("CURRENT", "topics/CURRENT"))


def _mark(path: Path) -> tuple[object, ...] | None:
    """Return what a pointer says, and when it was written."""
    try:
        return path.read_bytes()[:1000], path.stat().st_mtime_ns
    except OSError:
        return None


def make_slug(text: str) -> str:
    """Return an id derived from a name: letters, digits, dots, hyphens and underscores.

    Latin letters lose their accents; those of other scripts stay, with their marks.
    """
    parts = unicodedata.normalize("NFKD", text)
    is_latin = all(one.isascii() for one in parts if one.isalpha())
    own = unicodedata.normalize("NFC", text)
    plain = parts.encode("ascii", "ignore").decode() if is_latin else own
    kept = "".join(one if one.isalnum() or _is_mark(one) else " " for one in plain)
    return "-".join(kept.lower().split()).strip("-._")[:60].strip("-._") or "texts"


def _is_mark(letter: str) -> bool:
    """Is it a sign on a letter, such as a vowel of Hindi, or a mark that ids may have?"""
    return letter in "._-" or unicodedata.category(letter).startswith("M")


def _number(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}-{number}" for number in itertools.count(2))


class Library:
    """Indexes and models that were named at the start, and those made in ``folder`` since."""

    def __init__(
        self, indexes: Iterable[str | Path], models: Iterable[str | Path], folder: Path
    ) -> None:
        self.folder = folder
        self.indexes: dict[str, Holding] = {}
        self.models: dict[str, Holding] = {}
        self._kinds = {INDEXES: self.indexes, MODELS: self.models}
        self._reserved: set[tuple[str, str]] = set()  # ids of what jobs have not written yet
        self._rooms: Path | None = None
        self._lock: FileLock | None = None
        self._remove_leftovers()
        for kind, named in ((INDEXES, indexes), (MODELS, models)):
            made = (folder / kind).glob("*/CURRENT")
            for path in named:
                name = str(path).rstrip("/").rpartition("/")[2] if is_address(path) else ""
                self._add(kind, Path(find_folder(path)).resolve(), name)
            for path in sorted(one.parent for one in made):
                self._add(kind, path.resolve(), uploaded=True)

    def _add(self, kind: str, path: Path, name: str = "", *, uploaded: bool = False) -> None:
        id = self._find_free(kind, (name or path.name).removesuffix(".idx"))
        self._kinds[kind][id] = Holding(id, path, uploaded)

    def _find_free(self, kind: str, name: str, folder: Path | None = None) -> str:
        """Return an id like the name that nothing has: neither here, nor a file in ``folder``."""
        stem = make_slug(name)
        taken = {*self._kinds[kind], *(id for other, id in self._reserved if other == kind)}
        if folder is not None:
            taken |= {path.name for path in folder.iterdir()}
        return next(id for id in _number(stem) if id not in taken)

    def find_index(self, id: str | None) -> Holding:
        """Return the index of an id; without one, the only index there is."""
        if id is None and len(self.indexes) == 1:
            return next(iter(self.indexes.values()))
        hint = f"There are: {list_names(self.indexes or ['none yet'])}."
        if id is None:
            raise InputError("An index is needed.", f"Name one with index=. {hint}")
        if id not in self.indexes:
            raise NotFoundError(f"There is no index {id!r}.", hint)
        return self.indexes[id]

    def find_own(self, id: str | None) -> Holding:
        """Return an index that was built here; one that was named at the start is not changed."""
        kept = self.find_index(id)
        if not kept.uploaded:
            raise InputError(
                f"{kept.id!r} was not built on this server and cannot be changed here.",
                "Change it on the server's own machine, with lexfield on the command line.",
            )
        return kept

    def find_models(self, id: str) -> Holding:
        """Return the models of an id."""
        if id not in self.models:
            known = list_names(self.models or ["none yet; train some with POST /v1/jobs"])
            raise NotFoundError(f"There are no models {id!r}.", f"There are: {known}.")
        return self.models[id]

    def list_all(self) -> dict[str, Holding]:
        """Return everything under a unique name, because models and an index may share an id."""
        models = {f"models/{kept.id}": kept for kept in self.models.values()}
        return {**self.indexes, **models}

    async def follow(self) -> None:
        """Bring the copies of what is at addresses up to date, again and again until cancelled.

        Workers move to a new state with their next request; those in flight finish on the old one.
        An address that does not answer changes nothing.
        """
        mirrors = [mirror for kept in self.list_all().values() if (mirror := Mirror.at(kept.path))]
        while mirrors:
            await asyncio.sleep(LOOK / 2)
            for mirror in mirrors:
                with suppress(LexfieldError):
                    await asyncio.to_thread(mirror.look, LOOK / 2)

    def delete_index(self, id: str) -> None:
        """Delete an index that was built here; one that was named at the start stays."""
        kept = self.find_own(id)
        del self.indexes[id]
        discard(kept.path)

    def make_room(self, kind: str, name: str) -> Room:
        """Return a folder for a job to work in, and reserve an id like ``name`` for what it makes.

        All folders of a server are in one that it locks as long as it runs. So the next server can
        tell what was left by one that was killed.
        """
        if self._rooms is None:
            make_private(self.folder / WAITING)
            with FileLock(self.folder / WAITING / ".lock"):
                self._rooms = Path(tempfile.mkdtemp(prefix=_ROOMS, dir=self.folder / WAITING))
                self._lock = FileLock(self._rooms / _MARK)
                self._lock.acquire()
        make_private(self.folder / kind)
        id = self._find_free(kind, name, self.folder / kind)
        self._reserved.add((kind, id))
        return Room(self, kind, id, Path(tempfile.mkdtemp(dir=self._rooms)))

    def _remove_leftovers(self) -> None:
        """Delete folders of killed servers: those with our mark that are not locked."""
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


@dataclass(frozen=True)
class Room:
    """A private folder in which a job makes an index or models, and the id that these will have."""

    library: Library
    kind: str
    id: str
    folder: Path

    @property
    def target(self) -> Path:
        return self.folder / self.id

    def move_in(self, _: bytes) -> None:
        """Add what the job has made to the library, atomically: a crash leaves no part of it."""
        place = self.library.folder / self.kind / self.id
        self.target.rename(place)
        self.library._kinds[self.kind][self.id] = Holding(self.id, place.resolve(), uploaded=True)

    def clear(self) -> None:
        """Delete the folder; the id is free again unless something has moved in."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.library._reserved.discard((self.kind, self.id))


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can read."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(0o700, exist_ok=True)
    folder.chmod(0o700)


class Scrubber:
    """Reads the files of a library again in the background, to find damage after first use.

    Every block is checked before it is first used, and then trusted. Disks and memory decay later,
    too, and a server may run for weeks. So a process of low priority reads all files again and
    again, with long rests. What it finds damaged is not searched until it has been written again.
    """

    def __init__(self, library: Library, pause: float = _PAUSE) -> None:
        self._library, self._pause = library, pause
        self._process = Process(threads=1)
        self._damage: dict[Path, tuple[str | None, str]] = {}  # generation, problem

    def find_damage(self, kept: Holding) -> str:
        """Return what is wrong with an index or models now; empty if nothing is known."""
        generation, problem = self._damage.get(kept.path, (None, ""))
        return problem if problem and generation == generation_of(str(kept.path)) else ""

    def list_damage(self) -> dict[str, str]:
        """Return what is wrong, by the names of ``Library.list_all``."""
        every = {name: self.find_damage(kept) for name, kept in self._library.list_all().items()}
        return {name: problem for name, problem in every.items() if problem}

    def check(self, kept: Holding) -> None:
        """Raise CorruptError if an index or models are damaged."""
        if problem := self.find_damage(kept):
            if self._library.models.get(kept.id) is kept:
                what = f"The models {kept.id!r} are damaged, so they are not used."
            else:
                what = f"The index {kept.id!r} is damaged, so it is not searched."
            raise CorruptError(f"{what} {problem}.", REBUILD)

    async def run(self) -> None:
        """Check everything in rounds until cancelled."""
        try:
            while True:
                await asyncio.sleep(self._pause)
                begin = time.monotonic()
                await self.check_all()
                await self._process.stop()
                await asyncio.sleep(_REST * (time.monotonic() - begin))
        finally:
            await self._process.stop()

    async def check_all(self) -> None:
        """Check every index and all models once."""
        for kept in list(self._library.list_all().values()):
            path = str(kept.path)
            item = {"path": path, "names": {path: kept.id}}
            before = generation_of(path)
            try:
                problem = (await self._process.ask(_SCRUB, item)).decode()
            except ServedError as error:
                if error.status != status_of(CorruptError("")):
                    continue  # it could not be read now; that says nothing about its bytes
                problem = error.message
            if before != generation_of(path) or kept not in self._library.list_all().values():
                continue  # it was written or deleted meanwhile
            if problem and not self.find_damage(kept):
                logging.getLogger("lexfield.serve").error("%s is damaged: %s", path, problem)
            self._damage[kept.path] = before, problem
