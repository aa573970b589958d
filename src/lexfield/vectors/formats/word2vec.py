"""word2vec's formats, and GloVe's.

text    a word and its numbers per line; word2vec and fastText (``.vec``) begin with a header line
        "count dimensions", GloVe does not
binary  the same header line, then word, space, float32 numbers
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import chain, takewhile

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    AGAIN,
    BLOCK,
    BOM,
    MAX_DIMS,
    MAX_WORD,
    ByteReader,
    RowBuffer,
    TruncatedError,
    VectorData,
    VectorFile,
    limit_note,
)

_MAX_LINE = 1 << 22
_HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?")
_Block = tuple[int, list[bytes]]  # the number of the first line, and whole lines


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Return count and dimensions from the first line of a word2vec file; None if it is another."""
    match = _HEADER.fullmatch(line)
    return (int(match[1]), int(match[2])) if match else None


def read_text(source: VectorFile, limit: int, progress: Progress) -> VectorData:
    """Read word2vec text: the first line says how many words and dimensions follow."""
    blocks = _read_blocks(source)
    _, (first, *lines) = next(blocks)
    header = parse_header(first.removeprefix(BOM))
    if header is None:
        raise VectorsError(
            f"{source}:1: expected a header of two whole numbers, count and dimensions."
            f" Got {_shorten(first)} instead.",
            "If the file has no header, name its format: glove.",
        )
    # The shortest row is an empty word, " 0" per number and a line end, which the last one lacks.
    _check_header(source, header, 2 * header[1])
    return _read_lines(source, chain([(2, lines)], blocks), header[1], header[0], limit, progress)


def read_glove(source: VectorFile, limit: int, progress: Progress) -> VectorData:
    """Read GloVe text: the first line shows how many numbers a word has."""
    blocks = _read_blocks(source)
    _, (first, *lines) = next(blocks)
    lines = [first.removeprefix(BOM), *lines]
    number, line = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (1, b""))
    dims = _count_numbers(line)
    if not dims:
        raise VectorsError(
            f"{source}:{number}: expected a word and its numbers. Got {_shorten(line)} instead.",
            "lexfield reads word2vec, GloVe, fastText, safetensors and NumPy files.",
        )
    source.check_dims(dims)
    return _read_lines(source, chain([(1, lines)], blocks), dims, None, limit, progress)


