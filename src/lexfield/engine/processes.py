"""Worker processes on this machine, for work that Python itself does or that must be killable.

A task is a function of the package, named ``module:function``, and arguments that JSON can carry;
its result travels back the same way. Workers are plain child processes that read tasks from their
standard input: nothing is pickled, the caller's own script is not imported again, and no process
with threads is forked. ``worker.py`` describes the protocol.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from lexfield.engine.tasks import MEMORY, call, restore_error
from lexfield.engine.threads import cores, map_threads
from lexfield.errors import OutOfMemoryError, WorkerError
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject

Report = Callable[[JsonObject], None]
_LINE = 1 << 20  # bytes of the first line of a frame


@dataclass(frozen=True)
class Reply:
    """The result of a task, as bytes of text or of JSON."""

    body: bytes
    is_text: bool

    def value(self) -> Any:
        return self.body.decode() if self.is_text else json.loads(self.body)


class Worker:
    """A child process that runs one task at a time; it is started when it is first asked.

    Every task has an id, which every frame of its reply repeats. A child that sends anything else
    is killed: what may still be in its pipe must not become the answer to another task. ``kill``
    may be called from another thread; a task under way then raises WorkerError. The temporary files
    of a child go with it, even if it was killed at work.
    """

    command: Sequence[str] = (sys.executable, "-m", "lexfield.engine.worker")

    def __init__(self, threads: int | None = None, memory: int | None = None) -> None:
        self._threads, self._memory = threads, memory
        self._child: subprocess.Popen[bytes] | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        return self._child is not None

    def ask(self, function: str, item: JsonObject, report: Report | None = None) -> Reply:
        """Run ``function(**item)``; ``report`` receives its progress. Raise the task's own errors,
        or WorkerError if there is no answer."""
        if self._child is not None and self._child.poll() is not None:
            self.kill()  # it has ended since its last task: this one is not to suffer for that
        with self._lock:
            child = self._child = self._child or self._start()
        task = {
            "id": secrets.token_hex(8),
            "function": function,
            "item": item,
            "reports": report is not None,
        }
        try:
            head, body = _exchange(child, task, report)
            if "error" not in head:
                return Reply(body, head["text"])
            failure = restore_error(head)
        except Exception as error:
            with suppress(subprocess.TimeoutExpired):
                child.wait(1)  # one that ended by itself has an exit code
            self.kill()
            raise WorkerError(
                f"A worker process ended before its work was done (exit code {child.returncode}).",
                "It may have run out of memory; try fewer with LEXFIELD_THREADS=1.",
            ) from error
        if isinstance(failure, OutOfMemoryError):
            self.kill()  # to free what it holds
        raise failure

    def _start(self) -> subprocess.Popen[bytes]:
        self._folder = TemporaryDirectory(prefix="lexfield-", ignore_cleanup_errors=True)
        environment = {**os.environ, "TMPDIR": self._folder.name}
        if self._memory:
            environment[MEMORY] = str(self._memory)
        if self._threads:
            for name in ("LEXFIELD_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
                environment[name] = str(self._threads)
        return subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # so that it is killed with the processes it starts
        )

    def kill(self) -> None:
        """End the child at once. Stores are written atomically, so nothing is left half done."""
        with self._lock:
            child, self._child = self._child, None
            if child is None:
                return
            with suppress(ProcessLookupError, PermissionError):
                if hasattr(os, "killpg"):
                    os.killpg(child.pid, signal.SIGKILL)
                else:
                    child.kill()
            child.wait()
            assert child.stdin
            with suppress(OSError):  # unsent bytes cannot be flushed
                child.stdin.close()
            if self._folder is not None:
                self._folder.cleanup()


def _exchange(
    child: subprocess.Popen[bytes], task: JsonObject, report: Report | None
) -> tuple[JsonObject, bytes]:
    """Send a task; return the last frame of its reply with its body."""
    assert child.stdin and child.stdout
    child.stdin.write(json.dumps(task).encode() + b"\n")
    child.stdin.flush()
    while True:
        head = json.loads(child.stdout.readline(_LINE))
        if head["id"] != task["id"]:
            raise ValueError(f"a frame of another task: {str(head)[:200]}")
        if "progress" not in head:
            break
        if report is not None:
            report(head["progress"])
    size = int(head["size"])
    body = child.stdout.read(max(size, 0))
    if len(body) != size:
        raise EOFError("a reply that ends too early")
    return head, body


def map_tasks(
    function: str, items: Sequence[JsonObject], *, progress: Progress = silent
) -> Iterator[Any]:
    """Yield ``function(**item)`` for every item, in order, computed on all cores."""
    threads = min(cores(), len(items))
    if threads <= 1:
        for number, item in enumerate(items, 1):
            yield call(function, item)
            progress(number, len(items))
        return
    workers: list[Worker] = []
    own = threading.local()

    def run(item: JsonObject) -> Any:
        if not hasattr(own, "worker"):
            own.worker = Worker(threads=1)  # the cores are divided among the processes
            workers.append(own.worker)
        return own.worker.ask(function, item).value()

    def stop() -> None:
        for worker in workers:
            worker.kill()

    yield from map_threads(run, items, threads, progress, stop)


class Engine(Protocol):
    """Where tasks run: on this machine or on a cluster."""

    def map(
        self, task: str, items: Sequence[JsonObject], *, progress: Progress = silent
    ) -> Iterator[Any]:
        """Yield ``task(**item)`` for every item, in order, few of them waiting at a time.

        Close the iterator, or raise from ``progress``, to cancel what has not begun.
        """

    def close(self) -> None: ...


class Local:
    """The engine of this machine: its processes."""

    def map(
        self, task: str, items: Sequence[JsonObject], *, progress: Progress = silent
    ) -> Iterator[Any]:
        return map_tasks(task, items, progress=progress)

    def close(self) -> None:
        """Do nothing: no process stays open."""
