"""Building and changing indexes from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lexfield as lx
from lexfield.errors import CorruptError, InputError
from tests.verbs.conftest import TEXTS


def test_an_index_can_be_built_from_texts_paths_and_corpora(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    sources: list[Any] = [list(TEXTS.values()), folder, str(folder), lx.Corpus.read(folder)]
    for number, source in enumerate(sources):
        built = lx.index(source, output=tmp_path / f"{number}.idx")
        assert built[0].documents == 3 and built[0].topics is False
        assert built.index.search("a storm", k=1)[0].text == "A storm rose over the cold sea."
    again = lx.index(tmp_path / "0.idx", output=tmp_path / "copy.idx", keep_case=True)
    assert "A" in again.index.lexicon.ids


def test_an_index_in_shards_can_be_built_from_texts(tmp_path: Path) -> None:
    built = lx.index(list(TEXTS.values()), output=tmp_path / "parts.idx", shards=2)
    assert built[0].shards and len(built[0].shards) == 2
    assert repr(built).startswith(f"wrote {built.results[0].path}: ")


def test_documents_are_added_deleted_and_compacted(index: lx.Index, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("An owl called at night.")
    assert lx.add(index, tmp_path / "note.txt")[0].added == 1
    assert [row.id for row in lx.documents(index)] == ["sea", "farm", "home", "note"]
    assert lx.delete(index.path, "farm")[0].documents == 3
    assert lx.delete(index.path, ["home", "note"])[0].deleted == 2
    row = lx.compact(index.path)[0]
    assert row.documents == 1 and row.bytes < row.bytes_before
    with pytest.raises(InputError, match="no document 'farm'"):
        lx.delete(index.path, "farm")


def test_info_and_verify(index: lx.Index) -> None:
    assert lx.info(index.path)[0] == lx.info(index)[0]
    assert "documents   3" in repr(lx.info(index))
    checked = lx.verify(index.path)
    assert not checked.damaged and checked.failure is None and str(checked).startswith("ok: ")
    file = next(index.path.rglob("*.tokens.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    broken = lx.verify(str(index.path))
    assert [check.file.endswith("tokens.npy") for check in broken.damaged] == [True]
    assert isinstance(broken.failure, CorruptError)


def test_texts_without_words_are_noted(tmp_path: Path) -> None:
    lx.index(["one text"], output=tmp_path / "i.idx")
    assert lx.add(tmp_path / "i.idx", ["", "a text", "…"]).notes == ["documents without words: 2"]
    by_id: Any = {"x": " "}
    assert lx.add(tmp_path / "i.idx", by_id).notes == ["documents without words: 1"]
    assert lx.add(tmp_path / "i.idx", [lx.Document("y", "words")]).notes == []


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="index needs output"):
        lx.index(["a text"])  # type: ignore[call-arg]
    with pytest.raises(InputError, match="has no option 'outputs'. Did you mean 'output'"):
        lx.index(["a text"], outputs="x")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="There is no file 'no.txt'"):
        lx.index("no.txt", output=tmp_path / "x.idx")
    with pytest.raises(InputError, match="shards must be a whole number from 1 to 10,000"):
        lx.index(["a text"], output=tmp_path / "x.idx", shards=0)


def test_one_text_is_added_with_a_free_id(tmp_path: Path) -> None:
    lx.index(["one text"], output=tmp_path / "i.idx")
    assert lx.add(tmp_path / "i.idx", "a new text")[0].documents == 2
    assert list(lx.open(tmp_path / "i.idx").documents) == ["0", "1"]
