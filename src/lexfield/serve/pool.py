"""Processes that work for the server, so that it can go on listening.

A task that is cancelled (its caller has gone, its time is over, a job is stopped) ends with its
process: that is the only way to stop a computation for sure. Stores are written atomically, so
nothing is left half done.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lexfield.errors import LexfieldError
from lexfield.serve.problems import ServedError

Report = Callable[[dict[str, Any]], None]
_LINE = 1 << 20
_GRACE = 1.0  # seconds that a task may still take when its caller has gone


class Process:
    """One child; it is started when it is first asked."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads
        self._child: asyncio.subprocess.Process | None = None

    async def ask(self, function: str, item: dict[str, Any], report: Report | None = None) -> bytes:
        """The answer of ``function(**item)``; ``report`` is told its progress."""
        task = {"function": function, "item": item, "reports": report is not None}
        try:
            child = self._child or await self._start()
            assert child.stdin and child.stdout
            child.stdin.write(json.dumps(task).encode() + b"\n")
            await child.stdin.drain()
            while True:
                head = json.loads(await child.stdout.readline() or "{}")
                if "progress" in head and report is not None:
                    report(head["progress"])
                elif "size" in head:
                    return await child.stdout.readexactly(head["size"])
                elif "error" in head:
                    raise ServedError(head["error"], head["hint"], head["status"])
                elif not head:
                    raise EOFError
        except (EOFError, ConnectionError, asyncio.IncompleteReadError):
            await self.stop()
            raise ServedError(
                "The process that worked on this has ended.",
                "It may have run out of memory. Ask for less, or try again.",
                500,
            ) from None
        except asyncio.CancelledError:
            await self.stop()
            raise

    async def _start(self) -> asyncio.subprocess.Process:
        environment = dict(os.environ)
        if self._threads:
            count = str(self._threads)
            environment |= {
                "LEXFIELD_THREADS": count, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count
            }  # fmt: skip
        self._child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lexfield.serve.worker", env=environment, limit=_LINE,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
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


class Pool:
    """As many processes as may answer at a time; each request takes one that is free.

    ``first`` gives the task that a new process does before it is asked anything. A process whose
    caller has gone may end its task if that is soon over; else it is ended, and another takes its
    place.
    """

    def __init__(self, size: int, first: Callable[[], tuple[str, dict[str, Any]]]) -> None:
        self.size, self._first = size, first
        self._free: list[Process] = []
        self._turns = asyncio.Semaphore(0)  # as many as are free; whoever waits longest is next
        self._processes = [Process(threads=1) for _ in range(size)]
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
