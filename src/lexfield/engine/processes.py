"""Work that Python does, on processes of this machine.

A task is a function of the package, named ``module:function``, and arguments that JSON can carry;
its result travels back the same way. Workers are plain child processes that read tasks from their
standard input: nothing is pickled, the caller's own script is not imported again, and there is no
fork of a process with threads.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Any

from lexfield import errors
from lexfield.engine.threads import cores
from lexfield.errors import LexfieldError
from lexfield.progress import Progress, silent

_WATCH = 0.5  # seconds between two looks at the parent
_SEE = "Every machine of the cluster must see the same folders under the same paths."
_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ENOMEM)


def map_tasks(
    function: str, items: Sequence[dict[str, Any]], *, progress: Progress = silent
) -> Iterator[Any]:
    """Results of ``function(**item)`` for every item, in order, on all cores."""
    threads = min(cores(), len(items))
    if threads <= 1:
        for number, item in enumerate(items, 1):
            yield call(function, item)
            progress(number, len(items))
        return
    workers: list[subprocess.Popen[str]] = []
    own = threading.local()

    def run(item: dict[str, Any]) -> Any:
        if not hasattr(own, "worker"):
            own.worker = _start()
            workers.append(own.worker)
        return _ask(own.worker, function, item)

    with ThreadPoolExecutor(threads) as pool:
        try:
            waiting: list[Future[Any]] = [pool.submit(run, item) for item in items[: 2 * threads]]
            for number in range(len(items)):
                result = waiting.pop(0).result()
                if number + 2 * threads < len(items):
                    waiting.append(pool.submit(run, items[number + 2 * threads]))
                yield result
                progress(number + 1, len(items))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.kill()
                worker.wait()
                for stream in (worker.stdin, worker.stdout):
                    if stream:
                        with suppress(OSError):  # what was not sent cannot be any more
                            stream.close()


def end_with_parent() -> None:
    """End this process when its parent is gone, even in the middle of a task.

    A parent that is killed cannot end its workers, and a worker notices the end of its input only
    when its task is done, which may take hours.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def call(function: str, item: dict[str, Any]) -> Any:
    """Call ``module:function`` of this package."""
    module, _, name = function.partition(":")
    if not module.startswith("lexfield."):
        raise LexfieldError(f"{function!r} is not a function of lexfield.")
    return getattr(import_module(module), name)(**item)


def _start() -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "lexfield.engine.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,  # the cores are shared out by process
    )


def _ask(worker: subprocess.Popen[str], function: str, item: dict[str, Any]) -> Any:
    """Return the result of a task; a worker whose reply is not one to this task is killed."""
    assert worker.stdin and worker.stdout
    id = secrets.token_hex(8)
    try:
        worker.stdin.write(json.dumps({"id": id, "function": function, "item": item}) + "\n")
        worker.stdin.flush()
        reply = json.loads(worker.stdout.readline())
        if reply.pop("id") != id:
            raise ValueError("the reply to another task")
    except (OSError, ValueError, LookupError) as error:
        with suppress(subprocess.TimeoutExpired):
            worker.wait(1)  # one that has ended by itself has an exit code to tell
        worker.kill()
        raise LexfieldError(
            f"A worker process ended before its work was done (exit code {worker.wait()}).",
            "It may have run out of memory; try fewer with LEXFIELD_THREADS=1.",
        ) from error
    return answered(reply)


def call_answer(function: str, item: dict[str, Any], worker: str = "") -> dict[str, Any]:
    """Call a task; gives its result, or its error, as JSON can carry it.

    Trouble with the machine (a full disk, no memory) is told apart where there is another
    ``worker`` to try.
    """
    try:
        return {"result": call(function, item)}
    except LexfieldError as error:
        if worker and isinstance(error.__cause__, OSError) and error.__cause__.errno in _MACHINE:
            return {"elsewhere": str(error), "worker": worker}
        where = f" (on {worker})" if worker else ""
        kind = type(error).__name__
        return {"error": error.message + where, "hint": error.hint, "kind": kind}
    except (OSError, MemoryError) as error:
        if worker and (isinstance(error, MemoryError) or error.errno in _MACHINE):
            return {"elsewhere": f"{type(error).__name__}: {error}", "worker": worker}
        if not worker:
            raise
        message = f"{error} (on {worker})"
        return {"error": message, "hint": _SEE, "kind": "StoreError"}


def answered(answer: dict[str, Any]) -> Any:
    """The result in an answer, or its error raised here."""
    if "error" in answer:
        kind = getattr(errors, answer["kind"], LexfieldError)
        raise kind(answer["error"], answer["hint"])
    return answer["result"]
