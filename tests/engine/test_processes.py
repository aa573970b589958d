"""Worker processes: a reply is that of its own task, or the worker is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from lexfield.engine import processes
from lexfield.engine.processes import map_tasks
from lexfield.errors import LexfieldError

_READS = "import json, sys\nfor line in sys.stdin:\n    task = json.loads(line)\n    "
BROKEN = {
    "another id": _READS + 'print(\'{"id": "other", "result": 1}\', flush=True)',
    "no id": _READS + "print('{\"result\": 1}', flush=True)",
    "no JSON": _READS + "print('a line that some library has printed', flush=True)",
    "no text": _READS + "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()",
    "the end": "import sys; sys.exit(3)",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_worker_that_does_not_answer_its_task_is_killed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", BROKEN[name]],
                encoding="utf-8",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        return started[-1]

    monkeypatch.setattr(processes, "_start", start)
    monkeypatch.setattr(processes, "cores", lambda: 2)
    items = [{"a": 1}, {"a": 2}, {"a": 3}]
    with pytest.raises(LexfieldError, match="worker process ended"):
        list(map_tasks("lexfield.errors:list_names", items))
    assert all(worker.poll() is not None for worker in started)


def test_tasks_are_answered_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 2)
    items = [{"names": [str(number)]} for number in range(20)]
    found = list(map_tasks("lexfield.errors:list_names", items))
    assert found == [str(number) for number in range(20)]


_CHILD = (
    "from lexfield.engine.processes import end_with_parent; end_with_parent()\n"
    "import time; time.sleep(60)"
)
_PARENT = (
    "import subprocess, sys, time\n"
    f"child = subprocess.Popen([sys.executable, '-c', {_CHILD!r}], start_new_session=True)\n"
    "print(child.pid, flush=True)\n"
    "time.sleep(60)\n"
)


def test_a_busy_worker_ends_with_its_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())
    time.sleep(2)  # until the child watches
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 30
    while _is_running(child) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _is_running(child)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
