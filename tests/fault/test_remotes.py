"""A sample of an object store that fails, lags and lies, and what it has found."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fsspec", reason="the extra 'cluster' is not installed")

from lexfield.store.garbage import GRACE
from lexfield.store.place import copies, place_of
from lexfield.store.remote import SCHEMES
from tests.fault.remotes import Unreliable, make_store, read, remotes

HOWS = ("an error of a library", "half of the bytes", "not there yet")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXFIELD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(SCHEMES, "unreliable")
    monkeypatch.setattr(Unreliable, "at", 0)


def test_every_call_fails_once(tmp_path: Path) -> None:
    found = remotes(tmp_path / "stores", HOWS)
    assert sum(one["trials"] for one in found.values()) > 80
    assert not any(one["faults"] for one in found.values()), found


def seen(folder: Path) -> list[str]:
    files = (one.relative_to(folder) for one in folder.rglob("*") if one.is_file())
    return sorted({one.parts[0] for one in files if one.parts[0][0] != "."})


def test_a_store_at_an_address_is_replaced_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of the old generation are never overwritten, and are gone in the end."""
    address = f"unreliable://{tmp_path}"
    make_store(tmp_path / "s", 7)
    with place_of(address).writing("s") as folder:
        make_store(folder, 8)
        assert read(address) == 7
    assert read(address) == 8
    assert seen(tmp_path / "s") == ["000001", "000002", "CURRENT"]  # others may still read it
    monkeypatch.setenv(GRACE, "0")
    with place_of(address).writing("s") as folder:
        make_store(folder, 9)
    assert read(address) == 9 and seen(tmp_path / "s") == ["000003", "CURRENT"]


def test_a_damaged_copy_on_this_machine_is_fetched_again(tmp_path: Path) -> None:
    make_store(tmp_path / "s", 7)
    address = f"unreliable://{tmp_path}"
    assert read(address) == 7
    (copy,) = (one for one in copies().iterdir() if one.is_dir())
    (copy / "000001" / "numbers.npy").write_bytes(b"")
    assert read(address) == 7
