"""Models and vector sets of a running server: replaced, damaged, or given up halfway."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from lexfield.errors import CorruptError
from lexfield.search.index import Index
from lexfield.serve.app import make_app
from lexfield.serve.inputs import read_request
from lexfield.serve.library import Library, Scrubber
from lexfield.serve.pool import Process
from lexfield.serve.server import TASK, Server, find_verb, make_key
from lexfield.store.folder import write
from lexfield.text.corpus import Corpus
from lexfield.vectors.models import array_name
from lexfield.vectors.sources import import_file
from tests.serve.test_library import flip

NEAR = "/v1/near?word=sea&k=1&models=m"
ANGLES = {
    "ship": {"sea": 0.0, "ship": 0.1, "sky": 1.0},
    "sky": {"sea": 0.0, "ship": 1.0, "sky": 0.1},
}


def vectors_of(nearest: str) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Three words, of which ``nearest`` is the nearest to the sea."""
    angles = ANGLES[nearest]
    rows = [[np.cos(angle), np.sin(angle)] for angle in angles.values()]
    return list(angles), np.array(rows, np.float32)


def write_models(folder: Path, nearest: str) -> Path:
    words, matrix = vectors_of(nearest)
    with write(folder, "models") as out:
        out.strings("words", words)
        for seed in (0, 1):
            out.array(array_name(2, seed), matrix)
        out.meta.update(models=[[2, 0], [2, 1]], words=len(words), name=folder.name)
    return folder


def import_set(folder: Path, nearest: str) -> None:
    words, matrix = vectors_of(nearest)
    lines = [f"{word} {x} {y}" for word, (x, y) in zip(words, matrix.tolist(), strict=True)]
    (folder / "set.txt").write_text("\n".join(lines) + "\n")
    import_file(folder / "set.txt", "mine")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    path = Index.build(
        Corpus.of(["The ship came home.", "All was quiet."]), tmp_path / "x.idx"
    ).path
    models = write_models(tmp_path / "m", "ship")
    app = make_app([path], models=[models], folder=tmp_path / "folder", workers=1)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        yield client


def nearest(client: TestClient, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["results"][0]["word"])


def test_models_that_are_replaced_are_asked_at_once(client: TestClient, tmp_path: Path) -> None:
    assert nearest(client, NEAR) == "ship" == nearest(client, NEAR)
    server: Server = client.app.state.server  # type: ignore[attr-defined]
    threshold = read_request(find_verb("threshold"), {"models": "m"})
    before = make_key(*server.make_item(threshold))
    write_models(tmp_path / "m", "sky")
    assert nearest(client, NEAR) == "sky"  # neither a remembered answer
    assert nearest(client, NEAR + "&threshold=0.9") == "sky"  # nor models that were open
    assert make_key(*server.make_item(threshold)) != before
    wrong = client.get(NEAR + "&dims=9")
    assert wrong.status_code == 400 and str(tmp_path) not in wrong.text


def test_a_set_that_is_imported_anew_is_asked_at_once(client: TestClient, tmp_path: Path) -> None:
    ask = "/v1/near?word=sea&k=1&vectors=mine"
    import_set(tmp_path, "ship")
    assert nearest(client, ask) == "ship"
    import_set(tmp_path, "sky")
    assert nearest(client, ask) == "sky"
    assert nearest(client, ask + "&threshold=0.9") == "sky"


def test_an_answer_of_models_that_change_meanwhile_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(write_models(tmp_path / "m", "ship"))
    options = {"word": ["sea"], "k": 1, "models": [{"path": path}]}
    item = {
        "verb": "near", "path": None, "options": options, "format": "json", "names": {},
        "sources": [path],
    }  # fmt: skip
    process = Process(threads=1)
    sent: list[str | None] = []
    ask = process.worker.ask

    def ask_late(function: str, item: dict[str, Any], report: Any) -> Any:
        if not sent:  # the state has been noted, but the task is not yet with the worker
            write_models(tmp_path / "m", "sky")
        sent.append(item["sources"][path])
        return ask(function, item, report)

    monkeypatch.setattr(process.worker, "ask", ask_late)

    async def go() -> bytes:
        body = await process.ask(TASK, item)
        await process.stop()
        return body

    assert json.loads(asyncio.run(go()))["results"][0]["word"] == "sky"
    assert len(sent) == 2 and sent[0] != sent[1]


