"""A window of a document is what the document's text holds there."""

from __future__ import annotations

from pathlib import Path

import pytest

import lexfield as lx
from lexfield.errors import UnknownDocumentError
from lexfield.index.reading import count_characters, find_text, read_sentences, split_id
from lexfield.text.corpus import Corpus

NOVEL = (
    "« Où est l’océan ? » dit-il.\r\n\r\n  Ναί. 海は広い。空も青い。\n"
    "She left,\nand did not return. 🌊 Waves rose.\n \nThe end."
)
LINES = "One line here. And more.\nAnother line.\nA third."


def test_offsets_are_characters_of_the_document() -> None:
    corpus = Corpus.of({"short": "A cat.", "novel": NOVEL, "lines": LINES, "empty": ""})
    for row, document in enumerate(corpus.documents):
        every = read_sentences(corpus, row, 0, 100)
        assert count_characters(corpus, row) == len(document.text)
        assert [one.text for one in every] == [document.text[one.start : one.end] for one in every]
        own = [s for s in corpus.sentences if s.document == document.id]
        assert [(one.id, one.text) for one in every] == [(s.id, s.text) for s in own]
        for start in range(len(every) + 2):
            assert read_sentences(corpus, row, start, 2) == every[start : start + 2]


def test_paragraphs_begin_after_an_empty_line_or_with_each_line() -> None:
    corpus = Corpus.of({"novel": NOVEL, "lines": LINES})
    first, second = (read_sentences(corpus, row, 0, 9) for row in (0, 1))
    began = [one.text for one in first if one.paragraph]
    assert began == ["« Où est l’océan ? » dit-il.", "Ναί.", "The end."]
    assert [one.text for one in second if one.paragraph] == [
        "One line here.",
        "Another line.",
        "A third.",
    ]


def test_documents_of_every_segment_are_found(tmp_path: Path) -> None:
    index = lx.Index.build({"a": "One cat.", "b#1": "Two dogs. Three dogs."}, tmp_path / "i")
    index.add([lx.Document("c", "A third text.")])
    for id in index.documents:
        corpus, row = find_text(index.segments, index.documents, id)
        assert corpus.ids[row] == id
    with pytest.raises(UnknownDocumentError, match="no document 'emma'"):
        find_text(index.segments, index.documents, "emma")
    assert split_id(index.documents, "b#1") == ("b#1", None)
    assert split_id(index.documents, "b#1#1") == ("b#1", 1)
    assert split_id(index.documents, "c#x") == ("c#x", None)
    assert index.like("b#1#1", "mean", k=1)[0].id == "b#1#0"
