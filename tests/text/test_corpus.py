from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import InputError
from lexfield.store.folder import Store, write
from lexfield.text import builder, segment
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.text.segment import sentence_spans, split_words


def test_hand_made_corpus() -> None:
    corpus = Corpus.of(
        [
            Document("a", "The café is open. The cat naps!", "a.txt", {"level": "low"}),
            Document("b", "", "b.txt"),
            Document("c", "CAFÉ? The End."),
        ]
    )
    assert [str(s) for s in corpus.sentences] == [
        "The café is open.",
        "The cat naps!",
        "CAFÉ?",
        "The End.",
    ]
    assert corpus.sentences[-1].id == "c#1"
    assert corpus.sentences[1].document == "a"
    assert corpus.sentences[1].text == "The cat naps!"
    assert list(corpus.vocabulary) == ["the", "café", "cat", "end", "is", "naps", "open"]
    assert corpus.vocabulary.counts.tolist() == [3, 2, 1, 1, 1, 1, 1]
    assert corpus.document_tokens(0).tolist() == [0, 1, 4, 6, 0, 2, 5]
    assert corpus.document_tokens(1).tolist() == []
    assert corpus.sentence_tokens(2).tolist() == [1]
    assert corpus.documents[0].metadata == {"level": "low"}  # too short to tell its language
    assert corpus.documents[1].text == ""
    assert corpus.vocabulary.id("nowhere") == -1
    assert corpus.notes == ["documents without words: 1 (b)"]
    with pytest.raises(IndexError):
        corpus.documents[3]


@given(st.lists(st.text(), max_size=6))
def test_against_the_obvious(texts: list[str]) -> None:
    corpus = Corpus.of(texts)
    normalise = Normalisation()
    position = 0
    for row, text in enumerate(texts):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = text.replace("\xad", "")  # a soft hyphen
        assert corpus.documents[row].text == text
        for start, end in sentence_spans(text.replace("\0", " ")):
            assert corpus.sentences[position] == text[start:end]
            assert corpus.document_of(position) == row
            found = [corpus.vocabulary.words[t] for t in corpus.sentence_tokens(position)]
            expected = split_words(normalise(text[start:end].replace("\0", " ")))
            assert "".join(found) == "".join(expected)
            position += 1
    assert position == len(corpus.sentences)
    assert corpus.vocabulary.counts.sum() == len(corpus.tokens)


def test_save_and_load(sample: Corpus, tmp_path: Path) -> None:
    with write(tmp_path / "c", "corpus") as out:
        meta = sample.save(out)
    loaded = Corpus.load(Store.open(tmp_path / "c", "corpus"), meta)
    assert repr(loaded) == repr(sample)
    assert loaded.documents[10] == sample.documents[10]
    assert loaded.sentences[500] == sample.sentences[500]
    assert (loaded.tokens == sample.tokens).all()
    assert loaded.normalisation == sample.normalisation


def test_duplicate_ids_are_named() -> None:
    with pytest.raises(InputError, match=r"'x' is used twice: one\.csv:2 and one\.csv:9"):
        Corpus.of([Document("x", "a", "one.csv:2"), Document("x", "b", "one.csv:9")])


def test_case_can_be_kept() -> None:
    corpus = Corpus.of(["The the"], normalisation=Normalisation(lower=False))
    assert list(corpus.vocabulary) == ["The", "the"]


def test_nul_bytes_and_lone_surrogates_are_survived() -> None:
    corpus = Corpus.of(["one\0two. \ud800 Three."])
    assert list(corpus.vocabulary) == ["one", "three", "two"]


def test_sample_is_what_it_says(sample: Corpus) -> None:
    assert len(sample.documents) == 64
    assert len(sample.tokens) > 40_000
    fields = [document.metadata for document in sample.documents]
    assert {f["genre"] for f in fields} == {"fiction", "non-fiction", "poetry", "play"}
    assert {f["level"] for f in fields} == {"middle", "high", "college"}
    assert len({(f["author"], f["topic"]) for f in fields}) == 64


def test_one_text_is_one_document() -> None:
    assert [d.text for d in Corpus.of("a cat sat.")] == ["a cat sat."]
    assert [d.id for d in Corpus.of(Document("x", "a cat sat."))] == ["x"]
    assert [(d.id, d.text) for d in Corpus.of({"a": "One.", "b": "Two."})] == [
        ("a", "One."),
        ("b", "Two."),
    ]
    with pytest.raises(InputError, match="A corpus is made of texts. Got int instead"):
        Corpus.of(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a string or a Document. Got int instead"):
        Corpus.of([3])  # type: ignore[list-item]


def test_documents_are_found_by_id_and_position() -> None:
    corpus = Corpus.of([Document("x", "One."), "Two.", "Three."])
    assert len(corpus) == 3 and [d.id for d in corpus] == ["x", "0", "1"]
    assert corpus["x"] == corpus[0] == corpus[-3] and corpus["1"].text == "Three."
    assert corpus[1:] == [corpus[1], corpus[2]]
    assert "x" in corpus and "y" not in corpus
    with pytest.raises(InputError, match="no document 'y'"):
        corpus["y"]
    with pytest.raises(KeyError):
        corpus["y"]
    with pytest.raises(IndexError):
        corpus[3]


def test_ids_of_strings_do_not_collide() -> None:
    corpus = Corpus.of(["a", Document("0", "b"), "c", Document("1", "d")])
    assert list(corpus.ids) == ["2", "0", "3", "1"]
    assert list(Corpus.of(["x", "y"], taken=corpus).ids) == ["4", "5"]


@pytest.mark.parametrize(("name", "size"), [("_BATCH", 1), ("_BATCH", 2)])
def test_a_corpus_is_the_same_however_it_is_split(
    monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    texts = ["The sea, the sea! It's 3.14.", "Été à la mer. 中国", "", "Nobody's sea; the end", "é"]
    expected = Corpus.of(texts)
    monkeypatch.setattr(segment, name, size)
    monkeypatch.setattr(builder, "_BLOCK", 3)
    monkeypatch.setattr(builder, "split_pieces", lambda text: segment.split_pieces(text, 5))
    found = Corpus.of(texts)
    for name in ("tokens", "token_offsets", "sentence_spans", "sentence_offsets"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert list(found.vocabulary) == list(expected.vocabulary)
    assert found.vocabulary.counts.tolist() == expected.vocabulary.counts.tolist()
