"""Which folders are lexfield's: it writes only into these and deletes nothing else.

A folder is ours if it has a CURRENT that lexfield wrote, or our marker, an empty file that is
created first. A generation is ours if it has the marker or a manifest (lexfield 0.1 wrote no
markers). Even then only the files that the manifest lists are deleted, one by one: files of others
stay, and so does the folder around them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from lexfield.errors import LockedError, StoreError
from lexfield.store.files import create_empty, sync_folder
from lexfield.store.manifest import (
    CURRENT,
    FILE,
    MANIFEST,
    MARKER,
    epoch_of,
    generations,
    is_generation,
    is_plain_file,
    listed_names,
    read_current,
)

SHARDS = "shards"  # a folder of other stores, which may be there first
LOCKS = (".lock", ".building")
_SPOOLED = re.compile(r"\.?spool-[0-9a-f]{32}\.jsonl(\.[0-9a-f]{32}\.tmp)?")
_HALF = re.compile(rf"\.{CURRENT}\.[0-9a-f]{{1,32}}\.tmp")  # a CURRENT that was never renamed


def refuse_others(root: Path) -> None:
    """Raise StoreError if ``root`` is a folder with files that lexfield did not write."""
    if root.is_symlink() and not root.exists():
        raise StoreError(f"{root} is a link that leads nowhere.", "Choose another name.")
    if not root.exists() or is_ours(root):
        return
    if not root.is_dir():
        raise StoreError(f"{root} is a file; a folder is needed.", "Choose another name.")
    if others := sorted(entry.name for entry in root.iterdir() if entry.name not in LOCKS):
        raise StoreError(
            f"{root} is a folder with other files in it, such as {others[0]!r}; nothing was"
            " written.",
            "Choose a new or an empty folder.",
        )


def claim(root: Path) -> None:
    """Mark a folder as ours, creating it if necessary. Raise StoreError if it has other files."""
    refuse_others(root)
    if not root.exists():
        try:
            root.mkdir(parents=True)
            sync_folder(root.parent)
        except FileExistsError:  # by another writer
            pass
    if not is_ours(root):
        create_empty(root / MARKER)


def is_ours(folder: Path) -> bool:
    """Return whether lexfield created this folder for a store."""
    if is_plain_file(folder / MARKER):
        return True
    with suppress(StoreError):
        read_current(folder)
        return True
    return False


def create_generation(root: Path, number: int) -> Path:
    """Create and mark the folder of a generation with the first free number from ``number``."""
    while os.path.lexists(root / f"{number:06d}"):  # not ours, which have lower numbers
        number += 1
    folder = root / f"{number:06d}"
    folder.mkdir()
    create_empty(folder / MARKER)
    return folder


def remove_generation(folder: Path) -> None:
    """Delete the files that lexfield wrote, and the folder if nothing else is in it."""
    if not is_generation(folder):
        return
    listed = listed_names(folder)
    with suppress(OSError):  # the next writer tries again
        for path in list(folder.iterdir()):
            if path.name in listed if listed is not None else FILE.fullmatch(path.name):
                path.unlink()
        (folder / MANIFEST).unlink(missing_ok=True)
        (folder / MARKER).unlink(missing_ok=True)  # last: deletion can be resumed
        folder.rmdir()


def remove_leftovers(root: Path, current: str | None) -> None:
    """Delete what interrupted writers left, and generations that a reader still had open."""
    for name in generations(root):
        if name != current:
            remove_generation(root / name)
    for path in root.iterdir():
        if _HALF.fullmatch(path.name):
            _unlink(path)


def discard(folder: str | Path) -> None:
    """Delete a store that lexfield wrote, and its parts. Deletion is atomic: CURRENT goes first."""
    root = Path(folder)
    if root.is_symlink() or not root.is_dir() or not is_ours(root):
        return
    create_empty(root / MARKER)  # 0.1 wrote none; an interrupted deletion must be recognisable
    (root / CURRENT).unlink(missing_ok=True)
    for inner in ("topics", "metrics/*", f"{SHARDS}/*"):
        for part in root.glob(inner):
            discard(part)
    for path in (root / SHARDS).glob("*spool-*"):
        if _SPOOLED.fullmatch(path.name):
            _unlink(path)
    for name in ("metrics", SHARDS):
        with suppress(OSError):
            (root / name).rmdir()
    remove_leftovers(root, None)
    if not generations(root):  # some systems do not delete files that a reader has open
        for name in (*LOCKS, MARKER):
            _unlink(root / name)
        with suppress(OSError):
            root.rmdir()


def belongs(part: Path, whole: Path) -> bool:
    """Return whether lexfield 0.1 wrote the store ``part`` for the one now at ``whole``."""
    if not (part / CURRENT).exists():
        return False
    return epoch_of(read_current(part)[0]) == epoch_of(read_current(whole)[0])


def next_epoch(path: str | Path) -> int:
    """Return the epoch of a store that replaces the one at ``path`` but not its parts."""
    there = (Path(path) / CURRENT).exists()
    return epoch_of(generations(Path(path))[-1]) + 1 if there else 0


@contextmanager
def locked(root: Path, wait: float = 0) -> Iterator[None]:
    """Hold the lock of a store. Raise LockedError if another holds it for ``wait`` seconds."""
    lock = FileLock(root / ".lock", timeout=wait)
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


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
