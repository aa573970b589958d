"""Stores at an address: changed by one writer at a time, copied no further than they are read."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fsspec", reason="the extra 'cluster' is not installed")

from lexfield.errors import ChangedError, CorruptError, InputError, StoreError
from lexfield.store import cache, mirror
from lexfield.store.cache import SIZE, copies, measure
from lexfield.store.files import BLOCK
from lexfield.store.folder import Store, write
from lexfield.store.garbage import GRACE
from lexfield.store.manifest import CURRENT
from lexfield.store.mirror import Mirror, find_folder
from lexfield.store.remote import ONE_WRITER, Remote
from tests.store import test_place

server, bucket = test_place.server, test_place.bucket
BLOCKS = 12


@pytest.fixture(params=["file", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return f"file://{tmp_path}/there"
    return f"{request.getfixturevalue('bucket')}/there"


@contextmanager
def machine(name: str, tmp_path: Path) -> Iterator[None]:
    """Be another machine, with copies of its own."""
    before = os.environ["LEXFIELD_HOME"]
    os.environ["LEXFIELD_HOME"] = str(tmp_path / name)
    try:
        yield
    finally:
        os.environ["LEXFIELD_HOME"] = before


def put(address: str, **arrays: Any) -> None:
    """Write a generation with these arrays, and those of before."""
    root = Path(find_folder(address, new=True))
    there = (root / CURRENT).exists()
    base = Store.open(root) if there else None
    with write(root, "thing", base.generation if base else None) as out:
        if base is not None:
            for name in set(base.names("")) - set(arrays):
                out.keep(base, f"{name}.")
        for name, values in arrays.items():
            out.array(name, values)


def get(address: str) -> dict[str, int]:
    store = Store.open(find_folder(address))
    return {name: int(store.array(name)[0]) for name in sorted(store.names(""))}


def files(address: str) -> set[str]:
    return set(Remote(address).list_times())


def large(number: int) -> Any:
    rng = np.random.default_rng(number)
    return rng.integers(0, 1 << 60, BLOCKS * BLOCK // 8)


def test_only_what_is_new_is_sent_and_only_what_is_read_is_fetched(
    address: str, tmp_path: Path
) -> None:
    put(address, big=large(1), small=np.arange(3))
    put(address, more=np.arange(7, 9))
    assert "000001/big.npy" in files(address) and "000002/big.npy" not in files(address)
    with machine("b", tmp_path):
        store = Store.open(find_folder(address))
        assert measure(copies()) < BLOCK
        assert store.checked("big")[5 * BLOCK // 8] == large(1)[5 * BLOCK // 8]
        assert measure(copies()) < 4 * BLOCK
        assert np.array_equal(store.array("big"), large(1))
        put(address, last=np.arange(9, 11))
        fetched = measure(copies())
        assert get(address) == {"big": int(large(1)[0]), "last": 9, "more": 7, "small": 0}
        assert measure(copies()) - fetched < BLOCK  # the large file has two names now
    assert len(get(address)) == 4
    assert Mirror(address).verify() and not any(one.problem for one in Mirror(address).verify())


def test_of_two_writers_one_is_told(address: str, tmp_path: Path) -> None:
    put(address, a=np.arange(1))
    root = Path(find_folder(address))
    base = Store.open(root)
    told = pytest.raises(ChangedError, match=f"^{address} was changed meanwhile")
    with told, write(root, "thing", base.generation) as out:
        out.keep(base, "")
        out.array("b", np.arange(1))
        with machine("b", tmp_path):
            put(address, c=np.arange(1))
    assert sorted(get(address)) == ["a", "c"]
    put(address, b=np.arange(1))
    assert sorted(get(address)) == ["a", "b", "c"]
    with pytest.raises(ChangedError), write(root, "thing", "000001"):
        raise AssertionError("it builds on a generation that was replaced")


def test_of_two_first_writers_one_is_told(address: str, tmp_path: Path) -> None:
    root = Path(find_folder(address, new=True))
    with pytest.raises(ChangedError), write(root, "thing") as out:
        out.array("a", np.arange(1))
        with machine("b", tmp_path):
            put(address, b=np.arange(1))
    assert sorted(get(address)) == ["b"]


def test_many_writers_lose_nothing(bucket: str, tmp_path: Path) -> None:
    """Each is a machine of its own, and begins again until its own change is there."""
    address = f"{bucket}/busy"
    put(address, first=np.arange(1))

    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.starmap(_insist, [(address, str(tmp_path / str(n)), f"w{n}") for n in range(8)])
    assert sorted(get(address)) == sorted(["first", *(f"w{n}" for n in range(8))])


def _insist(address: str, home: str, name: str) -> None:
    os.environ["LEXFIELD_HOME"] = home
    while True:
        try:
            return put(address, **{name: np.arange(1)})
        except ChangedError:
            continue


def test_old_states_are_read_for_an_hour_and_then_deleted(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(address, big=large(1))
    with machine("b", tmp_path):
        old = Store.open(find_folder(address))
    put(address, big=large(2))
    with machine("b", tmp_path):
        assert old.checked("big")[BLOCK] == large(1)[BLOCK]
    monkeypatch.setenv(GRACE, "0")
    put(address, other=np.arange(1))
    assert not any(name.startswith("000001/") for name in files(address))
    assert "000002/big.npy" in files(address)
    with machine("b", tmp_path):
        with pytest.raises(ChangedError, match="its earlier state is gone"):
            old.array("big")
        assert not old.is_current()
        assert get(address)["big"] == large(2)[0]


def test_what_others_keep_there_stays(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(GRACE, "0")
    put(address, a=np.arange(1))
    remote = Remote(address)
    theirs = ("000001/notes.txt", "000000/mine.npy", "letter.txt", "999999/mine.npy")
    for name in theirs:
        remote.write(name, b"precious")
    put(address, a=np.arange(1, 3))
    assert set(theirs) <= files(address) and "000001/a.npy" not in files(address)
    remote.write("elsewhere/letter.txt", b"precious")
    with pytest.raises(StoreError, match="holds other files, such as 'letter.txt'"):
        put(f"{address}/elsewhere", a=np.arange(1))


def test_a_folder_that_was_copied_there_is_a_store(address: str, tmp_path: Path) -> None:
    with write(tmp_path / "s", "thing") as out:
        out.array("a", np.arange(5, 7))
    remote = Remote(address)
    for path in sorted((tmp_path / "s").rglob("*")):
        if path.is_file():
            remote.write(path.relative_to(tmp_path / "s").as_posix(), path.read_bytes())
    assert get(address) == {"a": 5}
    put(address, b=np.arange(6, 7))
    assert get(address) == {"a": 5, "b": 6}


def test_a_store_moves_on_when_the_address_does(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "LOOK", 0.0)
    monkeypatch.setattr(Mirror.look, "__defaults__", (0.0,))
    put(address, a=np.arange(1))
    with machine("b", tmp_path):
        store = Store.open(find_folder(address))
        assert store.is_current()
    put(address, a=np.arange(1, 2))
    with machine("b", tmp_path):
        assert not store.is_current() and store.array("a")[0] == 0
        monkeypatch.setattr(Remote, "read_tagged", _raise)
        again = Store.open(store.path)
        assert again.is_current() and again.array("a")[0] == 1  # though nobody answers


def _raise(*_: object) -> Any:
    raise StoreError("nobody answers")


def test_a_server_that_ignores_conditions_is_not_written_to(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put_anyway(self: Remote, name: str, data: bytes, tag: str | None) -> bool:
        self.write(name, data)
        return True

    monkeypatch.setattr(Remote, "_put_if", put_anyway)
    with pytest.raises(StoreError, match="ignores the conditions of conditional writes") as error:
        put(address, a=np.arange(1))
    assert ONE_WRITER in error.value.hint and not any(map(_is_generation, files(address)))
    monkeypatch.setenv(ONE_WRITER, "1")
    put(address, a=np.arange(1))
    assert get(address) == {"a": 0}


def _is_generation(name: str) -> bool:
    return name == CURRENT or name[0].isdigit()


def test_a_long_file_is_read_whole(address: str) -> None:
    """A manifest of a large index comes in pieces."""
    remote, data = Remote(address), np.random.default_rng(0).bytes(20 * BLOCK)
    remote.write("long", data)
    assert remote.read("long", len(data)) == data
    with pytest.raises(CorruptError, match="long is too large"):
        remote.read("long", len(data) - 1)


def test_a_missing_bucket_is_told(bucket: str) -> None:
    with pytest.raises(StoreError, match="cannot be written: there is no such bucket"):
        put(f"{bucket}-missing/there", a=np.arange(1))


def test_an_address_without_conditional_writes_is_not_written_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEXFIELD_SCHEMES", "memory")
    with pytest.raises(StoreError, match="memory:// has no conditional writes"):
        put("memory://somewhere", a=np.arange(1))
    monkeypatch.setenv(ONE_WRITER, "1")
    put("memory://somewhere", a=np.arange(4, 5))
    assert get("memory://somewhere") == {"a": 4}


def test_the_cache_is_bounded_and_what_is_open_stays(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_FRESH", 0)
    with machine("writer", tmp_path):
        for name in "abc":
            put(f"{address}/{name}", big=large(ord(name)))
    monkeypatch.setenv(SIZE, f"{(2 * BLOCKS + 4) * BLOCK}")
    opened = Store.open(find_folder(f"{address}/a"))
    assert np.array_equal(opened.array("big"), large(ord("a")))
    for name in "bcbc":  # the one that nobody has open goes
        assert np.array_equal(Store.open(find_folder(f"{address}/{name}")).array("big"),
                              large(ord(name)))  # fmt: skip
        assert measure(copies()) <= cache.read_bound()
    assert opened.path.exists() and np.array_equal(opened.array("big"), large(ord("a")))
    other = Store.open(find_folder(f"{address}/b"))
    other.array("big")
    third = Store.open(find_folder(f"{address}/c"))
    with pytest.raises(StoreError, match=r"c needs more room than copies may take: .* in use"):
        third.array("big")
    assert measure(copies()) <= cache.read_bound()


def test_a_store_larger_than_the_bound_is_read_in_part(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine("writer", tmp_path):
        put(address, big=large(1))
    monkeypatch.setenv(SIZE, "4 MB")
    store = Store.open(find_folder(address))
    assert store.checked("big")[7] == large(1)[7]
    with pytest.raises(StoreError, match="needs more room than copies may take: 4.0 MB"):
        store.array("big")
    monkeypatch.setenv(SIZE, "much")
    with pytest.raises(InputError, match="LEXFIELD_CACHE is 'much'"):
        store.array("big")


def test_a_full_disk_is_told(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with machine("writer", tmp_path):
        put(address, big=large(1))
    store = Store.open(find_folder(address))
    real = open

    def full(path: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
        if mode == "r+b":
            raise OSError(28, "No space left on device")
        return real(path, mode, *more, **options)

    monkeypatch.setattr("builtins.open", full)
    with pytest.raises(StoreError, match="cannot be copied to .*: No space left on device"):
        store.array("big")
    monkeypatch.setattr("builtins.open", real)
    assert np.array_equal(store.array("big"), large(1))


def test_threads_and_processes_fill_one_copy(address: str, tmp_path: Path) -> None:
    with machine("writer", tmp_path):
        put(address, big=large(1))
    stores = [Store.open(find_folder(address)) for _ in range(4)]
    found: list[bool] = []

    def read(store: Store) -> None:
        found.append(np.array_equal(store.array("big"), large(1)))

    threads = [threading.Thread(target=read, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


def test_a_damaged_copy_is_mended_and_a_damaged_address_is_told(
    address: str, tmp_path: Path
) -> None:
    put(address, big=large(1))
    (file,) = copies().glob("*/000001/big.npy")
    data = bytearray(file.read_bytes())
    data[3 * BLOCK + 5] ^= 1
    file.write_bytes(data)
    assert np.array_equal(Store.open(find_folder(address)).array("big"), large(1))
    Remote(address).write("000001/big.npy", bytes(data))
    (check,) = (one for one in Mirror(address).verify() if one.problem)
    assert check.file == "000001/big.npy" and "block 3 " in check.problem
    with machine("b", tmp_path), pytest.raises(CorruptError, match=r"big\.npy: block 3 "):
        Store.open(find_folder(address)).array("big")
    Remote(address).remove("000001/big.npy")
    assert [one.problem for one in Mirror(address).verify() if one.problem] == ["missing"]


def test_saved_elsewhere_it_is_whole(address: str, tmp_path: Path) -> None:
    with machine("writer", tmp_path):
        put(address, big=large(1))
    store = Store.open(find_folder(address))
    with write(tmp_path / "saved", "thing") as out:
        out.keep(store, "")
    shutil.rmtree(copies())
    assert np.array_equal(Store.open(tmp_path / "saved").array("big"), large(1))
