"""E-mail: one message (EML) or many (mbox). The subject begins the text.

Attachments are left out, with a note.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import CloseBoundaryNotFoundDefect, MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from lexfield.errors import ReadError
from lexfield.text.decode import detect
from lexfield.text.document import Document
from lexfield.text.formats.html import to_text
from lexfield.text.source import CUT_OFF, Source, name_text

_LONGEST = 2000  # characters of a header
_PARTS = 1000  # of a message
_HEADERS = {"Subject": "title", "From": "author", "Date": "date", "Content-Language": "language"}
_FIRST = re.compile(rb"(?:From |>From |[!-9;-~]{1,100}:)")
_FROM = re.compile(rb"^From (?>[^\n]*?\d:\d\d)[^\n]*+\n", re.MULTILINE)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)  # a line that would begin the next message
_BLANK = re.compile(rb"\n\r?\n")
_ERRORS = (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def read_message(source: Source) -> Iterator[Document]:
    """Read a file with one message."""
    yield _to_document(source, _check(source), name_text(source), str(source))


def read_mbox(source: Source) -> Iterator[Document]:
    """Read every message of a mailbox, each with its number."""
    data = _check(source)
    starts = [found for found in _FROM.finditer(data) if _begins(data, found.start())]
    if not starts:
        raise ReadError(f"{source} is not a mailbox: no line begins with 'From '.")
    ends = [found.start() for found in starts[1:]] + [len(data)]
    for number, (found, end) in enumerate(zip(starts, ends, strict=True), 1):
        place = f"{source}:{number}"
        message = _ESCAPED.sub(rb"\1", data[found.end() : end])
        yield _to_document(source, message, f"{source.name}:{number}", place)


def _begins(data: bytes, place: int) -> bool:
    return place == 0 or data[max(0, place - 2) : place].endswith((b"\n\n", b"\r\n"))


def _check(source: Source) -> bytes:
    data = source.data().lstrip(b"\xef\xbb\xbf\r\n")
    if not _FIRST.match(data) or b"\0" in data[:4096]:
        raise ReadError(f"{source} is not e-mail: it does not begin with headers.")
    return data


def _to_document(source: Source, data: bytes, id: str, place: str) -> Document:
    try:
        message = _parse(data)
        known = {
            field: value for name, field in _HEADERS.items() if (value := _header(message, name))
        }
        body = _read_body(source, message, place)
    except _ERRORS as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"{place} is damaged e-mail: {error}.") from error
    text = "\n\n".join(filter(None, (known.get("title"), body)))
    return Document(id, text, place, known)


def _parse(data: bytes) -> Message:
    """Return a message. If it is one text, the library only reads its headers: it goes through
    the rest line by line, which takes longer than all else."""
    if blank := _BLANK.search(data):
        message = message_from_bytes(data[: blank.end()])
        if message.get_content_maintype() == "text" and not message.get_payload():
            message.set_payload(data[blank.end() :].decode("ascii", "surrogateescape"))
            return message
    return message_from_bytes(data)


def _header(message: Message, name: str) -> str:
    raw = message.get(name)
    text = " ".join(str(raw or "")[:_LONGEST].split())
    if name == "Date":
        try:
            return parsedate_to_datetime(text).isoformat()
        except (ValueError, TypeError, IndexError, OverflowError):
            return text
    decoded = (
        part if isinstance(part, str) else _decode(part, charset)
        for part, charset in decode_header(text)
    )
    return " ".join("".join(decoded).split())


def _decode(data: bytes, charset: str | None) -> str:
    try:
        name = codecs.lookup(charset or "utf-8").name
        return data.decode("cp1252" if name == "iso8859-1" else name)  # as browsers do
    except (LookupError, ValueError):
        return data.decode(detect(data, whole=True), "replace")


def _read_body(source: Source, message: Message, place: str) -> str:
    """Return the plain text of a message, or its HTML if it has none."""
    plain: list[str] = []
    pages: list[str] = []
    attached = 0
    for number, part in enumerate(message.walk()):
        if number > _PARTS:
            raise ReadError(f"{place} has more than {_PARTS:,} parts.")
        kind = part.get_content_type()
        if part.is_multipart():
            continue
        if part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            attached += 1
            continue
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes):
            continue
        text = _decode(payload, part.get_content_charset()).replace("\r\n", "\n").strip()
        (pages if kind == "text/html" else plain).append(text)
    found = {
        "attachments are left out": attached,
        CUT_OFF: any(isinstance(one, CloseBoundaryNotFoundDefect) for one in message.defects),
    }
    for what in (what for what, is_so in found.items() if is_so):
        if (note := f"{source}: {what}") not in source.notes:
            source.notes.append(note)
    texts = plain if any(plain) else [to_text(page, is_page=False)[0] for page in pages]
    return "\n\n".join(filter(None, texts))
