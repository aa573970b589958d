"""An index that lives: build, add, delete, compact; and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexfield.errors import InputError, LockedError
from lexfield.search.index import Index
from lexfield.store import folder
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.vectors.wordvectors import WordVectors

VECTORS = WordVectors(["sun", "moon"], np.eye(2, dtype=np.float32), name="sky")


def files(path: Path) -> dict[str, bytes]:
    """The bytes of an index, generation aside."""
    return {str(p.relative_to(path)).split("/", 1)[-1]: p.read_bytes() for p in path.rglob("*.npy")}


def test_build_and_open(tmp_path: Path) -> None:
    corpus = Corpus.of(["Sun and moon. Sun-moon!", "Moon."])
    Index.build(corpus, tmp_path / "i", vectors=VECTORS)
    index = Index.open(tmp_path / "i")
    assert list(index.corpus.vocabulary) == ["moon", "sun", "and"]
    assert index.lexicon.vectors.tolist() == [[0, 1], [1, 0], [0, 0]]
    info = index.info()
    assert info["vectors"]["coverage"]["unknown"] == {"types": 1, "tokens": 1}
    assert (info["documents"], info["segments"], info["deleted"]) == (2, 1, 0)


def test_same_input_same_bytes(
    sample: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for threads in "12":
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        Index.build(sample, tmp_path / threads)
    for file in (tmp_path / "1").rglob("*"):
        if file.is_file():
            other = tmp_path / "2" / file.relative_to(tmp_path / "1")
            assert file.read_bytes() == other.read_bytes()


def test_add_delete_compact(sample: Corpus, tmp_path: Path) -> None:
    documents = list(sample.documents)
    index = Index.build(Corpus.of(documents[:20]), tmp_path / "i")
    assert index.add(documents[20:25]) == 5
    assert index.delete([documents[3].id, documents[22].id]) == 2
    info = index.info()
    assert (info["documents"], info["deleted"], info["segments"]) == (23, 2, 2)
    assert index.add([documents[3]]) == 1  # a deleted id is free again
    reopened = Index.open(tmp_path / "i")
    assert reopened.info()["documents"] == 24
    reopened.compact()
    assert reopened.info()["segments"] == 1
    left = [d for i, d in enumerate(documents[:25]) if i not in (3, 22)]
    Index.build(Corpus.of([*left, documents[3]]), tmp_path / "fresh")
    assert files(tmp_path / "i") == files(tmp_path / "fresh")


def test_small_segments_are_merged(tmp_path: Path) -> None:
    index = Index.build(
        Corpus.of([Document("base", "Moon and sun. " * 200)]), tmp_path / "i", vectors=VECTORS
    )
    for number in range(40):
        index.add([Document(f"d{number}", f"Sun number {number} and a new word{number}.")])
    info = index.info()
    assert info["documents"] == 41
    assert info["segments"] <= 8
    assert len(index.search("word17", "jaccard")) == 1


def test_what_does_not_change_is_linked_not_copied(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["Sun and moon. " * 50]), tmp_path / "i", vectors=VECTORS)
    before = (tmp_path / "i" / "000001" / "s000001.tokens.npy").stat().st_ino
    index.add([Document("x", "Moon.")])
    assert (tmp_path / "i" / "000002" / "s000001.tokens.npy").stat().st_ino == before
    assert not any(check.problem for check in folder.verify(tmp_path / "i"))


def test_words_new_to_the_index_get_vectors_from_its_set(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["The sea is calm and wide today."]), tmp_path / "i")
    index.add([Document("new", "An ocean lies before the harbour wall.")])
    found = index.search("The sailor crossed the ocean alone.", "mean", 2)
    assert found[0].document == "new"
    assert index.lexicon.known[index.lexicon.ids["harbour"]]


def test_refusals_change_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no words"):
        Index.build(Corpus.of(["..."]), tmp_path / "i", vectors=VECTORS)
    with pytest.raises(InputError, match="no language 'xx'"):
        Index.build(Corpus.of(["sun"]), tmp_path / "i", vectors=VECTORS, language="xx")
    index = Index.build(Corpus.of(["sun"]), tmp_path / "i", vectors=VECTORS)
    with pytest.raises(InputError, match="already"):
        Index.build(Corpus.of(["moon"]), tmp_path / "i", vectors=VECTORS)
    with pytest.raises(InputError, match="already has a document with the id '0'"):
        index.add([Document("0", "moon")])
    with pytest.raises(InputError, match=r"no document 'x' \(nor 1 more"):
        index.delete(["0", "x", "y"])
    assert index.add([]) == 0
    index.delete(["0"])
    with pytest.raises(InputError, match="cannot be empty"):
        index.compact()
    assert len(index.search("sun", "jaccard")) == 0
    assert Index.open(tmp_path / "i").info()["deleted"] == 1


def test_two_writers(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(["sun"]), tmp_path / "i", vectors=VECTORS)
    with folder.write(tmp_path / "i", "index"), pytest.raises(LockedError):
        index.add([Document("x", "moon")])


def test_a_stale_writer_does_not_undo_another(tmp_path: Path) -> None:
    first = Index.build(Corpus.of(["sun"]), tmp_path / "i", vectors=VECTORS)
    second = Index.open(tmp_path / "i")
    second.add([Document("x", "moon")])
    first.add([Document("y", "moon")])
    assert Index.open(tmp_path / "i").info()["documents"] == 3
    second.delete(["y"])
    assert Index.open(tmp_path / "i").info()["documents"] == 2


def test_positions_count_characters_whatever_their_bytes(tmp_path: Path) -> None:
    texts = ["", "  Sun é中. “Moon” 😀 sun!  Moon.", "Sun", "é\n\nMoon, sun. Sun? Ü."]
    index = Index.build(Corpus.of(texts), tmp_path / "i", vectors=VECTORS)
    rows = index.rows("sentence")
    for row in range(len(rows)):
        about = rows.describe(row)
        text = texts[int(about["document"])]
        assert text[about["position"] :].startswith(rows.text(row))


def test_a_value_that_no_document_has_is_named(tmp_path: Path) -> None:
    documents = [
        Document(str(i), "A ship sails home.", "", {"Status": ["NEW", "RESOLVED"][i % 2]})
        for i in range(4)
    ]
    index = Index.build(Corpus.of(documents), tmp_path / "i")
    note = "no document has Status=new; did you mean 'NEW'? The values are NEW, RESOLVED"
    for spec in ("ideas", "bm25", "mean"):
        found = index.search("ship", spec, where={"Status": "new"})
        assert found.notes == [note] and not len(found)
        (found,) = index.search_many(["ship"], spec, where={"Status": ["new"]})
        assert note in found.notes
    assert note in index.like("0", "bm25", where={"Status": ["new", "NEW"]}).notes
    assert not index.search("ship", "bm25", where={"Status": "NEW"}).notes


def test_a_document_too_long_for_a_query_is_sampled(tmp_path: Path) -> None:
    novel = " ".join(
        f"The {word} sailed over the sea at night." for word in ["ship", "boat"] * 1500
    )
    texts = [Document("novel", novel), Document("sea", "A ship sailed over the sea."),
             Document("bread", "She baked bread in the kitchen.")]  # fmt: skip
    index = Index.build(Corpus.of(texts), tmp_path / "i")
    found = index.like("novel", "bm25", 2)
    assert found[0].id == "sea"
    assert "novel has 24,000 words" in found.notes[0] and "evenly spaced" in found.notes[0]


def test_info_lists_at_most_a_hundred_fields(tmp_path: Path) -> None:
    texts = [Document(str(i), "The sea.", "", {f"f{i:03}": "x", "all": "y"}) for i in range(120)]
    info = Index.build(Corpus.of(texts), tmp_path / "i").info()
    assert len(info["metadata"]) == 100 and info["metadata"]["all"] == {"y": 120}
    assert any(note.startswith("121 metadata fields") for note in info["notes"])
