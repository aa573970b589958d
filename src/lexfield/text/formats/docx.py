"""Word documents (DOCX): paragraphs without deleted text, comments, foot- and endnotes."""

from __future__ import annotations

from collections.abc import Iterator

from lexfield.text.document import Document
from lexfield.text.formats.package import Package
from lexfield.text.formats.xml import LINE, TextElements
from lexfield.text.source import Source, name_text

_FIELDS = {"title": "title", "creator": "author", "created": "date", "language": "language"}
_TEXT = TextElements(
    blocks={"p"},
    inside={"t"},
    skip={"del", "moveFrom", "Fallback"},
    marks={"tab": "\t", "br": LINE, "cr": LINE, "noBreakHyphen": "-"},
)


def read(source: Source) -> Iterator[Document]:
    """Read a Word document."""
    with Package(source, "Word document (DOCX)").open() as package:
        text = _TEXT.parse(package.read("word/document.xml"), str(source))
        known = package.find_fields("docProps/core.xml", _FIELDS)
    yield Document(name_text(source), text, str(source), known)
