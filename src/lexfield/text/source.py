"""What a reader of a file format reads: a file or standard input, unzipped, decoded and bounded."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lexfield.errors import ReadError
from lexfield.store.bounds import most_unpacked
from lexfield.text.decode import detect
from lexfield.text.sniff import SAMPLE, identify, refuse_binary

MAX_DOCUMENT = 256 << 20  # bytes of one text; larger files are collections, not documents
_PIECE = 1 << 20


class Source:
    """One input. It can be used wherever a path can: ``open(source)``, ``Path(source)``.

    name: the path within the folder that is being read, or the name of a single file.
    encoding: the user's choice; None means that it is detected.
    notes: messages for the user about this input; readers may add to them.
    """

    def __init__(self, path: Path | None, name: str = "", encoding: str | None = None) -> None:
        self.path = path  # None for standard input
        self.name = name or ("stdin" if path is None else path.name)
        self.encoding = encoding
        self.notes: list[str] = []

    def __str__(self) -> str:
        return "stdin" if self.path is None else str(self.path)

    def __fspath__(self) -> str:
        if self.path is None:
            raise ReadError("This format cannot be read from standard input.", "Name a file.")
        return str(self.path)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the input as bytes; gzip files are unzipped."""
        if self.path is None:
            yield sys.stdin.buffer
            return
        try:
            with open(self.path, "rb") as raw:
                zipped = raw.read(2) == b"\x1f\x8b"
                raw.seek(0)
                if zipped:
                    with _GzipFile(fileobj=raw) as unzipped:
                        unzipped.limit(self, os.fstat(raw.fileno()).st_size)
                        yield unzipped  # type: ignore[misc]
                else:
                    yield raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ReadError(f"{self} is a damaged gzip file: {error}.") from error
        except OSError as error:
            raise ReadError(f"{self} cannot be read: {error.strerror}.") from error

    def problem(self) -> str:
        """Return why the input cannot be read as text; empty if it can."""
        try:
            with self.open() as file:
                return identify(file.read(SAMPLE), self.encoding)[0]
        except ReadError as error:
            return error.message

    def text(self) -> str:
        """Return the whole text."""
        with self.open() as file:
            data = read_at_most(file, MAX_DOCUMENT)
        if data is None:
            raise ReadError(
                f"{self} is larger than {MAX_DOCUMENT >> 20} MB, too large for one document.",
                "Split it, or read each line as a document with --format lines.",
            )
        refuse_binary(data[:SAMPLE], str(self), self.encoding)
        encoding = self.encoding or detect(data, whole=True)
        if encoding not in ("utf-8", "utf-8-sig") and not self.encoding:
            self.notes.append(f"{self}: not UTF-8, read as {encoding}")
        try:
            return data.decode(encoding).replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise ReadError(
                f"{self} is not valid {encoding} (byte {error.start:,}).",
                "Name its encoding with --encoding.",
            ) from error

    def lines(self) -> Iterator[str]:
        """Yield the lines of the text with their line ends."""
        with self.open() as file:
            sample = file.read(SAMPLE)
            refuse_binary(sample, str(self), self.encoding)
            encoding = self.encoding or detect(sample, whole=len(sample) < SAMPLE)
            joined = io.BufferedReader(_Rejoined(sample, file))
            text = io.TextIOWrapper(joined, encoding, newline="")
            number = 0
            try:
                while line := text.readline(MAX_DOCUMENT):
                    number += 1
                    if len(line) == MAX_DOCUMENT:
                        raise ReadError(f"{self}:{number}: a line over {MAX_DOCUMENT >> 20} MB.")
                    yield line
            except UnicodeError as error:
                raise ReadError(
                    f"{self}: not valid {encoding} after line {number}.",
                    "Name its encoding with --encoding.",
                ) from error


class _GzipFile(gzip.GzipFile):
    """A gzip file that refuses to unpack to much more than its size: it may be made to do harm."""

    def limit(self, source: Source, packed: int) -> None:
        self._source, self._most = source, most_unpacked(packed)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > self._most:
            raise too_much(self._source)
        return data


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


def too_much(source: Source) -> ReadError:
    """Return the error for a file that unpacks to far more than its size."""
    return ReadError(
        f"{source} is small and unpacks to very much.", "If it is meant to, unpack it first."
    )


def read_at_most(file: IO[bytes], most: int) -> bytes | None:
    """Return all bytes of a file, or None if there are more than ``most``.

    It reads in pieces: asked for many bytes at once, Python allocates them before it reads.
    """
    pieces, size = [], 0
    while piece := file.read(_PIECE):
        size += len(piece)
        if size > most:
            return None
        pieces.append(piece)
    return b"".join(pieces)
