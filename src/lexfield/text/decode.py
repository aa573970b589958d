"""Bytes to text: which encoding, and the boilerplate of Project Gutenberg."""

from __future__ import annotations

import codecs
import re

from lexfield.errors import ReadError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def check_encoding(name: str) -> str:
    """A known encoding's name, or an error that says so."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise ReadError(
            f"There is no encoding called {name!r}.", "Try utf-8, latin-1, cp1252 or utf-16."
        ) from None


def detect(sample: bytes, *, whole: bool) -> str:
    """The encoding of a text of which ``sample`` is the beginning (or the ``whole``).

    A byte-order mark decides; then valid UTF-8 is UTF-8; the rest is guessed from its bytes.
    """
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
        return "utf-8"
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(sample[: 1 << 16]).best()
        return best.encoding if best else "latin-1"


def is_binary(sample: bytes) -> bool:
    """Do these first bytes belong to something that is not text?"""
    if any(sample.startswith(mark) for mark, _ in _BOMS):
        return False
    if b"\0" in sample:
        return True
    control = sum(byte < 32 and byte not in b"\t\n\v\f\r\x1b" for byte in sample)
    return control * 20 > len(sample)


_START = re.compile(
    r"^[ \t]*\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)\b"
    r"[^*]{0,300}\*\*\*[^\n]*\n"
    r"|^\*END\*? ?THE SMALL PRINT![^\n]*\n",
    re.MULTILINE,
)
_END = re.compile(
    r"^[ \t]*\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)\b"
    r"|^End of (?:the )?Project Gutenberg",
    re.MULTILINE | re.IGNORECASE,
)
_REACH = 200_000  # a header or footer lies within so many characters of its end of the text


def strip_gutenberg(text: str) -> str:
    """Cut the header and licence that Project Gutenberg puts around a text."""
    start = 0
    for match in _START.finditer(text, 0, min(_REACH, len(text))):
        start = match.end()
    end = _END.search(text, max(start, len(text) - _REACH))
    if not start and not end:
        return text
    return text[start : end.start() if end else None].strip() + "\n"
