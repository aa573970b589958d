"""One input as bytes, text or lines: unzipped, decoded and bounded."""

from __future__ import annotations

import io
import os
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lexfield.errors import ReadError
from lexfield.store.bounds import most_unpacked
from lexfield.text.decode import (
    HTML,
    OLD_OFFICE,
    SAMPLE,
    TEXT,
    XML,
    detect,
    identify,
    is_html,
    is_plain,
    is_xml,
    refuse_binary,
)
from lexfield.text.packed import PACKING_ERRORS, find_packing, unpack

MAX_DOCUMENT = 256 << 20  # bytes of one text; larger files are collections, not documents
COPY = "Copy or download it again."  # what to do about a damaged file
CUT_OFF = "the file seems to be cut off; what there is was read"
_PIECE = 1 << 20
_NAMED = frozenset(  # suffixes of files that are one document each
    ".txt .md .text .markdown .pdf .docx .docm .odt .ott .epub .html .htm .xhtml .rtf .eml .mht"
    " .mhtml .srt .vtt .xml .tei".split()
)


class Source:
    """One input. It can be used wherever a path can: ``open(source)``, ``Path(source)``.

    name: the path within the folder that is being read, or the name of a single file.
    encoding: the user's choice; None means that it is detected.
    notes: messages for the user about this input; readers may add to them.
    data: the bytes of a file inside an archive, or why there are none; ``path`` is then only its
        name for messages.
    """

    def __init__(
        self,
        path: Path | None,
        name: str = "",
        encoding: str | None = None,
        data: bytes | ReadError | None = None,
    ) -> None:
        self.path = path  # None for standard input
        self.name = name or ("stdin" if path is None else path.name)
        self.encoding = encoding
        self.notes: list[str] = []
        self.is_inside = data is not None
        self._piped = data

    def __str__(self) -> str:
        return "stdin" if self.path is None else str(self.path)

    def __fspath__(self) -> str:
        if self.path is None:
            raise ReadError("This format cannot be read from standard input.", "Name a file.")
        if self.is_inside:
            raise ReadError(f"{self} cannot be read inside an archive.", "Unpack it first.")
        return str(self.path)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the input as bytes; packed files (gzip, bzip2, xz) are unpacked."""
        if self.path is None:
            yield sys.stdin.buffer
            return
        try:
            with self._open_raw() as raw:
                packing = find_packing(raw.read(10))
                size = raw.seek(0, os.SEEK_END)
                raw.seek(0)
                if packing:
                    most = most_unpacked(size)
                    with unpack(raw, packing, most, growth_error(self)) as unpacked:
                        yield unpacked
                else:
                    yield raw
        except EOFError as error:
            what = f"{self} is a damaged {packing} file: its end is missing."
            raise ReadError(what, COPY) from error
        except PACKING_ERRORS as error:
            raise ReadError(f"{self} is a damaged {packing} file.", COPY) from error
        except FileNotFoundError as error:
            raise ReadError(f"{self} does not exist.", "Check the path.") from error
        except IsADirectoryError as error:
            raise ReadError(f"{self} is a folder.", "Name a file.") from error
        except OSError as error:
            raise ReadError(
                f"{self} cannot be read: {error.strerror or error}.", "Check the path."
            ) from error

    def _open_raw(self) -> IO[bytes]:
        """Open the file. A pipe, such as ``<(command)``, is read once and kept."""
        if isinstance(self._piped, ReadError):
            raise self._piped
        if self._piped is not None:
            return io.BytesIO(self._piped)
        raw = open(self, "rb")  # noqa: SIM115 (the caller closes it)
        if raw.seekable():
            return raw
        with raw:
            self._piped = read_at_most(raw, MAX_DOCUMENT)
        if self._piped is None:
            raise ReadError(
                f"{self} is a pipe with more than {MAX_DOCUMENT >> 20} MB.", "Write it to a file."
            )
        return io.BytesIO(self._piped)

    def kind(self) -> tuple[str, str]:
        """Return what the first bytes say that the input is, or nothing, and what to do about it.

        Raise ReadError if there are none.
        """
        if self.path is None:
            return "", ""  # which can be read only once
        with self.open() as file:
            sample = file.read(SAMPLE)
            if sample.startswith(OLD_OFFICE):  # what is inside is listed anywhere
                sample += read_at_most(file, MAX_DOCUMENT) or b""
        if not sample:
            raise ReadError(f"{self} is empty.", "Leave it out, or copy it again.")
        if is_html(sample):
            return HTML, ""
        if is_xml(sample):
            return XML, ""
        return (TEXT, "") if is_plain(sample) else identify(sample, self.encoding)

    def has_front_matter(self) -> bool:
        """Does the input begin as front matter does?"""
        with self.open() as file:
            return file.read(6).removeprefix(BOM_UTF8).startswith((b"---", b"+++"))

    def data(self) -> bytes:
        """Return all bytes, unzipped."""
        with self.open() as file:
            data = read_at_most(file, MAX_DOCUMENT)
        if data is None:
            raise ReadError(
                f"{self} is larger than {MAX_DOCUMENT >> 20} MB, too large for one document.",
                "Split it, or read each line as a document with --format lines.",
            )
        return data

    def text(self, declared: re.Pattern[bytes] | None = None) -> str:
        """Return the whole text. A file that is not UTF-8 may declare its encoding."""
        data = self.data()
        refuse_binary(data[:SAMPLE], str(self), self.encoding)
        encoding = self.encoding or detect(data, whole=True, declared=declared)
        if encoding not in ("utf-8", "utf-8-sig") and not self.encoding:
            self.notes.append(f"{self}: not UTF-8, read as {encoding}")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            if self.encoding:
                raise ReadError(
                    f"{self} is not valid {encoding} (byte {error.start:,}).",
                    "If you know its encoding, pass it as --encoding.",
                ) from error
            text = data.decode(encoding, "replace")
            self.notes.append(f"{self}: characters that are not valid {encoding} became \ufffd")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def lines(self, longest: int | None = None, utf8_only: bool = False) -> Iterator[str]:
        """Yield the lines of the text, at most ``longest`` characters each, with their ends."""
        longest = longest or MAX_DOCUMENT
        with self.open() as file:
            sample = file.read(SAMPLE)
            refuse_binary(sample, str(self), self.encoding)
            encoding = self.encoding or detect(sample, whole=len(sample) < SAMPLE)
            if utf8_only:
                encoding = "utf-8-sig"
            joined = io.BufferedReader(_Rejoined(sample, file), SAMPLE)
            text = io.TextIOWrapper(joined, encoding, newline="")
            number = 0
            try:
                while line := text.readline(longest + 1):
                    number += 1
                    if len(line) > longest:
                        raise ReadError(f"{self}:{number}: a line over {longest:,} characters.")
                    yield line
            except UnicodeError as error:
                if utf8_only:
                    message, hint = "not UTF-8", "Save it as UTF-8."
                else:
                    message, hint = (
                        f"not valid {encoding}",
                        "If you know its encoding, pass it as --encoding.",
                    )
                raise ReadError(f"{self}: {message} after line {number}.", hint) from error


class _Rejoined(io.RawIOBase):
    """A stream whose beginning was already read, from its beginning."""

    def __init__(self, head: bytes, tail: IO[bytes]) -> None:
        self._head = memoryview(head)
        self._tail = tail

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._head[: len(buffer)] or self._tail.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def growth_error(source: Source) -> ReadError:
    """Return the error for a file that unpacks to far more than its size."""
    return ReadError(
        f"{source} expands to far more than its size.", "If that is intended, unpack it first."
    )


def names_file(text: str) -> bool:
    """Return whether a text is the name of a file or folder."""
    return len(text) < 1000 and "\n" not in text and "\0" not in text and os.path.exists(text)


def read_at_most(file: IO[bytes], most: int) -> bytes | None:
    """Return all bytes of a file, or None if there are more than ``most``.

    It reads in pieces: asked for many bytes at once, Python allocates them before it reads.
    """
    data = bytearray()
    while piece := file.read(_PIECE):
        data += piece
        if len(data) > most:
            return None
    return bytes(data)


def name_text(source: Source) -> str:
    """Return the id of a file that is one document: its name without the usual suffix."""
    stem, suffix = os.path.splitext(source.name)
    return stem if suffix.lower() in _NAMED and os.path.basename(stem) else source.name
