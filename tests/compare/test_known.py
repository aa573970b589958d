"""Nothing of a text that is left out is among the known ones."""

from __future__ import annotations

import pytest

from lexfield.compare.known import keep_known
from lexfield.errors import InputError
from lexfield.text.document import Document


def make(id: str, text: str, **metadata: str) -> Document:
    return Document(id, text, metadata=metadata)


def test_parts_are_joined_and_copies_and_the_unlabelled_named() -> None:
    notes: list[str] = []
    known = keep_known(
        [
            make("emma#1", "one", author="austen", part_of="emma"),
            make("emma#2", "two", author="austen", part_of="emma"),
            make("again", "one  two", author="dickens"),
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


def test_no_labels_are_an_error() -> None:
    with pytest.raises(InputError, match="No text has the field 'author'"):
        keep_known([make("a", "x", author=" ")], "author", [])
