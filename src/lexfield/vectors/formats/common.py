"""What all readers share: opening files, bounds checked before memory is taken, growing rows."""

from __future__ import annotations

import gzip
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import VectorsError
from lexfield.store.bounds import most_unpacked
from lexfield.vectors.weights import LearnedContributions

MAX_DIMS = 65_536
MAX_WORD = 1 << 14  # bytes; a binary file with a longer word is damaged
BLOCK = 1 << 18  # bytes read at a time; larger blocks leave the cache and are slower
BOM = b"\xef\xbb\xbf"
AGAIN = "Download the file again."

Compose = Callable[[str], NDArray[np.float32] | None]  # a vector for a word outside the set


class TruncatedError(Exception):
    """The bytes end early."""


@dataclass(frozen=True)
class VectorData:
    """The content of a vector set: what a file holds, and what ``WordVectors`` is made of.

    ``notes`` count every row and word of a file that was changed or left out. ``learned`` are what
    words add to the vectors of texts; where it is None, the order of the words tells
    (``vectors/weights.py``).
    """

    words: Sequence[str]
    matrix: NDArray[np.float32]
    name: str = "unnamed"
    notes: list[str] = field(default_factory=list)
    compose: Compose | None = None
    format: str = ""
    learned: LearnedContributions | None = None

    def limit(self, count: int | None) -> VectorData:
        """Return the first words only."""
        if count is None or count >= len(self.words):
            return self
        return replace(self, words=self.words[:count], matrix=self.matrix[:count], compose=None)

    def multiply(self, matrix: Array, name: str) -> VectorData:
        """Return the same words with every vector times ``matrix``: the set under a metric."""
        compose = self.compose

        def compose_mapped(word: str) -> NDArray[np.float32] | None:
            vector = compose(word) if compose else None
            return None if vector is None else (vector @ matrix).astype(np.float32)

        mapped = (self.matrix @ matrix).astype(np.float32)
        composing = compose_mapped if compose else None
        return replace(self, matrix=mapped, name=name, compose=composing, learned=None)


@dataclass(frozen=True)
class VectorFile:
    """An open file; ``size`` is an upper bound of its uncompressed bytes."""

    path: Path
    file: IO[bytes]
    size: int
    zipped: bool

    def __str__(self) -> str:
        return str(self.path)

    def read(self, count: int = 0) -> bytes:
        """Return up to ``count`` bytes, by default a block; fewer only at the end."""
        with _name_errors(self.path):
            data = self.file.read(count or BLOCK)
            if self.zipped and self.file.tell() > self.size:
                raise VectorsError(
                    f"{self} expands to far more than its size.",
                    "If that is intended, unpack it first.",
                )
            return data

    def seek(self, position: int) -> None:
        with _name_errors(self.path):
            self.file.seek(position)

    def check_holds(self, count: int, row: int, what: str) -> None:
        """Raise VectorsError if a header promises more than the file can hold."""
        if count * row > self.size:
            raise VectorsError(
                f"{self}: its header promises {what}, at least {count * row:,} bytes;"
                f" the file holds {'at most ' if self.zipped else ''}{self.size:,}.",
                f"The file is truncated, or its header is damaged. {AGAIN}",
            )

    def check_dims(self, dims: int) -> None:
        if not 1 <= dims <= MAX_DIMS:
            raise VectorsError(
                f"{self}: vectors have 1 to {MAX_DIMS:,} dimensions. Got {dims:,} instead."
            )


