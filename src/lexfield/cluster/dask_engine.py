"""Work on the workers of a Dask cluster. The only module that imports dask.

A worker may die, freeze or run a task twice at any moment, so a task is a pure function of file
references and parameters, named ``module:function``; what it writes gets its name when it is
complete. No state is kept on workers (no actors) and no data is scattered: both would be lost with
the worker. Only names of functions and JSON are sent, both ways.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
import uuid
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import xxhash

from lexfield import __version__
from lexfield.engine import Engine, Local, single_thread
from lexfield.engine.tasks import call, describe_error, restore_error
from lexfield.errors import ClusterError, LexfieldError, StoreError, need
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject

VARIABLE = "LEXFIELD_CLUSTER"  # the address of a scheduler
_AHEAD = 3  # tasks in flight for every thread of the cluster
_REPEATS = 3  # times that a task that failed on one worker is tried on others
_POLL = 5.0  # seconds between checks for workers
_PATIENCE = 60.0  # seconds without any worker
_DISK = "Free some room there, or stop this worker: its work goes to the others."
_AGAIN = "Run the same command again: finished parts are kept."
_SHARE = "Every machine of the cluster must see the same folders under the same paths."
_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ENOMEM)


@dataclass(frozen=True)
class WorkerStatus:
    """One worker, as ``lexfield cluster status`` shows it."""

    address: str
    host: str
    threads: int
    memory_mb: int
    limit_mb: int
    tasks: int
    lexfield: str


class DaskEngine:
    """An engine whose tasks run on the workers of the scheduler at ``address``."""

    def __init__(self, address: str, timeout: float = 10.0) -> None:
        distributed = need("distributed", "cluster")
        self.address = address
        self._starts: Counter[str] = Counter()
        self.sent = self.received = 0  # bytes of tasks and of their answers
        try:
            self._client = distributed.Client(
                address, timeout=timeout, set_as_default=False, name="lexfield"
            )
        except (OSError, ValueError, TimeoutError, ImportError) as error:
            raise ClusterError(
                f"No scheduler answers at {address!r}.",
                "Start one with `dask scheduler` and workers with `dask worker ADDRESS`; the"
                " address looks like tcp://10.0.0.5:8786.",
            ) from error
        self._topic = f"lexfield-{uuid.uuid4().hex}"
        self._client.subscribe_topic(self._topic, self._started)

    def _started(self, event: tuple[Any, str]) -> None:
        self._starts[event[1]] += 1

    @property
    def threads(self) -> int:
        return sum(self._cores().values())

    @property
    def workers(self) -> list[str]:
        """Addresses of the workers that are connected now."""
        return sorted(self._cores())

    def _cores(self) -> dict[str, int]:
        """Return the threads of every worker."""
        try:
            return dict(self._client.ncores())
        except (OSError, RuntimeError) as error:  # the connection was closed
            raise self._gone() from error

    def _gone(self) -> ClusterError:
        return ClusterError(f"The scheduler at {self.address} is gone.", _AGAIN)

    @property
    def repeated(self) -> int:
        """Tasks that were started again because they were lost or failed somewhere."""
        return sum(self._starts.values()) - len(self._starts)

    def map(
        self, task: str, items: Sequence[JsonObject], *, progress: Progress = silent
    ) -> Iterator[Any]:
        """Yield results of ``task(**item)`` in order; a few per thread are under way at a time."""
        self._need_workers()
        number, rest = 0, iter(items)
        waiting: deque[_Running] = deque()
        try:
            while True:
                room = max(1, _AHEAD * self.threads - len(waiting))
                waiting.extend(
                    self._send(_Running(task, json.dumps(item))) for item in islice(rest, room)
                )
                if not waiting:
                    return
                result = self._result(waiting[0])
                waiting.popleft()
                number += 1
                progress(number, len(items))
                yield result
        finally:  # also when the caller stops, or its progress raises
            with suppress(OSError, RuntimeError):  # without a scheduler there is nothing to cancel
                self._client.cancel([running.future for running in waiting], force=True)

    def _send(self, running: _Running) -> _Running:
        """Start a task on any worker that has not refused it."""
        others = [address for address in self.workers if address not in running.refused]
        running.future = self._client.submit(
            run_task,
            running.task,
            running.item,
            self._topic,
            running.name,
            key=f"{running.task.rpartition(':')[2]}-{running.name}-{len(running.refused)}",
            workers=others if running.refused else None,
            pure=False,
        )
        self.sent += len(running.item)
        return running

    def _result(self, running: _Running) -> Any:
        while True:
            text = self._wait(running)
            self.received += len(text)
            answer = json.loads(text)
            if "error" in answer:
                raise restore_error(answer)
            if "result" in answer:
                return answer["result"]
            running.refused.append(answer["worker"])
            left = set(self.workers) - set(running.refused)
            if not left or len(running.refused) > _REPEATS:
                raise ClusterError(
                    f"A task failed on {', '.join(running.refused)}: {answer['elsewhere']}", _DISK
                )
            self._send(running)

    def _wait(self, running: _Running) -> str:
        """Wait for a task without a time limit and return its answer.

        Raise ClusterError if it kills workers, or if no worker or scheduler is left.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        alone = 0.0
        while True:
            try:
                return str(running.future.result(timeout=_POLL))
            except TimeoutError:
                alone = 0.0 if self.workers else alone + _POLL
                if alone >= _PATIENCE:
                    raise ClusterError("No worker is left.", _AGAIN) from None
            except KilledWorker as error:
                raise ClusterError(
                    f"A task of {running.task} was lost with {error.allowed_failures + 1} workers"
                    f" one after the other, the last at {error.last_worker.address}.",
                    "It may need more memory than they have; see their logs.",
                ) from error
            except (CancelledError, OSError) as error:
                raise self._gone() from error
            except ModuleNotFoundError as error:
                raise ClusterError(
                    f"A worker has no module {error.name!r}.",
                    "Install the same lexfield on every worker.",
                ) from error

    def _need_workers(self) -> None:
        if not self.workers:
            try:
                self._client.wait_for_workers(1, timeout=_POLL)
            except TimeoutError:
                raise ClusterError(
                    f"The scheduler at {self.address} has no workers.",
                    f"Start some with: dask worker {self.address}",
                ) from None

    def status(self) -> list[WorkerStatus]:
        """Return every worker with its version of lexfield, which must be the same everywhere."""
        versions = self._client.run(installed, on_error="return")
        info = self._client.scheduler_info(n_workers=-1)["workers"]
        return [
            WorkerStatus(
                address,
                about["host"],
                about["nthreads"],
                round(about["metrics"].get("memory", 0) / 1e6),
                round(about["memory_limit"] / 1e6),
                sum(about["metrics"].get("task_counts", {}).values()),
                versions[address] if isinstance(versions.get(address), str) else "none",
            )
            for address, about in sorted(info.items())
        ]

    def try_folder(self, folder: Path) -> dict[str, str]:
        """Return for each worker whether what it writes to ``folder`` is seen here."""
        name = f".lexfield-{uuid.uuid4().hex}"
        found: dict[str, str] = {}
        for address in self.workers:
            own = folder / f"{name}-{len(found)}"
            answers = self._client.run(leave_file, str(own), workers=[address], on_error="return")
            if answers.get(address) != "":
                found[address] = str(answers.get(address))
            else:
                found[address] = "shared" if own.exists() else "another folder of this name"
            own.unlink(missing_ok=True)
        return found

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> DaskEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_engine(cluster: str | None = None) -> Engine:
    """Return the cluster at an address, or at that of ``LEXFIELD_CLUSTER``; else this machine."""
    address = cluster or os.environ.get(VARIABLE, "")
    return DaskEngine(address) if address else Local()


