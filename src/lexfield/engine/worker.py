"""A worker process: answers one task per line until its input ends."""

from __future__ import annotations

import json
import os
import sys

from lexfield.engine.processes import call_answer, end_with_parent


def main() -> None:
    end_with_parent()
    # What a task might print must not get between the answers.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # The cores are shared out by process: one thread each.
    os.environ["LEXFIELD_THREADS"] = "1"
    for line in sys.stdin:
        task = json.loads(line)
        reply = {"id": task["id"], **call_answer(task["function"], task["item"])}
        out.write(json.dumps(reply) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
