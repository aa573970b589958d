"""Subtitles (SRT and WebVTT): what is said, without times, numbers and marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexfield.errors import ReadError
from lexfield.text.document import Document
from lexfield.text.source import Source, name_text

_MARKS = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LANGUAGE = re.compile(r"^Language:[ \t]*([\w-]{1,40})", re.MULTILINE)


def read(source: Source) -> Iterator[Document]:
    """Read subtitles as one document; a line that is shown twice in a row is read once."""
    text = source.text().replace("\r", "\n").lstrip("\ufeff")
    found: list[str] = []
    for block in _BLANK.split("\n" + text):
        lines = block.strip("\n").split("\n")
        times = next((place for place, line in enumerate(lines[:3]) if "-->" in line), None)
        for line in [] if times is None else lines[times + 1 :]:
            words = _MARKS.sub("", line).strip()
            if words and found[-1:] != [words]:
                found.append(words)
    if text.strip() and "-->" not in text:
        raise ReadError(
            f"{source} has no subtitles: no line has times (-->).", "Rename it to .txt."
        )
    head = text[:1000] if text.startswith("WEBVTT") else ""
    language = _LANGUAGE.search(head.partition("-->")[0])
    known = {"language": language[1]} if language else {}
    yield Document(name_text(source), "\n".join(found), str(source), known)
