"""A worker process: it runs one task per line of its standard input until that ends.

It replies in frames: a line of JSON, then a body of the size that the line states. Every frame
repeats the id of its task. Frames report progress; the last one of a reply has the result or an
error. Nothing is pickled. A result that is a string travels as it is, others as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from typing import BinaryIO

from lexfield.engine.tasks import MEMORY, call, describe_error
from lexfield.errors import LexfieldError, OutOfMemoryError, WorkerError
from lexfield.results import JsonObject

_PAUSE = 0.1  # seconds between two reports of progress
_WATCH = 0.5  # seconds between two looks at the parent


class ReplyChannel:
    """The way back to the parent, and the progress of the task."""

    def __init__(self, out: BinaryIO, id: str) -> None:
        self._out = out
        self._id = id
        self._reported = 0.0
        self._stage = ""

    def send(self, head: JsonObject, body: bytes = b"") -> None:
        line = json.dumps({"id": self._id, **head, "size": len(body)}).encode() + b"\n"
        self._out.write(line + body)
        self._out.flush()

    def stage(self, name: str) -> None:
        """Report what is being done now."""
        self._stage, self._reported = name, 0.0
        self(0, None)

    def __call__(self, done: int, total: int | None) -> None:
        """Report the progress of the stage."""
        now = time.monotonic()
        if now - self._reported >= _PAUSE or done == total:
            self._reported = now
            self.send({"progress": {"stage": self._stage, "done": int(done), "total": total}})


def run_task(task: JsonObject, frames: ReplyChannel) -> tuple[JsonObject, bytes]:
    """Run a task; return the last frame of its reply and the body that follows it."""
    try:
        report = {"report": frames} if task["reports"] else {}
        result = call(task["function"], {**task["item"], **report})
        if isinstance(result, str):
            return {"text": True}, result.encode()
        return {"text": False}, json.dumps(result).encode()
    except LexfieldError as error:
        return describe_error(error), b""
    except MemoryError:
        return describe_error(_out_of_memory()), b""
    except Exception as error:
        print(describe_failure(task["function"]), flush=True)  # to standard error; see main
        message = f"A worker process failed: {type(error).__name__}: {error}"
        return describe_error(WorkerError(message, "Please report it.")), b""


def _out_of_memory() -> OutOfMemoryError:
    limit = int(os.environ.get(MEMORY, 0))
    if not limit:
        return OutOfMemoryError("There is not enough memory for this.", "Ask for less.")
    return OutOfMemoryError(
        f"This needs more than {limit / 1e9:g} GB of memory, the limit of this server.",
        "Send less at a time, or start `lexfield serve` with a larger --memory.",
    )


def describe_failure(what: str) -> str:
    """Return the traceback of the current exception without control characters.

    It may quote what a caller sent, which must not control a terminal.
    """
    text = f"{what} failed\n{traceback.format_exc().rstrip()}"
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def limit_memory() -> None:
    """Let an allocation beyond the limit fail before the machine runs out of memory."""
    limit = int(os.environ.get(MEMORY, 0))
    if limit and sys.platform == "linux":  # others have the call, but do not enforce it
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def end_with_parent() -> None:
    """End this process when its parent is gone, even in the middle of a task.

    A parent that is killed cannot end its workers, and a worker notices the end of its input only
    after its task, which may take hours.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    end_with_parent()
    # What a task prints must not get between the frames.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_memory()
    for line in sys.stdin.buffer:
        task = json.loads(line)
        frames = ReplyChannel(out, task["id"])
        frames.send(*run_task(task, frames))


if __name__ == "__main__":
    main()
