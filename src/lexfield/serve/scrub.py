"""Reads the files of indexes and models again in the background, to find damage after first use.

Every block is checked before it is first used, and then trusted. Disks and memory decay later, too,
and a server may run for weeks. So a process of low priority reads all files again and again, with
long rests. What it finds damaged is not searched any more until it is written anew.
"""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path

from lexfield.errors import CorruptError
from lexfield.serve.library import Kept, Library
from lexfield.serve.pool import Process, generation_of
from lexfield.serve.problems import ServedError, status_of
from lexfield.store.manifest import REBUILD

TASK = "lexfield.serve.tasks:scrub"
_LEAST = 60.0  # seconds between two rounds
_REST = 20  # times as long as a round took, if that is longer


class Scrubber:
    """Checks the indexes and models of a library, one after another, round after round."""

    def __init__(self, library: Library, least: float = _LEAST) -> None:
        self._library, self._least = library, least
        self._process = Process(threads=1)
        self._damage: dict[Path, tuple[str | None, str]] = {}  # generation, problem

    def damage(self, kept: Kept) -> str:
        """Return what is wrong with an index or models now; empty if nothing is known."""
        generation, problem = self._damage.get(kept.path, (None, ""))
        return problem if problem and generation == generation_of(str(kept.path)) else ""

    def damaged(self) -> dict[str, str]:
        """Return what is wrong, by the names of ``Library.named``."""
        every = {name: self.damage(kept) for name, kept in self._library.named().items()}
        return {name: problem for name, problem in every.items() if problem}

    def check(self, kept: Kept) -> None:
        """Raise CorruptError if an index or models are damaged."""
        if problem := self.damage(kept):
            if self._library.models.get(kept.id) is kept:
                what = f"The models {kept.id!r} are damaged, so they are not used."
            else:
                what = f"The index {kept.id!r} is damaged, so it is not searched."
            raise CorruptError(f"{what} {problem}.", REBUILD)

    async def run(self) -> None:
        """Check everything in rounds until cancelled."""
        try:
            while True:
                await asyncio.sleep(self._least)
                begin = time.monotonic()
                await self.look()
                await self._process.stop()
                await asyncio.sleep(_REST * (time.monotonic() - begin))
        finally:
            await self._process.stop()

    async def look(self) -> None:
        """Check every index and all models once."""
        for kept in list(self._library.named().values()):
            path = str(kept.path)
            before = generation_of(path)
            try:
                problem = (await self._process.ask(TASK, {"path": path})).decode()
            except ServedError as error:
                if error.status != status_of(CorruptError("")):
                    continue  # it could not be read now; that says nothing about its bytes
                problem = error.message
            if before != generation_of(path):
                continue  # it was written or deleted meanwhile
            if problem and not self.damage(kept):
                logging.getLogger("lexfield.serve").error("%s is damaged: %s", path, problem)
            self._damage[kept.path] = before, problem
