"""Many clients ask a server different questions at once, with poisoned requests among them.

Every answer must be, byte for byte, the one that a fresh process gives to the same question.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from lexfield.search.index import Index
from lexfield.serve.guard import Limits
from lexfield.serve.inputs import read_request
from lexfield.serve.library import Library
from lexfield.serve.pool import Process
from lexfield.serve.server import TASK, Server, find_verb
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.fault.artefacts import documents
from tests.serve.live import served

COLUMNS = 60_000
WIDE = ",".join(f"gene_ENSG{number:011d}" for number in range(COLUMNS))
_WORDS = ("boat", "storm", "lamp", "garden", "winter", "letter", "road", "river", "night", "fish")
_METHODS = ("bm25", "jaccard", "mean", "ideas", "lm")
Question = tuple[str, dict[str, Any]]  # verb, options


@dataclass
class Found:
    """What came of a run."""

    answers: Counter[str] = field(default_factory=Counter)  # right, by how they were asked
    poisons: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def make_indexes(folder: Path) -> tuple[Path, Path]:
    """An ordinary index, and one whose single document has 60,000 fields of metadata."""
    plain = Index.build(Corpus.of(documents(0, 300)), folder / "x.idx")
    fields = {f"gene_ENSG{number:011d}": "1" for number in range(COLUMNS)}
    wide = Document("a", "The sea was calm at night.", "", fields)
    return plain.path, Index.build(Corpus.of([wide]), folder / "wide.idx").path


def make_questions(generator: random.Random, count: int) -> list[Question]:
    """Distinct questions of several verbs."""
    found: dict[str, Question] = {}
    while len(found) < count:
        words = generator.sample(_WORDS, 3)
        questions: list[Question] = [
            ("search", {"q": " ".join(words[:2]), "method": [generator.choice(_METHODS)]}),
            ("search", {"q": words[0], "k": generator.randint(1, 20)}),
            ("bags", {"q": f"2*{words[0]} + {words[1]}"}),
            ("balls", {"q": words[0], "r": generator.randint(1, 20)}),
            ("kwic", {"word": [words[0]], "window": generator.randint(1, 9)}),
            ("documents", {"q": str(generator.randint(0, 99))}),
        ]
        verb, options = generator.choice(questions)
        options["index"] = "x"
        found[repr((verb, options))] = verb, options
    return list(found.values())


async def answer_afresh(path: Path, question: Question) -> bytes:
    """Return the answer of a process that has never been asked anything else."""
    verb, options = question
    server = Server(Library([path], [], path.parent / "afresh"), Limits(), workers=1)
    item, _ = server.make_item(read_request(find_verb(verb), options))
    process = Process(threads=1)
    try:
        return await process.ask(TASK, item)
    finally:
        await process.stop()


async def ask(client: httpx.AsyncClient, question: Question, how: str) -> bytes:
    verb, options = question
    if how == "asked directly":
        return (await client.get(f"/v1/{verb}", params=options)).content
    started = await client.post("/v1/jobs", json={"verb": verb, "options": options})
    if started.status_code == 429:  # as many jobs are waiting as may
        return await ask(client, question, "asked directly")
    job = started.json()["id"]
    await client.get(f"/v1/jobs/{job}/events")
    return (await client.get(f"/v1/jobs/{job}/result")).content


async def poison(client: httpx.AsyncClient, generator: random.Random) -> str:
    """Send a request that is made to leave a worker in disorder; return what it was."""
    search: dict[str, Any] = {"index": "x", "q": "boat at sea", "method": "wmd", "k": 200}
    kind = generator.choice(
        ("wide table", "wide index", "caller gone", "cancelled job", "nonsense")
    )
    if kind == "wide table":
        files = {"files": ("wide.csv", f"{WIDE}\n{WIDE}\n".encode())}
        job = (await client.post("/v1/indexes", files=files)).json()
        if "id" in job:
            await client.get(f"/v1/jobs/{job['id']}/events")
    elif kind == "wide index":
        await client.get("/v1/search", params={"index": "wide", "q": "sea", "where": "nope=1"})
    elif kind == "caller gone":
        with contextlib.suppress(httpx.TimeoutException):
            await client.get("/v1/search", params=search, timeout=generator.uniform(0.01, 0.3))
    elif kind == "cancelled job":
        job = (await client.post("/v1/jobs", json={"verb": "search", "options": search})).json()
        if "id" in job:
            await client.delete(f"/v1/jobs/{job['id']}")
    else:
        body = json.dumps({"text_a": "\ud800" * 9, "text_b": "x" * 100_000})
        await client.post("/v1/compare", content=body, headers={"content-type": "application/json"})
    return kind


async def run(
    address: str, path: Path, *, asked: int, clients: int, distinct: int, poisons: int, seed: int
) -> Found:
    generator = random.Random(seed)
    questions = make_questions(generator, distinct)
    right = [await answer_afresh(path, question) for question in questions]
    plan: list[int | None] = [generator.randrange(distinct) for _ in range(asked)]
    plan += [None] * poisons
    generator.shuffle(plan)
    found = Found()

    async def client(own: list[int | None], generator: random.Random) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=300) as one:
            for number in own:
                if number is None:
                    found.poisons[await poison(one, generator)] += 1
                    continue
                how = "asked as a job" if generator.random() < 0.2 else "asked directly"
                answer = await ask(one, questions[number], how)
                if answer == right[number]:
                    found.answers[how] += 1
                else:
                    found.wrong.append(f"{how}: {questions[number]} -> {answer[:300]!r}")

    await asyncio.gather(
        *(client(plan[one::clients], random.Random(seed + one)) for one in range(clients))
    )
    return found


def mix(folder: Path, **options: int) -> Found:
    """Start a server as a user does, and let clients ask it; see ``run``."""
    plain, wide = make_indexes(folder)
    with served(plain, wide, "--folder", folder / "uploads", "--workers", "2") as address:
        return asyncio.run(run(address, plain, **options))


def long(folder: Path) -> dict[str, Any]:
    """2,000 questions of 20 clients."""
    found = mix(folder, asked=2000, clients=20, distinct=120, poisons=100, seed=20)
    return {
        "answers": dict(found.answers), "poisoned requests": dict(found.poisons),
        "wrong": len(found.wrong), "examples": found.wrong[:5],
    }  # fmt: skip
