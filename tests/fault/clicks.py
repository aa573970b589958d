"""Hours of clicking on the page: does the browser, or the server, need more and more memory?

LEXFIELD_SOAK says for how many minutes, 60 by default; LEXFIELD_SOAK_INDEX on which index with
topics, the sample by default; LEXFIELD_SOAK_PAUSE how many seconds to wait after every click.
"""

from __future__ import annotations

import json
import os
import random
import time
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any

import psutil

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.serve.live import CHROMIUM, served

_VIEWS = ("Overview", "Search", "Compare", "Map", "Trends", "Topics", "Measure")
_WORDS = "sea boat bread garden storm school letter money night water fish machine star".split()
_TOOLS = ("Frequencies", "Sums of words", "Related words", "Whose text?", "Learn from groups")
_PATIENCE = 300_000  # milliseconds for one answer: a busy machine is slow, not at fault
_PROCESSES = ("front", "workers", "jobs")  # what listens and remembers answers; what it asks


def long(folder: Path) -> dict[str, Any]:
    """Click at random, and compare the memory in each fifth of the time."""
    from playwright.sync_api import sync_playwright

    minutes = float(os.environ.get("LEXFIELD_SOAK", "60"))
    pause = 1000 * float(os.environ.get("LEXFIELD_SOAK_PAUSE", "0"))
    index = os.environ.get("LEXFIELD_SOAK_INDEX") or _build(folder / "sample.idx")
    faults: list[str] = []
    samples: list[dict[str, float]] = []  # the share of the time, and the MB of each
    clicks, chosen = 0, random.Random(0)
    with served(index, "--folder", folder / "up") as address, sync_playwright() as playwright:
        options: dict[str, Any] = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
        page = playwright.chromium.launch(**options).new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address)
        page.locator("nav a").first.wait_for()
        session = page.context.new_cdp_session(page)
        begin = time.monotonic()
        while (spent := (time.monotonic() - begin) / 60 / minutes) < 1:
            clicks += _click(page, chosen)
            page.wait_for_timeout(pause)
            if clicks % 10 == 0:
                session.send("HeapProfiler.collectGarbage")
                heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
                samples.append({"spent": spent, "page": heap, **_count_server_memory()})
                with (folder / "memory.jsonl").open("a") as log:  # to look at while it runs
                    log.write(json.dumps({"clicks": clicks, **samples[-1]}) + "\n")
    fifths = [[one for one in samples if int(5 * one["spent"]) == part] for part in range(5)]
    found: dict[str, Any] = {"index": Path(index).stem, "pause_seconds": pause / 1000}
    found |= {"minutes_of_clicking": minutes, "clicks": clicks, "faults": faults}
    for name in ("page", "server", *_PROCESSES):
        means = [round(fmean(one[name] for one in part), 1) for part in fifths]
        found[name] = {"early_mb": means[1], "late_mb": means[-1], "mb_by_fifths": means}
    return found


def _build(path: Path) -> Path:
    index = Index.build(Corpus.read(TEXTS, metadata=METADATA), path)
    index.fit_topics(8, passes=3)
    return path


def _click(page: Any, chosen: random.Random) -> int:
    """Do one thing that a person might do; return 1."""
    page.keyboard.press("Escape")
    view = chosen.choice(_VIEWS)
    page.get_by_role("navigation", name="Views").get_by_role("link", name=view).click()
    word = " ".join(chosen.sample(_WORDS, 2))
    if view == "Search":
        page.get_by_label("Your text").fill(word)
        page.get_by_role("button", name="Search").click()
        page.locator(".hit .doc").first.click(timeout=_PATIENCE)
    elif view == "Trends":
        page.get_by_label("Words or phrases").fill(word.replace(" ", ", "))
    elif view == "Compare":
        for side in "AB":
            count = page.get_by_label(f"Text {side}").locator("option").count()
            if count > 1:
                page.get_by_label(f"Text {side}").select_option(index=chosen.randrange(1, count))
    elif view == "Topics":
        page.locator("button.topic").nth(chosen.randrange(8)).click(timeout=_PATIENCE)
    elif view == "Map":
        page.get_by_role("button", name="Zoom in").click(timeout=_PATIENCE)
        page.get_by_role("combobox", name="Colour", exact=True).select_option(index=0)
    elif view == "Measure":
        page.get_by_text(chosen.choice(_TOOLS), exact=True).click()
    elif view == "Overview":  # a filter for all views, taken away by the next turn
        page.locator(".facet input[type=checkbox]").nth(chosen.randrange(4)).click(
            timeout=_PATIENCE
        )
    page.wait_for_timeout(chosen.choice((20, 200, 600)))
    return 1


def _count_server_memory() -> dict[str, float]:
    """Return the megabytes that the server, its two workers and that of jobs have to themselves.

    Only the process of jobs uses several threads, and comes and goes with them.
    """
    own = psutil.Process()
    found = dict.fromkeys(_PROCESSES, 0.0)
    for one in own.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # a task has ended meanwhile
            if one.exe() == own.exe():
                is_worker = "lexfield.engine.worker" in one.cmdline()
                is_single = one.environ().get("LEXFIELD_THREADS") == "1"
                name = "workers" if is_single else "jobs" if is_worker else "front"
                found[name] += one.memory_full_info().uss / 1e6
    return {"server": sum(found.values()), **found}
