"""A reader that was written from docs/format.md alone verifies what lexfield writes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import xxhash

from lexfield.index.learn_metric import learn_metric
from lexfield.search.index import Index
from lexfield.store.manifest import root_of
from tests.fault.artefacts import documents

# The reader: nothing below, up to the tests, uses lexfield.

BLOCK = 1 << 20


def sum_of(data: bytes) -> str:
    return xxhash.xxh3_64(data, seed=0).hexdigest()


def canonical(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def problems(store: Path) -> Iterator[str]:
    """Yield what is wrong with a store."""
    pointer = (store / "CURRENT").read_bytes()
    current = json.loads(pointer)
    if canonical(current) != pointer or set(current) != {"generation", "manifest"}:
        yield "CURRENT"
    folder = store / current["generation"]
    data = (folder / "manifest.json").read_bytes()
    if sum_of(data) != current["manifest"]:
        yield "manifest.json"
    manifest = json.loads(data)
    if canonical(manifest) != data or manifest["schema"] != 2:
        yield "manifest.json is another format"
    there = {path.name for path in folder.iterdir()}
    if there != {"manifest.json", ".lexfield", *manifest["files"]}:
        yield "files are missing or foreign"
    prefixes = tuple(name.replace("/", "@") + "@" for name in manifest["parts"])
    for name, entry in manifest["files"].items():
        content = (folder / name).read_bytes()
        blocks = [content[i : i + BLOCK] for i in range(0, len(content), BLOCK)]
        if len(content) != entry["bytes"] or [sum_of(b) for b in blocks] != entry["xxh3"]:
            yield f"{name}: size or blocks"
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            yield f"{name}: SHA-256"
        if "@" in name and not name.startswith(prefixes):
            yield f"{name}: no such part"
    for shard in manifest["meta"].get("shards", []):
        inner = store / "shards" / shard["name"]
        yield from problems(inner)
        found = json.loads((inner / "CURRENT").read_bytes())
        if found["manifest"] != shard["manifest"] or root(inner) != shard["root"]:
            yield f"shard {shard['name']}"


def root(store: Path) -> str:
    current = json.loads((store / "CURRENT").read_bytes())
    data = (store / current["generation"] / "manifest.json").read_bytes()
    return hashlib.sha256(data).hexdigest()


# Tests


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("format") / "x.idx"
    index = Index.build(documents(0, 8), made)
    index.fit_topics(3, passes=1)
    learn_metric(index, "group", "m", shrinkage=0.5)
    return made


def test_it_verifies_an_index_with_its_parts(path: Path) -> None:
    assert list(problems(path)) == []
    assert root(path) == root_of(path)


def test_it_finds_damage(path: Path, tmp_path: Path) -> None:
    shutil.copytree(path, tmp_path / "x")
    (array,) = (tmp_path / "x").rglob("*.texts.bytes.npy")
    data = bytearray(array.read_bytes())
    data[-3] ^= 1
    array.write_bytes(data)
    assert list(problems(tmp_path / "x")) == [
        f"{array.name}: size or blocks",
        f"{array.name}: SHA-256",
    ]
    (array.parent / "other").touch()
    assert "files are missing or foreign" in list(problems(tmp_path / "x"))
