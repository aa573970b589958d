"""An index has the same bytes, whether it was built in memory or through many small files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.cluster import build_tasks
from lexfield.cluster.build_shards import build_sharded
from lexfield.index import axes, basis, lists, units
from lexfield.search.index import Index
from lexfield.store import folder, scratch
from lexfield.store.manifest import root_of
from lexfield.text import builder
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.cluster.test_shards import Here


@pytest.fixture(scope="module")
def documents(sample: Corpus) -> list[Document | str]:
    """Some of the sample, texts that change the tokenizer, plain strings and empty ones."""
    some = list(sample)[::8]
    french = "L'homme qui marche sur la plage n'est pas d'ici, et il ne parle à personne. " * 3
    return ["Été à la mer. 中国", *some, "", Document("fr", french), "It's 3.14 o'clock, I say.", *(
        Document(f"empty {number}", "  …  ") for number in range(5))]  # fmt: skip


def use_small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in (
        (scratch, "IN_MEMORY", 300), (scratch, "_RESIDENT", 0), (scratch, "_STEP", 7),
        (folder, "_BLOCK", 1000), (lists, "_STEP", 90), (basis, "_TOKENS", 80),
        (axes, "_BLOCK", 16), (units, "_ROWS", 5), (units, "_BYTES", 200), (builder, "_BLOCK", 64),
        (build_tasks, "_STEP", 100),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)


def test_built_and_compacted_in_little_memory(
    documents: list[Document | str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Index.build(documents, tmp_path / "a").path
    use_small_memory(monkeypatch)
    again = Index.build(documents, tmp_path / "b")
    assert root_of(again.path) == root_of(expected)
    again.add([Document("more", "A storm broke over the harbour. Nobody slept.")])
    again.delete(["more"])
    again.compact()
    assert root_of(again.path) == root_of(expected)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


def test_shards_in_little_memory(
    documents: list[Document | str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = build_sharded(documents, tmp_path / "a", shards=2, engine=Here()).path
    use_small_memory(monkeypatch)
    again = build_sharded(documents, tmp_path / "b", shards=2, engine=Here())
    assert root_of(again.path) == root_of(expected)
    monkeypatch.undo()
    other = build_sharded(documents, tmp_path / "c", shards=2)  # processes
    assert root_of(other.path) == root_of(expected)
