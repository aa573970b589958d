"""Readers while a writer writes: every answer is the answer of some committed generation.

The writer adds, deletes and compacts, and notes the documents of every generation. Readers search
all the time and note generation and answer. Afterwards an index is built anew from the documents of
each generation, and asked the same: its answers are the truth.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.fault.artefacts import digest, documents

METHODS = ("setcover", "mean", "jaccard", "bm25", "wmd", "topic")
QUERIES = ("the boat in the storm", "bread and rain", "a letter from the harbour", "number 7")
TOPICS, PASSES = 3, 1


def ask(index: Index, number: int) -> str:
    """One search of the many kinds there are."""
    query, method = QUERIES[number % len(QUERIES)], METHODS[number // len(QUERIES) % len(METHODS)]
    unit = ("sentence", "document")[number // len(QUERIES) // len(METHODS) % 2]
    return digest(
        [(hit.id, hit.score, hit.text) for hit in index.search(query, method, 5, unit=unit)]
    )


KINDS = len(QUERIES) * len(METHODS) * 2


def _in_child(work: Callable[[], None]) -> int:
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return process


def read(path: Path, out: Path, end: float, seed: int) -> None:
    """Search until the time is over; sometimes with the same index, refreshed, sometimes anew."""
    rng = random.Random(seed)
    index = Index.open(path)
    with open(out, "w") as log:
        while time.monotonic() < end:
            if rng.random() < 0.3:
                index = Index.open(path)
            elif rng.random() < 0.7:
                index.refresh()
            number = rng.randrange(KINDS)
            log.write(f"{index.generation} {number} {ask(index, number)}\n")


def write(path: Path, out: Path, end: float, seed: int) -> None:
    """Change the index until the time is over, and note the documents of each generation."""
    rng = random.Random(seed)
    index = Index.open(path)
    following = 1000
    with open(out, "w") as log:
        while time.monotonic() < end:
            kind = rng.choice(("add", "add", "delete", "compact"))
            live = sorted(index.documents)
            if kind == "add" and len(live) < 60:
                index.add(documents(following, rng.randint(1, 4)))
                following += 4
            elif kind == "compact":
                index.compact()
            elif len(live) > 12:
                index.delete(rng.sample(live, rng.randint(1, 4)))
            log.write(f"{index.generation} {kind} {' '.join(index.documents)}\n")
            log.flush()


def concurrent(folder: Path, seconds: float, readers: int = 8) -> dict[str, Any]:
    path = folder / "x.idx"
    index = Index.build(Corpus.of(documents(0, 20)), path)
    index.fit_topics(TOPICS, passes=PASSES)
    first = f"{index.generation} build {' '.join(index.documents)}"
    for number in range(KINDS):
        ask(index, number)  # compiled and loaded before the children are made
    shutil.copytree(path / "topics", folder / "topics")
    end = time.monotonic() + seconds
    children = [_in_child(lambda: write(path, folder / "writer", end, 0))]
    for reader in range(readers):
        out, seed = folder / f"reader{reader}", reader + 1
        children.append(_in_child(lambda out=out, seed=seed: read(path, out, end, seed)))  # type: ignore[misc]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    lines = [first, *(folder / "writer").read_text().splitlines()]
    states = {line.split()[0]: line.split()[2:] for line in lines}
    asked = [
        tuple(line.split())
        for reader in range(readers)
        for line in (folder / f"reader{reader}").read_text().splitlines()
    ]
    wrong = check(folder, states, asked)
    kinds = [line.split()[1] for line in lines[1:]]
    return {
        "seconds": seconds, "readers": readers, "exit codes": codes, "generations": len(states),
        "changes": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "answers": len(asked), "generations seen": len({g for g, *_ in asked}),
        "wrong": len(wrong), "examples": wrong[:10],
    }  # fmt: skip


def check(folder: Path, states: dict[str, list[str]], asked: list[tuple[str, ...]]) -> list[str]:
    """Answers that are not those of an index built of their generation's documents."""
    known = {d.id: d for first in (0, 1000) for d in documents(first, 20 if not first else 20_000)}
    wanted: dict[str, set[tuple[str, ...]]] = {}
    for one in asked:
        wanted.setdefault(one[0], set()).add(one)
    wrong = []
    truth: dict[tuple[str, ...], Index] = {}
    for generation, answers in sorted(wanted.items()):
        if generation not in states:
            wrong.append(f"{generation} was never committed")
            continue
        ids = tuple(states[generation])
        if ids not in truth:
            truth.clear()
            path = folder / "truth.idx"
            built = Index.build(Corpus.of([known[i] for i in ids]), path, replace=True)
            shutil.copytree(folder / "topics", path / "topics")
            truth[ids] = built
        for _, number, answer in sorted(answers):
            if ask(truth[ids], int(number)) != answer:
                wrong.append(f"{generation}: question {number}")
    return wrong


def long(folder: Path) -> dict[str, Any]:
    return concurrent(folder, 300)
