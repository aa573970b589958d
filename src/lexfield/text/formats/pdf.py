"""PDF: the text layer, with words joined that a line break divides, and without page numbers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
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
_BEFORE = re.compile(r"[\w'’-]*\w\Z")
_AFTER = re.compile(r"\w+")
_LONGEST_WORD = 100
_NUMBERED = re.compile(r"[\s–—-]*(\d{1,5})\b(.*)|(.*?)\b(\d{1,5})[\s–—-]*")
_ROMAN = re.compile(r"[ivxlc]{1,8}")
_REPEATED = 3  # pages that begin or end alike
_FIELDS = {"Title": "title", "Author": "author", "CreationDate": "date"}
_NOT_NAMED = ("untitled", "anonymous", "(anonymous)", "unspecified")  # as some programs write
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
        raise ReadError(
            f"{source} is not a PDF, despite its name.",
            "Rename it, or say what it is, as in --format text.",
        )
    need("pypdfium2", "documents")
    found = CHILD.read(data)
    if problem := found["problem"]:
        what, hint = _PROBLEMS[problem]
        raise ReadError(f"{source} {what}", hint)
    if found["unread"]:
        source.notes.append(f"{source}: pages that cannot be read: {found['unread']:,}")
    if found["pictures"]:
        what = "pages that are pictures, without text"
        source.notes.append(f"{source}: {what}: {found['pictures']:,} of {len(found['pages']):,}")
    about = {name: text for name, text in found["about"].items() if text not in _NOT_NAMED}
    known = {field: about[name] for name, field in _FIELDS.items() if about.get(name)}
    if date := _DATE.match(known.get("date", "")):
        known["date"] = "-".join(filter(None, date.groups()))
    if found["language"]:
        known["language"] = found["language"]
    yield Document(name_text(source), join_pages(found["pages"]), str(source), known)


class Child:
    """The program that reads PDFs. It is started for the first and kept for those that follow,
    until one of them ends it or it is closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def read(self, data: bytes) -> JsonObject:
        """Return what the program says of a PDF."""
        with self._lock:
            was_used = self._process is not None
            found = self._ask(data)
            if found["problem"] == "crashed" and was_used:
                found = self._ask(data)  # whatever the files before it have left
            return found

    def close(self) -> None:
        """End the program, if it runs."""
        with self._lock:
            self._end()

    def _ask(self, data: bytes) -> JsonObject:
        process, began = self._start(), time.monotonic()
        timer = threading.Timer(_PATIENCE, process.kill)
        timer.start()
        try:
            assert process.stdin and process.stdout
            process.stdin.write(len(data).to_bytes(8) + data)
            process.stdin.flush()
            found: JsonObject = json.loads(
                process.stdout.read(int.from_bytes(process.stdout.read(8)))
            )
            return found
        except (OSError, ValueError):
            self._end()
            is_slow = time.monotonic() - began > _PATIENCE
            return {"problem": "slow" if is_slow else "crashed"}
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():  # a fork starts its own
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-P", _CHILD],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return self._process

    def _end(self) -> None:
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            with contextlib.suppress(OSError):  # what could not be written
                self._process.communicate()
        self._process = None


CHILD = Child()


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
    return _join_words("\n".join("\n".join(lines) for lines in split if lines)).strip()


def _join_words(text: str) -> str:
    """Return a text with the words joined that PDFium's mark divides."""
    first, *others = text.split(_HYPHEN)
    if not others:
        return text
    words = set(re.findall(r"[\w'’-]+", " ".join(set(text.split()))))
    parts = [first]
    for part in others:
        before, after = _BEFORE.search(parts[-1][-_LONGEST_WORD:]), _AFTER.match(part)
        mark = "-"
        if before and after:
            joined, hyphened = before[0] + after[0], f"{before[0]}-{after[0]}"
            if joined in words or ("-" not in before[0] and hyphened not in words):
                mark = ""
        parts += [mark, part]
    return "".join(parts)


def _read_head(line: str, page: int) -> tuple[str, int | None]:
    """Return a line without a number at its beginning or end, and how far that is from the page.

    Page numbers keep their distance; those of chapters do not.
    """
    found = _NUMBERED.fullmatch(line)
    if not found:
        return line.strip(), None
    return (found[2] or found[3] or "").strip(), int(found[1] or found[4]) - page
