"""The blocks of a copied store that are not here yet, fetched from its address and checked."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import xxhash

from lexfield.errors import ChangedError, CorruptError, StoreError
from lexfield.results import JsonObject
from lexfield.store.cache import add_bytes, hold
from lexfield.store.files import BLOCK
from lexfield.store.manifest import CURRENT, MARKER, MOST_POINTER, REBUILD, parse_current
from lexfield.store.remote import AbsentError, Remote

LOOKED = ".looked"  # its time says when CURRENT at the address was last looked at
AT_ONCE = 8  # requests side by side
_RUN = 8  # blocks of each
_ATTEMPTS = 3


class BlockSource:
    """Where an open generation of a copy gets the blocks that are not here yet.

    As long as this object lives, the generation is not removed.
    """

    def __init__(self, remote: Remote, folder: Path) -> None:
        self._remote, self._folder, self.address = remote, folder, remote.address
        self._held = hold(folder)
        self._places = read_places(folder)

    def complete(self, name: str, entry: JsonObject) -> None:
        """Fetch all blocks of a file that are not here."""
        with open(self._folder / name, "rb") as file:
            sums = entry["xxh3"]
            here = [xxhash.xxh3_64_hexdigest(file.read(BLOCK)) for _ in sums]
        self.fetch(name, entry, [n for n, own in enumerate(here) if own != sums[n]])

    def fetch(self, name: str, entry: JsonObject, numbers: Sequence[int]) -> None:
        """Fetch blocks of a file, in runs side by side."""
        runs: list[list[int]] = []
        for number in numbers:
            if runs and number == runs[-1][-1] + 1 and len(runs[-1]) < _RUN:
                runs[-1].append(number)
            else:
                runs.append([number])
        if len(runs) == 1:
            self._fetch_run(name, entry, runs[0])
        elif runs:
            with ThreadPoolExecutor(AT_ONCE) as threads:
                list(threads.map(partial(self._fetch_run, name, entry), runs))

    def _fetch_run(self, name: str, entry: JsonObject, run: list[int]) -> None:
        start, stop = run[0] * BLOCK, min((run[-1] + 1) * BLOCK, entry["bytes"])
        for attempt in range(_ATTEMPTS):
            try:
                data = self._read(name, start, stop)
                problem = find_fault(data, entry, run)
                if not problem:
                    return self._write(name, start, data)
            except StoreError as error:
                if isinstance(error, CorruptError | ChangedError) or attempt == _ATTEMPTS - 1:
                    raise
            time.sleep(0.1 * 2**attempt)
        raise CorruptError(f"{self.address}/{self._places[name]}: {problem}.", REBUILD)

    def _read(self, name: str, start: int, stop: int) -> bytes:
        try:
            return self._remote.read_range(self._places[name], start, stop)
        except AbsentError as error:
            pointer = self._remote.read(CURRENT, MOST_POINTER)
            if parse_current(pointer, CURRENT)[0] == self._folder.name:
                raise CorruptError(error.message, REBUILD) from error
            (self._folder.parent / LOOKED).unlink(missing_ok=True)
            raise ChangedError(
                f"{self.address} was changed, and its earlier state is gone.",
                "Open it again.",
            ) from error

    def _write(self, name: str, start: int, data: bytes) -> None:
        def write() -> None:
            with open(self._folder / name, "r+b", buffering=0) as file:
                file.seek(start)
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]

        try:
            add_bytes(len(data), write, self.address)
        except OSError as error:
            raise StoreError(
                f"{self._folder / name} cannot be written: {error.strerror}."
            ) from error


def check_remote(remote: Remote, key: str, entry: JsonObject) -> str:
    """Return what is wrong with a file at an address; empty if every byte is as written."""
    whole = hashlib.sha256()
    for first in range(0, len(entry["xxh3"]), _RUN):
        run = list(range(first, min(first + _RUN, len(entry["xxh3"]))))
        try:
            stop = min((first + _RUN) * BLOCK, entry["bytes"])
            data = remote.read_range(key, first * BLOCK, stop)
        except AbsentError:
            return "missing"
        if problem := find_fault(data, entry, run):
            return problem
        whole.update(data)
    if entry.get("sha256") not in (None, whole.hexdigest()):
        return "differs from what was written (SHA-256)"
    return ""


def find_fault(data: bytes, entry: JsonObject, run: Sequence[int]) -> str:
    """Return which of the blocks in ``data`` differs from its checksum; empty if none does."""
    for place, number in enumerate(run):
        block = data[place * BLOCK : (place + 1) * BLOCK]
        if xxhash.xxh3_64_hexdigest(block) != entry["xxh3"][number]:
            return f"block {number} (bytes from {number * BLOCK:,}) differs from what was written"
    return ""


def read_places(folder: Path) -> dict[str, str]:
    """Return where the files of a copied generation lie at the address."""
    places: dict[str, str] = json.loads((folder / MARKER).read_bytes())
    return places
