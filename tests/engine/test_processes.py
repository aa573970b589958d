"""Worker processes: a reply is that of its own task, or the worker is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from lexfield.engine import processes
from lexfield.engine.processes import map_tasks
from lexfield.errors import InputError, LexfieldError, WorkerError

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
    started: list[subprocess.Popen[bytes]] = []
    start = processes.Worker._start

    def note_start(worker: processes.Worker) -> subprocess.Popen[bytes]:
        started.append(start(worker))
        return started[-1]

    monkeypatch.setattr(processes.Worker, "command", [sys.executable, "-c", BROKEN[name]])
    monkeypatch.setattr(processes.Worker, "_start", note_start)
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
    "from lexfield.engine.worker import end_with_parent; end_with_parent()\n"
    "print('watching', flush=True)\n"
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
    number, watching = sorted(parent.stdout.readline().strip() for _ in range(2))
    assert watching == "watching"
    parent.kill()
    parent.wait()
    parent.stdout.close()
    child = int(number)
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


def test_errors_of_tasks_are_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 2)
    items = [{"ok": False, "name": "k", "expected": "odd", "got": n} for n in (2, 4)]
    with pytest.raises(InputError, match=r"k must be odd\. Got 2 instead"):
        list(map_tasks("lexfield.errors:check", items))
    with pytest.raises(WorkerError, match="A worker process failed: TypeError"):
        list(map_tasks("lexfield.errors:check", [{"wrong": 1}, {"wrong": 2}]))
    with pytest.raises(LexfieldError, match="'os:system' is not a function of lexfield"):
        list(map_tasks("os:system", [{"command": "true"}] * 2))


def test_a_worker_is_killed_from_another_thread() -> None:
    worker = processes.Worker(threads=1)
    worker.command = [sys.executable, "-c", "import time; time.sleep(60)"]
    timer = threading.Timer(0.5, worker.kill)
    timer.start()
    with pytest.raises(WorkerError, match=r"exit code -9"):
        worker.ask("lexfield.errors:check", {})
    assert not worker.is_running


def test_a_killed_worker_leaves_no_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    work = "import tempfile; tempfile.mkdtemp(); print(flush=True); input(); input()"
    worker = processes.Worker()
    worker.command = [sys.executable, "-c", work]
    with pytest.raises(WorkerError):  # an empty line is no reply
        worker.ask("lexfield.errors:check", {})
    assert not worker.is_running
    assert not list(tmp_path.iterdir())
