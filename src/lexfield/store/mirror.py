"""A copy of the store at an address: complete to look at, and filled block by block as it is read.

    copies/3f0c…/          a store, as on any disk
      .address             what it is a copy of; its time says when it was last asked for
      .looked              its time says when CURRENT at the address was last looked at
      CURRENT, 000007/     as at the address; files have their size, but blocks are fetched when
                           they are first read. The marker .lexfield says where each file lies

A block that is not here yet is one whose checksum is wrong: it is fetched, checked and written, by
whichever process needs it first. So nothing has to be kept about what is here, a damaged copy mends
itself, and two processes cannot disturb each other: they write the same bytes.

At the address a generation may use files of earlier ones: ``places.json`` says which, and on which
generation it was built. A writer claims a number by creating its marker, sends what is new, and
swaps CURRENT only if it still is what the work was built on. So of two writers one is told to begin
again. What no generation of the last hour uses is then deleted: others may still read it.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from lexfield.errors import ChangedError, StoreError
from lexfield.store.cache import USED, copies, is_copy, name_copy, remove_generations
from lexfield.store.files import BLOCK, canonical_json, replace_file, sync_folder
from lexfield.store.garbage import PLACES, collect, read_remote_places
from lexfield.store.manifest import (
    CURRENT,
    MANIFEST,
    MARKER,
    MOST_MANIFEST,
    MOST_POINTER,
    FileCheck,
    parse_current,
    parse_manifest,
    read_current,
    read_manifest,
)
from lexfield.store.owned import LOCKS, SHARDS, locked
from lexfield.store.remote import AbsentError, Remote, is_address
from lexfield.store.source import AT_ONCE, LOOKED, BlockSource, check_remote, read_places

LOOK = 5.0  # seconds between two looks at CURRENT
_PATIENCE = 600.0  # seconds to wait for another process that copies or writes


class Mirror:
    """The copy of what is at an address."""

    def __init__(self, address: str) -> None:
        self.remote = Remote(address)
        self.address = self.remote.address
        self.root = copies() / name_copy(self.address)

    @classmethod
    def at(cls, path: Path) -> Mirror | None:
        """Return the mirror whose copy is at a path; None if there is none."""
        if not (path / USED).is_file() or not is_copy(path.resolve()):
            return None
        if path.resolve().parent != copies().resolve():
            raise StoreError(
                f"{path} is the copy of an index at an address, made with another LEXFIELD_HOME.",
                "Open the address.",
            )
        return cls((path / USED).read_text("utf-8"))

    def prepare(self) -> Path:
        """Create the folder of the copy, which may be empty, and return it."""
        if not (self.root / USED).exists():
            self.root.mkdir(parents=True, exist_ok=True)
            (self.root / MARKER).touch()
            replace_file(self.root / USED, self.address.encode())
        os.utime(self.root / USED)
        return self.root

    def follow(self, wait: float = _PATIENCE) -> Path:
        """Bring the copy up to date with the address, and return its folder.

        ``wait``: seconds for another process that copies or writes.
        """
        pointer = self.remote.read(CURRENT, MOST_POINTER)
        self.prepare()
        if not self._has(pointer):
            with locked(self.root, wait):
                if not self._has(pointer):
                    self._take(pointer)
        (self.root / LOOKED).touch()
        return self.root

    def begin(self) -> Path:
        """Do the same for a writer: there may be nothing at the address yet."""
        try:
            return self.follow()
        except AbsentError:
            self.prepare()
            with locked(self.root, _PATIENCE):
                (self.root / CURRENT).unlink(missing_ok=True)
            return self.root

    def adopt(self, folder: Path) -> None:
        """Send the store in another folder of this machine, which is used up.

        If another process has sent the same meanwhile, that is kept.
        """
        generation, manifest = read_current(folder)
        self.begin()
        try:
            self._adopt(folder, generation, manifest)
        except ChangedError:
            if read_current(self.follow())[1] != manifest:
                raise

    def _adopt(self, folder: Path, generation: str, manifest: str) -> None:
        with locked(self.root, _PATIENCE):
            number = int(generation)
            if (self.root / CURRENT).exists():
                number = max(number, int(read_current(self.root)[0]) + 1)
            target = self.root / f"{number:06d}"
            shutil.rmtree(target, ignore_errors=True)
            os.rename(folder / generation, target)
            number_there = self.publish(target.name, manifest)
            pointer = {"generation": number_there, "manifest": manifest}
            replace_file(self.root / CURRENT, canonical_json(pointer))
            remove_generations(self.root)
            collect(self.remote)

    def look(self, every: float = LOOK) -> None:
        """Follow the address unless a process of this machine has in the last ``every`` seconds.

        If it does not answer, go on with what is here. Raise an error if nothing is.
        """
        try:
            age = time.time() - (self.root / LOOKED).stat().st_mtime
        except FileNotFoundError:
            age = every
        is_here = (self.root / CURRENT).exists()
        if age >= every or not is_here:
            if is_here:
                (self.root / LOOKED).touch()  # others continue meanwhile
            try:
                self.follow(0 if is_here else _PATIENCE)
            except StoreError:
                if not is_here:
                    raise

    def forget(self) -> None:
        """Let the next look be a real one."""
        (self.root / LOOKED).unlink(missing_ok=True)

    def _has(self, pointer: bytes) -> bool:
        """Return whether the copy is of the generation that the pointer names, and whole."""
        try:
            if (self.root / CURRENT).read_bytes() != pointer:
                return False
            current = read_current(self.root)
            folder = self.root / current[0]
            read_places(folder)
            files = read_manifest(self.root, *current)["files"]
            return all(
                (folder / name).stat().st_size == entry["bytes"] for name, entry in files.items()
            )
        except (OSError, StoreError, ValueError):
            return False

    def _take(self, pointer: bytes) -> None:
        """Copy the manifest and all small files of a generation, and make room for the others."""
        generation, expected = parse_current(pointer, f"{self.address}/{CURRENT}")
        listing = f"{generation}/{MANIFEST}"
        data = self.remote.read(listing, MOST_MANIFEST)
        files = parse_manifest(data, expected, self.address, f"{self.address}/{listing}")["files"]
        _, places = read_remote_places(self.remote, generation, files)
        known = self._known_files()
        folder = self.root / generation
        if folder.exists():  # left by a process that was killed, or of a store that was deleted
            shutil.rmtree(folder)
        try:
            folder.mkdir()
            for name, entry in files.items():
                before = known.get(entry.get("sha256", ""))
                if before is None or not _link(before, folder / name):
                    _create_sparse(folder / name, entry["bytes"])
            (folder / MANIFEST).write_bytes(data)
            (folder / MARKER).write_bytes(canonical_json(places))
            source = BlockSource(self.remote, folder)
            small = [name for name, entry in files.items() if entry["bytes"] <= BLOCK]
            with ThreadPoolExecutor(AT_ONCE) as threads:
                list(threads.map(lambda name: source.complete(name, files[name]), small))
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"{folder} cannot be written: {error.strerror or error}.") from error
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        replace_file(self.root / CURRENT, pointer)
        remove_generations(self.root)

    def _known_files(self) -> dict[str, Path]:
        """Return the files of the copy as it is now, by their contents."""
        try:
            generation, manifest = read_current(self.root)
            files = read_manifest(self.root, generation, manifest)["files"]
        except (OSError, StoreError):
            return {}
        return {
            entry["sha256"]: self.root / generation / name
            for name, entry in files.items()
            if "sha256" in entry
        }

    def verify(self) -> list[FileCheck]:
        """Check every byte of what is at the address, not of the copy."""
        self.follow()
        generation, manifest = read_current(self.root)
        files = read_manifest(self.root, generation, manifest)["files"]
        places = read_places(self.root / generation)
        return [
            FileCheck(places[name], entry["bytes"], check_remote(self.remote, places[name], entry))
            for name, entry in sorted(files.items())
        ]

    def publish(self, number: str, manifest: str) -> str:
        """Send a generation that is whole on this machine, and make it the current one there.

        Return its number, which is another if that one is taken. Raise ChangedError if there is
        another state at the address than the one that it was built on.
        """
        base = self.root / CURRENT
        before = base.read_bytes() if base.exists() else None
        tag = self._check_base(before)
        claimed = self._claim(int(number))
        if claimed != number:
            shutil.rmtree(self.root / claimed, ignore_errors=True)  # of a process that was killed
            os.rename(self.root / number, self.root / claimed)
            sync_folder(self.root)
        pointer = canonical_json({"generation": claimed, "manifest": manifest})
        try:
            self.remote.check_conditions(f"{claimed}/{MARKER}")
            self._send(claimed, manifest, before)
        except BaseException:
            with suppress(StoreError):  # a later writer tries again
                self.remote.remove(claimed)
            raise
        if not self.remote.swap(CURRENT, pointer, tag):
            with suppress(StoreError):
                self.remote.remove(claimed)
            raise self._changed()
        return claimed

    def _check_base(self, before: bytes | None) -> str | None:
        """Return the tag of CURRENT at the address, which must be the copy's."""
        try:
            there, tag = self.remote.read_tagged(CURRENT, MOST_POINTER)
        except AbsentError:
            if before is not None:
                raise self._changed() from None
            self._refuse_others()
            return None
        if there != before:
            raise self._changed()
        return tag

    def _changed(self) -> ChangedError:
        self.forget()
        return ChangedError(f"{self.address} was changed meanwhile.", "Try again.")

    def _refuse_others(self) -> None:
        ours = (SHARDS, MARKER, *LOCKS)
        for name in self.remote.names():
            if name not in ours and not re.fullmatch("[0-9]{6,18}", name):
                raise StoreError(
                    f"{self.address} holds other files, such as {name!r}; nothing was written.",
                    "Choose a new address.",
                )

    def _claim(self, number: int) -> str:
        """Create the marker of the first free number, which nobody else has then."""
        while not self.remote.create(f"{number:06d}/{MARKER}"):
            number += 1
        return f"{number:06d}"

    def _send(self, number: str, manifest: str, before: bytes | None) -> None:
        """Send the files that are new, then what says where the others are."""
        folder = self.root / number
        files = read_manifest(self.root, number, manifest)["files"]
        base, known = "", {}
        if before is not None:
            base, expected = parse_current(before, self.root / CURRENT)
            old = read_manifest(self.root, base, expected)["files"]
            places = read_places(self.root / base)
            known = {old[name]["sha256"]: places[name] for name in old if "sha256" in old[name]}
        elsewhere = {
            name: known[entry["sha256"]]
            for name, entry in files.items()
            if entry["sha256"] in known
        }
        new = [name for name in files if name not in elsewhere]
        self.remote.send({f"{number}/{name}": folder / name for name in new})
        kept = canonical_json({"base": base, "files": elsewhere})
        self.remote.write(f"{number}/{PLACES}", kept)
        self.remote.send({f"{number}/{MANIFEST}": folder / MANIFEST})
        mine = {name: f"{number}/{name}" for name in new}
        (folder / MARKER).write_bytes(canonical_json({**mine, **elsewhere}))


def find_folder(path: str | Path, *, new: bool = False) -> str | Path:
    """Return a path as it is, and for an address the folder of its copy.

    ``new``: there may be nothing at the address yet.
    """
    if not is_address(path):
        return path
    mirror = Mirror(str(path))
    return mirror.begin() if new else mirror.follow()


def name_path(path: Path) -> str:
    """Return what to call a store in a message: where it is a copy, the address."""
    mirror = Mirror.at(path)
    return str(path) if mirror is None else mirror.address


def _link(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def _create_sparse(path: Path, size: int) -> None:
    with open(path, "xb") as file:
        file.truncate(size)
