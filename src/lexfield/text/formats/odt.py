"""OpenDocument texts (ODT): paragraphs without deleted text, comments and notes."""

from __future__ import annotations

from collections.abc import Iterator

from lexfield.errors import ReadError
from lexfield.text.document import Document
from lexfield.text.formats.package import Package
from lexfield.text.formats.xml import LINE, TextElements
from lexfield.text.source import Source, name_text

_FIELDS = {
    "title": "title", "initial-creator": "author", "creator": "author", "creation-date": "date",
    "date": "date", "language": "language",
}  # fmt: skip
_TEXT = TextElements(
    blocks={"p", "h"},
    inside={"p", "h"},
    skip={"note", "annotation", "tracked-changes"},
    marks={"tab": "\t", "line-break": LINE, "s": " "},
)


def read(source: Source) -> Iterator[Document]:
    """Read an OpenDocument text."""
    with Package(source, "OpenDocument text (ODT)").open() as package:
        if b"encryption-data" in package.find("META-INF/manifest.xml"):
            raise ReadError(f"{source} is encrypted.", "Save it without a password.")
        text = _TEXT.parse(package.read("content.xml"), str(source))
        known = package.find_fields("meta.xml", _FIELDS)
    yield Document(name_text(source), text, str(source), known)
