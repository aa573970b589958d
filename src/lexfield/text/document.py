"""A document: one text with an id, where it came from, and what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lexfield.errors import InputError, shorten

_FIELDS = {"id", "text", "source", "metadata"}
_HINT = "A document has an id and a text, as in lx.Document('emma', 'The text …')."


@dataclass(frozen=True, slots=True)
class Document:
    """One text. ``source`` names the file (and line) it was read from; metadata are strings."""

    id: str
    text: str = None  # type: ignore[assignment]  # so that its absence is one sentence
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __new__(cls, *values: object, **named: object) -> Document:
        """Raise InputError if the id is missing, or something is named that is metadata."""
        if named:
            if not values and "id" not in named:
                raise InputError("The document has no id.", _HINT)
            for name in named.keys() - _FIELDS:
                raise InputError(
                    f"{name!r} is not a part of a document.",
                    f"Put it into the metadata: metadata={{{name!r}: {named[name]!r}}}.",
                )
        return object.__new__(cls)

    def __post_init__(self) -> None:
        if self.text is None:
            raise InputError(f"The document {shorten(str(self.id), 60)!r} has no text.", _HINT)
        for name, value in (("id", self.id), ("text", self.text), *self.metadata.items()):
            if not isinstance(value, str):
                raise InputError(
                    f"The {name} of a document must be a string."
                    f" Got {shorten(repr(value), 60)} instead.",
                    _HINT,
                )


def read_mapping(texts: Mapping[str, str]) -> list[Document]:
    """Return a dictionary of ids and texts as documents. Raise InputError if it is a record."""
    if {"id", "text"} <= texts.keys():
        raise InputError(
            "A dictionary of texts has the ids as keys. Got one with the keys 'id' and 'text'.",
            "For records pass a list: [{'id': …, 'text': …}].",
        )
    return [Document(str(id), text) for id, text in texts.items()]
