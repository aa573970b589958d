"""What a reader of the page waits for, on the index of all books: in a browser, and over HTTP.

The index has 338,693 sentences with metadata. Every question differs from the others, so none but
the map is answered from memory; the server is warm, and shares the machine with this client and the
browser. ``browser`` are milliseconds from a click until the first result is drawn, and the
processor time of server and browser for it, which other work on the machine (``load``) hardly
changes; ``http`` are milliseconds until the whole answer is there. ``limits`` are the promises of
the page for the 95th percentile, and for the longest task, during which it does not answer.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
import psutil
from harness import rounded
from playwright.sync_api import sync_playwright
from serve import _processor, _queries, served

from lexfield import Corpus, Document, Index

REQUESTS = 40
WARM = 3  # requests of each kind before the clock starts
LIMITS = {"search": 300, "reader": 150, "compare": 1000, "map": 300, "trend": 500}
LONG_TASK = 200
# Do something on the page, and return the milliseconds until a selector finds something new.
CLICK = """async ([act, target, value, ready]) => {
  const all = () => [...document.querySelectorAll(ready)];
  const before = new Map(all().map((one) => [one, one.textContent]));
  const found = () => all().some((one) => before.get(one) !== one.textContent);
  const place = document.querySelector(target);
  const begin = performance.now();
  if (act === "type") {
    const kind = place instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(place, value);
    place.dispatchEvent(new Event("input", { bubbles: true }));
    const enter = { key: "Enter", bubbles: true, cancelable: true };
    place.dispatchEvent(new KeyboardEvent("keydown", enter));
  } else if (act === "choose") {
    place.value = value;
    place.dispatchEvent(new Event("change", { bubbles: true }));
  } else place.click();
  while (!found()) {
    if (performance.now() - begin > 60000) throw new Error(`${target}: nothing within a minute`);
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame); // it is painted
  return performance.now() - begin;
}"""
# The longest task of a page, from its first line on.
WATCH = """window.longest = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
}).observe({ type: "longtask", buffered: true });"""
_WORDS = """love death money sea house king war night god mother child heart ship horse letter
garden winter fire blood doctor church road river music bread dog school king's silver captain
island truth fear dream voice window door stone gold""".split()


def run(data: Path) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "books.idx"
        index = Index.build(Corpus.of(list_books(data)), path)
        load = os.getloadavg()[0]
        with served(path, Path(folder) / "up") as (address, process):
            http = {
                name: measure(address, list(requests))
                for name, requests in list_requests(index).items()
            }
            browser, longest = measure_clicks(address, index, process)
    slow = [name for name, most in LIMITS.items() if browser[name]["p95_ms"] > most]
    return {
        "load": rounded(load),
        "too_slow": slow + ["long_task"] * (longest > LONG_TASK),
        "browser": browser,
        "longest_task_ms": longest,
        "http": http,
        "limits": {**LIMITS, "long_task": LONG_TASK},
    }


def measure_clicks(
    address: str, index: Index, server: int
) -> tuple[dict[str, dict[str, float]], float]:
    """Return how long each view takes from a click to its first result, in headless chromium, and
    the longest task of all."""
    longest = [0.0]
    times: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    drawn = np.random.default_rng(1)
    ids, total = list(index.documents), REQUESTS + WARM
    texts = list(_queries(index, 3 * total))[-2 * total :]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.add_init_script(WATCH)

        def visit(path: str, ready: str = "[name=q]") -> None:
            page.goto(address + path)
            page.locator(ready).wait_for()

        def click(name: str, act: str, target: str, value: str, ready: str) -> None:
            before = _processor(server) + count_browser()
            took = page.evaluate(CLICK, [act, target, value, ready])
            times.setdefault(name, []).append(took)
            after = _processor(server) + count_browser()
            spent.setdefault(name, []).append(1000 * (after - before))
            longest.append(page.evaluate("window.longest"))

        visit("/search")
        for text in texts[:total]:
            click("search", "type", "[name=q]", text, ".hit")
            click("reader", "click", ".hit .text", "", ".s.chosen")
            page.keyboard.press("Escape")
        visit("/search?unit=document")
        for text in texts[total:]:
            click("search_documents", "type", "[name=q]", text, ".hit")
        visit("/trends?by=words")
        for word in _WORDS:
            click("trend", "type", "[name=q]", word, ".plot svg")
        visit("/compare?b=emma", ".side-a select")
        for id in [one for one in drawn.permutation(ids).tolist() if one != "emma"][:total]:
            click("compare", "choose", ".side-a select", id, ".tinted")
        for turn in range(total):  # the server's memory, not the page's
            visit(f"/search?k={turn + 1}")
            click("map", "click", "nav a[href^='/map']", "", ".map canvas")
    found = {
        name: {**summarise(own), "processor_ms": rounded(float(np.mean(spent[name][WARM:])))}
        for name, own in times.items()
    }
    return found, rounded(max(longest))


def count_browser() -> float:
    """Return the seconds of processor time that the processes of the browser have used."""
    total = 0.0
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "chrom" in one.name():
                total += sum(one.cpu_times()[:2])
    return total


def list_books(data: Path) -> Iterator[Document]:
    """Return the books with what is known about them."""
    known = {
        one["key"]: one for one in json.loads((data / "books79/index.json").read_text("utf-8"))
    }
    for book in Corpus.read(data / "books79" / "txt").documents:
        about = known[book.id]
        fields = {name: str(about[name]) for name in ("author", "genre", "reading_level", "words")}
        yield Document(book.id, book.text, metadata=fields)


def list_requests(index: Index) -> dict[str, Iterator[tuple[str, dict[str, Any]]]]:
    """Return the requests of each kind, all different."""
    drawn = np.random.default_rng(0)
    ids = list(index.documents)
    total = REQUESTS + WARM
    texts = list(_queries(index, 2 * total))
    map_of: dict[str, Any] = {"space": "categorical", "measure": "hellinger"}  # as the page asks
    return {
        "search": (("search", {"query": text, "k": 10}) for text in texts[:total]),
        "search_documents": (
            ("search", {"query": text, "unit": "document"}) for text in texts[total : 2 * total]
        ),
        "search_filtered": (
            ("search", {"query": text, "where": "genre=fiction"}) for text in texts[:total]
        ),
        "reader": (
            ("text", {"document": ids[drawn.integers(len(ids))], "start": int(start)})
            for start in drawn.integers(0, 2000, total)
        ),
        "concordance": (("kwic", {"word": word, "k": 20}) for word in _WORDS),
        "trend": (("trend", {"query": word, "by": "words"}) for word in _WORDS),
        "trend_along": (
            ("trend", {"query": word, "document": ids[drawn.integers(len(ids))]}) for word in _WORDS
        ),
        "compare": (
            ("compare", {"a": a, "b": b, "measure": "js", "stopwords": "en"})
            for a, b in (drawn.choice(ids, 2, replace=False).tolist() for _ in range(total))
        ),
        "facets": (("facets", {"where": f"words>={n}"}) for n in range(total)),
        "overview": (("overview", {"where": f"words>={n}"}) for n in range(8)),
        "map_first": iter([("map", map_of)]),
        "map_again": (("map", map_of) for _ in range(total)),
    }


def measure(address: str, requests: list[tuple[str, dict[str, Any]]]) -> dict[str, float]:
    """Ask one after another; return the median and the 95th percentile."""
    times = []
    for verb, options in requests:
        begin = time.perf_counter()
        urlopen(f"{address}/v1/{verb}?{urlencode(options, doseq=True)}").read()
        times.append(1000 * (time.perf_counter() - begin))
    return summarise(times)


def summarise(times: list[float]) -> dict[str, float]:
    kept = times[WARM:] or times
    return {
        "p50_ms": rounded(float(np.median(kept))),
        "p95_ms": rounded(float(np.percentile(kept, 95))),
        "requests": len(kept),
    }