def test_models_that_are_damaged_are_found_told_and_not_served(
    client: TestClient, tmp_path: Path
) -> None:
    scrubber = client.app.state.server.scrubber  # type: ignore[attr-defined]
    assert nearest(client, NEAR) == "ship"
    assert client.portal is not None
    flip(next((tmp_path / "m").rglob("matrix.2.1.npy")))
    client.portal.call(scrubber.check_all)
    red = client.get("/healthz")
    assert red.status_code == 503 and "models/m (" in red.json()["error"]
    for ask in (NEAR, "/v1/threshold?models=m"):
        refused = client.get(ask)
        assert refused.status_code == 409 and "models 'm' are damaged" in refused.json()["error"]
    lists = client.get("/v1/indexes")
    assert lists.status_code == 200 and list(lists.json()["damaged"]) == ["models/m"]
    assert lists.json()["models"] == []
    assert client.get("/v1/search?q=ship&method=bm25").status_code == 200
    assert str(tmp_path) not in red.text + refused.text + lists.text
    write_models(tmp_path / "m", "sky")
    assert client.get("/healthz").status_code == 200 and nearest(client, NEAR) == "sky"


def test_damaged_models_leave_an_index_of_the_same_id_alone(tmp_path: Path) -> None:
    path = Index.build(Corpus.of(["The ship came home."]), tmp_path / "same.idx").path
    models = write_models(tmp_path / "same", "ship")
    flip(next(models.rglob("matrix.2.0.npy")))
    library = Library([path], [models], tmp_path / "folder")
    scrubber = Scrubber(library)

    async def go() -> None:
        await scrubber.check_all()
        await scrubber._process.stop()

    asyncio.run(go())
    assert list(scrubber.list_damage()) == ["models/same"]
    scrubber.check(library.find_index("same"))
    with pytest.raises(CorruptError, match="models 'same' are damaged"):
        scrubber.check(library.find_models("same"))


def test_what_cannot_be_opened_is_told_and_all_else_is_listed(tmp_path: Path) -> None:
    indexes = [
        Index.build(Corpus.of(["The ship came home."]), tmp_path / f"{name}.idx").path
        for name in ("good", "bad", "gone")
    ]
    models = [write_models(tmp_path / name, "ship") for name in ("m", "worse")]
    for path in (indexes[1], models[1]):
        cut = next(path.rglob("*.npy"))
        cut.write_bytes(cut.read_bytes()[:-1])
    app = make_app(indexes, models=models, folder=tmp_path / "folder", workers=1)
    shutil.rmtree(indexes[2])
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        reply = client.get("/v1/indexes")
    assert reply.status_code == 200, reply.text
    lists = reply.json()
    assert [one["id"] for one in lists["indexes"]] == ["good"]
    assert [one["id"] for one in lists["models"]] == ["m"]
    assert list(lists["damaged"]) == ["bad", "gone", "models/worse"]
    assert "were written" in lists["damaged"]["bad"] and str(tmp_path) not in reply.text


TRAIN = {"verb": "models", "options": {"index": "sample", "models": 2, "dims": 20, "least": 2}}


def test_a_cancelled_training_leaves_nothing(sample_index: Path, tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason="the extra train is not installed")
    folder = tmp_path / "folder"
    app = make_app([sample_index], folder=folder, workers=1)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        job = client.post("/v1/jobs", json=TRAIN).json()["id"]
        deadline = time.monotonic() + 60
        while not list(folder.rglob("000001")):  # it is being written
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert not list((folder / "models").iterdir())
        assert client.delete(f"/v1/jobs/{job}").json()["state"] == "cancelled"
        assert not list(folder.rglob("000001")) and not list((folder / "models").iterdir())
        job = client.post("/v1/jobs", json=TRAIN).json()["id"]
        events = client.get(f"/v1/jobs/{job}/events").text
        assert "event: done" in events, events
        assert [one["id"] for one in client.get("/v1/indexes").json()["models"]] == ["sample"]
        assert nearest(client, "/v1/near?word=sea&k=1&models=sample")
    assert [path.name for path in (folder / "models").iterdir()] == ["sample"]
