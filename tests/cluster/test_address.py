"""An index at an address: opened, searched, changed and served as one in a folder."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="the extra 'cluster' is not installed")

import lexfield as lx
from lexfield.cluster.sharded_index import open_index
from lexfield.index.learn_metric import learn_metric
from lexfield.search.index import Index
from lexfield.store import mirror
from lexfield.text.corpus import Corpus
from tests.fault.artefacts import documents
from tests.store import test_place
from tests.store.test_mirror import machine

server, bucket = test_place.server, test_place.bucket
ASKED = "the boat in the storm"
SPECS = ("best", "bm25", "mean", "setcover", "topic")


def answers(index: Index, *specs: str) -> list[Any]:
    return [index.search(ASKED, spec, 4).to_dicts() for spec in specs or SPECS]


def change(index: Index) -> None:
    """All that can be done to an index."""
    index.fit_topics(3, passes=1)
    index.add(documents(8, 3))
    index.delete(["d1", "d9"])
    learn_metric(index, "group", "m", shrinkage=0.5)


def test_it_is_changed_as_one_in_a_folder(bucket: str, tmp_path: Path) -> None:
    address = f"{bucket}/idx"
    for place in (tmp_path / "idx", address):
        index = Index.build(Corpus.of(documents(0, 8)), place)
        change(index)
    here = open_index(tmp_path / "idx")
    with machine("other", tmp_path):
        there = lx.open(address)
        assert repr(there).startswith(f"<Index {address!r}: 9 documents")
        assert there.info()["path"] == there.address == address
        assert answers(there) == answers(here)
        under, wanted = lx.open(address, metric="m"), lx.open(tmp_path / "idx", metric="m")
        assert answers(under, "mean") == answers(wanted, "mean")
        assert not lx.verify(address).damaged
        assert lx.verify(address).root == lx.verify(tmp_path / "idx").root
        many = [one.to_dicts() for one in there.search_many([ASKED] * 120, "wmd", 2)]
        assert len(many) == 120 and many[0] == many[119]
        there.compact()
        here.compact()
        assert answers(there) == answers(here)
        saved = there.save(tmp_path / "saved")
    assert answers(saved) == answers(here)
    assert lx.verify(tmp_path / "saved").root == lx.verify(tmp_path / "idx").root


def test_two_who_add_at_once_both_succeed(bucket: str, tmp_path: Path) -> None:
    address = f"{bucket}/idx"
    Index.build(Corpus.of(documents(0, 4)), address)
    first = lx.open(address)
    original = first._add

    def slow(*given: Any) -> int:
        """Let another machine add when this one has read the index."""
        if len(first) == 4:
            with machine("other", tmp_path):
                lx.open(address).add(documents(10, 1))
        return original(*given)

    first._add = slow  # type: ignore[method-assign, assignment]
    assert first.add(documents(20, 2)) == 2
    assert sorted(first.documents) == sorted([*(f"d{n}" for n in range(4)), "d10", "d20", "d21"])


def test_an_address_is_indexed_by_the_command(bucket: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A storm came over the sea. The boat was lost.")
    address = f"{bucket}/idx"
    row = lx.index([tmp_path / "a.txt"], output=address)[0]
    assert row.path == address and not row.shards
    with pytest.raises(lx.LexfieldError, match=f"There is an index at {address} already"):
        lx.index([tmp_path / "a.txt"], output=address)
    lx.index([tmp_path / "a.txt"], output=address, replace=True)
    assert lx.search(address, "a storm")[0].id == "a#0"


def test_a_server_moves_to_the_new_state(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("starlette", reason="the extra 'serve' is not installed")
    from starlette.testclient import TestClient

    from lexfield.serve.app import make_app

    monkeypatch.setattr("lexfield.serve.library.LOOK", 0.2)
    address = f"{bucket}/sea.idx"
    with machine("writer", tmp_path):
        writer = Index.build(Corpus.of(documents(0, 4)), address)
    with TestClient(
        make_app([address], folder=tmp_path / "serve", workers=1), base_url="http://127.0.0.1:8000"
    ) as client:
        ask = {"q": "zanzibar", "method": "bm25"}
        found = client.get("/v1/search", params=ask).json()
        assert not found["results"] and bucket not in str(found)
        with machine("writer", tmp_path):
            writer.add([lx.Document("new", "A ship sailed to Zanzibar.")])
        deadline = time.monotonic() + 20
        while not found["results"] and time.monotonic() < deadline:
            time.sleep(0.2)
            found = client.get("/v1/search", params=ask).json()
        assert [one["id"] for one in found["results"]] == ["new#0"]
        assert str(tmp_path) not in str(found) and bucket not in str(found)


def test_readers_see_whole_states_while_a_writer_works(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror.Mirror.look, "__defaults__", (0.0,))
    address = f"{bucket}/idx"
    Index.build(Corpus.of(documents(0, 4)), address)
    reader, seen, done = lx.open(address), set(), threading.Event()

    def read() -> None:
        while not done.is_set():
            reader.refresh()
            hits = reader.search(ASKED, "bm25", 50)
            assert {hit.id.split("#")[0] for hit in hits} <= set(reader.documents)
            seen.add(len(reader))

    thread = threading.Thread(target=read)
    thread.start()
    writer = lx.open(address)
    for number in range(5):
        writer.add(documents(10 + number, 1))
    done.set()
    thread.join()
    reader.refresh()
    assert len(reader) == 9 and seen <= {4, 5, 6, 7, 8, 9}


def test_warm_reads_all_but_the_texts(bucket: str, tmp_path: Path) -> None:
    address = f"{bucket}/idx"
    with machine("writer", tmp_path):
        index = Index.build(Corpus.of(documents(0, 8)), address)
        sizes = index._store.sizes
    seen: list[int] = []
    row = lx.warm(address, progress=lambda done, total: seen.append(done))[0]
    hot = {name: size for name, size in sizes.items() if "texts.bytes" not in name}
    assert (row.path, row.files, row.bytes) == (address, len(hot), sum(hot.values()))
    assert sum(hot.values()) in seen
