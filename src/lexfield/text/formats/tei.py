"""TEI-XML: the text without notes and running heads; the header becomes metadata.

Each text of a corpus (``teiCorpus``) is a document, with the fields of the corpus that it lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter

from lexfield.errors import ReadError
from lexfield.text.document import Document
from lexfield.text.formats.xml import LINE, Event, TextElements, parse, read_fields
from lexfield.text.source import Source, name_text

_TEXTS = ("TEI", "TEI.2")
_CORPUS = "teiCorpus"
_BEGIN: Event = ("start", "text", {})
_BLOCKS = frozenset(
    "p head lg sp speaker stage item div div1 div2 div3 ab opener closer salute signed dateline"
    " epigraph titlePart docTitle byline trailer row front body back".split()
)
_TEXT = TextElements(
    blocks=_BLOCKS,
    inside={"text"},
    skip={"teiHeader", "note", "fw", "del", "figDesc", "rdg", "other reading"},
    marks={"lb": " ", "l": LINE, "cb": " ", "pb": " ", "cell": " "},
)
_FIELDS = {
    "titleStmt/title": "title",
    "titleStmt/author/persName": "author",
    "titleStmt/author": "author",
    "bibl/date": "date",
    "imprint/date": "date",
    "creation/date": "date",
    "biblFull/publicationStmt/date": "date",
    "publicationStmt/date": "date",
    "langUsage/language": "language",
}


def read(source: Source) -> Iterator[Document]:
    """Read the texts of a TEI document; other XML is refused."""
    data, where = source.data(), str(source)
    root = next((name for kind, name, _ in parse(data, where) if kind == "start"), "")
    if root not in (*_TEXTS, _CORPUS):
        what = f"its root is <{root}>" if root else "it is empty"
        raise ReadError(
            f"{source} is not TEI, the only kind of XML that is read: {what}.",
            "Read the XML as it is with --format text.",
        )
    shared: dict[str, str] = {}
    for number, part in groupby(_number(parse(data, where)), itemgetter(0)):
        events = (event for _, event in part)
        known = {**shared, **_read_header(events)}
        if number == 0:
            shared = known
            continue
        id = f"{source.name}:{number}" if root == _CORPUS else name_text(source)
        yield Document(id, _TEXT.read(chain([_BEGIN], _choose(events))), where, known)


def _number(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """Yield events with the number of their text; what stands before the first has number 0."""
    number = 0
    for event in events:
        number += event[0] == "start" and event[1] in _TEXTS
        yield number, event


def _read_header(events: Iterator[Event]) -> dict[str, str]:
    """Return the metadata of a text from the events up to its beginning, with the language that
    the header or an element around the text names."""
    languages: dict[str, str] = {}

    def pass_on() -> Iterator[Event]:
        for kind, name, values in events:
            code = values.get("ident" if name == "language" else "lang")
            if code and kind == "start" and name in (*_TEXTS, _CORPUS, "text", "language"):
                languages.setdefault(name, code)
            if (kind, name) == _BEGIN[:2]:
                return
            yield kind, name, values

    known = read_fields(pass_on(), _FIELDS)
    for name in ("language", _CORPUS, *_TEXTS, "text"):  # the innermost counts
        if name in languages:
            known["language"] = languages[name]
    return known


def _choose(events: Iterable[Event]) -> Iterator[Event]:
    """Mark what an editor has corrected, wherever the correction stands beside it."""
    choices = 0
    for kind, name, values in events:
        if kind != "text" and name == "choice":
            choices += 1 if kind == "start" else -1
        if name == "lb" and values.get("break") == "no":
            continue  # inside a word; its end says nothing
        is_other = choices and kind != "text" and name in ("sic", "orig", "abbr")
        yield kind, "other reading" if is_other else name, values
