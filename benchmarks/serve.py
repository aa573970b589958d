"""The server on the books: one search at a time, 50 clients at once, and the first page load.

The index has 338,693 sentences; every query is another sentence of them, so no answer is
remembered. Beside it stands the same search in this process, without any server. Clients and
server share the machine. ``closed``: each of 50 clients asks again as soon as it has its answer;
``reading``: each waits a second in between, as people do. ``processor_ms`` is what the server's
processes used for a request of ``closed``: other work on the machine does not count in it.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import numpy as np
from harness import rounded
from search import _books

from lexfield import Corpus, Index

CLIENTS = 50
EACH = 10  # requests of a client
ALONE = 100
LIMITS = {"server_ms": 50, "p99_ms": 250, "page_bytes": 1_000_000}


def run(data: Path) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "books.idx"
        index = Index.build(Corpus.of(_books(data)), path)
        sentences = index.info()["sentences"]
        queries = list(_queries(index, ALONE + 2 * CLIENTS * EACH + 20))
        index.search(queries[0])
        begin = time.perf_counter()
        for text in queries[:ALONE]:
            [hit.to_dict() for hit in index.search(text)]
        here = 1000 * (time.perf_counter() - begin) / ALONE
        with served(path, Path(folder) / "up") as (address, process):
            result = asyncio.run(_measure(address, queries, process))
            page = _page(address)
    server = result["alone"]["server_ms_median"]
    return {
        "sentences": sentences,
        "ratio_server_to_in_process": rounded(server / here),
        "in_process_ms": rounded(here),
        **result,
        "first_page": page,
        "limits": LIMITS,
    }


@contextmanager
def served(path: Path, folder: Path) -> Iterator[tuple[str, int]]:
    """The server as users start it: its address and its process."""
    command = [sys.executable, "-m", "lexfield", "serve", str(path), "--port", "0", "--no-token"]
    process = subprocess.Popen(
        [*command, "--no-browser", "--folder", str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        address = process.stdout.readline().strip().rstrip("/")
        while b'"ready":true' not in urlopen(f"{address}/healthz").read():
            time.sleep(0.2)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait()


def _queries(index: Index, count: int) -> Iterator[str]:
    """Sentences of eight to twenty-five words, from all over the books."""
    corpus = index.corpus
    lengths = np.diff(corpus.token_offsets)
    good = np.flatnonzero((lengths >= 8) & (lengths <= 25))
    for row in good[:: max(1, len(good) // count)][:count]:
        yield " ".join(corpus.sentences[int(row)].text.split())


async def _measure(address: str, queries: list[str], process: int) -> dict[str, Any]:
    alone = await _client(address, queries[:ALONE], 0.0)
    rest = queries[ALONE:]
    half = CLIENTS * EACH
    before = _processor(process)
    closed = await _together(address, rest[:half], 0.0)
    closed["processor_ms"] = rounded(1000 * (_processor(process) - before) / half)
    return {
        "alone": {
            "server_ms_median": rounded(float(np.median([server for _, server in alone]))),
            "server_ms_p99": rounded(float(np.percentile([server for _, server in alone], 99))),
            "client_ms_median": rounded(float(np.median([client for client, _ in alone]))),
        },
        "closed": closed,
        "reading": await _together(address, rest[half : 2 * half], 1.0),
    }


def _processor(process: int) -> float:
    """Seconds of processor time that a process and its children have used (Linux)."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ticks = 0
    for one in (str(process), *children):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])  # in user and in system mode
    return ticks / os.sysconf("SC_CLK_TCK")


async def _together(address: str, queries: list[str], pause: float) -> dict[str, Any]:
    begin = time.perf_counter()
    parts = [queries[number::CLIENTS] for number in range(CLIENTS)]
    found = await asyncio.gather(*(
        _client(address, part, pause, number / CLIENTS * pause)
        for number, part in enumerate(parts)
    ))  # fmt: skip
    taken = time.perf_counter() - begin
    times = [client for part in found for client, _ in part]
    return {
        "clients": CLIENTS,
        "requests": len(times),
        "a_second": rounded(len(times) / taken),
        **{f"p{p}_ms": rounded(float(np.percentile(times, p))) for p in (50, 95, 99)},
    }


async def _client(
    address: str, queries: list[str], pause: float, first: float = 0.0
) -> list[tuple[float, float]]:
    """Milliseconds of each request as the client sees it, and as the server says."""
    await asyncio.sleep(first)
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    times = []
    for text in queries:
        begin = time.perf_counter()
        target = f"/v1/search?index=books&k=5&q={quote(text)}"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", head)
        assert length and head.startswith("http/1.1 200"), head
        await reader.readexactly(int(length[1]))
        server = re.search(r"server-timing: \w+;dur=([\d.]+)", head)
        assert server
        times.append((1000 * (time.perf_counter() - begin), float(server[1])))
        await asyncio.sleep(pause)
    writer.close()
    return times


def _page(address: str) -> dict[str, int]:
    """Bytes of what the search view loads first: the document, style, icon and scripts."""
    names = ["search", "static/style.css", "static/icon.svg", "static/theme.js", "static/main.js",
             "static/dom.js", "static/api.js", "static/chart.js", "static/views/search.js",
             "v1/indexes"]  # fmt: skip
    bodies = [urlopen(f"{address}/{name}").read() for name in names]
    return {
        "requests": len(bodies),
        "bytes": sum(map(len, bodies)),
        "compressed": sum(len(gzip.compress(body)) for body in bodies),
    }


if __name__ == "__main__":
    from harness import HERE, save

    save("serve", run(HERE.parents[1] / "shared" / "data"))
