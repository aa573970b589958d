"""A store from elsewhere, whose checksums are right and whose contents are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexfield.errors import CorruptError, StoreError
from lexfield.store.files import block_sums, canonical_json
from lexfield.store.folder import Store, verify, write

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)


def sealed(root: Path, manifest: Any) -> None:
    """Put a manifest in place, with the checksum that it should have."""
    data = json.dumps(manifest).encode()
    generation = root / "000001"
    generation.mkdir(parents=True, exist_ok=True)
    (generation / "manifest.json").write_bytes(data)
    pointer = {"generation": "000001", "manifest": xxhash.xxh3_64_hexdigest(data)}
    (root / "CURRENT").write_bytes(canonical_json(pointer))


def manifest_of(files: Any) -> dict[str, Any]:
    return {"schema": 1, "kind": "thing", "meta": {}, "files": files}


def test_names_of_parts(tmp_path: Path) -> None:
    for name in ("topics", "metrics/same"):
        sealed(tmp_path / "s", manifest_of({}) | {"parts": {name: {}}})
        assert Store.open(tmp_path / "s").parts == {name: {}}
    for name in ("../x", "metrics/../x", "Topics", ""):
        sealed(tmp_path / "s", manifest_of({}) | {"parts": {name: {}}})
        with pytest.raises(CorruptError, match="cannot be the name of a part"):
            Store.open(tmp_path / "s")


def test_the_sha_256_of_every_file_is_checked(tmp_path: Path) -> None:
    with write(tmp_path / "s", "thing") as out:
        out.array("values", np.arange(9))
    assert not [one for one in verify(tmp_path / "s") if one.problem]
    manifest = json.loads((tmp_path / "s" / "000001" / "manifest.json").read_text())
    manifest["files"]["values.npy"]["sha256"] = "0" * 64  # every other checksum is right
    sealed(tmp_path / "s", manifest)
    assert [one.file for one in verify(tmp_path / "s") if one.problem] == ["000001/values.npy"]


@pytest.mark.parametrize(
    "name",
    ["../../secret.npy", "/etc/passwd", "a/b.npy", "..npy", "x.txt", "", "-x.npy"],
)
def test_names_stay_inside(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.npy").write_bytes(b"x")
    sealed(tmp_path / "s", manifest_of({name: {"bytes": 1, "xxh3": block_sums(b"x")}}))
    for use in (Store.open, verify):
        with pytest.raises(CorruptError, match="cannot be the name"):
            use(tmp_path / "s")


@pytest.mark.parametrize(
    "entry",
    [
        {}, [], None, {"bytes": 1}, {"bytes": -1, "xxh3": []}, {"bytes": 1, "xxh3": []},
        {"bytes": 1, "xxh3": [1]}, {"bytes": True, "xxh3": ["x"]}, {"bytes": 10**30, "xxh3": ["x"]},
    ],
)  # fmt: skip
def test_sizes_and_sums_fit(tmp_path: Path, entry: Any) -> None:
    sealed(tmp_path / "s", manifest_of({"a.npy": entry}))
    with pytest.raises(CorruptError):
        Store.open(tmp_path / "s")


@pytest.mark.parametrize(
    "pointer",
    [
        b"", b"{}", b"[]", b"null", b"[" * 5000, b"{" * 900,
        canonical_json({"generation": "../x", "manifest": "0" * 16}),
        canonical_json({"generation": "000001", "manifest": "x"}),
        canonical_json({"generation": 1, "manifest": 2}),
        canonical_json({"generation": "000001", "manifest": "0" * 16, "more": 1}),
    ],
)  # fmt: skip
def test_the_pointer_is_not_believed(tmp_path: Path, pointer: bytes) -> None:
    sealed(tmp_path / "s", manifest_of({}))
    (tmp_path / "s" / "CURRENT").write_bytes(pointer)
    with pytest.raises(CorruptError, match="CURRENT"):
        Store.open(tmp_path / "s")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(anything | st.fixed_dictionaries({"schema": st.just(1)}, optional={
    "kind": anything, "meta": anything, "files": anything
}))  # fmt: skip
def test_any_manifest_opens_or_is_refused(tmp_path: Path, manifest: Any) -> None:
    sealed(tmp_path / "s", manifest)
    for use in (Store.open, verify):
        try:
            use(tmp_path / "s")
        except StoreError as error:
            assert error.message


def array_file(header: str, body: bytes) -> bytes:
    text = header.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "__import__('os').system('true')",
        "[" * 3000,
    ],
)
def test_an_array_is_what_its_file_can_hold(tmp_path: Path, header: str) -> None:
    data = array_file(header, bytes(8))
    (tmp_path / "s" / "000001").mkdir(parents=True)
    (tmp_path / "s" / "000001" / "a.npy").write_bytes(data)
    entry = {"bytes": len(data), "xxh3": block_sums(data)}
    sealed(tmp_path / "s", manifest_of({"a.npy": entry}))
    store = Store.open(tmp_path / "s")
    with pytest.raises(CorruptError, match="is not an array"):
        store.array("a")


def test_arrays_of_all_kinds_come_back(tmp_path: Path) -> None:
    values = [np.arange(6).reshape(2, 3), np.empty((0, 4)), np.array(["é", "b"])]
    with write(tmp_path / "s", "thing") as out:
        for number, value in enumerate(values):
            out.array(str(number), value)
    store = Store.open(tmp_path / "s")
    for number, value in enumerate(values):
        assert np.array_equal(store.array(str(number)), value)
        assert store.array(str(number)).dtype == value.dtype
