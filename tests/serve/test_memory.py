"""A server that answers for hours keeps answers and lists of words, and no more than so many."""

from __future__ import annotations

import asyncio
import gc
import random
import tracemalloc
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

import httpx
from starlette.testclient import TestClient

from lexfield.index import bags as bags_module
from lexfield.index.bags import Bags
from lexfield.sample import TEXTS
from lexfield.search.index import Index
from lexfield.serve import jobs as jobs_module
from lexfield.serve import server as server_module
from lexfield.serve.app import make_app
from lexfield.serve.guard import Limits
from lexfield.serve.library import Library
from lexfield.serve.server import Server, make_key
from lexfield.text.corpus import Corpus
from tests.serve.live import served

WARM, ROUNDS = 100, 250
ROOM = 12e6  # bytes by which processes may grow apart from what they remember on purpose


@pytest.fixture
def server(tmp_path: Path) -> Any:
    async def make() -> Server:
        return Server(Library([], [], tmp_path), Limits(), workers=1)

    return asyncio.run(make())


def test_remembered_answers_are_bounded(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_KEPT", 10_000)
    for number in [*range(100), 99]:
        server._remember((number,), b"x" * 900)
    assert [key for (key,) in server._cache] == list(range(95, 100))
    for number in range(100, 200):  # the questions of short answers take memory, too
        server._remember((number,), b"")
    assert [key for (key,) in server._cache] == list(range(190, 200))


def test_the_key_of_a_long_question_is_short() -> None:
    asked, *_ = make_key({"options": {"text": "word " * 100_000}, "sources": []}, None)
    other, *_ = make_key({"options": {"text": "word " * 100_001}, "sources": []}, None)
    assert len(asked) < 100 and asked != other


def test_lists_of_words_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bags_module, "_KEPT", 5000)
    index = Index.build(Corpus.read(TEXTS), tmp_path / "s.idx")
    bags = Bags.of(index.rows("sentence"))
    words = list(index.segments[0].corpus.vocabulary.words)[:400]
    for place, word in enumerate(words):
        index.search(f"{word} unheardof{place}", k=2, allow_unknown=True)
        held = sum(len(one.rows) for some in bags._lists.values() for one in some.values())
        assert held <= bags._size <= 5000 + len(index.rows("sentence"))
    assert not any("occurrences" in str(key) for key in bags._remembered)


def count_memory() -> int:
    """Return the bytes that the server and its workers have to themselves."""
    children = psutil.Process().children(recursive=True)
    own = [one for one in children if any("lexfield" in part for part in one.cmdline())]
    return sum(one.memory_full_info().uss for one in own)


def test_a_server_in_use_does_not_grow(sample_index: Path, tmp_path: Path) -> None:
    words = [word for word in Corpus.read(TEXTS).vocabulary.words if word.isalpha()]
    chosen = random.Random(0)

    def ask(client: httpx.Client, ids: list[str]) -> int:
        a, b = chosen.sample(ids, 2)
        word, other = chosen.sample(words[:1500], 2)
        questions: list[tuple[str, dict[str, Any]]] = [
            ("search", {"query": f"{word} {other}", "k": 10}),
            ("search", {"query": word, "unit": "document"}),
            ("compare", {"a": a, "b": b, "measure": "js", "explain": True}),
            ("align", {"a": a, "b": b}),
            ("trend", {"query": [word, other], "by": "author"}),
            ("kwic", {"word": word}),
            ("text", {"document": a, "count": chosen.randrange(1, 200)}),
        ]
        verb, options = chosen.choice(questions)
        answer = client.get(f"/v1/{verb}", params={"index": "sample", **options})
        assert answer.status_code == 200, answer.text
        return len(answer.content)

    arguments = sample_index, "--folder", tmp_path, "--workers", "1"
    with served(*arguments) as address, httpx.Client(base_url=address, timeout=60) as client:
        listed = client.get("/v1/documents", params={"index": "sample", "k": 100}).json()
        ids = [one["id"] for one in listed["results"]]
        for _ in range(WARM):
            ask(client, ids)
        before = count_memory()
        remembered = sum(ask(client, ids) for _ in range(ROUNDS))
        assert count_memory() - before < 1.5 * remembered + ROOM


def test_the_servers_own_memory_levels_off(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it keeps beside answers and jobs, of which it keeps so many, would go on growing."""
    monkeypatch.setattr(server_module, "_KEPT", 100_000)
    monkeypatch.setattr(jobs_module, "_KEPT", 5)
    words = [word for word in Corpus.read(TEXTS).vocabulary.words if word.isalpha()]
    app = make_app([sample_index], folder=tmp_path, workers=1)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:

        def use(first: int, last: int) -> int:
            """Use the server in all ways; return the bytes that its own objects then take."""
            for place in range(first, last):
                word, asked = words[place], {"index": "sample", "query": words[place]}
                client.get("/v1/search", params=asked)
                client.get("/v1/search", params={**asked, "k": -1})  # refused
                client.get("/v1/trend", params={**asked, "by": "author"})
                client.get("/static/main.js")
                client.get(f"/{word}")
                client.post("/v1/snippets", json={"verb": "search", "options": asked})
                client.post("/v1/pastes", json={"text": f"{word} " * 500})
                if place % 5 == 0:
                    follower = f"follower-{place}"
                    question = {
                        "verb": "search",
                        "options": {**asked, "k": 3},
                        "follower": follower,
                    }
                    job = f"/v1/jobs/{client.post('/v1/jobs', json=question).json()['id']}"
                    while client.get(job).json()["state"] in ("waiting", "running"):
                        pass
                    client.get(f"{job}/result")
            gc.collect()
            return tracemalloc.get_traced_memory()[0]

        tracemalloc.start()
        try:
            before = use(0, 100)
            assert use(100, 180) - before < 50_000
        finally:
            tracemalloc.stop()
