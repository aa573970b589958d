"""Jobs by themselves: nothing of what happens to one is lost to those who follow it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.serve import jobs as module
from lexfield.serve.jobs import Jobs
from lexfield.serve.problems import NotFoundError, ServedError


class Slow:
    """A process that is done when it is told so."""

    def __init__(self, **_: Any) -> None:
        self.go = asyncio.Event()

    async def ask(self, function: str, item: dict[str, Any], report: Any = None) -> bytes:
        if function == "fail":
            raise ServedError("wrong", "do it right", 400)
        report({"stage": "working", "done": 1, "total": 2})
        await self.go.wait()
        return b"{}"

    async def stop(self) -> None: ...


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Process", Slow)


def test_the_last_event_is_the_end_even_if_it_comes_while_one_is_sent() -> None:
    async def go() -> list[str]:
        jobs = Jobs()
        job = jobs.start("near", None, "work", {})
        await asyncio.sleep(0)
        told = []
        async for event in jobs.stream(job.id):
            told.append(json.loads(event.decode().split("data: ")[1])["state"])
            jobs._process.go.set()  # type: ignore[attr-defined]
            await asyncio.sleep(0.01)  # the job ends while the event is on its way
        return told

    told = asyncio.run(go())
    assert told[0] in ("waiting", "running") and told[-1] == "done"


def test_one_job_at_a_time_and_those_that_wait_can_be_cancelled() -> None:
    async def go() -> None:
        jobs = Jobs()
        first, second = (jobs.start("near", None, "work", {}) for _ in range(2))
        await asyncio.sleep(0.01)
        assert (first.state, second.state) == ("running", "waiting")
        assert (first.stage, first.done, first.total) == ("working", 1, 2)
        ended = []
        third = jobs.start("near", None, "work", {}, ended=lambda: ended.append(1))
        assert (await jobs.cancel(third.id)).state == "cancelled"  # before it began
        assert (await jobs.cancel(second.id)).state == "cancelled"
        assert (await jobs.cancel(first.id)).state == "cancelled"
        await asyncio.sleep(0)
        assert ended == [1]
        with pytest.raises(ServedError, match="cancelled"):
            jobs.answer(first.id)
        await jobs.stop()

    asyncio.run(go())


def test_a_failure_is_told_and_the_next_job_runs() -> None:
    async def go() -> None:
        jobs = Jobs()
        failed = jobs.start("near", None, "fail", {})
        await asyncio.sleep(0.01)
        assert failed.state == "failed" and failed.problem == {
            "error": "wrong", "hint": "do it right"
        }  # fmt: skip
        after = jobs.start("near", None, "work", {})
        await asyncio.sleep(0.01)
        assert after.state == "running"
        await jobs.stop()

    asyncio.run(go())


def test_there_are_limits() -> None:
    async def go() -> None:
        jobs = Jobs()
        with pytest.raises(NotFoundError):
            jobs.get("none")
        for _ in range(module._WAITING + 1):  # one runs
            jobs.start("near", None, "work", {})
            await asyncio.sleep(0)
        with pytest.raises(ServedError, match="waiting") as refused:
            jobs.start("near", None, "work", {})
        assert refused.value.status == 429
        await jobs.stop()
        for _ in range(module._KEPT + 20):
            jobs.start("near", None, "fail", {})
            await asyncio.sleep(0.001)
        assert len(jobs.all()) <= module._KEPT + 1
        await jobs.stop()

    asyncio.run(go())


def test_the_same_job_is_shared_and_another_is_not() -> None:
    async def go() -> None:
        jobs = Jobs()
        first = jobs.start("zipf", None, "work", {}, key="a", follower="page-one")
        assert jobs.share("a", "page-two", answered=True) is first
        assert jobs.share("b", "page-two", answered=True) is None
        jobs._process.go.set()  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)
        assert first.state == "done"
        assert jobs.share("a", "page-three", answered=True) is first  # its answer is there
        assert jobs.share("a", "page-three", answered=False) is None
        failed = jobs.start("zipf", None, "fail", {}, key="a")
        await asyncio.sleep(0.01)
        assert failed.state == "failed" and jobs.share("a", None, answered=True) is None
        await jobs.stop()

    asyncio.run(go())


def test_a_job_that_was_just_shared_is_not_the_first_to_be_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)

    async def go() -> None:
        jobs = Jobs()
        old = jobs.start("zipf", None, "fail", {}, key="old")
        other = jobs.start("zipf", None, "fail", {}, key="other")
        await asyncio.sleep(0.01)
        jobs._entries[old.id].answer = b"{}"
        assert jobs.share("old", "page-one", answered=True) is old
        jobs.start("zipf", None, "work", {})
        assert jobs.get(old.id) is old
        with pytest.raises(NotFoundError):
            jobs.get(other.id)
        await jobs.stop()

    asyncio.run(go())


def test_a_job_ends_when_the_last_of_its_followers_has_left() -> None:
    async def go() -> None:
        jobs = Jobs()
        job = jobs.start("zipf", None, "work", {}, key="a", follower="page-one")
        jobs.share("a", "page-two", answered=True)
        await asyncio.sleep(0.01)
        assert (await jobs.cancel(job.id, "page-one")).state == "running"
        assert (await jobs.cancel(job.id, "stranger")).state == "running"
        assert (await jobs.cancel(job.id, "page-two")).state == "cancelled"
        waits = jobs.start("zipf", None, "work", {}, key="b", follower="page-one")
        assert (await jobs.cancel(waits.id, "page-one")).state == "cancelled"  # before it began
        program = jobs.start("zipf", None, "work", {}, key="c")
        jobs.share("c", "page-one", answered=True)
        await asyncio.sleep(0.01)
        assert (await jobs.cancel(program.id, "page-one")).state == "running"
        assert (await jobs.cancel(program.id)).state == "cancelled"
        await jobs.stop()

    asyncio.run(go())


def test_a_follower_that_is_silent_too_long_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that crashed says nothing; one that asks how far the job is goes on following."""
    late: list[tuple[float, Any, tuple[Any, ...]]] = []

    async def go() -> None:
        loop = asyncio.get_running_loop()
        real = loop.call_later

        def call_later(delay: float, call: Any, *given: Any) -> Any:
            if delay == module._LEASE:
                late.append((delay, call, given))
            return real(delay, call, *given)

        monkeypatch.setattr(loop, "call_later", call_later)
        jobs = Jobs()
        job = jobs.start("zipf", None, "work", {}, follower="page-one")
        await asyncio.sleep(0.01)
        jobs.get(job.id, "page-one")
        assert len(late) == 2  # renewed
        _, expire, given = late[-1]
        expire(*given)
        await asyncio.sleep(0.01)
        assert job.state == "cancelled"
        await jobs.stop()

    asyncio.run(go())


def test_nobody_joins_a_job_that_is_being_cancelled() -> None:
    async def go() -> None:
        jobs = Jobs()
        first = jobs.start("zipf", None, "work", {}, key="a", follower="page-one")
        await asyncio.sleep(0.01)
        leaving = asyncio.ensure_future(jobs.cancel(first.id, "page-one"))
        await asyncio.sleep(0)
        assert not first.is_over and jobs.share("a", "page-two", answered=True) is None
        second = jobs.start("zipf", None, "work", {}, key="a", follower="page-two")
        assert (await leaving).state == "cancelled"
        assert jobs.share("a", "page-three", answered=True) is second
        await jobs.stop()

    asyncio.run(go())
