"""What users type first works, or fails with one clear sentence."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexfield.bags.bag import Bag
from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.vectors.wordvectors import WordVectors

TEXTS = ["The cat sat by the fire.", "A dog barked at the storm."]
WORDS = sorted({word for text in TEXTS for word in text.lower().strip(".").split()})
VECTORS = WordVectors(WORDS, np.eye(len(WORDS), 8, dtype=np.float32) + np.float32(0.1))


@pytest.fixture
def index() -> Index:
    return Index(TEXTS, vectors=VECTORS)


def test_an_index_in_memory(index: Index, tmp_path: Path) -> None:
    assert index.search("a dog in the storm", "bm25", 1)[0].document == "1"
    assert len(index) == 2 and "0" in index and "x" not in index
    assert index["1"].text == TEXTS[1] and [d.id for d in index] == ["0", "1"]
    assert "in memory" in repr(index)
    saved = index.save(tmp_path / "idx")
    assert [d.text for d in Index.open(tmp_path / "idx")] == TEXTS
    assert saved.search("dog", "bm25")[0].id == index.search("dog", "bm25")[0].id
    with pytest.raises(InputError, match="already"):
        index.save(tmp_path / "idx")
    index.save(tmp_path / "idx", replace=True)


def test_its_folder_goes_with_it() -> None:
    index = Index(TEXTS, vectors=VECTORS)
    folder = index.path.parent
    assert folder.is_dir()
    del index
    gc.collect()
    assert not folder.exists()


def test_documents_and_a_corpus_are_texts_too(tmp_path: Path) -> None:
    documents = [Document("a", TEXTS[0], metadata={"kind": "x"}), Document("b", TEXTS[1])]
    for given in (documents, Corpus.of(documents), iter(documents)):
        made = Index.build(given, tmp_path / "i", vectors=VECTORS, replace=True)
        assert list(made.documents) == ["a", "b"]
    assert [hit.document for hit in made.search("storm fire", "bm25", where="kind=x")] == ["a"]
    assert [hit.document for hit in made.search("storm", "bm25", where=["kind=x"])] == []


def test_added_texts_are_numbered_on(index: Index) -> None:
    assert index.add(["The cat."]) == 1 and "2" in index
    index.delete(["2"])
    index.add([Document("3", "A dog."), "The fire.", Document("40", "A cat."), "The dog."])
    assert list(index.documents) == ["0", "1", "3", "4", "40", "5"]
    index.add(["The storm."])
    assert "41" in index
    with pytest.raises(InputError, match="already"):
        index.add([Document("0", "A dog.")])


def test_a_number_for_the_method_is_k(index: Index) -> None:
    with pytest.warns(DeprecationWarning, match=r"name k, as in search\(text, k=1\)"):
        found = index.search("fire dog", 1, allow_unknown=True)
    assert len(found) == 1 and found.method == "best"


def test_many_rankings_are_a_sequence(index: Index) -> None:
    found = index.search_many(["dog", "fire"], "bm25")
    assert len(found) == 2 and found[1][0].document == "0" and found[-2].query == "dog"
    assert [ranking.query for ranking in found] == ["dog", "fire"]
    assert [ranking.query for ranking in found[:1]] == ["dog"]
    (one,) = index.search_many(["dog"], "bm25")
    assert one.query == "dog"


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda index: index.search(["dog", "fire"]), "search takes one text.*"),
        (lambda index: index.search_many("dog"), "search_many takes a list of texts.*"),
        (lambda index: index.search("dog", where="kind"), "'kind' is not a condition.*"),
        (lambda index: index["nobody"], "The index has no document 'nobody'.*"),
        (lambda index: index[99], "The index has 2 documents.*"),
        (lambda index: index.add("text.txt"), "An index needs a list of texts, not a word.*"),
        (lambda index: index.add(5), "An index needs a list of texts. Got 5 instead.*"),
        (lambda index: index.add([5]), "A text must be a string or a Document.*"),
        (lambda index: index.add([Document("0", "Rain.")]), "The index already has a document.*"),
        (lambda index: index.delete(5), "ids must be an id or a list of ids. Got 5 instead.*"),
        (lambda index: index.save(5), "path must be a string or a Path. Got 5 instead.*"),
        (lambda index: Index("my text.txt"), "An index needs a list of texts, not a word.*"),
        (lambda index: Index(), "An index needs a list of texts. Got None instead.*"),
        (lambda index: Index([]), "There are no words to index."),
        (
            lambda index: index.search("dog", explain=True),
            "search has no option 'explain'.*reasons",
        ),
        (lambda index: index.search("dog", like="0"), r"search has no option 'like'.*index.like"),
        (lambda index: index.search_many(["dog"], wher="a=b"), ".*Did you mean 'where'?"),
        (lambda index: WordVectors("default"), r"WordVectors needs.*WordVectors.load\('default'\)"),
        (lambda index: Bag("a cat"), r"A Bag is made of counts.*Bag.of\(text\)"),
    ],
)
def test_what_does_not_work_is_said_in_a_sentence(
    index: Index, ask: Callable[[Any], Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence) as error:
        ask(index)
    assert error.value.message.count(". ") == error.value.message.count(". Got ")


def test_the_hint_names_what_the_call_needs(index: Index) -> None:
    with pytest.raises(InputError) as error:
        Index("my.idx")
    assert "Index.open(path)" in error.value.hint
    with pytest.raises(InputError) as error:
        index.add("my.idx")
    assert error.value.hint == "Read files with Corpus.read(path)."


def test_the_hint_names_search_many(index: Index) -> None:
    with pytest.raises(InputError) as error:
        index.search(["dog"])  # type: ignore[arg-type]
    assert "search_many" in error.value.hint
