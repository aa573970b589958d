"""EPUB books: the chapters in the order of the book, without its table of contents."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from lexfield.errors import ReadError
from lexfield.text.document import Document
from lexfield.text.formats.html import to_text
from lexfield.text.formats.package import Package
from lexfield.text.formats.xml import parse, read_fields
from lexfield.text.source import Source, name_text

_FIELDS = {"title": "title", "creator": "author", "date": "date", "language": "language"}


def read(source: Source) -> Iterator[Document]:
    """Read an EPUB book as one document."""
    with Package(source, "EPUB book").open() as package:
        container = parse(package.read("META-INF/container.xml"), str(source))
        roots = (item.get("full-path", "") for _, name, item in container if name == "rootfile")
        root = next(filter(None, roots), "")
        described = package.read(root)
        chapters = _list_chapters(described, root, source)
        locked = package.find("META-INF/encryption.xml").decode("utf-8", "replace")
        if any(chapter in locked for chapter in chapters):
            raise ReadError(f"{source} is encrypted (a protected book).", "Leave it out.")
        texts = []
        for chapter in chapters:
            if data := package.find(chapter):
                texts.append(to_text(data.decode("utf-8", "replace"), is_page=False)[0])
            else:
                source.notes.append(f"{source}: the chapter {chapter} is missing")
        known = read_fields(parse(described, str(source)), _FIELDS)
    yield Document(name_text(source), "\n\n".join(filter(None, texts)), str(source), known)


def _list_chapters(described: bytes, root: str, source: Source) -> list[str]:
    """Return the paths of the chapters, each once."""
    items: dict[str, str] = {}
    spine: list[str] = []
    for kind, name, item in parse(described, str(source)):
        if kind != "start":
            continue
        if name == "item" and "nav" not in item.get("properties", "").split():
            path = posixpath.join(posixpath.dirname(root), unquote(item.get("href", "")))
            items[item.get("id", "")] = posixpath.normpath(path)
        elif name == "itemref":
            spine.append(item.get("idref", ""))
    return list(dict.fromkeys(items[id] for id in spine if id in items))
