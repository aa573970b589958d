"""A process that answers anything but its question is killed; the next question gets its answer."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.errors import InputError, LexfieldError, list_names
from lexfield.serve.pool import Pool, Process, generation_of, hide_paths
from lexfield.serve.problems import ServedError

# A worker that answers its first task wrongly, and each later one with the name of its function.
WORKER = """
import json, os, sys
KIND = "lexfield.errors:InputError"
def send(task, body, **head):
    line = {"id": task["id"], "text": True, "size": len(body), **head}
    os.write(1, json.dumps(line).encode() + b"\\n" + body)
for number, line in enumerate(sys.stdin):
    task = json.loads(line)
    if not os.path.exists(MARK):
        open(MARK, "w").close()
        WRONG
    else:
        send(task, task["function"].encode())
"""
WRONG = {
    "a line too long": "send(task, b'', error='x' * 2_000_000, hint='', kind=KIND)",
    "another id": "send(task, b'old', id='other')",
    "no kind of error": "send(task, b'', error='x', hint='')",
    "an error of another package": "send(task, b'', error='x', hint='', kind='os:system')",
    "a negative size": "send(task, b'old', size=-1)",
    "no JSON": "os.write(1, b'what a library prints\\n')",
    "no object": "os.write(1, b'[1]\\n')",
    "no size": "send(task, b'', size=None)",
    "too short": "send(task, b'', size=10); sys.exit()",
    "the end": "sys.exit(1)",
}


def make_process(code: str) -> Process:
    """Return a process whose worker runs other code."""
    process = Process()
    process.worker.command = [sys.executable, "-c", code]
    return process


@pytest.mark.parametrize("name", WRONG)
def test_a_process_that_answers_wrongly_is_killed(name: str, tmp_path: Path) -> None:
    mark = repr(str(tmp_path / "mark"))
    process = make_process(WORKER.replace("WRONG", WRONG[name]).replace("MARK", mark))

    async def go() -> None:
        with pytest.raises(ServedError) as raised:
            await process.ask("first", {})
        assert raised.value.status == 500 and not process.worker.is_running
        assert await process.ask("second", {}) == b"second"
        assert await process.ask("third", {}) == b"third"
        await process.stop()

    asyncio.run(go())


def test_errors_are_short_wherever_they_are_made() -> None:
    names = [f"gene{number}" for number in range(60_000)]
    assert list_names(names).endswith("gene19 and 59,980 more") and list_names([]) == "none"
    error = InputError("x" * 10**6, ", ".join(names))
    assert len(str(error)) < 5000 and len(error.args[0]) < 3000
    assert isinstance(error, LexfieldError)


def test_an_index_that_was_built_again_in_the_same_place_is_noticed(tmp_path: Path) -> None:
    import shutil

    from lexfield.search.index import Index
    from lexfield.serve.server import TASK
    from lexfield.text.corpus import Corpus

    path = tmp_path / "x.idx"
    item: dict[str, Any] = {
        "verb": "documents", "path": str(path), "options": {"index": {"path": str(path)}},
        "format": "json", "names": {},
    }  # fmt: skip
    process = Process(threads=1)

    async def ids() -> list[str]:
        body = json.loads(await process.ask(TASK, item))
        return [one["id"] for one in body["results"]]

    async def go() -> None:
        Index.build(Corpus.of(["The ship came home."]), path)
        before = generation_of(str(path))
        assert await ids() == ["0"]
        shutil.rmtree(path)
        Index.build(Corpus.of(["A storm at sea.", "All was quiet."]), path)
        assert generation_of(str(path)) != before
        assert await ids() == ["0", "1"]
        await process.stop()

    asyncio.run(go())


def test_a_pool_goes_on_after_a_process_was_killed(tmp_path: Path) -> None:
    async def go() -> None:
        pool = Pool(1, lambda: ("first", {}))
        code = WORKER.replace("WRONG", WRONG["another id"])
        pool._processes = [make_process(code.replace("MARK", repr(str(tmp_path / "mark"))))]
        await pool.warm()  # its first answer is wrong
        found = await asyncio.gather(*(pool.ask(f"task{number}", {}) for number in range(20)))
        assert found == [f"task{number}".encode() for number in range(20)]
        await pool.stop()

    asyncio.run(go())


def test_a_process_that_died_between_two_tasks_is_replaced(tmp_path: Path) -> None:
    """The next caller is not told of it."""
    (tmp_path / "mark").touch()
    process = make_process(
        WORKER.replace("WRONG", "pass").replace("MARK", repr(str(tmp_path / "mark")))
    )

    async def go() -> None:
        assert await process.ask("first", {}) == b"first"
        child = process.worker._child
        assert child is not None
        child.kill()
        child.wait()
        assert await process.ask("second", {}) == b"second"
        await process.stop()

    asyncio.run(go())


def test_messages_hide_the_folders_of_the_machine(tmp_path: Path) -> None:
    names = {"/srv": "~", "/srv/me/x.idx": "x", "/srv/me/up": "", "/srv/me/new": "new"}
    said = f"/srv/me/up{os.sep}a.csv: no text; /srv/me/new is full; /srv/me/x.idx; /srv/me/up"
    assert hide_paths(said, names) == "a.csv: no text; new is full; x; what was sent"


def test_a_process_can_be_cancelled_while_it_starts() -> None:
    async def go() -> None:
        for pause in (0.0, 0.001, 0.01, 0.1):
            process = Process(threads=1)
            task = asyncio.ensure_future(process.ask("lexfield.serve.tasks:warm", {"paths": []}))
            await asyncio.sleep(pause)
            task.cancel()
            async with asyncio.timeout(30):
                await asyncio.gather(task, return_exceptions=True)
            assert not process.worker.is_running

    asyncio.run(go())


GREEDY = """
import os, sys, types
os.environ["LEXFIELD_MEMORY"] = "600000000"
module = sys.modules["lexfield.greedy"] = types.ModuleType("lexfield.greedy")
module.take = lambda size: str(len(bytearray(size)))
from lexfield.engine import worker
worker.main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the limit")
def test_what_needs_too_much_memory_is_refused_and_the_next_task_is_done() -> None:
    process = make_process(GREEDY)

    async def go() -> None:
        with pytest.raises(ServedError, match=r"0\.6 GB of memory") as raised:
            await process.ask("lexfield.greedy:take", {"size": 10**9})
        assert raised.value.status == 507 and "--memory" in raised.value.hint
        assert not process.worker.is_running  # its memory is free again
        assert await process.ask("lexfield.greedy:take", {"size": 10**6}) == b"1000000"
        await process.stop()

    asyncio.run(go())
