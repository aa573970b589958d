"""A process that works for the server: it answers one task per line until its input ends.

It writes frames: a line of JSON, then a body of the size that the line states. Every frame repeats
the id of its request and the generation of the index that was asked about. Frames report progress;
the last one of a reply holds the answer or an error. Nothing is pickled.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, BinaryIO

from lexfield.engine.processes import call, end_with_parent
from lexfield.errors import LexfieldError
from lexfield.serve.problems import OUT_OF_MEMORY, ChangedIndexError, log_fault, problem, status_of

_MEMORY = "LEXFIELD_MEMORY"  # bytes
_PAUSE = 0.1  # seconds between two reports of progress


class Frames:
    """The way back to the server."""

    def __init__(self, out: BinaryIO, id: str, generation: str | None) -> None:
        self._out = out
        self._about = {"id": id, "generation": generation}
        self._shown = 0.0
        self._stage = ""

    def send(self, head: dict[str, Any], body: bytes = b"") -> None:
        line = json.dumps({**self._about, **head, "size": len(body)}).encode() + b"\n"
        self._out.write(line + body)
        self._out.flush()

    def stage(self, name: str) -> None:
        """What is being done now."""
        self._stage, self._shown = name, 0.0
        self(0, None)

    def __call__(self, done: int, total: int | None) -> None:
        """The progress of the stage."""
        now = time.monotonic()
        if now - self._shown >= _PAUSE or done == total:
            self._shown = now
            self.send({"progress": {"stage": self._stage, "done": int(done), "total": total}})


def answer(task: dict[str, Any], frames: Frames) -> tuple[dict[str, Any], bytes]:
    """Run a task; return the last frame of its reply, and the body that follows it."""
    try:
        report = {"report": frames} if task["reports"] else {}
        expected = {"generation": task["generation"]} if "path" in task["item"] else {}
        body = call(task["function"], {**task["item"], **report, **expected}).encode()
        return {}, body
    except ChangedIndexError:
        return {"changed": True}, b""
    except LexfieldError as error:
        told = {name: hide_paths(text, task["item"]) for name, text in problem(error).items()}
        return {**told, "status": status_of(error)}, b""
    except MemoryError:
        return {**_no_memory(), "status": OUT_OF_MEMORY}, b""
    except Exception:
        log_fault(task["function"])
        fault = {"error": "This is a fault in lexfield.", "hint": "Please report it."}
        return fault | {"status": 500}, b""


def _no_memory() -> dict[str, str]:
    limit = int(os.environ.get(_MEMORY, 0))
    if not limit:
        return {"error": "There is not enough memory for this.", "hint": "Ask for less."}
    return {
        "error": f"This needs more than {limit / 1e9:g} GB of memory, the limit of this server.",
        "hint": "Send less at a time, or start the server with a larger --memory.",
    }


def limit_memory() -> None:
    """Let an allocation beyond the limit fail, rather than the machine run out of memory."""
    limit = int(os.environ.get(_MEMORY, 0))
    if limit and sys.platform == "linux":  # others have the call, but do not enforce it
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def hide_paths(text: str, item: dict[str, Any]) -> str:
    """Return a message without the folders of this machine: callers know indexes by their ids."""
    options = item.get("options", {})
    paths = (
        options.get("folder"),
        options.get("target"),
        options.get("output"),
        item.get("path"),
        *item.get("sources", ()),
    )
    for path in filter(None, paths):
        for form in {str(path), os.path.realpath(path)}:
            if path == options.get("folder"):
                text = text.replace(form + os.sep, "").replace(form, "what was sent")
            text = text.replace(form, os.path.basename(form))
    return text


def main() -> None:
    end_with_parent()
    # What a task might print must not get between the frames.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_memory()
    for line in sys.stdin.buffer:
        task = json.loads(line)
        frames = Frames(out, task["id"], task["generation"])
        frames.send(*answer(task, frames))


if __name__ == "__main__":
    main()
