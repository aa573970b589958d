"""The copies of stores on this machine: how much room they may take, and who has to go.

``LEXFIELD_CACHE`` bounds the bytes of all copies together ("20GB" by default). When more are
needed, the copies that were opened longest ago are removed, but never one that a process has open:
a reader holds a shared lock on the marker of its generation, which ends with the process. All who
add bytes hold the lock of the cache while they do, so the bound holds for all of them together.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import xxhash
from filelock import FileLock, Timeout

from lexfield.errors import InputError, StoreError
from lexfield.store.manifest import CURRENT, MARKER, generations
from lexfield.store.owned import discard

try:
    import fcntl
except ImportError:  # Windows does not delete files that are open
    fcntl = None  # type: ignore[assignment]

SIZE = "LEXFIELD_CACHE"
_DEFAULT = "20GB"
_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?\s*", re.IGNORECASE)
_COPY = re.compile(r"[0-9a-f]{32}")
_FRESH = 10.0  # seconds in which somebody who has asked for a copy will open it
USED = ".address"  # its time says when a copy was last asked for


def copies() -> Path:
    """Return the folder of copies on this machine."""
    from platformdirs import user_cache_path

    home = os.environ.get("LEXFIELD_HOME")
    return (Path(home) if home else user_cache_path("lexfield")) / "copies"


def read_bound() -> int:
    """Return how many bytes all copies together may take."""
    given = os.environ.get(SIZE) or _DEFAULT
    found = _AMOUNT.fullmatch(given)
    if found is None:
        raise InputError(f"{SIZE} is {given!r}.", 'It is a number of bytes, such as "20GB".')
    return int(float(found[1]) * _UNITS[found[2].upper()])


def measure(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk; of a file with two names once."""
    sizes: dict[tuple[int, int], int] = {}
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                status = os.lstat(os.path.join(inside, name))
                taken = getattr(status, "st_blocks", None)
                size = status.st_size if taken is None else 512 * taken
                sizes[status.st_dev, status.st_ino] = size
    return sum(sizes.values())


@contextmanager
def holding(generation: Path) -> Iterator[bool]:
    """Yield whether no process has a generation open; none can open it within the block."""
    try:
        with open(generation / MARKER, "rb") as marker:
            yield _lock(marker, exclusive=True)
    except FileNotFoundError:  # half removed
        yield True


def hold(generation: Path) -> IO[bytes] | None:
    """Keep a generation from being removed for as long as the file that is returned is open."""
    marker = open(generation / MARKER, "rb")  # noqa: SIM115 (its holder closes it)
    _lock(marker, exclusive=False)
    return marker


def _lock(file: IO[bytes], *, exclusive: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
    except OSError:
        return False
    return True


def add_bytes(count: int, work: Callable[[], None], name: str) -> None:
    """Do ``work``, which writes ``count`` bytes to a copy, when there is room for them.

    Raise StoreError if all that could be removed is not enough, or the disk is full.
    """
    bound = read_bound()
    with FileLock(copies() / "lock"):
        taken = measure(copies())
        if taken + count > bound:
            taken -= _remove(taken + count - bound)
        if taken + count > bound:
            raise StoreError(
                f"{name} needs more room than copies may take: {bound / 1e6:,.1f} MB, of which"
                f" {taken / 1e6:,.1f} MB are in use.",
                f"Allow more with {SIZE}, such as {SIZE}=50GB.",
            )
        try:
            work()
            return
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        _remove(count)
        try:
            work()
        except OSError as error:
            raise StoreError(
                f"{name} cannot be copied to {copies()}: {error.strerror}.",
                "Make room, or set LEXFIELD_HOME to a folder on a larger disk.",
            ) from error


def _remove(count: int) -> int:
    """Remove the copies that nobody has open, the oldest first, until ``count`` bytes are free."""
    freed = 0
    found = [path for path in copies().iterdir() if _COPY.fullmatch(path.name)]
    for copy in sorted(found, key=_last_use):
        if freed >= count:
            break
        if time.time() - _last_use(copy) >= _FRESH:
            size = measure(copy)
            if is_copy(copy):
                remove_unused(copy)
            else:
                discard(copy)  # of an earlier version; nothing if it is not lexfield's
            freed += size - measure(copy)
    return freed


def name_copy(address: str) -> str:
    """Return the name of the folder of a copy."""
    return xxhash.xxh3_128_hexdigest(address.encode())


def is_copy(folder: Path) -> bool:
    """Return whether a folder is the copy of what is at an address."""
    return name_copy(_read_bytes(folder / USED).decode(errors="replace")) == folder.name


def _last_use(copy: Path) -> float:
    for path in (copy / USED, copy):  # a copy that an older version made has no such file
        with suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def remove_unused(copy: Path) -> None:
    """Remove all generations of a copy that no process has open, unless somebody writes there."""
    with suppress(Timeout, OSError), FileLock(copy / ".lock", timeout=0):
        remove_generations(copy, all_=True)


def remove_generations(copy: Path, *, all_: bool = False) -> None:
    """Remove the generations of a copy that no process has open; ``all_``: the current one too.

    The caller holds the lock of the copy.
    """
    current = _read_bytes(copy / CURRENT).decode(errors="replace")
    for name in generations(copy):
        is_current = f'"{name}"' in current
        if is_current and not all_:
            continue
        with holding(copy / name) as is_free:
            if is_free:
                if is_current:
                    (copy / CURRENT).unlink(missing_ok=True)
                shutil.rmtree(copy / name, ignore_errors=True)
    if all_ and not generations(copy):
        shutil.rmtree(copy, ignore_errors=True)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
