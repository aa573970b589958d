"""Vectors as text, with a word and its numbers per line: word2vec and fastText ``.vec`` (with a
header line "count dimensions") and GloVe (without)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    BLOCK,
    BOM,
    MAX_DIMS,
    RowBuffer,
    Source,
    VectorFile,
    limit_note,
    parse_header,
)

_MAX_LINE = 1 << 22
_Block = tuple[int, list[bytes]]  # the number of the first line, and whole lines


def read_with_header(source: Source, limit: int | None, progress: Progress) -> VectorFile:
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
    count, dims = header
    source.check_dims(dims)
    # The shortest row is an empty word, " 0" per number and a line end, which the last one lacks.
    source.check_holds(count, 2 * dims, f"{count:,} vectors of {dims:,} numbers")
    return _read_rows(source, chain([(2, lines)], blocks), dims, count, limit, progress)


def read_without_header(source: Source, limit: int | None, progress: Progress) -> VectorFile:
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
    return _read_rows(source, chain([(1, lines)], blocks), dims, None, limit, progress)


def _read_rows(
    source: Source,
    blocks: Iterator[_Block],
    dims: int,
    count: int | None,
    limit: int | None,
    progress: Progress,
) -> VectorFile:
    """Read all rows, a block of lines at a time."""
    expected = count if limit is None else min(limit, count or limit)
    rows = RowBuffer(dims, expected)
    is_limited = False
    for first, lines in blocks:
        if limit is not None:
            filled = [n for n, line in enumerate(lines) if line.strip()]
            is_limited = len(filled) > limit - len(rows)
            if is_limited:
                lines = lines[: filled[limit - len(rows)]]
        rows.add(*_parse(source, first, lines, dims))
        progress(len(rows), expected)
        if is_limited:  # what follows is not even parsed
            break
    file = rows.finish()
    if is_limited:
        file.notes.append(limit_note(len(rows), count))
    elif count is not None and count != len(rows):
        file.notes.append(f"the header promises {count:,} rows; the file has {len(rows):,}")
    return file


def _read_blocks(source: Source) -> Iterator[_Block]:
    """Yield the file in blocks of whole lines, at least one."""
    rest, first = b"", 1
    while chunk := source.read(BLOCK):
        chunk = rest + chunk
        cut = chunk.rfind(b"\n")
        rest = chunk[cut + 1 :]
        if len(rest) > _MAX_LINE:
            line = first + chunk.count(b"\n")
            raise VectorsError(f"{source}:{line}: a line over {_MAX_LINE >> 20} MB.")
        if cut >= 0:
            lines = chunk[:cut].split(b"\n")
            yield first, lines
            first += len(lines)
    if rest or first == 1:
        yield first, [rest]


def _parse(
    source: Source, first: int, lines: list[bytes], dims: int, *, careful: bool = False
) -> tuple[list[bytes], NDArray[np.float32]]:
    """Return the words and rows of a block.

    Lines of one word and single spaces, which nearly all are, are only cut in two; all numbers are
    then converted at once. If one of them is not a number, every line is parsed carefully.
    """
    words: list[bytes] = []
    numbers: list[bytes] = []
    for number, line in enumerate(lines, first):
        line = line.rstrip()
        word, _, rest = line.partition(b" ")
        if careful or rest.count(b" ") != dims - 1 or not rest:
            if not line:
                continue
            word, rest = _split(f"{source}:{number}", line, dims)
        words.append(word)
        numbers.append(rest)
    if not words:
        return [], np.empty((0, dims), np.float32)
    fields = b" ".join(numbers).split(b" ")
    try:
        with np.errstate(over="ignore"):  # too large for float32: inf, and the row is dropped
            flat = np.fromiter(map(float, fields), np.float32, len(words) * dims)
    except ValueError:
        return _parse(source, first, lines, dims, careful=True)
    return words, flat.reshape(-1, dims)


def _split(where: str, line: bytes, dims: int) -> tuple[bytes, bytes]:
    """Split an unusual line, with odd spaces or a word that contains spaces."""
    fields = line.split()
    if len(fields) == dims and line[:1].isspace() and all(map(_is_number, fields)):
        return b"", b" ".join(fields)  # the word is white space
    numbers = fields[-dims:]
    bad = next((field for field in numbers if not _is_number(field)), None)
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
    return line.rsplit(None, dims)[0].strip(), b" ".join(numbers)


def _count_numbers(line: bytes) -> int:
    """Count the numbers at the end of a line, whose first field is always a word."""
    fields = line.split(None, 2 * MAX_DIMS)
    count = 0
    for field in reversed(fields[1:]):
        if not _is_number(field):
            break
        count += 1
    return count


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _shorten(line: bytes) -> str:
    text = line.strip()
    return repr(text[:40].decode(errors="replace") + ("…" if len(text) > 40 else ""))
