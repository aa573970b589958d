"""Worker processes of the server, which keep the event loop free.

A task that is cancelled (its caller has gone, its time is over, a job is stopped) ends with its
process: that is the only reliable way to stop a computation.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from lexfield.engine.processes import Reply, Report, Worker
from lexfield.errors import LexfieldError, OutOfMemoryError, StoreError, WorkerError
from lexfield.results import JsonObject
from lexfield.serve.problems import OUT_OF_MEMORY, ChangedIndexError, ServedError, status_of
from lexfield.store.manifest import read_current
from lexfield.store.mirror import name_path

_LOG = logging.getLogger("lexfield.serve")
_ATTEMPTS = 5  # to ask about an index that is being written
_GRACE = 1.0  # seconds that a task may still take when its caller has gone
_KILL = 0.05  # seconds between two attempts to end a worker that is being started


class Process:
    """A worker that is asked without blocking the event loop."""

    def __init__(self, threads: int | None = None, memory: int | None = None) -> None:
        self.worker = Worker(threads, memory)
        self._thread = ThreadPoolExecutor(1)

    async def ask(self, function: str, item: JsonObject, report: Report | None = None) -> bytes:
        """Return what ``function(**item)`` answers; ``report`` receives its progress.

        The task is given the current state of the store at the item's ``path`` as ``generation``,
        and those of its ``sources``. If one of them changes meanwhile, it is asked again.
        """
        for _ in range(_ATTEMPTS):
            try:
                body = (await self._run(function, _with_states(item), report)).body
                if str(item.get("request", "")).encode() not in body:
                    await self.stop()
                    raise WorkerError("a reply to another request") from ValueError(body[:200])
                return body
            except ChangedIndexError:
                continue
            except OutOfMemoryError as error:
                raise ServedError(error.message, error.hint, OUT_OF_MEMORY) from error
            except WorkerError as error:
                if error.__cause__ is None:  # the worker has logged it
                    raise ServedError(
                        "This is a fault in lexfield.", "Please report it.", 500
                    ) from error
                _LOG.error("%s failed, and its process was ended: %r", function, error.__cause__)
                raise ServedError(
                    "The process that worked on this has ended.",
                    "It may have run out of memory. Ask for less, or try again.",
                    500,
                ) from error
            except LexfieldError as error:
                message, hint = (
                    hide_paths(text, item.get("names", {})) for text in (error.message, error.hint)
                )
                raise ServedError(message, hint, status_of(error)) from error
        raise ServedError(
            "The data keeps changing while it is read.",
            "Try again when the other process has finished writing.",
            409,
        )

    async def _run(self, function: str, item: JsonObject, report: Report | None) -> Reply:
        loop = asyncio.get_running_loop()

        def report_later(progress: JsonObject) -> None:
            assert report
            loop.call_soon_threadsafe(report, progress)

        forward = None if report is None else report_later
        work = loop.run_in_executor(self._thread, self.worker.ask, function, item, forward)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.shield(self._end(work))
            raise

    async def _end(self, work: asyncio.Future[Reply]) -> None:
        """Kill the worker, repeatedly, until its task has ended; it may still be starting."""
        while not work.done():
            await self.stop()
            await asyncio.wait({work}, timeout=_KILL)
        work.exception()  # nobody else will look at it
        await self.stop()

    async def stop(self) -> None:
        await asyncio.to_thread(self.worker.kill)


def _with_states(item: JsonObject) -> JsonObject:
    if "path" in item:
        item = {**item, "generation": generation_of(item["path"])}
    if "sources" in item:
        item = {**item, "sources": {path: generation_of(path) for path in item["sources"]}}
    return item


def generation_of(path: str | None) -> str | None:
    """Return the current state of the store at ``path``, or None if there is no store."""
    if path is None:
        return None
    try:
        return "-".join(read_current(Path(path)))
    except StoreError:
        return None  # the worker reports what is wrong with it


def hide_paths(text: str, names: Mapping[str, str]) -> str:
    """Return a text without the folders of this machine: callers know indexes by their ids.

    ``names`` says what callers call each path; a folder of what they sent has an empty name.
    """
    for path in sorted(names, key=len, reverse=True):  # an index may lie in a folder with a name
        name = names[path]
        forms = {path, os.path.realpath(path), json.dumps(path)[1:-1], name_path(Path(path))}
        for form in forms:
            if not name:
                text = text.replace(form + os.sep, "")
            text = text.replace(form, name or "what was sent")
    return text


class Pool:
    """As many processes as may answer at a time; each request takes a free one.

    ``first`` returns the task that a new process does before it is asked anything. A process whose
    caller has gone may finish its task if that takes a moment only; otherwise it is killed and
    replaced.
    """

    def __init__(
        self,
        size: int,
        first: Callable[[], tuple[str, JsonObject]],
        memory: int | None = None,
    ) -> None:
        self.size, self._first = size, first
        self._free: list[Process] = []
        self._turns = asyncio.Semaphore(0)  # counts free processes; the first to wait is next
        self._processes = [Process(threads=1, memory=memory) for _ in range(size)]
        self._cleaning: set[asyncio.Task[None]] = set()

    async def warm(self) -> None:
        """Start all processes; each is free when it has done its first task."""
        await asyncio.gather(*(self._begin(process) for process in self._processes))

    async def _begin(self, process: Process) -> None:
        with suppress(LexfieldError):  # those who ask are told what is wrong
            await process.ask(*self._first())
        self._release(process)

    def _release(self, process: Process) -> None:
        self._free.append(process)
        self._turns.release()

    async def ask(self, function: str, item: JsonObject) -> bytes:
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
        """Give an abandoned task a moment to finish, then kill it."""
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
