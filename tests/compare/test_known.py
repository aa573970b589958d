"""Nothing of a text that is left out is among the known ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.compare.known import (
    count_excerpts,
    cut_excerpt,
    find_foreign,
    find_known,
    keep_known,
    note_strangers,
)
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document


def make(id: str, text: str, **metadata: str) -> Document:
    return Document(id, text, metadata=metadata)


def test_parts_are_joined_and_copies_and_the_unlabelled_named() -> None:
    notes: list[str] = []
    known = keep_known(
        [
            make("emma#1", "one", author="austen", part_of="emma"),
            make("emma#2", "two", author="austen", part_of="emma"),
            make("again", "one  two", author="austen "),
            make("blank", "three", author=" "),
            make("empty", "  ", author="austen"),
            make("hard", "four", author="dickens"),
        ],
        "author",
        notes,
    )
    assert [(one.id, one.text.split()) for one in known] == [
        ("emma", ["one", "two"]), ("hard", ["four"]),
    ]  # fmt: skip
    assert notes == [
        "parts of one text count as one: 4 parts of 3 texts",
        "left out, without author: blank",
        "left out, without words: empty",
        "left out, copies of another known text: again (emma)",
    ]


def test_a_text_with_two_authors_is_nobodys_and_spellings_are_named() -> None:
    texts = [
        make("a", "one two", author="Austen"),
        make("b", "one two", author="Dickens"),
        make("c", "three", author=" austen"),
        make("d", "four", author="Austen"),
        make("e", "five", author="Austen "),
    ]
    for given in (texts, texts[::-1]):
        notes: list[str] = []
        known = keep_known(given, "author", notes)
        assert sorted((one.id, one.metadata["author"]) for one in known) == [
            ("c", "austen"), ("d", "Austen"), ("e", "Austen"),
        ]  # fmt: skip
        assert notes[0].startswith("left out, the same text with more than one author: ")
        assert "a (Austen)" in notes[0] and "b (Dickens)" in notes[0]
        assert notes[1] == "authors that differ by case or spaces only: 'Austen' and 'austen'"
    with pytest.raises(InputError, match="No text has one author only"):
        keep_known(texts[:2], "author", [])


def test_an_author_without_known_texts_is_named() -> None:
    notes: list[str] = []
    asked = [make("x", "one", author="Eliot"), make("y", "one", author="Austen"), make("z", "one")]
    note_strangers({"Austen"}, asked, "author", notes)
    assert notes == [
        "texts in question whose author has no known text and so cannot be found: x (Eliot)"
    ]


def test_no_labels_are_an_error() -> None:
    with pytest.raises(InputError, match="No text has the field 'author'"):
        keep_known([make("a", "x", author=" ")], "author", [])


def test_copies_and_foreign_texts_are_named(sample: Corpus) -> None:
    known, notes = sample.documents[:8], list[str]()
    asked = [make("new", f"PREFACE {known[2].text}"), known[5], sample.documents[9]]
    assert find_known(known, asked, notes) == [(2,), (5,), ()]
    assert notes == [
        f"also among the known texts, so left out of them: new ({known[2].id}), {known[5].id}"
    ]
    words = "und der die das nicht ein ich sie mit auf".split()
    strange = [make("de", " ".join(words * 20)), make("few", "und der ein ich sie")]
    assert find_foreign(known, [*strange, sample.documents[20]], notes).tolist() == [True, 0, 0]
    assert notes[1].endswith("no running text: de")


def test_texts_without_running_words_are_not_judged(sample: Corpus) -> None:
    junk = {
        "numbers": "42 17 99 2024 1 2 3",
        "one": "the " * 400,
        "six": "the sea was on the old house " * 80,
        "greeting": "Hello there.",
    }
    start = " ".join(sample.documents[9].text.split()[:12])
    notes: list[str] = []
    asked = [*(make(id, text) for id, text in junk.items()), make("short", start)]
    assert find_foreign(sample.documents[:8], asked, notes).tolist() == [True] * 4 + [False]
    assert notes == ["with too few distinct words, so not judged: numbers, one, six, greeting"]


def test_notes_of_a_corpus_stay_its_own(sample: Corpus) -> None:
    before = list(sample.notes)
    options: dict[str, Any] = {"by": "author", "features": "mfw(50)", "rule": "nearest"}
    assert lx.attribute(sample, text="pell-sea", **options).notes
    assert sample.notes == before


def test_excerpts_of_a_text_share_no_word() -> None:
    words = [str(number) for number in range(103)]
    number = count_excerpts(8, np.array([103, 500, 900, 120]))
    assert number == 12  # as many as the shortest text has
    drawn = [(cut_excerpt(words, 8, place, number) or "").split() for place in range(number)]
    assert [len(one) for one in drawn] == [8] * 12
    assert len({word for one in drawn for word in one}) == 96
    assert cut_excerpt(words, 3) == "50 51 52" and cut_excerpt(words, 90) is None
    assert count_excerpts(8, np.full(60, 500)) == 2 and count_excerpts(8, np.full(100, 500)) == 1
    assert count_excerpts(600, np.array([500, 900])) == count_excerpts(0, np.array([500])) == 1
