"""TEI-XML: the text without notes and running heads; the header becomes metadata."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from lexfield.errors import ReadError
from lexfield.text.document import Document
from lexfield.text.formats.xml import LINE, Event, TextElements, parse, read_fields
from lexfield.text.source import Source, name_text

_ROOTS = ("TEI", "TEI.2", "teiCorpus")
_BLOCKS = frozenset(
    "p head lg sp speaker stage item div div1 div2 div3 ab opener closer salute signed dateline"
    " epigraph titlePart docTitle byline trailer row front body back".split()
)
_TEXT = TextElements(
    blocks=_BLOCKS,
    inside={"text"},
    skip={"teiHeader", "note", "fw", "del", "figDesc", "other reading"},
    marks={"lb": " ", "l": LINE, "cb": " ", "pb": " "},
)
_FIELDS = {
    "titleStmt/title": "title",
    "titleStmt/author/persName": "author",
    "titleStmt/author": "author",
    "bibl/date": "date",
    "imprint/date": "date",
    "creation/date": "date",
    "publicationStmt/date": "date",
    "langUsage/language": "language",
}


def read(source: Source) -> Iterator[Document]:
    """Read a TEI document; other XML is refused."""
    data, where = source.data(), str(source)
    root = next((name for kind, name, _ in parse(data, where) if kind == "start"), "")
    if root not in _ROOTS:
        what = f"its root is <{root}>" if root else "it is empty"
        raise ReadError(
            f"{source} is not TEI: {what}.", "Read the XML as it is with --format text."
        )
    text = _TEXT.read(_choose(parse(data, where)))
    header = list(takewhile(lambda event: event[:2] != ("start", "text"), parse(data, where)))
    known = read_fields(iter(header), _FIELDS)
    codes = (item.get("ident") for _, name, item in header if name == "language")
    if code := next(filter(None, codes), None):
        known["language"] = code
    yield Document(name_text(source), text, where, known)


def _choose(events: Iterator[Event]) -> Iterator[Event]:
    """Mark what an editor has corrected, wherever the correction stands beside it."""
    choices = 0
    for kind, name, values in events:
        if kind != "text" and name == "choice":
            choices += 1 if kind == "start" else -1
        if name == "lb" and values.get("break") == "no":
            continue  # inside a word; its end says nothing
        is_other = choices and kind != "text" and name in ("sic", "orig", "abbr")
        yield kind, "other reading" if is_other else name, values
