"""Work that takes longer than a request may: it has an id, shows progress, and can be cancelled.

A job that is asked for again while it is there is shared, not done twice. Whoever starts a job may
name itself as a follower: it renews its interest by asking how far the job is, and takes it back
when it leaves. A job whose last follower has left, or has not been heard of for a while, is
cancelled. A job that was ever asked for without a follower runs to its end.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from lexfield.errors import LexfieldError
from lexfield.serve.pool import Process
from lexfield.serve.problems import NotFoundError, ServedError, problem

Done = Callable[[bytes], Awaitable[None] | None]
_KEPT = 50  # jobs that are remembered
_BYTES = 200_000_000  # of all answers that are kept
_WAITING = 20
_LEASE = 90.0  # seconds that a follower may be silent; browsers wake a hidden page once a minute
_PULSE = 15.0  # seconds after which a silent stream says that it is alive


@dataclass
class Job:
    """Work under way, and how far it is."""

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
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


class Jobs:
    """All jobs of a server; ``at_once`` of them run at a time, in the order of their coming."""

    def __init__(self, at_once: int = 1, memory: int | None = None) -> None:
        self._jobs: dict[str, Job] = {}
        self._answers: dict[str, bytes] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._news: dict[str, asyncio.Event] = {}
        self._shared: dict[Hashable, str] = {}
        self._followers: dict[str, dict[str, asyncio.TimerHandle]] = {}
        self._unattended: set[str] = set()  # run to their end, followed or not
        self._processes = [Process(memory=memory) for _ in range(at_once)]
        self._free: asyncio.LifoQueue[Process] = asyncio.LifoQueue()
        for process in self._processes:
            self._free.put_nowait(process)

    def start(
        self,
        verb: str,
        index: str | None,
        function: str,
        item: dict[str, Any],
        *,
        key: Hashable = None,
        follower: str | None = None,
        done: Done | None = None,
        ended: Callable[[], None] | None = None,
    ) -> Job:
        """Begin (or queue) a task; ``done`` gets the answer, ``ended`` is called in any case.

        Of tasks with the same ``key`` there is one at a time; see ``shared``.
        """
        waiting = sum(job.state == "waiting" for job in self._jobs.values())
        if waiting >= _WAITING:
            if ended:
                ended()
            raise ServedError(f"{waiting} jobs are waiting already.", "Cancel one, or wait.", 429)
        job = Job(secrets.token_hex(8), verb, index)
        self._jobs[job.id] = job
        self._news[job.id] = asyncio.Event()
        self._join(job, follower)
        if key is not None:
            self._shared[key] = job.id
        task = asyncio.create_task(self._run(job, function, item, done))
        task.add_done_callback(lambda _: self._finish(job))
        if ended:
            task.add_done_callback(lambda _: ended())
        self._tasks[job.id] = task
        self._forget()
        return job

    def shared(self, key: Hashable, follower: str | None, *, answered: bool) -> Job | None:
        """A job of this key that is there already: under way or, if ``answered``, done."""
        job = self._jobs.get(self._shared.get(key, ""))
        if job is None or (job.over and not (answered and job.id in self._answers)):
            return None
        if not job.over and self._tasks[job.id].cancelling():
            return None  # it will have no answer
        self._jobs[job.id] = self._jobs.pop(job.id)  # the newest: it was just asked for
        self._join(job, follower)
        return job

    def _join(self, job: Job, follower: str | None) -> None:
        if follower is None:
            self._unattended.add(job.id)
        else:
            self._followers.setdefault(job.id, {})
            self._renew(job, follower)

    def _renew(self, job: Job, follower: str) -> None:
        leases = self._followers[job.id]
        if follower in leases:
            leases.pop(follower).cancel()
        if not job.over:
            leases[follower] = asyncio.get_running_loop().call_later(
                _LEASE, self._drop, job.id, follower
            )

    def _drop(self, id: str, follower: str) -> None:
        """A follower is gone; a job that nobody waits for any more ends."""
        leases = self._followers.get(id, {})
        if follower in leases:
            leases.pop(follower).cancel()
        if not leases and id not in self._unattended and not self._jobs[id].over:
            self._tasks[id].cancel()

    async def _run(self, job: Job, function: str, item: dict[str, Any], done: Done | None) -> None:
        process: Process | None = None

        def report(progress: dict[str, Any]) -> None:
            job.stage, job.done, job.total = (progress[k] for k in ("stage", "done", "total"))
            self._tell(job)

        try:
            process = await self._free.get()
            job.state = "running"
            self._tell(job)
            answer = await process.ask(function, item, report)
            if done and (waiting := done(answer)) is not None:
                await waiting
            self._answers[job.id] = answer
            job.state = "done"
        except asyncio.CancelledError:
            job.state = "cancelled"
        except LexfieldError as error:
            job.state, job.problem = "failed", problem(error)
        finally:
            if process is not None:
                self._free.put_nowait(process)
            if not job.over:
                job.state = "failed"
                job.problem = {"error": "This is a fault in lexfield.", "hint": "Please report it."}

    def _finish(self, job: Job) -> None:
        if not job.over:  # it was cancelled before it began
            job.state = "cancelled"
        for lease in self._followers.pop(job.id, {}).values():
            lease.cancel()
        self._tell(job)

    def _tell(self, job: Job) -> None:
        """Wake those who follow the job."""
        self._news[job.id].set()
        self._news[job.id] = asyncio.Event()

    def _forget(self) -> None:
        """The oldest that are over, until few enough are left."""
        over = [job.id for job in self._jobs.values() if job.over]
        size = sum(map(len, self._answers.values()))
        many = len(self._jobs) - _KEPT
        for number, one in enumerate(over):
            if number >= many and size <= _BYTES:
                break
            size -= len(self._answers.pop(one, b""))
            self._unattended.discard(one)
            for kept in (self._jobs, self._tasks, self._news, self._followers):
                kept.pop(one, None)
        self._shared = {key: id for key, id in self._shared.items() if id in self._jobs}

    def all(self) -> list[Job]:
        """Return the latest jobs, newest first."""
        return list(reversed(self._jobs.values()))

    def get(self, id: str, follower: str | None = None) -> Job:
        """A job by its id; a follower who asks goes on following it."""
        if id not in self._jobs:
            raise NotFoundError(f"There is no job {id[:100]!r}.", "See /v1/jobs.")
        job = self._jobs[id]
        if follower is not None and follower in self._followers.get(id, {}):
            self._renew(job, follower)
        return job

    def answer(self, id: str) -> bytes:
        job = self.get(id)
        if job.problem:
            raise ServedError(job.problem["error"], job.problem["hint"], 409)
        if job.state != "done":
            raise ServedError(f"The job is {job.state}.", "Follow it at its events.", 409)
        return self._answers[id]

    async def cancel(self, id: str, follower: str | None = None) -> Job:
        """Stop a job; a follower only leaves it where others wait for it, too."""
        job = self.get(id)
        if follower is not None:
            self._drop(id, follower)
        elif not job.over:
            self._tasks[id].cancel()
        if not job.over and self._tasks[id].cancelling():
            await asyncio.gather(self._tasks[id], return_exceptions=True)
        return job

    async def events(self, id: str) -> AsyncIterator[str]:
        """Server-sent events: the job whenever it changes, until it is over."""
        job = self.get(id)
        for number in itertools.count():
            news, over = self._news.get(id), job.over  # it may end while this is being sent
            yield f"id: {number}\nevent: {job.state}\ndata: {json.dumps(asdict(job))}\n\n"
            if over or news is None:
                return
            with suppress(TimeoutError):  # then it is said once more: both ends are alive
                await asyncio.wait_for(news.wait(), _PULSE)

    async def stop(self) -> None:
        """Cancel all, as the server ends."""
        for leases in self._followers.values():
            for lease in leases.values():
                lease.cancel()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for process in self._processes:
            await process.stop()
