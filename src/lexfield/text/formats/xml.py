"""XML from strangers as a stream of events. Names are local; namespaces are left out.

Documents that define entities are refused, since an entity can expand to anything and name any
file; a DTD that is only named is never fetched. Nothing is kept but the open elements, and
their number is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from xml.parsers import expat

from lexfield.errors import ReadError
from lexfield.text.source import COPY

Event = tuple[Literal["start", "text", "end"], str, Mapping[str, str]]
LINE = "\u2028"  # a line break inside a paragraph, until spaces are joined
_PIECE = 1 << 16
_DEEPEST = 500
_LONGEST = 1000  # characters of a field
_ENDS_EARLY = re.compile("^(no element found|unclosed token|unclosed CDATA section)")


class _LocalNames(dict[str, str]):
    """Names without their namespaces, by the names as expat returns them."""

    def __missing__(self, name: str) -> str:
        self[name] = local = name.rpartition("}")[2]
        return local


def parse(data: bytes, where: str, wanted: Collection[str] | None = None) -> Iterator[Event]:
    """Yield the events of a document. Raise ReadError if it is damaged or not to be trusted.

    wanted: the elements whose starts and ends are yielded; by default all.
    """
    events: list[Event] = []
    add, local, none = events.append, _LocalNames(), dict[str, str]()
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ReadError(f"{where} is nested more than {_DEEPEST} elements deep.")
        if wanted is None or local[name] in wanted:
            if attributes:
                attributes = {local[key]: value for key, value in attributes.items()}
            add(("start", local[name], attributes))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        if wanted is None or local[name] in wanted:
            add(("end", local[name], none))

    def refuse(name: str, system: str | None, public: str | None, is_inside: int) -> None:
        if is_inside:
            raise ReadError(
                f"{where} defines entities, which could hold anything.", "Leave it out."
            )

    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: add(("text", text, none))
    parser.StartDoctypeDeclHandler = refuse
    try:
        for first in range(0, len(data), _PIECE):
            parser.Parse(data[first : first + _PIECE], False)
            yield from events
            events.clear()
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, ReadError):
            raise
        problem = _ENDS_EARLY.sub("it ends too early", str(error))
        raise ReadError(f"{where} is damaged XML: {problem}.", COPY) from error
    yield from events


@dataclass(frozen=True)
class TextElements:
    """Which elements make the text of a document.

    blocks: paragraphs, which have an empty line between them.
    inside: elements whose text is read; the others only hold them.
    skip: elements that are left out with everything in them.
    marks: elements that stand for a character.
    """

    blocks: Collection[str]
    inside: Collection[str]
    skip: Collection[str] = ()
    marks: Mapping[str, str] = field(default_factory=dict)

    def parse(self, data: bytes, where: str) -> str:
        """Return the text of a document."""
        return self.read(parse(data, where, {*self.blocks, *self.inside, *self.skip, *self.marks}))

    def read(self, events: Iterator[Event]) -> str:
        """Return the text of a document from its events."""
        paragraphs: list[str] = []
        pieces: list[str] = []
        reading = skipping = 0

        def finish() -> None:
            if not pieces:
                return
            if text := _join_spaces("".join(pieces)):
                lines = text.split(LINE) if LINE in text else [text]
                paragraphs.append("\n".join(line.strip() for line in lines))
            pieces.clear()

        for kind, name, _ in events:
            if kind == "text":
                if reading and not skipping:
                    pieces.append(name)
                continue
            step = 1 if kind == "start" else -1
            if name in self.skip:
                skipping += step
            if name in self.inside:
                reading += step
            if skipping:
                continue
            if name in self.blocks:
                finish()
            elif kind == "start" and name in self.marks:
                pieces.append(self.marks[name])
        finish()
        return "\n\n".join(paragraphs)


def _join_spaces(text: str) -> str:
    """Return a text with one space for each run of white space; other spaces stay as they are."""
    for space in "\t\r\n":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def read_fields(events: Iterator[Event], paths: Mapping[str, str]) -> dict[str, str]:
    """Return the first text at the end of each path, such as ``titleStmt/title``, by field.

    Of several paths of a field, the first that has a text is used.
    """
    found: dict[str, str] = {}
    complete: set[str] = set()
    open_names: list[str] = []
    for kind, name, _ in events:
        if kind == "start":
            open_names.append(name)
            continue
        here = "/" + "/".join(open_names[-4:])
        for path in paths:
            if path in complete or not here.endswith("/" + path):
                continue
            if kind == "text":
                found[path] = (found.get(path, "") + name)[:_LONGEST]
            elif found.get(path, "").strip():
                complete.add(path)
        if kind == "end":
            open_names.pop()
    fields: dict[str, str] = {}
    for path, name in paths.items():
        if text := " ".join(found.get(path, "").split()):
            fields.setdefault(name, text)
    return fields
