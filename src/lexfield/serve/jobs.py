"""Work that takes longer than a request may: it has an id, shows progress, and can be cancelled.

A job that is asked for again while it exists is shared, not done twice. Whoever starts a job may
name itself as a follower. A follower renews its interest by asking how far the job is, and gives it
up when it leaves. A job whose last follower has left, or has been silent for a while, is cancelled.
A job that was ever asked for without a follower runs to its end.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

import msgspec

from lexfield.errors import LexfieldError
from lexfield.results import JsonObject
from lexfield.serve.pool import Process
from lexfield.serve.problems import FAULT, NotFoundError, ServedError, describe_problem

_KEPT = 50  # jobs that are remembered
_BYTES = 200_000_000  # of all answers that are kept
_WAITING = 20
_LEASE = 90.0  # seconds that a follower may be silent; browsers wake a hidden page once a minute
_PULSE = 15.0  # seconds after which a silent stream repeats itself, to show that it is alive


@dataclass
class Job:
    """A job as its callers see it."""

    id: str
    verb: str
    index: str | None
    state: Literal["waiting", "running", "done", "failed", "cancelled"] = "waiting"
    stage: str = ""
    done: int = 0
    total: int | None = None
    problem: dict[str, str] | None = None
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


@dataclass
class _Entry:
    """A job with its work, its answer, and those who wait for it."""

    job: Job
    key: Hashable
    task: asyncio.Task[None] | None = None
    answer: bytes | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    leases: dict[str, asyncio.TimerHandle] = field(default_factory=dict)  # by follower
    runs_alone: bool = False  # to its end, followed or not

    def announce(self) -> None:
        """Wake those who watch the job."""
        self.changed.set()
        self.changed = asyncio.Event()

    def cancel(self) -> None:
        if self.task is not None and not self.job.is_over:
            self.task.cancel()

    @property
    def is_ending(self) -> bool:
        """Is the job being cancelled, so that it will have no answer?"""
        return self.task is not None and not self.job.is_over and self.task.cancelling() > 0

    def join(self, follower: str | None) -> None:
        if follower is None:
            self.runs_alone = True
        else:
            self.renew(follower)

    def renew(self, follower: str) -> None:
        """Let a follower be silent for another while."""
        self.end_lease(follower)
        if not self.job.is_over:
            loop = asyncio.get_running_loop()
            self.leases[follower] = loop.call_later(_LEASE, self.leave, follower)

    def leave(self, follower: str) -> None:
        """End the interest of a follower, and the job if nobody else waits for it."""
        self.end_lease(follower)
        if not self.leases and not self.runs_alone:
            self.cancel()

    def end_lease(self, follower: str) -> None:
        if follower in self.leases:
            self.leases.pop(follower).cancel()


class Jobs:
    """All jobs of a server; one runs at a time, in the order of their arrival."""

    def __init__(self, memory: int | None = None) -> None:
        self._entries: dict[str, _Entry] = {}  # oldest first
        self._process = Process(memory=memory)
        self._turn = asyncio.Lock()

    async def warm(self, function: str, item: JsonObject) -> None:
        """Start the process of the jobs, so that the first job does not wait for it."""
        async with self._turn:
            with suppress(LexfieldError):  # a job will say what is wrong
                await self._process.ask(function, item)

    def start(
        self,
        verb: str,
        index: str | None,
        function: str,
        item: JsonObject,
        *,
        key: Hashable = None,
        follower: str | None = None,
        done: Callable[[bytes], None] | None = None,
        ended: Callable[[], None] | None = None,
    ) -> Job:
        """Start or queue a task; ``done`` gets the answer, ``ended`` is called in any case.

        There is one task per ``key`` at a time: ask :meth:`share` first.
        """
        waiting = sum(entry.job.state == "waiting" for entry in self._entries.values())
        if waiting >= _WAITING:
            if ended:
                ended()
            raise ServedError(f"{waiting} jobs are waiting already.", "Cancel one, or wait.", 429)
        job = Job(secrets.token_hex(8), verb, index)
        entry = self._entries[job.id] = _Entry(job, key)
        entry.join(follower)
        entry.task = asyncio.create_task(self._run(entry, function, item, done))
        entry.task.add_done_callback(lambda _: self._finish(entry, ended))
        self._forget()
        return job

    def share(self, key: Hashable, follower: str | None, *, answered: bool) -> Job | None:
        """Return the job of this key, if it is under way or, if ``answered``, done."""
        same = [entry for entry in self._entries.values() if entry.key == key]
        if not same or same[-1].is_ending:
            return None
        entry = same[-1]
        if entry.job.is_over and not (answered and entry.answer is not None):
            return None
        self._entries[entry.job.id] = self._entries.pop(entry.job.id)  # it is the newest again
        entry.join(follower)
        return entry.job

    async def _run(
        self,
        entry: _Entry,
        function: str,
        item: JsonObject,
        done: Callable[[bytes], None] | None,
    ) -> None:
        job = entry.job

        def report(progress: JsonObject) -> None:
            job.stage, job.done, job.total = (progress[k] for k in ("stage", "done", "total"))
            entry.announce()

        try:
            async with self._turn:
                job.state = "running"
                entry.announce()
                answer = await self._process.ask(function, item, report)
            if done:
                done(answer)
            entry.answer = answer
            job.state = "done"
        except asyncio.CancelledError:
            job.state = "cancelled"
        except LexfieldError as error:
            job.state, job.problem = "failed", describe_problem(error)
        finally:
            if not job.is_over:
                job.state, job.problem = "failed", FAULT

    def _finish(self, entry: _Entry, ended: Callable[[], None] | None) -> None:
        if not entry.job.is_over:  # it was cancelled before it began
            entry.job.state = "cancelled"
        for follower in list(entry.leases):
            entry.end_lease(follower)
        entry.announce()
        if ended:
            ended()

    def _forget(self) -> None:
        """Forget the oldest jobs that are over, until few enough are left."""
        over = [entry for entry in self._entries.values() if entry.job.is_over]
        size = sum(len(entry.answer or b"") for entry in over)
        for entry in over:
            if len(self._entries) <= _KEPT and size <= _BYTES:
                break
            size -= len(entry.answer or b"")
            del self._entries[entry.job.id]

    def all(self) -> list[Job]:
        """Return the latest jobs, newest first."""
        return [entry.job for entry in reversed(self._entries.values())]

    def _find(self, id: str) -> _Entry:
        if id not in self._entries:
            raise NotFoundError(f"There is no job {id[:100]!r}.", "See /v1/jobs.")
        return self._entries[id]

    def get(self, id: str, follower: str | None = None) -> Job:
        """Return a job; a follower who asks for it keeps following it."""
        entry = self._find(id)
        if follower is not None and follower in entry.leases:
            entry.renew(follower)
        return entry.job

    def answer(self, id: str) -> bytes:
        """Return the answer of a job that is done."""
        entry = self._find(id)
        if entry.job.problem:
            raise ServedError(entry.job.problem["error"], entry.job.problem["hint"], 409)
        if entry.answer is None:
            raise ServedError(f"The job is {entry.job.state}.", "Follow it at its events.", 409)
        return entry.answer

    async def cancel(self, id: str, follower: str | None = None) -> Job:
        """Stop a job; a follower only leaves it if others wait for it, too."""
        entry = self._find(id)
        if follower is None:
            entry.cancel()
        else:
            entry.leave(follower)
        if entry.is_ending and entry.task is not None:
            await asyncio.gather(entry.task, return_exceptions=True)
        return entry.job

    async def stream(self, id: str) -> AsyncIterator[bytes]:
        """Yield the job as a server-sent event whenever it changes, until it is over."""
        entry = self._find(id)
        for number in itertools.count():
            changed, over = entry.changed, entry.job.is_over  # it may end while this is being sent
            data = msgspec.json.encode(entry.job)
            yield b"id: %d\nevent: %s\ndata: %s\n\n" % (number, entry.job.state.encode(), data)
            if over:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _PULSE)

    async def stop(self) -> None:
        """Cancel all jobs, as the server ends."""
        tasks = [entry.task for entry in self._entries.values() if entry.task is not None]
        for entry in self._entries.values():
            entry.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._process.stop()
