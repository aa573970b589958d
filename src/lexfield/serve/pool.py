"""Processes that work for the server, so that it can go on listening.

A task that is cancelled (its caller has gone, its time is over, a job is stopped) ends with its
process: that is the only way to stop a computation for sure. Stores are written atomically, so
nothing is left half done.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lexfield.errors import LexfieldError, StoreError
from lexfield.serve.problems import OUT_OF_MEMORY, ServedError
from lexfield.store.manifest import read_current

Report = Callable[[dict[str, Any]], None]
_LOG = logging.getLogger("lexfield.serve")
_LINE = 1 << 20  # bytes of the first line of a frame
_ATTEMPTS = 5  # to ask about an index that is written meanwhile
_GRACE = 1.0  # seconds that a task may still take when its caller has gone


class Process:
    """One child; it is started when it is first asked.

    Every request has an id and the generation of the index it is about, and every frame of the
    reply repeats both. The paths of other stores that an item lists as its ``sources`` are sent
    with their generations, too. A child whose frames differ, or with which anything at all goes
    wrong, is killed: what may still be in its pipe must not become the answer to another question.
    """

    def __init__(self, threads: int | None = None, memory: int | None = None) -> None:
        self._threads, self._memory = threads, memory
        self._child: asyncio.subprocess.Process | None = None

    async def ask(self, function: str, item: dict[str, Any], report: Report | None = None) -> bytes:
        """Return what ``function(**item)`` answers; ``report`` receives its progress."""
        for _ in range(_ATTEMPTS):
            task = {
                "id": secrets.token_hex(8), "generation": generation_of(item.get("path")),
                "function": function, "item": item, "reports": report is not None,
            }  # fmt: skip
            if "sources" in item:
                task["item"] = {**item, "sources": {p: generation_of(p) for p in item["sources"]}}
            try:
                head, body = await self._exchange(task, report)
            except (EOFError, ConnectionError, asyncio.IncompleteReadError):
                await self.stop()
                raise ServedError(
                    "The process that worked on this has ended.",
                    "It may have run out of memory. Ask for less, or try again.",
                    500,
                ) from None
            except Exception as error:
                await self.stop()
                _LOG.exception("%s failed, and its process was ended", function)
                raise ServedError(
                    "The answer of a process could not be read.", "Please report it.", 500
                ) from error
            except BaseException:
                await self.stop()
                raise
            if "error" in head:
                if head["status"] == OUT_OF_MEMORY:
                    await self.stop()  # what it holds is given back
                raise ServedError(head["error"], head["hint"], head["status"])
            if "changed" not in head:
                return body
        raise ServedError("What was asked keeps changing.", "Try again when it is written.", 409)

    async def _exchange(
        self, task: dict[str, Any], report: Report | None
    ) -> tuple[dict[str, Any], bytes]:
        """Send a task; return the last frame of its reply with its body."""
        child = self._child or await self._start()
        assert child.stdin and child.stdout
        child.stdin.write(json.dumps(task).encode() + b"\n")
        await child.stdin.drain()
        while True:
            line = await child.stdout.readline()
            if not line:
                raise EOFError
            head = json.loads(line)
            if (head["id"], head["generation"]) != (task["id"], task["generation"]):
                raise ValueError(f"a frame of another request: {str(head)[:200]}")
            if "progress" not in head:
                return head, await child.stdout.readexactly(head["size"])
            if report is not None:
                report(head["progress"])

    async def _start(self) -> asyncio.subprocess.Process:
        environment = dict(os.environ)
        if self._memory:
            environment["LEXFIELD_MEMORY"] = str(self._memory)
        if self._threads:
            count = str(self._threads)
            environment |= {
                "LEXFIELD_THREADS": count, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count
            }  # fmt: skip
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                sys.executable, "-m", "lexfield.serve.worker", env=environment, limit=_LINE,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        )  # fmt: skip
        try:
            self._child = await asyncio.shield(starting)
        except asyncio.CancelledError:  # half started, it could not be stopped
            self._child = await starting
            raise
        return self._child

    async def stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            with suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(child.pid, signal.SIGKILL)  # with the processes it has started
                else:
                    child.kill()
            await asyncio.shield(child.wait())


def generation_of(path: str | None) -> str | None:
    """Return which state of a store is at ``path`` now, or None where there is no store."""
    if path is None:
        return None
    try:
        return "-".join(read_current(Path(path)))
    except StoreError:
        return None  # the worker says what is wrong with it


class Pool:
    """As many processes as may answer at a time; each request takes one that is free.

    ``first`` gives the task that a new process does before it is asked anything. A process whose
    caller has gone may end its task if that is soon over; else it is ended, and another takes its
    place.
    """

    def __init__(
        self,
        size: int,
        first: Callable[[], tuple[str, dict[str, Any]]],
        memory: int | None = None,
    ) -> None:
        self.size, self._first = size, first
        self._free: list[Process] = []
        self._turns = asyncio.Semaphore(0)  # as many as are free; whoever waits longest is next
        self._processes = [Process(threads=1, memory=memory) for _ in range(size)]
        self._cleaning: set[asyncio.Task[None]] = set()

    async def warm(self) -> None:
        """Start all processes; each is free when it has done its first task."""
        await asyncio.gather(*(self._begin(process) for process in self._processes))

    async def _begin(self, process: Process) -> None:
        with suppress(LexfieldError):  # what is wrong is told to those who ask
            await process.ask(*self._first())
        self._release(process)

    def _release(self, process: Process) -> None:
        self._free.append(process)
        self._turns.release()

    async def ask(self, function: str, item: dict[str, Any]) -> bytes:
        await self._turns.acquire()
        process = self._free.pop()
        work = asyncio.ensure_future(process.ask(function, item))
        try:
            return await asyncio.shield(work)
        finally:
            if work.done():
                self._release(process)
            else:
                cleaning = asyncio.ensure_future(self._clean(process, work))
                self._cleaning.add(cleaning)
                cleaning.add_done_callback(self._cleaning.discard)

    async def _clean(self, process: Process, work: asyncio.Future[bytes]) -> None:
        """Wait a little for a task that nobody wants any more, or end it."""
        done, _ = await asyncio.wait({work}, timeout=_GRACE)
        if done:
            work.exception()  # nobody else will look at it
            self._release(process)
            return
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        await self._begin(process)

    async def stop(self) -> None:
        for cleaning in list(self._cleaning):
            cleaning.cancel()
        await asyncio.gather(*self._cleaning, return_exceptions=True)
        for process in self._processes:
            await process.stop()
