"""What an encoder says of an index: kept, extended, resumed, and honest about failures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import InputError, MissingExtraError
from lexfield.index import encoding_job
from lexfield.index.encodings import need_encodings
from lexfield.index.row_encodings import open_row_encodings
from lexfield.search.index import Index
from lexfield.store.folder import Store
from lexfield.text.document import Document
from lexfield.vectors import encoders
from lexfield.verbs.info import info, verify
from tests.toy_encoder import ToyEncoder

TEXTS = {
    "a": "Seven ships sailed across the sea. The sea was calm.",
    "b": "The baker kneads bread.",
    "c": "Engines need oil. A poisoned text stands here. Hammers do not help.",
}


def build(path: Path) -> Index:
    return Index.build([Document(name, text) for name, text in TEXTS.items()], path)


def stored(index: Index, unit: str) -> np.ndarray:
    rows = index.rows(unit)
    space = open_row_encodings(rows)
    return np.stack([space.vector(row) for row in range(len(rows))])


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_vectors_are_those_of_the_encoder(tmp_path: Path, unit: str) -> None:
    index, toy = build(tmp_path / "i"), ToyEncoder()
    assert index.encode(toy) == []
    rows = index.rows(unit)
    for row, vector in enumerate(stored(index, unit)):
        (made,) = toy.encode([rows.text(row)])
        np.testing.assert_allclose(vector, made.vector / np.linalg.norm(made.vector), atol=0.004)


def test_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    index, toy = build(tmp_path / "i"), ToyEncoder()
    index.encode(toy)
    assert toy.texts.count(TEXTS["b"]) == 1  # a document and its only sentence
    assert sorted(toy.texts) == sorted(set(toy.texts))


def test_adding_and_compacting_encode_new_texts_only(tmp_path: Path) -> None:
    index, toy = build(tmp_path / "i"), ToyEncoder()
    index.encode(toy)
    toy.texts.clear()
    index.add([Document("d", "A new text.")])
    assert toy.texts == ["A new text."]
    index.delete(["a"])
    index.compact()
    assert toy.texts == ["A new text."]
    assert [hit.document for hit in index.search("A new text.", "encoder", 1)] == ["d"]
    names = need_encodings(Store.open(index.path)).table(index.segments[0], "document")
    assert names is not None
    assert "ships" not in names.names  # of the deleted document


def test_an_interruption_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_job, "_TOGETHER", 1)
    monkeypatch.setattr(encoding_job, "_ENOUGH", 1)  # words to fit a codec to
    index, toy = build(tmp_path / "i"), ToyEncoder()

    def stop(done: int, total: int | None) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.encode(toy, progress=stop)
    assert len(toy.texts) == 3
    found = index.search("calm sea", "encoder")
    toy.texts.remove("calm sea")
    assert any("without a vector of the encoder" in note for note in found.notes)
    (shown,) = info(index.path)
    assert shown.encoder == {"name": "toy", "dims": toy.dims, "finished": False}
    assert any("continue with: lexfield encode" in note for note in verify(index.path).notes)
    index.encode()  # the encoder is known by its name
    (shown,) = info(index.path)
    assert shown.encoder == {"name": "toy", "dims": toy.dims, "finished": True}
    assert sorted(toy.texts) == sorted(set(toy.texts))  # none was encoded twice
    assert open_row_encodings(index.rows()).missing == 0


def test_old_vectors_stay_until_their_replacement_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_job, "_TOGETHER", 1)
    index, other = build(tmp_path / "i"), ToyEncoder(dims=8, name="other")
    index.encode(ToyEncoder())
    before = index.search("calm sea", "encoder", 5)

    def stop(done: int, total: int | None) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.encode(other, replace=True, progress=stop)
    found = index.search("calm sea", "encoder", 5)
    assert (found.rows, found.scores) == (before.rows, before.scores)
    index.add({"new": "A calm evening at sea."})
    assert "new" in {hit.document for hit in index.search("calm sea", "encoder", 9)}
    assert len(other.texts) == 3
    index.encode()  # goes on with what was interrupted
    assert sorted(other.texts) == sorted(set(other.texts))  # none was encoded twice
    assert open_row_encodings(index.rows()).dims == 8
    assert [*Store.open(tmp_path / "i").parts] == ["encoder"]
    assert index.encode() == [] and open_row_encodings(index.rows()).missing == 0


def test_an_early_interruption_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_job, "_TOGETHER", 1)
    monkeypatch.setattr(encoding_job, "_ENOUGH", 12)
    whole, index = build(tmp_path / "whole"), build(tmp_path / "i")
    whole.encode(ToyEncoder())

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.encode(ToyEncoder(), progress=stop)
    index.encode()
    for method in ("encoder", "late", "best"):
        wanted = whole.search("calm sea", method, 5)
        found = index.search("calm sea", method, 5)
        assert (found.rows, found.scores) == (wanted.rows, wanted.scores), method


@pytest.mark.parametrize("outcome", [ValueError("broken"), float("nan"), float("inf")])
def test_a_text_that_fails_is_named_and_the_others_are_kept(
    tmp_path: Path, outcome: float | Exception
) -> None:
    index = build(tmp_path / "i")
    (note,) = index.encode(ToyEncoder(bad={"poisoned": outcome}))
    assert note.startswith("texts that the encoder failed on and cannot find: 2 (")
    assert "c#1: " in note and "c: " in note
    found = index.search("Engines need oil.", "encoder", 3)
    assert found[0].id == "c#0"
    assert any(text.startswith("sentences without a vector") for text in found.notes)
    assert index.encode(ToyEncoder()) == []  # tried again
    assert open_row_encodings(index.rows()).missing == 0


def test_other_dimensions_are_an_error_and_nothing_is_lost(tmp_path: Path) -> None:
    index = build(tmp_path / "i")
    index.encode(ToyEncoder())
    encoders.open_encoder(ToyEncoder(dims=8))  # of the same name
    with pytest.raises(InputError, match="8 dimensions; this index has vectors of 24"):
        index.search("calm sea", "encoder")
    index.encode(ToyEncoder(dims=8), replace=True)
    assert open_row_encodings(index.rows()).dims == 8
    assert index.search("calm sea", "encoder", 1)[0].document == "a"


def test_vectors_of_several_lengths_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="vectors of 17 and of 20 dimensions"):
        build(tmp_path / "i").encode(lambda texts: [np.ones(len(text)) for text in texts])


def test_vectors_of_another_encoder_are_not_replaced_unasked(tmp_path: Path) -> None:
    index = build(tmp_path / "i")
    index.encode(ToyEncoder())
    with pytest.raises(InputError, match="has vectors of the encoder 'toy'.*--replace"):
        index.encode(ToyEncoder(dims=8, name="other"))
    assert open_row_encodings(index.rows()).dims == 24


def test_an_index_without_vectors_says_what_to_do(tmp_path: Path) -> None:
    index = build(tmp_path / "i")
    for method in ("encoder", "late", "fitted"):
        with pytest.raises(InputError, match="has no vectors of an encoder.*lexfield encode"):
            index.search("calm sea", method)


def test_a_missing_package_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "_opened", {})
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    index = build(tmp_path / "i")
    with pytest.raises(MissingExtraError, match=r"pip install 'lexfield\[encoder\]'"):
        index.encode("minilm")


def test_documents_are_added_though_the_encoder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = build(tmp_path / "i")
    index.encode(ToyEncoder())
    monkeypatch.setattr(encoders, "_opened", {})
    index.add([Document("d", "A new text.")])
    assert len(index) == 4
    with pytest.raises(InputError, match="encoded by 'toy', which this process does not know"):
        index.search("A new text.", "encoder")
    assert index.search("calm sea", "fitted", 1)[0].document == "a"
    encoders.use_encoder(ToyEncoder(), "toy")
    found = index.search("calm sea", "encoder", 1)
    assert found[0].document == "a"
    assert any(note.startswith("sentences without a vector") for note in found.notes)
    for method in ("late", "best", "wmd(tokens=true)"):
        assert index.search("calm sea", method, 1)[0].document == "a", method
    assert "d" in [hit.document for hit in index.search("A new text.", "best", 9)]
