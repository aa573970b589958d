"""Readers while a writer writes: every answer is the answer of some committed generation.

The writer adds, deletes and compacts, and puts a copy (of links) of every generation aside. Readers
search all the time and note generation and answer. Afterwards each copy, at rest, is asked the
same: its answers are the truth, to the bit. That an index which grew and shrank answers as one
built at once is tested elsewhere (tests/contract); here, that it holds the documents it should.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lexfield.index import collection
from lexfield.index.build import update_parts
from lexfield.index.segment import Segment
from lexfield.progress import Progress
from lexfield.search.index import Index
from lexfield.store.folder import Store
from lexfield.text.corpus import Corpus
from tests.fault.artefacts import digest, documents

METHODS = ("ideas", "mean", "jaccard", "bm25", "wmd", "topic")
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
    """Change the index until the time is over, and keep each generation."""
    rng = random.Random(seed)
    index = Index.open(path)

    def kept_update(store: Store, segments: Sequence[Segment], progress: Progress) -> bool:
        keep(index, out.parent)  # a generation of its own, which readers see too
        return update_parts(store, segments, progress)

    vars(collection)["update_parts"] = kept_update
    following = 1000
    with open(out, "w") as log:
        while time.monotonic() < end:
            kind = rng.choice(("add", "add", "delete", "compact"))
            live = sorted(index.documents)
            expected = set(live)
            if kind == "add" and len(live) < 60:
                new = documents(following, rng.randint(1, 4))
                index.add(new)
                expected |= {document.id for document in new}
                following += 4
            elif kind == "compact":
                index.compact()
            elif len(live) > 12:
                gone = rng.sample(live, rng.randint(1, 4))
                index.delete(gone)
                expected -= set(gone)
            assert set(index.documents) == expected
            keep(index, out.parent)
            log.write(f"{index.generation} {kind}\n")


def keep(index: Index, folder: Path) -> None:
    """The generation as it is, by links, which no writer changes."""
    kept = folder / "kept" / index.generation
    if not kept.exists():
        shutil.copytree(index.path, kept, copy_function=os.link, ignore=_locks)


def _locks(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(".")]


def concurrent(folder: Path, seconds: float, readers: int = 8) -> dict[str, Any]:
    path = folder / "x.idx"
    index = Index.build(Corpus.of(documents(0, 20)), path)
    index.fit_topics(TOPICS, passes=PASSES)
    keep(index, folder)
    for number in range(KINDS):
        ask(index, number)  # compiled and loaded before the children are made
    end = time.monotonic() + seconds
    children = [_in_child(lambda: write(path, folder / "writer", end, 0))]
    for reader in range(readers):
        out, seed = folder / f"reader{reader}", reader + 1
        children.append(_in_child(lambda out=out, seed=seed: read(path, out, end, seed)))  # type: ignore[misc]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    kinds = [line.split()[1] for line in (folder / "writer").read_text().splitlines()]
    asked = [
        tuple(line.split())
        for reader in range(readers)
        for line in (folder / f"reader{reader}").read_text().splitlines()
    ]
    wrong = check(folder / "kept", asked)
    return {
        "seconds": seconds, "readers": readers, "exit codes": codes,
        "generations": len(list((folder / "kept").iterdir())),
        "changes": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "answers": len(asked), "generations seen": len({one[0] for one in asked}),
        "wrong": len(wrong), "examples": wrong[:10],
    }  # fmt: skip


def check(kept: Path, asked: Sequence[tuple[str, ...]]) -> list[str]:
    """Answers that are not those of their generation."""
    wanted: dict[str, set[tuple[str, ...]]] = {}
    for one in asked:
        wanted.setdefault(one[0], set()).add(one)
    wrong = []
    for generation, answers in sorted(wanted.items()):
        if not (kept / generation).exists():
            wrong.append(f"{generation} was never committed")
            continue
        index = Index.open(kept / generation)
        for _, number, answer in sorted(answers):
            if ask(index, int(number)) != answer:
                wrong.append(f"{generation}: question {number}")
    return wrong


def long(folder: Path) -> dict[str, Any]:
    return concurrent(folder, 300)
