"""Stores at a place: complete or not there, in a folder and on a real S3 server on loopback."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import CorruptError, StoreError
from lexfield.store.folder import Store, write
from lexfield.store.place import Place, copies, is_address, place_of


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    pytest.importorskip("s3fs", reason="the extra 'cluster' is not installed")
    moto = pytest.importorskip(
        "moto.server", reason="moto, a server of the S3 protocol, is not here"
    )
    running = moto.ThreadedMotoServer("127.0.0.1", 0)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    name = f"texts-{tmp_path.name.replace('_', '-')[:40].strip('-')}"
    s3fs.S3FileSystem(endpoint_url=server).mkdir(name)
    return f"s3://{name}"


def put(place: Place, name: str, number: int) -> None:
    with place.writing(name) as folder, write(folder, "thing") as out:
        out.array("numbers", np.full(300_000, number))


def numbers(place: Place, name: str) -> int:
    return int(Store.open(place.store(name), "thing").array("numbers")[7])


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "folder":
        return place_of(tmp_path / "place")
    return place_of(request.getfixturevalue("bucket"))


def test_a_store_is_there_when_it_is_whole(place: Place) -> None:
    assert not place.has("a")
    with pytest.raises(KeyboardInterrupt), place.writing("a") as folder:
        with write(folder, "thing") as out:
            out.array("numbers", np.arange(5))
        raise KeyboardInterrupt
    assert not place.has("a") and place.names("") == []
    put(place, "a", 1)
    assert place.has("a") and numbers(place, "a") == 1
    place.write("x/notes.txt", b"hello")
    assert place.holds("x/notes.txt") and place.read("x/notes.txt") == b"hello"
    assert place.names("x") == ["notes.txt"]
    place.remove("a")
    place.remove("x/notes.txt")
    assert not place.has("a") and not place.holds("x/notes.txt")


def test_of_two_that_finish_the_first_is_kept(tmp_path: Path) -> None:
    place = Place(str(tmp_path))
    both = threading.Barrier(2)

    def work(number: int) -> None:
        with place.writing("a") as folder:
            with write(folder, "thing") as out:
                out.array("numbers", np.full(10, number))
            both.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers(place, "a") in (1, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_copies_are_checked_kept_and_follow_what_is_there(bucket: str) -> None:
    place = place_of(bucket)
    put(place, "a", 1)
    first = place.store("a")
    assert place.store("a") == first and first.parent == copies()
    place.remove("a")
    put(place, "a", 2)
    assert numbers(place, "a") == 2
    import s3fs

    files = s3fs.S3FileSystem()
    name = f"{bucket.removeprefix('s3://')}/b/000001/numbers.npy"
    put(place, "b", 3)
    data = bytearray(files.cat_file(name))
    data[-1] ^= 1
    files.pipe_file(name, bytes(data))
    assert numbers(place, "b") == 3  # as it was written on this machine
    shutil.rmtree(copies())
    with pytest.raises(CorruptError, match=r"b/000001/numbers\.npy: block 2 "):
        numbers(place, "b")
    with pytest.raises(StoreError, match="nothing has no CURRENT"):
        place.store("nothing")


def test_addresses_are_of_s3_unless_others_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    assert is_address("s3://bucket/name") and not is_address("/tmp/x") and not is_address("a:b")
    for address in ("http://host/b", "HTTPS://host/b", "memory://b", "nowhere://b", "ssh://h/b"):
        with pytest.raises(StoreError, match="not among the addresses") as error:
            place_of(address)
        assert f"LEXFIELD_SCHEMES={address.partition(':')[0].lower()}" in error.value.hint
    for address in (
        "simplecache::http://host/b",
        "file:///x::http://host/b",
        "://b",
        "zip://a::s3://b",
    ):
        with pytest.raises(StoreError, match="is not an address"):
            place_of(address)
    monkeypatch.setenv("LEXFIELD_SCHEMES", "nowhere, memory")
    with pytest.raises(StoreError, match="cannot be reached"):
        place_of("nowhere://bucket/name")
    with pytest.raises(StoreError, match="a has no CURRENT"):
        place_of("memory://nothing-there").store("a")
