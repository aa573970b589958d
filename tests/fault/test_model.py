"""A seeded sample of the reference model, and what it has found, each as a test of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lexfield.search.index import Index
from lexfield.text.document import Document
from lexfield.vectors.wordvectors import WordVectors
from tests.fault import model


@pytest.fixture(autouse=True)
def vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXFIELD_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    model.install_vectors(tmp_path / "home")


def test_a_hundred_operations() -> None:
    done = model.run_chunk(11, 4, 26)
    assert done.total() >= 100 and len(done) > 15


def test_the_model_notices_a_lost_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Index, "_delete", lambda index, ids: len(ids))
    with pytest.raises(AssertionError):
        model.run_chunk(11, 20, 26, shrink=False)


def test_compacting_weighs_words_by_what_is_there(tmp_path: Path) -> None:
    """A small set does not say how frequent words are; the collection does."""
    toy = WordVectors(model.WORDS[:-1], model.MATRIX[: len(model.WORDS) - 1], name="toy")
    texts = {"a": "Bw fj cz cj.", "b": "Dz dx cx. Bw bw.", "c": "Fj dz bx bj bw."}
    documents = [Document(name, text) for name, text in texts.items()]
    grown = Index.build(documents[:1], tmp_path / "grown", vectors=toy)
    grown.add(documents[1:], vectors=toy)
    grown.compact()
    anew = Index.build(documents, tmp_path / "anew", vectors=toy)
    for method in ("mean", "ideas", "best"):
        model.compare_rankings(grown, anew, "bw cx", method, "document")


def test_stopwords_of_deleted_texts_take_no_place_among_near_words(tmp_path: Path) -> None:
    texts = ["Dz dz gw cz.", "Of dz gj cz cz dx.", "The. Gj gx qq gw gw fw. Gj.", "Cw gz gz."]
    documents = [Document(f"d{number}", text) for number, text in enumerate(texts)]
    left = Index.build(documents, tmp_path / "left", vectors=model.SET)
    left.delete(["d1", "d2"])
    anew = Index.build([documents[0], documents[3]], tmp_path / "anew", vectors=model.SET)
    model.compare_rankings(left, anew, "bj bz gz gx", "ideas(r=3)", "document")


def test_equal_texts_are_equal_in_every_segment(tmp_path: Path) -> None:
    """The first of equal texts is chosen, though rounding differs between segments."""
    texts = [
        "Dw cw bx of gj.",
        "Fz. Fz. Bx cx cx gz gz dz.",
        "Cj. Bj cz dw gw fw. Fz.",
        "Fw. Qq. Cj.",
    ]
    documents = [Document(f"d{number}", text) for number, text in enumerate(texts)]
    anew = Index.build(documents, tmp_path / "anew", vectors=model.SET)
    grown = Index.build(documents[:3], tmp_path / "grown", vectors=model.SET)
    grown.add(documents[3:])
    assert len(grown.segments) == 2
    found = [[hit.id for hit in one.search("fx cj dz", "ideas", 6)] for one in (anew, grown)]
    assert found[0] == found[1]


def test_only_equal_scores_may_change_places() -> None:
    one = [("a", 0.9), ("b", 0.5), ("c", 0.5), ("d", 0.1)]
    assert model.agree(one, [("a", 0.9), ("c", 0.5 + 5e-8), ("b", 0.5), ("d", 0.1)])
    assert model.agree(one, [*one[:3], ("e", 0.1)])
    assert not model.agree(one, [("b", 0.9), ("a", 0.5), ("c", 0.5), ("d", 0.1)])
    assert not model.agree(one, [("a", 0.9), ("b", 0.5), ("x", 0.5), ("d", 0.1)])
    assert not model.agree(one, one[:3])