def read_binary(source: VectorFile, limit: int, progress: Progress) -> VectorData:
    reader = ByteReader(source)
    try:
        header = parse_header(reader.take_until(b"\n", 64))
    except (TruncatedError, ValueError):
        header = None
    if header is None:
        raise VectorsError(
            f"{source} does not begin with the header of a word2vec file, count and dimensions."
        )
    count, dims = header
    _check_header(source, header, 4 * dims + 1)
    wanted = min(count, limit)
    rows = RowBuffer(dims, wanted)
    batch = max(1, BLOCK // (4 * dims))
    while len(rows) < wanted:
        size = min(batch, wanted - len(rows))
        words, data = _read_batch(source, reader, dims, size, f"{count:,}", len(rows))
        rows.add(words, np.frombuffer(data, "<f4").reshape(-1, dims))
        progress(len(rows), wanted)
    file = rows.finish()
    if wanted < count:
        file.notes.append(limit_note(wanted, count))
    elif reader.has_more():
        file.notes.append(f"the file continues after the {count:,} rows of its header: not read")
    return file


def _check_header(source: VectorFile, header: tuple[int, int], row: int) -> None:
    """Raise VectorsError unless the file can hold the rows, which take at least ``row`` bytes."""
    count, dims = header
    source.check_dims(dims)
    source.check_holds(count, row, f"{count:,} vectors of {dims:,} numbers")


def _read_batch(
    source: VectorFile, reader: ByteReader, dims: int, rows: int, total: str, before: int
) -> tuple[list[bytes], bytes]:
    """Return words and the joined bytes of their vectors."""
    words: list[bytes] = []
    vectors: list[bytes] = []
    try:
        for _ in range(rows):
            # The original tool ends a row with a line end, gensim does not.
            words.append(reader.take_until(b" ", MAX_WORD).lstrip(b"\n"))
            vectors.append(reader.take(4 * dims))
    except (TruncatedError, ValueError) as error:
        done = f"{before + len(vectors):,} of {total} vectors"
        problem = f"damaged after {done}: {error}"
        if isinstance(error, TruncatedError):
            problem = f"truncated: {done} could be read"
        raise VectorsError(
            f"{source} is {problem}.", f"{AGAIN} If it is text, name its format: word2vec-text."
        ) from error
    return words, b"".join(vectors)


def _read_lines(
    source: VectorFile,
    blocks: Iterator[_Block],
    dims: int,
    count: int | None,
    limit: int,
    progress: Progress,
) -> VectorData:
    """Read all rows, a block of lines at a time; lines after the limit are not even parsed."""
    most = limit if count is None else min(limit, count)
    rows = RowBuffer(dims, most)
    is_limited = False
    for first, lines in blocks:
        if len(rows) + len(lines) > limit:
            filled = [n for n, line in enumerate(lines) if line.strip()]
            is_limited = len(filled) > limit - len(rows)
            if is_limited:
                lines = lines[: filled[limit - len(rows)]]
        rows.add(*_parse(source, first, lines, dims))
        progress(len(rows), most if most < sys.maxsize else None)
        if is_limited:
            break
    file = rows.finish()
    if is_limited:
        file.notes.append(limit_note(len(rows), count))
    elif count is not None and count != len(rows):
        file.notes.append(f"the header promises {count:,} rows; the file has {len(rows):,}")
    return file


def _read_blocks(source: VectorFile) -> Iterator[_Block]:
    """Yield the file in blocks of whole lines, at least one."""
    rest, first = b"", 1
    while chunk := source.read():
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > _MAX_LINE:
            line = first + len(lines)
            raise VectorsError(f"{source}:{line}: a line over {_MAX_LINE >> 20} MB.")
        if lines:
            yield first, lines
            first += len(lines)
    if rest or first == 1:
        yield first, [rest]


def _parse(
    source: VectorFile, first: int, lines: list[bytes], dims: int
) -> tuple[list[bytes], NDArray[np.float32]]:
    """Return the words and rows of a block; all numbers are converted at once."""
    words: list[bytes] = []
    numbers: list[bytes] = []
    for number, line in enumerate(lines, first):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != dims + 1:
            fields = _split(f"{source}:{number}", line, dims)
        words.append(fields.pop(0))
        numbers += fields
    try:
        with np.errstate(over="ignore"):  # too large for float32: inf, and the row is dropped
            flat = np.fromiter(map(float, numbers), np.float32, len(numbers))
    except ValueError:
        for number, line in enumerate(lines, first):
            if line.strip():
                _split(f"{source}:{number}", line, dims)  # reports the line that is wrong
        raise
    return words, flat.reshape(-1, dims)


def _split(where: str, line: bytes, dims: int) -> list[bytes]:
    """Return the word and the numbers of an unusual line. Raise VectorsError if it is wrong."""
    fields = line.split()
    if len(fields) == dims and line[:1].isspace() and all(map(_is_number, fields)):
        return [b"", *fields]  # the word is white space
    bad = next((field for field in fields[-dims:] if not _is_number(field)), None)
    if bad is not None and len(fields) > dims:
        raise VectorsError(
            f"{where}: {_shorten(bad)} is not a number; expected a word and {dims} numbers."
        )
    # A word may contain spaces, but if it ends with a number, the line is considered too long.
    if len(fields) <= dims or (len(fields) > dims + 1 and _is_number(fields[-dims - 1])):
        raise VectorsError(
            f"{where}: expected a word and {dims} numbers. Got"
            f" {_count_numbers(line)} numbers after {_shorten(fields[0])} instead."
        )
    word, *numbers = line.rsplit(None, dims)
    return [word.lstrip(), *numbers]


def _count_numbers(line: bytes) -> int:
    """Count the numbers at the end of a line, whose first field is always a word."""
    fields = line.split(None, 2 * MAX_DIMS)
    return sum(1 for _ in takewhile(_is_number, reversed(fields[1:])))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _shorten(line: bytes) -> str:
    text = line.strip()
    return repr(text[:40].decode(errors="replace") + ("…" if len(text) > 40 else ""))
