"""XML from strangers as a stream of events. Names are local; namespaces are left out.

Documents that define entities are refused, since an entity can expand to anything and name any
file; a DTD that is only named is never fetched. Nothing is kept but the open elements, and
their number is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
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
_SPACES = re.compile(r"[ \t\r\n]+")


def parse(data: bytes, where: str) -> Iterator[Event]:
    """Yield the events of a document. Raise ReadError if it is damaged or not to be trusted."""
    events: list[Event] = []
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ReadError(f"{where} is nested more than {_DEEPEST} elements deep.")
        local = {key.rpartition("}")[2]: value for key, value in attributes.items()}
        events.append(("start", name.rpartition("}")[2], local))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        events.append(("end", name.rpartition("}")[2], {}))

    def refuse(name: str, system: str | None, public: str | None, is_inside: int) -> None:
        if is_inside:
            raise ReadError(
                f"{where} defines entities, which could hold anything.", "Leave it out."
            )

    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: events.append(("text", text, {}))
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


def read_text(
    events: Iterator[Event],
    *,
    blocks: Collection[str],
    inside: Collection[str],
    skip: Collection[str] = (),
    marks: Mapping[str, str] | None = None,
) -> str:
    """Return the text of some elements, with an empty line between ``blocks``.

    inside: elements whose text is read; the others only hold them.
    skip: elements that are left out with everything in them.
    marks: elements that stand for a character.
    """
    marks = marks or {}
    paragraphs: list[str] = []
    pieces: list[str] = []
    reading = skipping = 0

    def finish() -> None:
        if text := _SPACES.sub(" ", "".join(pieces)).strip():
            paragraphs.append("\n".join(line.strip() for line in text.split(LINE)))
        pieces.clear()

    for kind, name, _ in events:
        if kind == "text":
            if reading and not skipping:
                pieces.append(name)
            continue
        step = 1 if kind == "start" else -1
        if name in skip:
            skipping += step
        if name in inside:
            reading += step
        if skipping:
            continue
        if name in blocks:
            finish()
        elif kind == "start" and name in marks:
            pieces.append(marks[name])
    finish()
    return "\n\n".join(paragraphs)


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
    for path, field in paths.items():
        if text := " ".join(found.get(path, "").split()):
            fields.setdefault(field, text)
    return fields
