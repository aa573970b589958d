"""A process that works for the server: answers a task a line until its input ends.

What it writes are frames: a line of JSON that gives progress, an error, or the size of the answer,
which follows as it is to be sent. Nothing is pickled.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from typing import Any, BinaryIO

from lexfield.engine.processes import call
from lexfield.errors import LexfieldError
from lexfield.serve.problems import status_of

_PAUSE = 0.1  # seconds between two reports of progress


class Frames:
    """The way back to the server."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._shown = 0.0
        self._stage = ""

    def send(self, head: dict[str, Any], body: bytes = b"") -> None:
        self._out.write(json.dumps(head).encode() + b"\n" + body)
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


def main() -> None:
    # What a task might print must not get between the frames.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    frames = Frames(out)
    for line in sys.stdin.buffer:
        task = json.loads(line)
        try:
            told = {"report": frames} if task["reports"] else {}
            body = call(task["function"], {**task["item"], **told}).encode()
            frames.send({"size": len(body)}, body)
        except LexfieldError as error:
            frames.send({"error": error.message, "hint": error.hint, "status": status_of(error)})
        except MemoryError:
            frames.send(
                {"error": "There is not enough memory for this.", "hint": "Ask for less.",
                 "status": 507}
            )  # fmt: skip
        except Exception:
            logging.getLogger("lexfield.serve").exception("%s failed", task["function"])
            frames.send(
                {"error": "This is a fault in lexfield.", "hint": "Please report it.",
                 "status": 500}
            )  # fmt: skip


if __name__ == "__main__":
    main()
