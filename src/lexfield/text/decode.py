"""Bytes to text: which encoding, and the boilerplate of Project Gutenberg."""

from __future__ import annotations

import codecs
import re

from lexfield.errors import ReadError
from lexfield.text.sniff import BOMS

_SHORT = 2_000  # bytes; too few to detect an encoding by the frequencies of letters
_WESTERN = 0.25  # a text in Latin letters has at most this share of bytes beyond ASCII


def check_encoding(name: str) -> str:
    """Return the canonical name of an encoding. Raise ReadError if it is unknown."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise ReadError(
            f"There is no encoding called {name!r}.", "Try utf-8, latin-1, cp1252 or utf-16."
        ) from None


def detect(sample: bytes, *, whole: bool) -> str:
    """Return the encoding of a text from its beginning, ``sample`` (or the ``whole`` text).

    A byte-order mark decides; then valid UTF-8 is UTF-8; a short text with few bytes beyond ASCII
    is Western (cp1252); the rest is guessed from its bytes.
    """
    for mark, name in BOMS:
        if sample.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
        return "utf-8"
    except UnicodeDecodeError:
        if len(sample) < _SHORT and (western := _western(sample)):
            return western
        from charset_normalizer import from_bytes

        best = from_bytes(sample[: 1 << 16]).best()
        return best.encoding if best else "latin-1"


def _western(sample: bytes) -> str:
    """Return the usual encoding of a short text in Latin letters, or nothing if it is not one.

    Statistics need more letters: 33 bytes with "café" look like Mac Latin 2 as much as Latin 1.
    """
    letters = len(sample.translate(None, bytes(range(65)) + b"[\\]^_`{|}~\x7f"))
    beyond = sum(byte > 127 for byte in sample)
    if beyond > _WESTERN * letters:
        return ""
    try:
        sample.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        return "latin-1"


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
_REACH = 200_000  # characters from either end within which a header or footer is looked for


def strip_gutenberg(text: str) -> str:
    """Return a text without the header and licence of Project Gutenberg."""
    start = 0
    for match in _START.finditer(text, 0, min(_REACH, len(text))):
        start = match.end()
    end = _END.search(text, max(start, len(text) - _REACH))
    if not start and not end:
        return text
    return text[start : end.start() if end else None].strip() + "\n"
