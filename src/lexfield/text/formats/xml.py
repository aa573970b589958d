"""XML from strangers as a stream of events. Names are local; namespaces are left out.

Documents that define entities are refused, since an entity can expand to anything and name any
file; a DTD that is only named is never fetched. Nothing is kept but the open elements, and
their number is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
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
    """Names without their namespaces, by the names as expat returns them.

    wanted: the names to keep; others become empty. By default all are kept.
    """

    def __init__(self, wanted: Collection[str] | None = None) -> None:
        self._wanted = wanted

    def __missing__(self, name: str) -> str:
        local = name.rpartition("}")[2]
        self[name] = local = local if self._wanted is None or local in self._wanted else ""
        return local


def parse(data: bytes, where: str) -> Iterator[Event]:
    """Yield the events of a document. Raise ReadError if it is damaged or not to be trusted."""
    events: list[Event] = []
    local, none = _LocalNames(), dict[str, str]()

    def start(name: str, attributes: dict[str, str]) -> None:
        if attributes:
            attributes = {local[key]: value for key, value in attributes.items()}
        events.append(("start", name, attributes))

    def end(name: str) -> None:
        events.append(("end", name, none))

    def add(text: str) -> None:
        events.append(("text", text, none))

    for _ in _feed(data, where, local, start, end, add):
        yield from events
        events.clear()


def _feed(
    data: bytes,
    where: str,
    local: Mapping[str, str],
    open_element: Callable[[str, dict[str, str]], None],
    close_element: Callable[[str], None],
    add: Callable[[str], object],
) -> Iterator[None]:
    """Parse a document piece by piece: one step per piece. Elements that ``local`` names with an
    empty string are passed over; their text is not."""
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ReadError(f"{where} is nested more than {_DEEPEST} elements deep.")
        if known := local[name]:
            open_element(known, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        if known := local[name]:
            close_element(known)

    def refuse(name: str, system: str | None, public: str | None, is_inside: int) -> None:
        if is_inside:
            raise ReadError(
                f"{where} defines entities, which could expand to anything.", "Leave it out."
            )

    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = add
    parser.StartDoctypeDeclHandler = refuse
    try:
        for first in range(0, len(data), _PIECE):
            parser.Parse(data[first : first + _PIECE], False)
            yield
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, ReadError):
            raise
        problem = _ENDS_EARLY.sub("it ends too early", str(error))
        raise ReadError(f"{where} is damaged XML: {problem}.", COPY) from error
    yield


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
        writer = _Writer(self)
        names = _LocalNames({*self.blocks, *self.inside, *self.skip, *self.marks})
        for _ in _feed(data, where, names, writer.open, writer.close, writer.add):
            pass
        return writer.finish()

    def read(self, events: Iterable[Event]) -> str:
        """Return the text of a document from its events."""
        writer = _Writer(self)
        for kind, name, attributes in events:
            if kind == "text":
                writer.add(name)
            elif kind == "start":
                writer.open(name, attributes)
            else:
                writer.close(name)
        return writer.finish()


class _Writer:
    """The text of a document so far."""

    def __init__(self, rules: TextElements) -> None:
        self._blocks, self._inside = frozenset(rules.blocks), frozenset(rules.inside)
        self._skip, self._marks = frozenset(rules.skip), rules.marks
        self._paragraphs: list[str] = []
        self._pieces: list[str] = []
        self._reading = self._skipping = 0

    def open(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in self._skip:
            self._skipping += 1
        if name in self._inside:
            self._reading += 1
        if self._skipping:
            return
        if name in self._blocks:
            self._end_paragraph()
        elif name in self._marks:
            self._pieces.append(self._marks[name])

    def close(self, name: str) -> None:
        if name in self._skip:
            self._skipping -= 1
        if name in self._inside:
            self._reading -= 1
        if name in self._blocks and not self._skipping:
            self._end_paragraph()

    def add(self, text: str) -> None:
        if self._reading and not self._skipping:
            self._pieces.append(text)

    def finish(self) -> str:
        """Return the whole text."""
        self._end_paragraph()
        return "\n\n".join(self._paragraphs)

    def _end_paragraph(self) -> None:
        if not self._pieces:
            return
        if text := _join_spaces("".join(self._pieces)):
            if LINE in text:
                text = "\n".join(line.strip() for line in text.split(LINE))
            self._paragraphs.append(text)
        self._pieces.clear()


def _join_spaces(text: str) -> str:
    """Return a text with one space for each run of white space; other spaces stay as they are."""
    for space in "\t\r\n":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def read_fields(events: Iterable[Event], paths: Mapping[str, str]) -> dict[str, str]:
    """Return the first text at the end of each path, such as ``titleStmt/title``, by field.

    An attribute ``when`` counts more than the text of its element. Of several paths of a field, the
    first that has a text is used.
    """
    found: dict[str, str] = {}
    complete: set[str] = set()
    names: list[str] = []  # of the open elements
    begun: list[list[str]] = []  # paths that end at each of them
    for kind, name, values in events:
        if kind == "start":
            names.append(name)
            here = "/" + "/".join(names[-4:])
            begun.append([p for p in paths if p not in complete and here.endswith("/" + p)])
            if when := values.get("when"):
                found |= dict.fromkeys(begun[-1], when[:_LONGEST])
                complete.update(begun[-1])
        elif kind == "text":
            for path in chain.from_iterable(begun):
                if path not in complete:
                    found[path] = (found.get(path, "") + name)[:_LONGEST]
        else:
            names.pop()
            complete.update(path for path in begun.pop() if found.get(path, "").strip())
    fields: dict[str, str] = {}
    for path, name in paths.items():
        if text := " ".join(found.get(path, "").split()):
            fields.setdefault(name, text)
    return fields