def choose_run_folder(cluster: DaskEngine, key: str, parents: Sequence[Path] = ()) -> Path:
    """Return a folder that this machine and all workers see, the same for the same ``key``.

    ``key`` says what is computed, such as the arguments of the command, so that the same run goes
    on where it was stopped. The folder is in the first of ``parents`` that is shared: by default
    the current folder, the home folder or that for temporary files. Raise ClusterError if none is.
    """
    name = f"lexfield-run-{xxhash.xxh3_64_hexdigest(key.encode())}"
    for parent in parents or (Path.cwd(), Path.home(), Path(tempfile.gettempdir())):
        if os.access(parent, os.W_OK):
            seen = cluster.try_folder(parent)
            if seen and all(state == "shared" for state in seen.values()):
                return parent / name
    raise ClusterError(
        "The workers of the cluster do not see the folders of this machine.",
        "Name a folder that all of them see with --resume FOLDER.",
    )


@dataclass
class _Running:
    """A task under way, and the workers that could not do it."""

    task: str
    item: str
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    refused: list[str] = field(default_factory=list)
    future: Any = None


def run_task(task: str, item: str, topic: str, name: str) -> str:
    """Run a task on a worker; return its result or its error as JSON.

    Trouble with the machine itself (a full disk, too little memory) is reported as such, because
    another worker may succeed.
    """
    from distributed import get_worker

    worker = get_worker()
    worker.log_event(topic, name)
    # The cores are shared out by task: one thread each, also for BLAS.
    os.environ["LEXFIELD_THREADS"] = "1"
    single_thread()
    try:
        return json.dumps({"result": call(task, json.loads(item))})
    except (LexfieldError, OSError, MemoryError) as error:
        cause = error.__cause__ if isinstance(error, LexfieldError) else error
        is_local = isinstance(cause, OSError) and cause.errno in _MACHINE
        if is_local or isinstance(error, MemoryError):
            problem = f"{type(error).__name__}: {error}"
            return json.dumps({"elsewhere": problem, "worker": worker.address})
        if not isinstance(error, LexfieldError):
            error = StoreError(str(error), _SHARE)
        return json.dumps(
            {**describe_error(error), "error": f"{error.message} (on {worker.address})"}
        )


def leave_file(path: str) -> str:
    """Write a file, and return what went wrong, or nothing."""
    try:
        Path(path).touch()
        return ""
    except OSError as error:
        return error.strerror or str(error)


def installed() -> str:
    """Return the version of lexfield on a worker."""
    return __version__
