"""Vectors as text, a word and its numbers a line: word2vec and fastText ``.vec`` (with a header
line "count dimensions") and GloVe (without)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    BLOCK,
    MAX_DIMS,
    Growing,
    Parsed,
    Source,
    decode,
    limit_note,
    replaced_note,
)

HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?")
BOM = b"\xef\xbb\xbf"
_MAX_LINE = 1 << 22


@dataclass(frozen=True)
class _Block:
    """Whole lines and the number of the first."""

    first: int
    lines: list[bytes]


def read_with_header(source: Source, limit: int | None, progress: Progress) -> Parsed:
    """word2vec text: the first line says how many words and dimensions follow."""
    blocks = _blocks(source)
    block = next(blocks)
    header = HEADER.fullmatch(block.lines[0].removeprefix(BOM))
    if header is None:
        raise VectorsError(
            f"{source}:1: expected a header of two whole numbers, count and dimensions."
            f" Got {_short(block.lines[0])} instead.",
            "If the file has no header, name its format: glove.",
        )
    count, dims = int(header[1]), int(header[2])
    source.require_dims(dims)
    # The shortest row is an empty word, " 0" for each number and a line end, which the last lacks.
    source.require(count, 2 * dims, f"{count:,} vectors of {dims:,} numbers")
    rest = _Block(2, block.lines[1:])
    return _read(source, rest, blocks, dims, count, limit, progress)


def read_without_header(source: Source, limit: int | None, progress: Progress) -> Parsed:
    """GloVe: the first line shows how many numbers a word has."""
    blocks = _blocks(source)
    block = next(blocks)
    lines = [block.lines[0].removeprefix(BOM), *block.lines[1:]]
    number, line = next(((n, one) for n, one in enumerate(lines, 1) if one.strip()), (1, b""))
    dims = _count_numbers(line)
    if not dims:
        raise VectorsError(
            f"{source}:{number}: expected a word and its numbers. Got {_short(line)} instead.",
            "lexfield reads word2vec, GloVe, fastText, safetensors and NumPy files.",
        )
    source.require_dims(dims)
    return _read(source, _Block(1, lines), blocks, dims, None, limit, progress)


def _read(
    source: Source,
    block: _Block,
    blocks: Iterator[_Block],
    dims: int,
    count: int | None,
    limit: int | None,
    progress: Progress,
) -> Parsed:
    """All rows, a block of lines at a time."""
    expected = count if limit is None else min(limit, count or limit)
    matrix = Growing(dims, expected)
    words: list[str] = []
    broken = 0
    more = False  # rows are left that the limit keeps out
    while True:
        lines = block.lines
        if limit is not None:
            lines, more = _first_rows(lines, limit - len(words))
        raw, rows = _parse(source, _Block(block.first, lines), dims)
        decoded, replaced = decode(raw)
        words += decoded
        broken += replaced
        matrix.add(rows)
        progress(len(words), expected)
        following = None if more else next(blocks, None)
        if following is None:
            break
        block = following
    notes = replaced_note(broken)
    if more:
        notes.append(limit_note(len(words), count))
    elif count is not None and count != len(words):
        notes.append(f"the header promises {count:,} rows; the file has {len(words):,}")
    return Parsed(words, matrix.finish(), notes)


def _first_rows(lines: list[bytes], wanted: int) -> tuple[list[bytes], bool]:
    """The lines with the first ``wanted`` rows, and whether rows are left."""
    if len(lines) <= wanted:
        return lines, False
    rows = [n for n, line in enumerate(lines) if line.strip()]
    if len(rows) <= wanted:
        return lines, False
    return lines[: rows[wanted]], True


def _blocks(source: Source) -> Iterator[_Block]:
    """The file in blocks of whole lines; always at least one."""
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
            yield _Block(first, lines)
            first += len(lines)
    if rest or first == 1:
        yield _Block(first, [rest])


def _parse(
    source: Source, block: _Block, dims: int, trusting: bool = True
) -> tuple[list[bytes], NDArray[np.float32]]:
    """Words and rows of a block.

    Lines of one word and single spaces, which is nearly all, are only cut in two; all numbers are
    then converted at once. Should one of them not be a number, every line is looked at closely.
    """
    words: list[bytes] = []
    numbers: list[bytes] = []
    for number, line in enumerate(block.lines, block.first):
        line = line.rstrip()
        word, _, rest = line.partition(b" ")
        if not trusting or rest.count(b" ") != dims - 1 or not rest:
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
        return _parse(source, block, dims, trusting=False)
    return words, flat.reshape(-1, dims)


def _split(where: str, line: bytes, dims: int) -> tuple[bytes, bytes]:
    """Word and numbers of an unusual line: odd spaces, or a word that holds spaces."""
    fields = line.split()
    if len(fields) == dims and line[:1].isspace() and all(map(_is_number, fields)):
        return b"", b" ".join(fields)  # a word of white space alone
    numbers = fields[-dims:]
    bad = next((field for field in numbers if not _is_number(field)), None)
    if bad is not None and len(fields) > dims:
        raise VectorsError(
            f"{where}: {_short(bad)} is not a number; expected a word and {dims} numbers."
        )
    # A word may hold spaces, but if it ends with a number the line is taken to be too long.
    if len(fields) <= dims or (len(fields) > dims + 1 and _is_number(fields[-dims - 1])):
        raise VectorsError(
            f"{where}: expected a word and {dims} numbers. Got"
            f" {_count_numbers(line)} numbers after {_short(fields[0])} instead."
        )
    return line.rsplit(None, dims)[0].strip(), b" ".join(numbers)


def _count_numbers(line: bytes) -> int:
    """Numbers at the end of a line; its first field is a word, whatever it looks like."""
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


def _short(line: bytes) -> str:
    text = line.strip()[:40].decode(errors="replace")
    return repr(text + "…" if len(line.strip()) > 40 else text)
