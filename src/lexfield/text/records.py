"""Bytes on disk → lines and records, streaming, with file and line in every error."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lexfield.errors import ReadError, list_names, need
from lexfield.store.bounds import bounded_json, most_unpacked
from lexfield.text.decode import detect
from lexfield.text.sniff import SAMPLE, refuse_binary
from lexfield.text.table import Rows

MAX_DOCUMENT = 256 << 20  # bytes of one text; larger files are collections, not documents
_PIECE = 1 << 20
_ROOM, _FEW_ROWS = 64 << 20, 10_000  # of parquet files

Record = Mapping[str, Any]


def read_records(
    file: IO[bytes], kind: str, source: str, encoding: str | None
) -> Iterator[tuple[int, Record]]:
    """The records of a jsonl, csv or tsv stream (or its non-empty lines), with line numbers."""
    lines = _lines(file, encoding, source)
    if kind == "jsonl":
        return _jsonl(lines, source)
    if kind == "lines":
        return ((n, {"text": line.strip()}) for n, line in enumerate(lines, 1) if line.strip())
    return _table(lines, source, "\t" if kind == "tsv" else ",")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file for reading, unzipped on the way if it is a gzip file."""
    try:
        with open(path, "rb") as raw:
            if raw.read(2) == b"\x1f\x8b":
                raw.seek(0)
                with _Unzipped(fileobj=raw) as unzipped:
                    unzipped.bound(path, os.fstat(raw.fileno()).st_size)
                    yield unzipped  # type: ignore[misc]
            else:
                raw.seek(0)
                yield raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ReadError(f"{path} is a damaged gzip file: {error}.") from error
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror}.") from error


class _Unzipped(gzip.GzipFile):
    """A gzip file that is no bomb."""

    def bound(self, path: Path, packed: int) -> None:
        self._path, self._most = path, most_unpacked(packed)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > self._most:
            raise _bomb(self._path)
        return data


def _bomb(path: Path) -> ReadError:
    return ReadError(
        f"{path} is small and unpacks to very much.", "If it is meant to, unpack it first."
    )


def read_bounded(file: IO[bytes], source: str) -> bytes:
    data = read_most(file, MAX_DOCUMENT)
    if data is None:
        raise ReadError(
            f"{source} is larger than {MAX_DOCUMENT >> 20} MB, too large for one document.",
            "Split it, or read it as one document a line with --format lines.",
        )
    return data


def read_most(file: IO[bytes], most: int) -> bytes | None:
    """All bytes of a file; None where there are more than ``most``.

    In pieces: asked for many bytes at once, Python takes memory for as many before it reads.
    """
    pieces, size = [], 0
    while piece := file.read(_PIECE):
        size += len(piece)
        if size > most:
            return None
        pieces.append(piece)
    return b"".join(pieces)


def _lines(file: IO[bytes], encoding: str | None, source: str) -> Iterator[str]:
    """Decoded lines with their ends."""
    sample = file.read(SAMPLE)
    refuse_binary(sample, source, encoding)
    encoding = encoding or detect(sample, whole=len(sample) < SAMPLE)
    text = io.TextIOWrapper(io.BufferedReader(_Rejoined(sample, file)), encoding, newline="")
    number = 0
    try:
        while line := text.readline(MAX_DOCUMENT):
            number += 1
            if len(line) == MAX_DOCUMENT:
                raise ReadError(f"{source}:{number}: a line over {MAX_DOCUMENT >> 20} MB.")
            yield line
    except UnicodeError as error:
        raise ReadError(
            f"{source}: not valid {encoding} after line {number}.",
            "Name its encoding with --encoding.",
        ) from error


class _Rejoined(io.RawIOBase):
    """A stream whose beginning was read already, whole again."""

    def __init__(self, head: bytes, tail: IO[bytes]) -> None:
        self._head = memoryview(head)
        self._tail = tail

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._head[: len(buffer)] or self._tail.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def _jsonl(lines: Iterator[str], source: str) -> Iterator[tuple[int, Record]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = bounded_json(line)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{source}:{number}: not JSON that can be read: {error}.") from error
        if not isinstance(record, dict):
            raise ReadError(f"{source}:{number}: a JSON object a line is needed.")
        yield number, record


def _table(lines: Iterator[str], source: str, delimiter: str) -> Iterator[tuple[int, Record]]:
    rows = Rows(lines, delimiter, MAX_DOCUMENT, source)
    header: list[str] = []
    for row in rows:
        if len(row) != len(header or row):
            raise ReadError(
                f"{source}:{rows.line}: {'more' if len(row) > len(header) else 'fewer'} fields than"
                f" the {len(header)} of the header."
            )
        if header:
            yield rows.line, dict(zip(header, row, strict=True))
        header = header or row


def read_parquet(path: Path, notes: list[str]) -> Iterator[tuple[int, Record]]:
    """Its rows, without columns of lists and structures, of which ``notes`` tells."""
    parquet, types = need("pyarrow.parquet", "parquet"), need("pyarrow.types", "parquet")
    number = given = 0
    try:
        most = most_unpacked(path.stat().st_size)
        with parquet.ParquetFile(path) as file:
            flat = [field.name for field in file.schema_arrow if not types.is_nested(field.type)]
            if other := [name for name in file.schema_arrow.names if name not in flat]:
                notes.append(f"{path}: left out what is no text or number: {list_names(other)}")
            batch_size = _rows_at_a_time(path, file.metadata, most)
            for batch in file.iter_batches(batch_size=batch_size, columns=flat):
                given += batch.nbytes
                if given > most:
                    raise _bomb(path)
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except ReadError:
        raise
    except (OSError, ValueError, RuntimeError, LookupError, TypeError, MemoryError) as error:
        raise ReadError(f"{path} cannot be read as parquet: {error}.") from error


def _rows_at_a_time(path: Path, about: Any, most: int) -> int:
    """How many rows fit into memory, should each hold the largest text there may be: one that is
    kept once can stand in all of them. One by one takes long where there are many.

    What there is to know of single columns is not asked for: Arrow ends the process if that is
    damaged.
    """
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    sizes = [group.total_byte_size for group in groups]
    if sum(sizes) > most:
        raise _bomb(path)
    few = max((group.num_rows for group in groups), default=0) <= _FEW_ROWS
    return int(min(1024, max(1 if few else 8, _ROOM // max([1, *sizes]))))
