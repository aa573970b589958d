"""PDF: the text layer, with words joined that a line break divides, and without page numbers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from lexfield.errors import ReadError, need
from lexfield.results import JsonObject
from lexfield.text.document import Document
from lexfield.text.source import Source, name_text

_CHILD = str(Path(__file__).with_name("pdf_child.py"))
_PATIENCE = 180.0  # seconds
_HYPHEN = "\ufffe"  # PDFium's mark for a hyphen at the end of a line
_DIVIDED = re.compile(rf"([\w'’-]*\w){_HYPHEN}(\w+)")
_NUMBERED = re.compile(r"[\s–—-]*(\d{1,5})\b(.*)|(.*?)\b(\d{1,5})[\s–—-]*")
_ROMAN = re.compile(r"[ivxlc]{1,8}")
_REPEATED = 3  # pages that begin or end alike
_FIELDS = {"Title": "title", "Author": "author", "CreationDate": "date"}
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?")
_PROBLEMS = {
    "encrypted": ("is an encrypted PDF.", "Save it without a password."),
    "damaged": ("is a damaged PDF.", "Open it in a viewer and save it again."),
    "long": ("is a PDF with too much text for one document.", "Split it."),
    "empty": ("is a PDF without text.", "Leave it out."),
    "scanned": (
        "is a scanned PDF: pictures of pages, without text.",
        "Run it through a program that recognises text (OCR), such as ocrmypdf.",
    ),
    "crashed": ("is a damaged PDF that cannot be read.", "Open it in a viewer and save it again."),
    "slow": ("is a PDF that takes too long to read.", "Split it, or save it again."),
}


def read(source: Source) -> Iterator[Document]:
    """Read the text layer of a PDF."""
    data = source.data()
    if b"%PDF-" not in data[:1024]:
        what = "empty" if not data else "not a PDF, whatever its name says"
        raise ReadError(f"{source} is {what}.", "Rename it, or pass its --format.")
    need("pypdfium2", "documents")
    found = _run(data)
    if problem := found["problem"]:
        what, hint = _PROBLEMS[problem]
        raise ReadError(f"{source} {what}", hint)
    if found["unread"]:
        source.notes.append(f"{source}: pages that cannot be read: {found['unread']:,}")
    known = {
        field: text for name, field in _FIELDS.items() if (text := found["about"].get(name, ""))
    }
    if date := _DATE.match(known.get("date", "")):
        known["date"] = "-".join(filter(None, date.groups()))
    if found["language"]:
        known["language"] = found["language"]
    yield Document(name_text(source), join_pages(found["pages"]), str(source), known)


def _run(data: bytes) -> JsonObject:
    """Return what the program that reads PDFs says of one."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", _CHILD],
            input=data, capture_output=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"problem": "slow"}
    if done.returncode:
        return {"problem": "crashed"}
    found: JsonObject = json.loads(done.stdout)
    return found


def join_pages(pages: Sequence[str]) -> str:
    """Return pages as one text, without their numbers and running heads.

    A word that a line break divides is joined, unless it occurs with its hyphen elsewhere, or has
    another one already.
    """
    split = [page.replace("\r\n", "\n").strip().split("\n") for page in pages]
    for end in (0, -1):
        heads = [_read_head(lines[end] if lines else "", n) for n, lines in enumerate(split)]
        counts = Counter(heads)
        for lines, head in zip(split, heads, strict=True):
            if lines and (counts[head] >= _REPEATED or (end and _ROMAN.fullmatch(head[0]))):
                del lines[end]
    text = "\n".join("\n".join(lines) for lines in split if lines)
    words = set(re.findall(r"[\w'’-]+", text))

    def join(found: re.Match[str]) -> str:
        joined, hyphened = found[1] + found[2], f"{found[1]}-{found[2]}"
        if joined in words or ("-" not in found[1] and hyphened not in words):
            return joined
        return hyphened

    return _DIVIDED.sub(join, text).replace(_HYPHEN, "-").strip()


def _read_head(line: str, page: int) -> tuple[str, int | None]:
    """Return a line without a number at its beginning or end, and how far that is from the page.

    Page numbers keep their distance; those of chapters do not.
    """
    found = _NUMBERED.fullmatch(line)
    if not found:
        return line.strip(), None
    return (found[2] or found[3] or "").strip(), int(found[1] or found[4]) - page
