"""Hours of clicking on the page: does the browser, or the server, need more and more memory?

LEXFIELD_SOAK says for how many minutes, 60 by default.
"""

from __future__ import annotations

import os
import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.serve.live import CHROMIUM, served

_VIEWS = ("Overview", "Search", "Compare", "Map", "Trends", "Topics", "Measure")
_WORDS = "sea boat bread garden storm school letter money night water fish machine star".split()
_SETTLED = 0.2  # of the time, after which memory should no longer grow


def long(folder: Path) -> dict[str, Any]:
    """Click at random, and compare the memory of the last fifth of the time with an early one."""
    from playwright.sync_api import sync_playwright

    minutes = float(os.environ.get("LEXFIELD_SOAK", "60"))
    index = Index.build(Corpus.read(TEXTS, metadata=METADATA), folder / "sample.idx")
    index.fit_topics(8, passes=3)
    faults: list[str] = []
    samples: list[tuple[float, float, float]] = []  # share of the time, MB of page and server
    clicks, chosen = 0, random.Random(0)
    with served(index.path, "--folder", folder / "up") as address, sync_playwright() as playwright:
        options: dict[str, Any] = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
        page = playwright.chromium.launch(**options).new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address)
        page.locator("nav a").first.wait_for()
        session = page.context.new_cdp_session(page)
        begin = time.monotonic()
        while (spent := (time.monotonic() - begin) / 60 / minutes) < 1:
            clicks += _click(page, chosen)
            if clicks % 10 == 0:
                session.send("HeapProfiler.collectGarbage")
                heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
                samples.append((spent, heap, _count_server_memory()))
    early = [one for one in samples if _SETTLED <= one[0] < 2 * _SETTLED]
    late = [one for one in samples if one[0] >= 1 - _SETTLED]
    found: dict[str, Any] = {"minutes_of_clicking": minutes, "clicks": clicks, "faults": faults}
    for place, name in ((1, "page"), (2, "server")):
        first, last = (sum(one[place] for one in some) / len(some) for some in (early, late))
        found[name] = {"early_mb": round(first, 1), "late_mb": round(last, 1)}
    return found


def _click(page: Any, chosen: random.Random) -> int:
    """Do one thing that a person might do; return 1."""
    page.keyboard.press("Escape")
    view = chosen.choice(_VIEWS)
    page.get_by_role("navigation", name="Views").get_by_role("link", name=view).click()
    word = " ".join(chosen.sample(_WORDS, 2))
    if view == "Search":
        page.get_by_label("Your text").fill(word)
        page.get_by_role("button", name="Search").click()
        page.locator(".hit .doc").first.click(timeout=60_000)
    elif view == "Trends":
        page.get_by_label("Words or phrases").fill(word.replace(" ", ", "))
    elif view == "Compare":
        for side in "AB":
            count = page.get_by_label(f"Text {side}").locator("option").count()
            if count > 1:
                page.get_by_label(f"Text {side}").select_option(index=chosen.randrange(1, count))
    elif view == "Topics":
        page.locator("button.topic").nth(chosen.randrange(8)).click(timeout=60_000)
    page.wait_for_timeout(chosen.choice((20, 200, 600)))
    return 1


def _count_server_memory() -> float:
    """Return the megabytes that the server and its workers have to themselves."""
    own, total = psutil.Process(), 0.0
    for one in own.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # a task has ended meanwhile
            if one.exe() == own.exe():
                total += one.memory_full_info().uss / 1e6
    return total
