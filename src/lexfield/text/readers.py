"""One small reader per file format, and the table in which users register their own.

A reader has ``suffixes``, those of the files it reads, and ``read(source)``, which yields

- documents: ``Document(id, text)``; or
- numbered records: ``(number, fields)`` with the line or row, for error messages and default ids,
  and a mapping of fields, from which the options of ``Reader`` pick text, id and metadata.

``source`` can be used as a path; it also has ``text()`` and ``lines()``, which unzip and decode.

    class Verses:
        suffixes = (".verses",)

        def read(self, source):
            for number, line in enumerate(source.lines(), 1):
                yield Document(f"{source.name}:{number}", line)

    READERS.register("verses", Verses())
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, Protocol

from lexfield.errors import ReadError, list_names, need
from lexfield.registry import Registry
from lexfield.store.bounds import bounded_json, most_unpacked
from lexfield.text.decode import SAMPLE, detect, identify, refuse_binary
from lexfield.text.document import Document

MAX_DOCUMENT = 256 << 20  # bytes of one text; larger files are collections, not documents
Record = Mapping[str, object]
Item = Document | tuple[int, Record]
_PIECE = 1 << 20
_ROOM, _FEW_ROWS = 64 << 20, 10_000  # of parquet files
_CSV_ERRORS = {"unexpected end of data": "a quote is opened and not closed"}


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
        self._piped: bytes | None = None

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
            with self._open_raw() as raw:
                is_zipped = raw.read(2) == b"\x1f\x8b"
                size = raw.seek(0, os.SEEK_END)
                raw.seek(0)
                if is_zipped:
                    with _GzipFile(fileobj=raw) as unzipped:
                        unzipped.limit(self, size)
                        yield unzipped  # type: ignore[misc]
                else:
                    yield raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ReadError(f"{self} is a damaged gzip file: {error}.") from error
        except OSError as error:
            raise ReadError(
                f"{self} cannot be read: {error.strerror or error}.", "Check the path."
            ) from error

    def _open_raw(self) -> IO[bytes]:
        """Open the file. A pipe, such as ``<(command)``, is read once and kept."""
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
                "If you know its encoding, pass it as --encoding.",
            ) from error

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


class _GzipFile(gzip.GzipFile):
    """A gzip file that refuses to unpack to much more than its size: it may be made to do harm."""

    def limit(self, source: Source, packed: int) -> None:
        self._source, self._most = source, most_unpacked(packed)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > self._most:
            raise _growth_error(self._source)
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


def _growth_error(source: Source) -> ReadError:
    """Return the error for a file that unpacks to far more than its size."""
    return ReadError(
        f"{source} expands to far more than its size.", "If that is intended, unpack it first."
    )


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


class FileReader(Protocol):
    """What ``READERS`` holds. An attribute ``is_text = True`` lets folders skip binary files."""

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    def read(self, source: Source, /) -> Iterable[Item]: ...


@dataclass(frozen=True)
class _Format:
    read: Callable[[Source], Iterable[Item]]
    suffixes: tuple[str, ...] = ()
    is_text: bool = True


def read_text(source: Source) -> Iterator[Document]:
    """Read the whole file as one document."""
    yield Document(name_text(source), source.text(), str(source))


def name_text(source: Source) -> str:
    """Return the id of a plain text: its name without the usual suffix."""
    name = source.name
    return name[: -len(Path(name).suffix)] if name.endswith((".txt", ".md", ".text")) else name


def read_lines(source: Source) -> Iterator[tuple[int, Record]]:
    """Read every line that is not blank as a document."""
    for number, line in enumerate(source.lines(), 1):
        if text := line.strip():
            yield number, {"text": text}


_LINES = 'Each line must be one JSON object, such as {"id": "a", "text": "Some words."}.'


def read_jsonl(source: Source) -> Iterator[tuple[int, Record]]:
    """Read one JSON object per line."""
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            continue
        try:
            record = bounded_json(line)
        except (ValueError, RecursionError) as error:
            raise ReadError(
                f"{source}:{number}: not JSON that can be read: {error}.", _LINES
            ) from error
        if not isinstance(record, dict):
            raise ReadError(f"{source}:{number}: not a JSON object.", _LINES)
        yield number, record


def read_csv(source: Source, delimiter: str = ",") -> Iterator[tuple[int, Record]]:
    """Read a table whose first row names its columns.

    The standard library needs four to eight bytes of memory per character of a field.
    """
    csv.field_size_limit(MAX_DOCUMENT)  # of the whole process; 128 kB by default
    lines = iter(source.lines())
    head = []  # up to the header
    for line in lines:
        head.append(line)
        if line.strip():
            break
    if delimiter == "," and head and "," not in head[-1]:  # as spreadsheets in Europe write it
        delimiter = next((mark for mark in ";\t" if mark in head[-1]), ",")
    rows = csv.reader(chain(head, lines), delimiter=delimiter, strict=True)
    header: list[str] = []
    try:
        for row in filter(None, rows):
            if header and len(row) != len(header):
                compared = "more" if len(row) > len(header) else "fewer"
                raise ReadError(
                    f"{source}:{rows.line_num}: {compared} fields than the {len(header)} of the"
                    " header.",
                    "Put fields that contain the separator in double quotes.",
                )
            if header:
                yield rows.line_num, dict(zip(header, row, strict=True))
            header = header or row
    except csv.Error as error:
        problem = _CSV_ERRORS.get(str(error), str(error))
        if "field larger" in problem:
            problem = f"a field over {MAX_DOCUMENT >> 20} MB"
        raise ReadError(f"{source}:{rows.line_num}: {problem}.") from error


def read_tsv(source: Source) -> Iterator[tuple[int, Record]]:
    """Read a table whose columns are separated by tabs."""
    return read_csv(source, "\t")


def read_parquet(source: Source) -> Iterator[tuple[int, Record]]:
    """Read the rows of a Parquet table without its columns of lists and structures."""
    parquet, types = need("pyarrow.parquet", "parquet"), need("pyarrow.types", "parquet")
    path = Path(source)
    number = unpacked = 0
    try:
        most = most_unpacked(path.stat().st_size)
        with parquet.ParquetFile(path) as file:
            flat = [field.name for field in file.schema_arrow if not types.is_nested(field.type)]
            if other := [name for name in file.schema_arrow.names if name not in flat]:
                source.notes.append(
                    f"{path}: left out columns that are neither text nor numbers:"
                    f" {list_names(other)}"
                )
            batch_size = _choose_batch_size(source, file.metadata, most)
            for batch in file.iter_batches(batch_size=batch_size, columns=flat):
                unpacked += batch.nbytes
                if unpacked > most:
                    raise _growth_error(source)
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except ReadError:
        raise
    except (OSError, ValueError, RuntimeError, LookupError, TypeError, MemoryError) as error:
        raise ReadError(f"{path} cannot be read as parquet: {error}.") from error


def _choose_batch_size(source: Source, about: Any, most: int) -> int:
    """Return how many rows fit into memory if each holds the largest possible text.

    A text that is stored once can occur in every row. Reading row by row is slow where there are
    many. Statistics of single columns are not used: Arrow ends the process if they are damaged.
    """
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    sizes = [group.total_byte_size for group in groups]
    if sum(sizes) > most:
        raise _growth_error(source)
    few = max((group.num_rows for group in groups), default=0) <= _FEW_ROWS
    return int(min(1024, max(1 if few else 8, _ROOM // max([1, *sizes]))))


_FORMATS: dict[str, FileReader] = {
    "text": _Format(read_text, (".txt", ".md", ".text")),
    "lines": _Format(read_lines),
    "jsonl": _Format(read_jsonl, (".jsonl", ".ndjson")),
    "csv": _Format(read_csv, (".csv",)),
    "tsv": _Format(read_tsv, (".tsv",)),
    "parquet": _Format(read_parquet, (".parquet",), is_text=False),
}
READERS: Registry[FileReader] = Registry(
    "file format", "lexfield.readers", _FORMATS, instantiate=True
)


def map_suffixes() -> dict[str, str]:
    """Return the name of the format for every suffix. Registered readers override our own."""
    names = sorted(READERS.names(), key=lambda name: name not in _FORMATS)
    return {suffix: name for name in names for suffix in READERS.get(name).suffixes}