@contextmanager
def _name_errors(path: Path) -> Iterator[None]:
    """Turn failures of a file into VectorsErrors that name it."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        raise VectorsError(
            f"{path} is damaged: its compressed bytes are incomplete or wrong ({error}).", AGAIN
        ) from error
    except OSError as error:
        raise VectorsError(f"{path} cannot be read: {error.strerror or error}.") from error


@contextmanager
def open_source(path: Path) -> Iterator[VectorFile]:
    """Open a regular file for reading; gzip is unpacked on the fly."""
    if "\0" in str(path):
        raise VectorsError(f"{str(path)!r} cannot be the path of a file.")
    with ExitStack() as stack:
        with _name_errors(path):
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):  # a pipe has no size to check headers against
                raise VectorsError(f"{path} is not a file.", "Save the vectors to a file first.")
            raw = stack.enter_context(open(path, "rb"))
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
        if zipped:
            file = stack.enter_context(gzip.GzipFile(fileobj=raw))
            yield VectorFile(path, cast(IO[bytes], file), most_unpacked(status.st_size), True)
        else:
            yield VectorFile(path, raw, status.st_size, False)


class ByteReader:
    """Read bytes by count or up to a delimiter, with a bounded buffer."""

    def __init__(self, source: VectorFile) -> None:
        self._source = source
        self._buffer = b""
        self._start = 0  # where the buffer begins in the file
        self._at = 0  # what of the buffer has been returned

    @property
    def position(self) -> int:
        return self._start + self._at

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes. Raise TruncatedError if there are fewer."""
        if self._at + count > len(self._buffer) and not self._has(count):
            raise TruncatedError
        first = self._at
        self._at += count
        return self._buffer[first : self._at]

    def take_until(self, delimiter: bytes, most: int) -> bytes:
        """Return the bytes before a delimiter and skip it.

        Raise ValueError if it is not within ``most`` bytes.
        """
        end = self._buffer.find(delimiter, self._at, self._at + most + 1)
        if end < 0:
            is_long = self._has(most + 1)
            end = self._buffer.find(delimiter, self._at, self._at + most + 1)
            if end < 0:
                problem = ValueError(f"no end of word within {most:,} bytes")
                raise problem if is_long else TruncatedError
        first = self._at
        self._at = end + 1
        return self._buffer[first:end]

    def has_more(self) -> bool:
        """Return whether anything but a line end follows."""
        self._has(2)
        return bool(self._buffer[self._at : self._at + 2].strip())

    def _has(self, count: int) -> bool:
        """Return whether ``count`` bytes follow, which are then in the buffer."""
        if self._at + count > len(self._buffer):
            rest = self._buffer[self._at :]
            self._start += self._at
            self._buffer = rest + self._source.read(max(BLOCK, count - len(rest)))
            self._at = 0
        return self._at + count <= len(self._buffer)


class WordList:
    """Words decoded as they are read, with a count of those that are not valid UTF-8."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._broken = 0

    def add(self, words: Sequence[bytes]) -> None:
        try:
            # One call is far faster than one per word; a word with a line end breaks it.
            decoded = b"\n".join(words).decode().split("\n") if words else []
            if len(decoded) == len(words):
                self.words += decoded
                return
        except UnicodeDecodeError:
            pass
        for word in words:
            text = word.decode(errors="replace")
            self._broken += text.encode() != word
            self.words.append(text)

    def notes(self) -> list[str]:
        if not self._broken:
            return []
        return [f"words with bytes that are not UTF-8, which were replaced: {self._broken:,}"]


class RowBuffer:
    """Words and a matrix that grow as rows are read: no header decides how much memory is taken."""

    def __init__(self, dims: int, most: int) -> None:
        self._list = WordList()
        self._matrix = np.empty((0, dims), np.float32)
        self._most = most

    def __len__(self) -> int:
        return len(self._list.words)

    def add(self, words: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        first = len(self)
        self._list.add(words)
        if len(self) > len(self._matrix):
            self._resize(max(len(self), min(len(self) + len(self) // 2, self._most)))
        self._matrix[first : len(self)] = rows

    def finish(self) -> VectorData:
        self._resize(len(self))
        return VectorData(self._list.words, self._matrix, notes=self._list.notes())

    def _resize(self, rows: int) -> None:
        # In place: the C library moves pages, where a copy would hold two matrices for a while.
        self._matrix.resize((rows, self._matrix.shape[1]), refcheck=False)


def limit_note(read: int, total: int | None) -> str:
    return f"limit: the first {read:,} rows{'' if total is None else f' of {total:,}'} were read"
