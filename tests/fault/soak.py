"""A server for an hour: 50 clients, uploads, cancelled jobs, killed workers, restarts, new tokens.

Every answer to a question must equal the first one to it; memory, descriptors and threads of the
server must stay flat. A killed worker explains one 500 or one failed job of those that were under
way, and a restart every call that it overlapped. What is not explained counts as wrong.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import httpx

from lexfield.search.index import Index
from tests.fault.artefacts import documents

WORDS = ("boat", "storm", "lamp", "field", "winter", "letter", "bread", "sea", "oven", "snow")
METHODS = ("bm25", "jaccard", "mean", "ideas", "lm", "wmd")
ALLOWED = {200, 202, 204, 401, 404, 409, 429, 503, 504}
ENDED = "The process that worked on this has ended."


@dataclass
class Soak:
    """What is going on, and what came of it."""

    folder: Path
    until: float
    token: str = ""
    address: str = ""
    process: Any = None
    log: Any = None
    first: dict[str, Any] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    killed: int = 0
    kills: list[float] = field(default_factory=list)  # those that explain nothing yet
    restarts: int = 0
    samples: list[dict[str, int]] = field(default_factory=list)

    def start(self) -> None:
        self.token = secrets.token_urlsafe(24)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lexfield", "serve", str(self.folder / "x.idx"), "--port", "0",
             "--no-browser", "--token", self.token],
            stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**os.environ, "LEXFIELD_HOME": str(self.folder / "home")},
        )  # fmt: skip
        address = self.process.stdout.readline().strip()
        assert address.startswith("http://"), address
        self.address = address.partition("?")[0].rstrip("/")

    def stop(self) -> None:
        self.address = ""  # nobody is to ask
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=600)  # other processes may leave it little time

    def explain(self, since: float, text: str) -> bool:
        """Return whether a worker that was killed after ``since`` explains a fault."""
        kill = next((one for one in self.kills if one >= since), None)
        if kill is None or ENDED not in text:
            return False
        self.kills.remove(kill)
        return True

    def sample(self) -> None:
        """Note the memory (kB), descriptors and threads of the server itself."""
        about = Path(f"/proc/{self.process.pid}")
        rows = [line.split(":	", 1) for line in (about / "status").read_text().splitlines()]
        lines = {row[0]: row[-1] for row in rows}
        self.samples.append(
            {"restart": self.restarts, "kB": int(lines["VmRSS"].split()[0]),
             "descriptors": len(os.listdir(about / "fd")), "threads": int(lines["Threads"])}
        )  # fmt: skip


async def ask(soak: Soak, client: httpx.AsyncClient, rng: random.Random) -> None:
    words = " ".join(rng.sample(WORDS, 2))
    options = {"index": "x", "q": words, "method": rng.choice(METHODS), "k": rng.randint(1, 4)}
    begin = time.monotonic()
    answer = await call(soak, client, "GET", "/v1/search", params=options)
    if answer is None or answer.status_code != 200:
        return
    soak.seconds.append(time.monotonic() - begin)
    body = answer.json()
    question = f"{options}"
    if soak.first.setdefault(question, body) != body:
        soak.wrong.append(question)


async def upload(soak: Soak, client: httpx.AsyncClient, rng: random.Random) -> None:
    """Build an index of a text; cancel half of the jobs, delete what the others built."""
    text = " ".join(rng.choices(WORDS, k=200)) + "."
    answer = await call(soak, client, "POST", "/v1/indexes", files={"files": ("a.txt", text)})
    if answer is None or answer.status_code != 202:
        return
    job, begin = answer.json(), time.monotonic()
    if rng.random() < 0.5:
        await call(soak, client, "DELETE", f"/v1/jobs/{job['id']}")
        return
    for _ in range(60):
        await asyncio.sleep(0.5)
        found = await call(soak, client, "GET", f"/v1/jobs/{job['id']}")
        if found is None or found.status_code != 200 or found.json()["state"] not in (
            "waiting", "running",
        ):  # fmt: skip
            if found is not None and '"failed"' in found.text:
                explained = soak.explain(begin, found.text)
                soak.statuses["job failed" + (" of a killed worker" if explained else "")] += 1
                soak.wrong += [] if explained else [f"job: {found.text[:300]}"]
            break
    await call(soak, client, "DELETE", f"/v1/indexes/{job['index']}")


async def call(
    soak: Soak, client: httpx.AsyncClient, method: str, path: str, **more: Any
) -> httpx.Response | None:
    while not (address := soak.address):
        await asyncio.sleep(0.2)
    headers = {"authorization": f"Bearer {soak.token}"}
    restarts, begin = soak.restarts, time.monotonic()
    try:
        answer = await client.request(method, address + path, headers=headers, **more)
    except httpx.HTTPError as error:
        gone = (
            restarts != soak.restarts or address != soak.address or soak.process.poll() is not None
        )
        kind = "during a restart" if gone else type(error).__name__
        soak.statuses[f"no answer {kind}"] += 1
        if not gone:
            soak.wrong.append(f"{method} {path}: {error!r} after {time.monotonic() - begin:.1f} s")
        return None
    if answer.status_code == 500 and soak.explain(begin, answer.text):
        soak.statuses["500 of a killed worker"] += 1
    else:
        soak.statuses[str(answer.status_code)] += 1
        if answer.status_code not in ALLOWED:
            soak.wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
    return answer


async def use(soak: Soak, number: int) -> None:
    """One client."""
    rng = random.Random(number)
    async with httpx.AsyncClient(timeout=60) as client:
        while time.monotonic() < soak.until:
            await (upload if rng.random() < 0.01 else ask)(soak, client, rng)
            await asyncio.sleep(rng.random())


async def disturb(soak: Soak, restart_after: float) -> None:
    """Kill a worker every ten seconds, and restart the server with a new token now and then."""
    rng, last = random.Random(0), time.monotonic()
    while time.monotonic() < soak.until:
        await asyncio.sleep(10)
        threads = Path(f"/proc/{soak.process.pid}/task").glob("*/children")
        workers = [int(child) for one in threads for child in one.read_text().split()]
        if workers:
            soak.killed += 1
            soak.kills.append(time.monotonic())
            os.kill(rng.choice(workers), signal.SIGKILL)
        soak.sample()
        if time.monotonic() - last > restart_after:
            soak.restarts += 1
            await asyncio.to_thread(soak.stop)
            await asyncio.to_thread(soak.start)
            last = time.monotonic()


def soak(folder: Path, minutes: float, clients: int = 50) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    Index.build(documents(0, 300), folder / "x.idx")
    state = Soak(folder, time.monotonic() + 60 * minutes)
    state.log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    state.start()

    async def run() -> None:
        users = [use(state, number) for number in range(clients)]
        await asyncio.gather(disturb(state, 60 * minutes / 4), *users)

    try:
        asyncio.run(run())
    finally:
        state.stop()
    times = sorted(state.seconds) or [0.0]
    last = [one for one in state.samples if one["restart"] == state.restarts] or state.samples
    return {
        "date": date.today().isoformat(), "minutes asked": minutes, "clients": clients,
        "answers": len(state.seconds),
        "statuses": dict(sorted(state.statuses.items())), "wrong": len(state.wrong),
        "examples": state.wrong[:10], "workers killed": state.killed, "restarts": state.restarts,
        "p50, s": round(times[len(times) // 2], 3),
        "p99, s": round(times[int(len(times) * 0.99)], 3),
        "since the last restart": {"at first": last[0], "at last": last[-1]} if last else {},
    }  # fmt: skip


def long(folder: Path) -> dict[str, Any]:
    return soak(folder / "soak", float(os.environ.get("LEXFIELD_SOAK", "60")))
