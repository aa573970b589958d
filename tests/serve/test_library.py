"""What a server keeps on disk: private, and gone when nobody needs it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.serve.app import make_app
from lexfield.serve.inputs import Id
from lexfield.serve.library import INDEXES, Library, Scrubber, make_slug
from lexfield.serve.uploads import Sent, keep
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions and signals")
DIES = """
import os, sys, signal
from pathlib import Path
from lexfield.serve.library import Library
room = Library([], [], Path(sys.argv[1])).make_room("indexes", "x").folder
(room / "private.txt").write_text("secret")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("name", "id"),
    [("Café  Zürich!", "cafe-zurich"), ("中文", "中文"), ("Война и мир", "война-и-мир"),
     ("हिन्दी", "हिन्दी"), ("x" * 59 + " y", "x" * 59), ("../..", "texts"),
     ("日本/../x", "日本-..-x"), ("\u202e", "texts")],
)  # fmt: skip
def test_a_collection_has_an_id_in_the_letters_of_its_name(name: str, id: str) -> None:
    assert make_slug(name) == id == make_slug(id)
    assert msgspec.convert(id, Id) == id


@pytest.mark.parametrize(
    "id", ["", ".x", "../x", "日本/x", "日\\x", "日 本", "日\x00", "\u202e", "a\u202eb", "a\ufeff"]
)
def test_an_id_has_no_slashes_spaces_or_signs_that_cannot_be_seen(id: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(id, Id)


def test_a_collection_named_in_any_script_is_listed_asked_and_deleted(tmp_path: Path) -> None:
    named = tmp_path / "हिन्दी.idx"
    Index.build(Corpus.of(["The ship came home."]), named)
    folder = tmp_path / "folder"

    def serve() -> TestClient:
        app = make_app([named], folder=folder, workers=1)
        return TestClient(app, base_url="http://127.0.0.1:8000")

    def list_ids(client: TestClient) -> list[str]:
        found = client.get("/v1/indexes").json()
        assert found["damaged"] == {}
        return [one["id"] for one in found["indexes"]]

    with serve() as client:
        for name in ("日本語", "Анна.txt"):
            sent = {"text": "A storm at sea.", "name": name}
            job = client.post("/v1/indexes", data=sent).json()
            while (job := client.get(f"/v1/jobs/{job['id']}").json())["state"] != "done":
                assert job["state"] in ("waiting", "running"), job
        assert list_ids(client) == ["हिन्दी", "日本語", "анна.txt"]
    with serve() as client:  # again
        assert sorted(list_ids(client)) == ["анна.txt", "हिन्दी", "日本語"]
        asked = {"index": "日本語", "query": "storm", "method": "bm25"}
        assert client.get("/v1/search", params=asked).status_code == 200
        assert client.get("/v1/indexes/हिन्दी").status_code == 200
        for id in ("日本語", "анна.txt"):
            assert client.delete(f"/v1/indexes/{id}").status_code == 204
        assert list_ids(client) == ["हिन्दी"] and not list((folder / "indexes").iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_what_a_killed_server_leaves_is_deleted_at_the_next_start(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert list(tmp_path.rglob("private.txt"))
    theirs = tmp_path / "waiting" / "photos"
    theirs.mkdir()
    (theirs / "me.txt").write_text("not ours")
    running = Library([], [], tmp_path)
    assert not list(tmp_path.rglob("private.txt")) and (theirs / "me.txt").exists()
    room = running.make_room(INDEXES, "x").folder
    Library([], [], tmp_path)  # another server with the same folder
    assert room.is_dir()
    running.close()
    assert not room.exists()


@posix
def test_uploads_can_be_read_by_their_owner_only(tmp_path: Path) -> None:
    library = Library([], [], tmp_path / "folder")
    room = library.make_room(INDEXES, "x").folder
    keep([Sent("a.txt", b"a text")], room)
    assert mode(room) == mode(room.parent) == mode(tmp_path / "folder" / "waiting") == 0o700
    assert mode(room / "a.txt") == 0o600
    assert mode(tmp_path / "folder" / "indexes") == 0o700
    library.close()


def test_an_id_is_given_once_even_before_anything_is_written(tmp_path: Path) -> None:
    library = Library([], [], tmp_path)
    first, second = (library.make_room(INDEXES, "cat") for _ in range(2))
    assert (first.id, second.id) == ("cat", "cat-2")
    first.clear()
    assert library.make_room(INDEXES, "cat").id == "cat"
    library.close()


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
        client.portal.call(scrubber.check_all)
        assert client.get("/healthz").status_code == 200
        flip(next(path.rglob("*.texts.bytes.npy")))
        client.portal.call(scrubber.check_all)
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
        looking = asyncio.ensure_future(scrubber.check_all())
        await asyncio.to_thread(index.add, [Document("more", "All was quiet.")])
        await looking
        await scrubber._process.stop()

    asyncio.run(go())
    assert scrubber.list_damage() == {}


def test_an_index_that_is_deleted_meanwhile_is_not_called_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even if it was deleted before it was its turn."""
    index = Index.build(Corpus.of(["The ship came home."]), tmp_path / "x.idx")
    library = Library([index.path], [], tmp_path / "folder")
    scrubber = Scrubber(library)

    class Deleting:
        async def ask(self, function: str, item: JsonObject) -> bytes:
            library.indexes.clear()
            return b"x does not exist"

    shutil.rmtree(index.path)
    scrubber._process = Deleting()  # type: ignore[assignment]
    asyncio.run(scrubber.check_all())
    assert not caplog.records


def test_it_looks_again_and_again(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["The ship came home."]), tmp_path / "x.idx")
    scrubber = Scrubber(Library([index.path], [], tmp_path / "folder"), pause=0.01)
    flip(next(index.path.rglob("*.texts.bytes.npy")))

    async def go() -> None:
        running = asyncio.ensure_future(scrubber.run())
        async with asyncio.timeout(60):
            while not scrubber.list_damage():
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
        await scrubber.check_all()
        await scrubber._process.stop()

    asyncio.run(go())
    problem = scrubber.list_damage()["x"]
    assert "were written" in problem and str(tmp_path) not in problem
