"""A server under attack, as a user starts it, seen from outside; others must be answered meanwhile.

Every attack is a coroutine that holds what it can for a while; ``Probe`` asks a search all the time
and keeps how long each answer took.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.fault.artefacts import documents

PATIENCE, MOST, CONCURRENT = 2, 60, 8
SERVER = f"""
import sys
from lexfield.serve.app import make_app
from lexfield.serve.guard import Limits
from lexfield.serve.run import Connection, run
Connection.most = {MOST}
limits = Limits(body=1_000_000, seconds=6, concurrent={CONCURRENT})
app = make_app([sys.argv[1]], folder=sys.argv[2], workers=1, limits=limits)
run(app, port=0, browser=False, patience={PATIENCE}, say=lambda line: print(line, flush=True))
"""
ASK = b"GET /v1/search?index=x&q=boat&method=bm25 HTTP/1.1\r\nHost: localhost\r\n"


@dataclass
class Place:
    """Where the server is, and its process."""

    port: int
    process: int

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 12)

    async def ask(self, data: bytes, seconds: float = 10.0) -> bytes:
        """What the server says to these bytes until it closes, or is silent."""
        reader, writer = await self.connect()
        said = b""
        with contextlib.suppress(ConnectionError, asyncio.TimeoutError):
            writer.write(data)
            async with asyncio.timeout(seconds):
                while piece := await reader.read(1 << 12):
                    said += piece
        writer.close()
        return said

    def memory(self) -> int:
        """Bytes of memory that the server holds, without its workers."""
        lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


@contextlib.contextmanager
def server(folder: Path) -> Iterator[Place]:
    index = Index.build(Corpus.of(documents(0, 300)), folder / "x.idx")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(index.path), str(folder / "uploads")],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        assert process.stdout
        address = process.stdout.readline().strip()
        yield Place(int(address.rstrip("/").rpartition(":")[2]), process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


@dataclass
class Probe:
    """Somebody else, who asks again and again."""

    place: Place
    times: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    async def run(self) -> None:
        while True:
            start = time.monotonic()
            try:
                said = await self.place.ask(ASK + b"Connection: close\r\n\r\n", 8)
                if not said.startswith(b"HTTP/1.1 200"):
                    self.failures.append(repr(said[:60]))
            except OSError as error:
                self.failures.append(repr(error))
            self.times.append(time.monotonic() - start)
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def probed(place: Place) -> AsyncIterator[Probe]:
    probe = Probe(place)
    task = asyncio.ensure_future(probe.run())
    yield probe
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _dripping(place: Place, head: bytes, seconds: float) -> str:
    """A connection that sends a byte now and then; how it ended."""
    try:
        reader, writer = await place.connect()
    except OSError:
        return "refused"
    end = time.monotonic() + seconds
    try:
        writer.write(head)
        while time.monotonic() < end:
            writer.write(b"x")
            await writer.drain()
            with contextlib.suppress(asyncio.TimeoutError):
                async with asyncio.timeout(0.25):
                    said = await reader.read(100)
                    return said[9:12].decode() or "closed"
    except ConnectionError:
        return "closed"
    finally:
        writer.close()
    return "held"


async def slow_heads(place: Place, count: int) -> list[str]:
    """Heads that never end: closed when patience is over."""
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
    return await asyncio.gather(*(_dripping(place, head, 2 * PATIENCE + 1) for _ in range(count)))


async def slow_bodies(place: Place, count: int) -> list[str]:
    """Bodies that never end: the slowest give way, the rest is cut off in time."""
    head = b"POST /v1/compare HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n"
    return await asyncio.gather(*(_dripping(place, head, 8) for _ in range(count)))


async def many_connections(place: Place, count: int) -> list[str]:
    """Connections that say nothing."""

    async def one() -> str:
        try:
            reader, writer = await place.connect()
            async with asyncio.timeout(2 * PATIENCE + 1):
                await reader.read(1)
            writer.close()
        except (TimeoutError, OSError) as error:
            return "held" if isinstance(error, asyncio.TimeoutError) else "closed"
        return "closed"

    return await asyncio.gather(*(one() for _ in range(count)))


async def slow_readers(place: Place, count: int) -> list[str]:
    """Large answers that nobody reads; made once, so that this is no matter of work."""
    large = ASK.replace(b"method=bm25", b"k=200") + b"\r\n"
    assert len(await place.ask(large[:-2] + b"Connection: close\r\n\r\n")) > 100_000

    async def one(after: float) -> str:
        await asyncio.sleep(after)  # one after the other: it is not the work that hurts
        _, writer = await place.connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(large * 40)
        await asyncio.sleep(3 * PATIENCE)
        writer.close()
        return "held"

    return await asyncio.gather(*(one(0.3 * number) for number in range(count)))


async def pipelined(place: Place, count: int) -> list[str]:
    """Many requests on one connection before any answer."""
    said = await place.ask((ASK + b"\r\n") * count, 6)
    return [f"{said.count(b'HTTP/1.1 200') > 0}"]


async def huge_bodies(place: Place, count: int) -> list[str]:
    """A terabyte is announced; or it is not, and comes in chunks."""
    head = b"POST /v1/compare HTTP/1.1\r\nHost: localhost\r\n"
    announced = head + b"Content-Length: 1000000000000\r\n\r\n"
    chunk = b"186a0\r\n" + b"x" * 100_000 + b"\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 40
    found = []
    for data in (announced, chunked) * count:
        said = await place.ask(data)
        found.append(said[9:12].decode() or "closed")
    return found


async def huge_heads(place: Place, count: int) -> list[str]:
    lines = b"".join(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(1000))
    heads = (ASK + b"X: " + b"y" * 1_000_000, ASK + lines + b"\r\n", b"GET /" + b"a" * 500_000)
    found = []
    for data in heads * count:
        said = await place.ask(data + b"\r\n\r\n")
        found.append(said[9:12].decode() or "closed")
    return found


async def garbage(place: Place, count: int) -> list[str]:
    """What is no HTTP."""
    found = []
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00" + bytes(500), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        os.urandom(5000), b"\r\n" * 5000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
        ASK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        ASK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ) * count:  # fmt: skip
        said = await place.ask(data, PATIENCE + 2)
        found.append(said[9:12].decode() or "closed")
    return found


ATTACKS: dict[str, tuple[Callable[[Place, int], Awaitable[list[str]]], int, int]] = {
    # how many in the ordinary suite, and in a long run
    "slow heads": (slow_heads, 100, 400),
    "slow bodies": (slow_bodies, 3 * CONCURRENT, 8 * CONCURRENT),
    "many connections": (many_connections, 3 * MOST, 20 * MOST),
    "slow readers": (slow_readers, 2 * CONCURRENT, 4 * CONCURRENT),
    "requests without a pause": (pipelined, 300, 5000),
    "huge bodies": (huge_bodies, 1, 20),
    "huge heads": (huge_heads, 1, 20),
    "what is no HTTP": (garbage, 1, 20),
}


async def attacked(place: Place, name: str, count: int) -> dict[str, Any]:
    work = ATTACKS[name][0]
    before = place.memory()
    async with probed(place) as probe:
        ends = await work(place, count)
    counts = {end: ends.count(end) for end in sorted(set(ends))}
    return {
        "connections or requests": count,
        "ended": counts,
        "others answered": len(probe.times) - len(probe.failures),
        "others refused": len(probe.failures),
        "slowest answer, s": round(max(probe.times, default=0), 2),
        "memory grew, MB": round((place.memory() - before) / 1e6, 1),
        "examples": probe.failures[:3],
    }


def long(folder: Path) -> dict[str, Any]:
    found = {}
    with server(folder) as place:
        for _ in range(5):  # what is loaded at first use takes its time
            asyncio.run(place.ask(ASK + b"Connection: close\r\n\r\n", 60))
        for name, (_, _, count) in ATTACKS.items():
            found[name] = asyncio.run(attacked(place, name, count))
            print(name, json.dumps(found[name]), flush=True)
    return {"patience": PATIENCE, "most": MOST, "concurrent": CONCURRENT, "attacks": found}
