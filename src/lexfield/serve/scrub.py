"""Files of open indexes are read again in the background: what rots after its first use is found.

Every block is checked before it is first used, and then believed. Disks and memory decay later,
too; a server that runs for weeks would serve it. So a process of low priority reads all files again
and again, most of the time resting. An index that is found damaged is not asked any more, until it
has been written anew.
"""

from __future__ import annotations

import asyncio
import logging
import time

from lexfield.errors import CorruptError
from lexfield.serve.library import Kept, Library
from lexfield.serve.pool import Process, generation_of
from lexfield.serve.problems import ServedError, status_of
from lexfield.store.manifest import REBUILD

TASK = "lexfield.serve.tasks.run:scrub"
_LEAST = 60.0  # seconds between two rounds
_REST = 20  # times as long as a round took, if that is longer


class Scrubber:
    """Checks the indexes of a library, one after another, round after round."""

    def __init__(self, library: Library, least: float = _LEAST) -> None:
        self._library, self._least = library, least
        self._process = Process(threads=1)
        self._damage: dict[str, tuple[str | None, str]] = {}  # id → generation, problem

    def damage(self, kept: Kept) -> str:
        """Return what is wrong with an index as it is now; empty if nothing is known."""
        generation, problem = self._damage.get(kept.id, (None, ""))
        return problem if problem and generation == generation_of(str(kept.path)) else ""

    def damaged(self) -> dict[str, str]:
        every = {kept.id: self.damage(kept) for kept in self._library.indexes.values()}
        return {id: problem for id, problem in every.items() if problem}

    def check(self, kept: Kept) -> None:
        """Raise an error for an index that is damaged."""
        if problem := self.damage(kept):
            raise CorruptError(
                f"The index {kept.id!r} is damaged, so it is not searched. {problem}.", REBUILD
            )

    async def run(self) -> None:
        """Go on until cancelled."""
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
        """Check every index once."""
        for kept in list(self._library.indexes.values()):
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
            self._damage[kept.id] = before, problem
