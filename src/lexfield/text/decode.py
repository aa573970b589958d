"""Bytes to text: what is not text, which encoding, and the boilerplate of Project Gutenberg."""

from __future__ import annotations

import codecs
import re

from lexfield.errors import ReadError
from lexfield.text.encodings import detect_by_words

SAMPLE = 1 << 16  # bytes to look at
_LONGEST = 1 << 20  # of a text whose lines are looked at for words
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also around an encrypted DOCX
ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")  # anywhere in such a file
_DOCUMENT = "Save it as plain text first (.txt, UTF-8)."
_READ = "Leave out --format: it is recognised."
_PACKED = "Unpack it first."
_MAGIC = (  # where, bytes, what it is, what to do
    (0, b"%PDF-", "a PDF document", _READ),
    (0, b"{\\rtf", "an RTF document", _READ),
    (0, b"%!PS", "a PostScript document", _DOCUMENT),
    (0, OLD_OFFICE, "an Office document (DOC, XLS or PPT)", _DOCUMENT),
    (60, b"BOOKMOBI", "a Mobipocket book", _DOCUMENT),
    (0, b"AT&TFORM", "a DjVu document", _DOCUMENT),
    (0, b"PK\x05\x06", "an empty zip archive", _PACKED),
    (0, b"\x1f\x8b", "a gzip archive", _PACKED),
    (0, b"BZh", "a bzip2 archive", _PACKED),
    (0, b"\xfd7zXZ\0", "an xz archive", _PACKED),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _PACKED),
    (0, b"Rar!\x1a\x07", "a RAR archive", _PACKED),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive", _PACKED),
    (257, b"ustar", "a tar archive", _READ),
    (0, b"\x89PNG\r\n", "a PNG picture", ""),
    (0, b"\xff\xd8\xff", "a JPEG picture", ""),
    (0, b"<svg", "an SVG picture", ""),
    (0, b"GIF87a", "a GIF picture", ""),
    (0, b"GIF89a", "a GIF picture", ""),
    (0, b"BM", "a BMP picture", ""),
    (0, b"II*\0", "a TIFF picture", ""),
    (0, b"MM\0*", "a TIFF picture", ""),
    (8, b"WEBP", "a WebP picture", ""),
    (8, b"WAVE", "a sound recording (WAV)", ""),
    (8, b"AVI ", "a film (AVI)", ""),
    (4, b"ftyp", "a film or sound recording (MP4)", ""),
    (0, b"ID3", "a sound recording (MP3)", ""),
    (0, b"OggS", "a sound recording (Ogg)", ""),
    (0, b"fLaC", "a sound recording (FLAC)", ""),
    (0, b"\x7fELF", "a program", ""),
    (0, b"MZ", "a program", ""),
    (0, b"SQLite format 3\0", "an SQLite database", "Export its table as CSV."),
    (0, b"PAR1", "a parquet table", "Read it with --format parquet."),
    (0, b"\x93NUMPY", "a NumPy array", ""),
)
_READABLE = ("BZh", "BM", "MZ", "ID3", "AVI ", "WAVE", "WEBP", "ftyp", "ustar")  # begin texts, too
_INSIDE = (  # what a zip archive holds
    (b"word/document.xml", "a Word document (DOCX)", _READ),
    (b"word/_rels/", "a Word document (DOCX)", _READ),
    (b"xl/workbook", "an Excel workbook (XLSX)", "Save it as CSV first."),
    (b"ppt/presentation", "a PowerPoint presentation (PPTX)", _DOCUMENT),
    (b"application/epub+zip", "an EPUB book", _READ),
    (b"opendocument.text", "an OpenDocument text (ODT)", _READ),
    (b"opendocument", "an OpenDocument file (ODS or ODP)", _DOCUMENT),
    (b"[Content_Types].xml", "an Office document (DOCX, XLSX or PPTX)", _DOCUMENT),
)
_FIRST = (  # how the first entry of a document that is a zip archive is called
    b"[Content_Types].xml", b"_rels/", b"docProps/", b"word/", b"xl/", b"ppt/", b"mimetype",
    b"META-INF/",
)  # fmt: skip
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))
_INVALID = 0.05  # of the bytes beyond ASCII, in a text that is UTF-8 but for some damage
_SHORT = 500  # bytes; too few to detect an encoding by the frequencies of letters
_WESTERN = 0.1  # a short text in Latin letters has at most this share of bytes beyond ASCII
_ASIAN = ("big5hkscs", "gb18030", "cp949", "cp932", "euc_jis_2004")
_USUAL = "的一是不在有了这這个個のにはをたがでと이다의는을가"
_JAPANESE = re.compile(rb"\x1b\$[@B][^\x1b]+\x1b\([BJ]")  # as in old e-mail, all in ASCII


_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*|<!--[^>]{0,1000}-->\s*){0,3}<(?:!doctype\s+html|html)[\s>]",
    re.IGNORECASE,
)
HTML, XML, TEXT = "a web page (HTML)", "an XML document", "plain text"


def is_html(sample: bytes) -> bool:
    """Does a file that begins with these bytes declare to be HTML?"""
    return _HTML.match(sample.removeprefix(codecs.BOM_UTF8)) is not None


def is_xml(sample: bytes) -> bool:
    """Does a file that begins with these bytes declare to be XML?"""
    return sample.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<?xml ")


