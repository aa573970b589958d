"""What all readers share: opening, bounds checked before memory is taken, rows that grow."""

from __future__ import annotations

import gzip
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.store.bounds import most_unpacked
from lexfield.vectors.formats.fasttext import Subwords

MAX_DIMS = 65_536
MAX_WORD = 1 << 14  # bytes; past this a binary file is damaged and not merely odd
BLOCK = 1 << 18  # bytes read at a time; more is slower, it leaves the cache


class TruncatedError(Exception):
    """The bytes ended early: a reader turns this into a VectorsError that counts rows."""


class Readable(Protocol):
    """The one thing that is asked of a stream."""

    def read(self, count: int, /) -> bytes: ...


@dataclass(frozen=True)
class Source:
    """An open file; ``size`` bounds its bytes after unzipping."""

    path: Path
    file: IO[bytes]
    size: int
    zipped: bool

    def __str__(self) -> str:
        return str(self.path)

    def read(self, count: int = -1, /) -> bytes:
        """Up to ``count`` bytes, fewer only at the end.

        Much in pieces: asked for it at once, Python takes the memory before there are the bytes.
        """
        with _blaming(self.path):
            data = self.file.read(count) if count <= BLOCK else b"".join(self._pieces(count))
            if self.zipped and self.file.tell() > self.size:
                raise VectorsError(
                    f"{self} is small and unpacks to very much.",
                    "If it is meant to, unpack it first.",
                )
            return data

    def _pieces(self, count: int) -> Iterator[bytes]:
        while count and (piece := self.file.read(min(count, BLOCK))):
            yield piece
            count -= len(piece)

    def seek(self, position: int) -> None:
        with _blaming(self.path):
            self.file.seek(position)

    def require(self, count: int, row: int, what: str) -> None:
        """Refuse a header that promises more than the file can hold, before memory is taken."""
        if count * row > self.size:
            raise VectorsError(
                f"{self}: its header promises {what}, at least {count * row:,} bytes;"
                f" the file holds {'at most ' if self.zipped else ''}{self.size:,}.",
                "The file is truncated, or its header is damaged: fetch it again.",
            )

    def require_dims(self, dims: int) -> None:
        if not 1 <= dims <= MAX_DIMS:
            raise VectorsError(
                f"{self}: vectors have 1 to {MAX_DIMS:,} dimensions. Got {dims:,} instead."
            )


@dataclass
class Parsed:
    """Rows as the file gave them, before duplicates and broken rows are dropped."""

    words: list[str]
    matrix: NDArray[np.float32]
    notes: list[str] = field(default_factory=list)
    subwords: Subwords | None = None


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Failures of a file become VectorsErrors that name it."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise VectorsError(
            f"{path} is damaged, its compressed bytes break off or differ: {error}.",
            "Fetch the file again.",
        ) from error
    except OSError as error:
        raise VectorsError(f"{path} cannot be read: {error.strerror or error}.") from error


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """A regular file for reading, unzipped on the way."""
    if "\0" in str(path):
        raise VectorsError(f"{str(path)!r} cannot be the path of a file.")
    with ExitStack() as stack:
        with _blaming(path):
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):  # a pipe has no size to check headers against
                raise VectorsError(f"{path} is not a file.", "Save the vectors to a file first.")
            raw = stack.enter_context(open(path, "rb"))
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
        if zipped:
            file = stack.enter_context(gzip.GzipFile(fileobj=raw))
            yield Source(path, cast(IO[bytes], file), most_unpacked(status.st_size), True)
        else:
            yield Source(path, raw, status.st_size, False)


class ByteReader:
    """Sequential bytes by count or up to a mark, with a bounded buffer."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._buffer = b""
        self._at = 0
        self.position = 0  # bytes handed out so far

    def take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._buffer):
            self._fill(count)
            end = count
            if end > len(self._buffer):
                raise TruncatedError
        piece = self._buffer[self._at : end]
        self._at = end
        self.position += count
        return piece

    def until(self, mark: bytes, most: int) -> bytes:
        """Bytes before the mark, which is passed over; ValueError when it is not within reach."""
        end = self._buffer.find(mark, self._at, self._at + most + 1)
        if end < 0:
            self._fill(most + 1)
            end = self._buffer.find(mark, 0, most + 1)
            if end < 0:
                if len(self._buffer) <= most:
                    raise TruncatedError
                raise ValueError(f"no end of word within {most:,} bytes")
        piece = self._buffer[self._at : end]
        self.position += end + 1 - self._at
        self._at = end + 1
        return piece

    def _fill(self, count: int) -> None:
        """Drop what was used and hold at least ``count`` bytes, if there are as many."""
        kept = self._buffer[self._at :]
        self._buffer = kept + self._file.read(max(BLOCK, count - len(kept)))
        self._at = 0


class Growing:
    """A matrix that grows with its rows, so that no header is trusted with memory."""

    def __init__(self, dims: int, expected: int | None) -> None:
        self._data = np.empty((0, dims), np.float32)
        self._used = 0
        self._expected = expected

    def add(self, rows: NDArray[np.float32]) -> None:
        needed = self._used + len(rows)
        if needed > len(self._data):
            room = needed + needed // 2
            if self._expected is not None:
                room = max(needed, min(room, self._expected))
            self._resize(room)
        self._data[self._used : needed] = rows
        self._used = needed

    def finish(self) -> NDArray[np.float32]:
        self._resize(self._used)
        return self._data

    def _resize(self, rows: int) -> None:
        # In place: the C library moves pages, where a copy would hold two matrices for a while.
        self._data.resize((rows, self._data.shape[1]), refcheck=False)


def read_floats(file: Readable, count: int, dtype: np.dtype[Any]) -> NDArray[np.float32]:
    """The next ``count`` floats; the caller has checked that the file can hold them."""
    out = np.empty(count, np.float32)
    step = BLOCK // dtype.itemsize
    with np.errstate(over="ignore"):  # a float64 past float32 becomes inf, and its row is dropped
        for start in range(0, count, step):
            size = min(step, count - start)
            data = file.read(size * dtype.itemsize)
            if len(data) < size * dtype.itemsize:
                raise TruncatedError
            out[start : start + size] = np.frombuffer(data, dtype)
    return out


def decode(words: Sequence[bytes]) -> tuple[list[str], int]:
    """Words as text, and how many were not valid UTF-8 and had bytes replaced."""
    if not words:
        return [], 0
    try:
        # One call is far faster than one a word; a word that holds a line end spoils it.
        decoded = b"\n".join(words).decode().split("\n")
        if len(decoded) == len(words):
            return decoded, 0
    except UnicodeDecodeError:
        pass
    decoded, broken = [], 0
    for word in words:
        try:
            decoded.append(word.decode())
        except UnicodeDecodeError:
            decoded.append(word.decode(errors="replace"))
            broken += 1
    return decoded, broken


def replaced_note(broken: int) -> list[str]:
    """The note for ``decode``, if there is something to say."""
    if not broken:
        return []
    return [f"{broken:,} words were not valid UTF-8: their broken bytes were replaced"]


def limit_note(read: int, total: int | None) -> str:
    return f"limit: the first {read:,} rows{'' if total is None else f' of {total:,}'} were read"
