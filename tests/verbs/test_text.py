"""Reading the documents of an index."""

from __future__ import annotations

import pytest
from msgspec import UNSET

import lexfield as lx
from lexfield.errors import InputError, UnknownDocumentError
from tests.verbs.conftest import TEXTS


def test_a_document_is_read_in_windows(index: lx.Index) -> None:
    found = lx.text(index, "sea")
    assert (found.document, found.sentences, found.characters) == ("sea", 2, len(TEXTS["sea"]))
    assert found.metadata == {"place": "water", "language": "en"} and found.notes == []
    assert [row.id for row in found] == ["sea#0", "sea#1"]
    assert repr(found) == TEXTS["sea"]
    first = lx.text(index, "sea", count=1)
    assert first.results == found.results[:1]
    assert first.notes == ["1 more sentence; to read on, start at 1"]
    assert lx.text(index, "sea", start=1).results == found.results[1:]
    past = lx.text(index, "sea", start=2)
    assert not past.results and past.notes == ["sea has only 2 sentences"]


def test_a_sentence_is_shown_where_it_stands(index: lx.Index) -> None:
    assert repr(lx.show(index, "sea#1")).splitlines() == [
        "[sea]  place=water, language=en",
        "  0  The ship left the harbour.",
        "> 1  A storm rose over the cold sea.",
    ]
    assert [row.sentence for row in lx.show(index, "sea#1", context=0)] == [1]
    assert repr(lx.show(index.path, "sea")) == repr(lx.show(index, "[sea]")) == TEXTS["sea"]
    assert [row.sentence for row in lx.show(index, "[sea#1]", context=0)] == [1]
    hit = lx.search(index, "a storm at sea")[0]
    assert hit.id in [row.id for row in lx.show(index, hit.id)]


def test_unknown_ids_and_numbers_are_named(index: lx.Index) -> None:
    with pytest.raises(UnknownDocumentError) as caught:
        lx.text(index, "seas")
    assert str(caught.value) == "The index has no document 'seas'. Did you mean 'sea'?"
    with pytest.raises(UnknownDocumentError, match="sea has 2 sentences, but no number 7"):
        lx.show(index, "sea#7")
    for wrong in ({"start": -1}, {"count": 0}, {"count": 2001}):
        with pytest.raises(InputError, match="must be a whole number"):
            lx.text(index, "sea", **wrong)


def test_hits_are_shown_with_what_is_around_them(index: lx.Index) -> None:
    hit = lx.search(index, "cold sea", k=1, method=["bm25"], context=1)[0]
    assert isinstance(hit.context, str) and hit.text in hit.context
    assert len(hit.context) > len(hit.text)
    assert lx.search(index, "cold sea", k=1, method=["bm25"])[0].context is UNSET
