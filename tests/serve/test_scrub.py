"""A running server finds what rots in its files, says so, and no longer searches it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from lexfield.search.index import Index
from lexfield.serve.app import make_app
from lexfield.serve.library import Library, Scrubber
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

ASK = "/v1/search?q=ship&method=bm25"


def flip(path: Path) -> None:
    """Change one bit in place: what is mapped changes, too."""
    with path.open("r+b") as file:
        file.seek(-3, 2)
        byte = file.read(1)[0]
        file.seek(-3, 2)
        file.write(bytes([byte ^ 4]))


def test_damage_after_first_use_is_found_told_and_not_served(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    Index.build(Corpus.of(["The ship came home.", "All was quiet."]), path)
    copy = shutil.copytree(path, tmp_path / "copy.idx")
    app = make_app([path, copy], folder=tmp_path / "folder", workers=1)
    scrubber = app.state.server.scrubber
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        assert client.get(ASK + "&index=x").status_code == 200
        assert client.portal is not None
        client.portal.call(scrubber.look)
        assert client.get("/healthz").status_code == 200
        flip(next(path.rglob("*.texts.bytes.npy")))
        client.portal.call(scrubber.look)
        red = client.get("/healthz")
        assert red.status_code == 503 and "texts.bytes.npy: block 0" in red.json()["error"]
        assert str(tmp_path) not in red.text
        refused = client.get(ASK + "&index=x")  # though it has been answered before
        assert refused.status_code == 409 and "'x' is damaged" in refused.json()["error"]
        job = client.post("/v1/jobs", json={"verb": "zipf", "options": {"index": "x"}})
        assert job.status_code == 409
        lists = client.get("/v1/indexes").json()
        assert [one["id"] for one in lists["indexes"]] == ["copy"] and "x" in lists["damaged"]
        assert client.get(ASK + "&index=copy").status_code == 200
        Index.build(Corpus.of(["The ship was built again."]), path, replace=True)
        assert client.get("/healthz").status_code == 200
        assert client.get(ASK + "&index=x").json()["results"][0]["text"].endswith("again.")


def test_an_index_that_is_written_meanwhile_is_not_called_damaged(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["The ship came home."]), tmp_path / "x.idx")
    scrubber = Scrubber(Library([index.path], [], tmp_path / "folder"))

    async def go() -> None:
        looking = asyncio.ensure_future(scrubber.look())
        await asyncio.to_thread(index.add, [Document("more", "All was quiet.")])
        await looking
        await scrubber._process.stop()

    asyncio.run(go())
    assert scrubber.damaged() == {}


def test_it_looks_again_and_again(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["The ship came home."]), tmp_path / "x.idx")
    scrubber = Scrubber(Library([index.path], [], tmp_path / "folder"), pause=0.01)
    flip(next(index.path.rglob("*.texts.bytes.npy")))

    async def go() -> None:
        running = asyncio.ensure_future(scrubber.run())
        async with asyncio.timeout(60):
            while not scrubber.damaged():
                await asyncio.sleep(0.05)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert not scrubber._process.worker.is_running

    asyncio.run(go())


def test_a_file_that_was_cut_is_told_without_folders_of_this_machine(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["The ship came home."]), tmp_path / "x.idx")
    cut = next(index.path.rglob("*.texts.bytes.npy"))
    cut.write_bytes(cut.read_bytes()[:-1])
    scrubber = Scrubber(Library([index.path], [], tmp_path / "folder"))

    async def go() -> None:
        await scrubber.look()
        await scrubber._process.stop()

    asyncio.run(go())
    problem = scrubber.damaged()["x"]
    assert "were written" in problem and str(tmp_path) not in problem