def is_plain(sample: bytes) -> bool:
    """Is a file that begins with these bytes plain text, not something before a document?"""
    is_document = b"%PDF-" in sample[:1024] or sample.lstrip().startswith(b"{\\rtf")
    return not is_document and not identify(sample)[0]


def identify(sample: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Return what kind of file begins with these bytes and what to do about it; empty for text.

    If the ``encoding`` is known, zero bytes may be part of its characters.
    """
    if any(sample.startswith(mark) for mark, _ in BOMS):
        return "", ""
    if sample.startswith(OLD_OFFICE) and ENCRYPTED_OFFICE in sample:
        return "an encrypted Office document", "Save it without a password."
    control = len(sample) - len(sample.translate(None, _CONTROL))
    for at, magic, what, hint in _MAGIC:
        if sample.startswith(magic, at) and (control or magic.decode("latin-1") not in _READABLE):
            return what, hint
    if sample.startswith(b"PK\x03\x04"):
        is_document = sample[30:].startswith(_FIRST)
        inside = ((what, hint) for part, what, hint in _INSIDE if is_document and part in sample)
        return next(inside, ("a zip archive", _READ))
    if encoding is None and b"\0" in sample:
        return (
            "binary data (it contains zero bytes)",
            "If it is UTF-16 text, say so: --encoding utf-16.",
        )
    if encoding is None and control * 20 > len(sample):
        return "binary data (it is full of control characters)", ""
    return "", ""


def refuse_binary(sample: bytes, source: str, encoding: str | None = None) -> None:
    """Raise ``ReadError`` if the first bytes of a file are not text."""
    refuse_kind(*identify(sample, encoding), source)


def refuse_kind(what: str, hint: str, source: str) -> None:
    """Raise ``ReadError`` if a file is what ``identify`` returned, and not text."""
    if what:
        raise ReadError(f"{source} is {what}, not text.", hint or "Leave it out.")


def check_encoding(name: str) -> str:
    """Return the canonical name of an encoding. Raise ReadError if it is unknown."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise ReadError(
            f"There is no encoding called {name!r}.", "Try utf-8, latin-1, cp1252 or utf-16."
        ) from None


def detect(sample: bytes, *, whole: bool, declared: re.Pattern[bytes] | None = None) -> str:
    """Return the encoding of a text from its beginning, ``sample`` (or the ``whole`` text).

    A byte-order mark decides; then valid UTF-8 is UTF-8; then what the text itself has ``declared``
    holds; then UTF-8 that is damaged in a few places is UTF-8; then a text that reads as a language
    in an encoding of its alphabet is in that; the rest is guessed from its bytes.
    """
    for mark, name in BOMS:
        if sample.startswith(mark):
            return name
    if sample.isascii():
        return "iso2022_jp" if _JAPANESE.search(sample) else "utf-8"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
        return "utf-8"
    except UnicodeDecodeError:
        if name := _find_declared(sample[:4096], declared):
            return name
        if _is_damaged_utf8(sample):
            return "utf-8"
        if name := detect_by_words(sample[:_LONGEST]):
            return name
        if len(sample) < _SHORT and _count_beyond(sample) <= _WESTERN * len(sample):
            return "latin-1"
        from charset_normalizer import from_bytes

        best = from_bytes(sample[:SAMPLE]).best()
        return best.encoding if best else _guess_asian(sample[:SAMPLE])


def _guess_asian(sample: bytes) -> str:
    """Return the encoding with two bytes per character that turns a text into the most usual
    characters, if next to nothing in it is invalid, or Latin-1."""
    texts = {name: sample.decode(name, "replace") for name in _ASIAN}
    most = _INVALID * _count_beyond(sample) / 2
    usual = {
        name: sum(text.count(char) for char in _USUAL)
        for name, text in texts.items()
        if text.count("\ufffd") <= most
    }
    return max(usual, key=usual.__getitem__, default="latin-1")


def _count_beyond(sample: bytes) -> int:
    """Return the number of bytes beyond ASCII."""
    return len(sample.translate(None, bytes(range(128))))


def _is_damaged_utf8(sample: bytes) -> bool:
    """Are nearly all bytes beyond ASCII valid UTF-8? A file may be cut off inside a character, or
    joined from others."""
    beyond = _count_beyond(sample)
    valid = sample.decode("utf-8", "ignore").encode("utf-8")
    lost = len(sample) - len(valid)
    return (lost <= 3 and beyond >= 3 * lost + 3) or lost <= _INVALID * beyond


def _find_declared(start: bytes, declared: re.Pattern[bytes] | None) -> str:
    """Return the encoding that a text declares, or nothing if there is none of that name."""
    found = declared.search(start) if declared else None
    name = found[1].decode("ascii", "replace").lower() if found else ""
    if name in ("", "utf-8", "utf8"):  # which it is not
        return ""
    try:
        "".encode(name)  # refuses codecs that are no encodings of text
        return "cp1252" if name in ("iso-8859-1", "latin-1", "latin1") else name  # as browsers do
    except (LookupError, ValueError):
        return ""


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
    start, end = 0, None
    if any(mark in text[:_REACH] for mark in ("GUTENBERG", "SMALL PRINT")):
        for match in _START.finditer(text, 0, min(_REACH, len(text))):
            start = match.end()
    tail = text[-_REACH:]
    if "utenberg" in tail or "UTENBERG" in tail:  # far faster than the pattern
        end = _END.search(text, max(start, len(text) - _REACH))
    if not start and not end:
        return text
    return text[start : end.start() if end else None].strip() + "\n"
