"""fastText model files (``.bin``, version 12): dictionary, word rows and n-gram rows.

The layout is that of ``FastText::saveModel``: magic and version; the arguments; the dictionary,
words before labels; the input matrix (a row for each word, then for each bucket); the output
matrix, which is of no use here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    MAX_WORD,
    ByteReader,
    Parsed,
    Source,
    TruncatedError,
    decode,
    limit_note,
    read_floats,
    replaced_note,
)
from lexfield.vectors.formats.fasttext import MAX_NGRAM, Subwords, add_ngrams

MAGIC = 793712314
_TOGETHER = 4096  # words that are decoded at a time
_VERSION = 12
_ARGUMENTS = struct.Struct("<2i12id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<?2q")
_ENTRY_TAIL = 9  # count (int64) and kind (int8) after the word's zero byte
_COMPOSE = 1 << 16  # bytes of words composed at a time: bounds the n-grams held


@dataclass(frozen=True)
class _Arguments:
    dims: int
    buckets: int
    minn: int
    maxn: int


def read(source: Source, limit: int | None, progress: Progress) -> Parsed:
    reader = ByteReader(source)
    try:
        arguments = _arguments(source, reader)
        words, labels = _dictionary(source, reader)
        rows = _input_shape(source, reader, arguments, len(words))
        start = reader.position
        _check_output(source, start + 4 * rows * arguments.dims)
        wanted = len(words) if limit is None else min(len(words), limit)
        matrix = _rows_at(source, start, wanted, arguments.dims)
        end = start + 4 * len(words) * arguments.dims
        notes: list[str] = []
        subwords = _subwords(source, end, arguments, notes)
    except TruncatedError:
        raise VectorsError(f"{source} is truncated.", "Fetch the file again.") from None
    except ValueError as error:
        if isinstance(error, VectorsError):
            raise
        raise VectorsError(f"{source} has a damaged dictionary: {error}.") from error
    total = len(words)
    del words[wanted:]
    _compose(words, matrix, subwords, progress)
    decoded: list[str] = []
    broken = 0
    for first in range(0, wanted, _TOGETHER):
        some, replaced = decode(words[first : first + _TOGETHER])
        words[first : first + len(some)] = [b""] * len(some)  # not to hold all of them twice
        decoded += some
        broken += replaced
    notes += replaced_note(broken)
    if labels:
        notes.append(f"{labels:,} labels of the classifier were skipped")
    if wanted < total:
        notes.append(limit_note(wanted, total))
    return Parsed(decoded, matrix, notes, subwords)


def _arguments(source: Source, reader: ByteReader) -> _Arguments:
    magic, version, dims, *_, buckets, minn, maxn, _, _ = _ARGUMENTS.unpack(
        reader.take(_ARGUMENTS.size)
    )
    if magic != MAGIC:
        raise VectorsError(
            f"{source} is not a fastText model: it begins with {magic}, not {MAGIC}.",
            "Models of before 2017 lack this number: read their .vec file instead.",
        )
    if version != _VERSION:
        raise VectorsError(
            f"{source}: fastText models of version {_VERSION} can be read. Got {version} instead.",
            "Read its .vec file instead.",
        )
    source.require_dims(dims)
    if buckets < 0 or not 0 <= maxn <= MAX_NGRAM or minn < 0:
        raise VectorsError(
            f"{source}: n-gram settings out of range: bucket={buckets}, minn={minn}, maxn={maxn}."
        )
    return _Arguments(dims, buckets, minn, maxn)


def _dictionary(source: Source, reader: ByteReader) -> tuple[list[bytes], int]:
    """The words, and how many labels were skipped."""
    size, count, labels, _, pruned = _DICTIONARY.unpack(reader.take(_DICTIONARY.size))
    if min(count, labels) < 0 or size != count + labels:
        raise VectorsError(
            f"{source}: the dictionary claims {size:,} entries, {count:,} words and"
            f" {labels:,} labels, which do not agree.",
            "Fetch the file again.",
        )
    if pruned > 0:
        raise _quantised(source.path)
    if not count:
        raise VectorsError(f"{source} holds {labels:,} labels and no words.")
    source.require(size, 1 + _ENTRY_TAIL, f"a dictionary of {size:,} entries")
    words: list[bytes] = []
    for entry in range(size):
        word = reader.until(b"\0", MAX_WORD)
        kind = reader.take(_ENTRY_TAIL)[-1]
        if kind != (entry >= count):
            raise VectorsError(f"{source}: entry {entry + 1:,} of the dictionary is damaged.")
        if entry < count:
            words.append(word)
    return words, labels


def _input_shape(source: Source, reader: ByteReader, arguments: _Arguments, words: int) -> int:
    """Rows of the input matrix, checked against all that the file has said so far."""
    quantised = reader.take(1)
    if quantised != b"\0":
        raise _quantised(source.path)
    rows, dims = struct.unpack("<2q", reader.take(16))
    ngrams = arguments.buckets if arguments.maxn else 0
    if dims != arguments.dims or rows < words + ngrams:
        raise VectorsError(
            f"{source}: expected a matrix of {words + ngrams:,} by {arguments.dims}."
            f" Got {rows:,} by {dims:,} instead.",
            "Fetch the file again.",
        )
    source.require(rows, 4 * dims, f"a matrix of {rows:,} by {dims:,}")
    return int(rows)


def _check_output(source: Source, start: int) -> None:
    """A download that broke off is told from a whole one by the matrix nobody needs."""
    source.seek(start)
    header = source.read(_MATRIX.size)
    if len(header) < _MATRIX.size:
        raise TruncatedError
    quantised, rows, dims = _MATRIX.unpack(header)
    if not quantised and start + _MATRIX.size + 4 * rows * dims > source.size:
        raise TruncatedError


def _rows_at(source: Source, start: int, rows: int, dims: int) -> NDArray[np.float32]:
    if start + 4 * rows * dims > source.size:
        raise TruncatedError
    source.seek(start)
    return read_floats(source, rows * dims, np.dtype("<f4")).reshape(rows, dims)


def _subwords(
    source: Source, start: int, arguments: _Arguments, notes: list[str]
) -> Subwords | None:
    """The n-gram rows, if the model has any."""
    if not arguments.maxn or not arguments.buckets or arguments.minn > arguments.maxn:
        return None
    buckets = _rows_at(source, start, arguments.buckets, arguments.dims)
    broken = 0
    for first in range(0, len(buckets), 4096):
        part = buckets[first : first + 4096]
        bad = ~np.isfinite(part).all(axis=1)
        part[bad] = 0
        broken += int(bad.sum())
    if broken:
        notes.append(f"{broken:,} n-gram vectors were not finite and count as zero")
    return Subwords(arguments.minn, arguments.maxn, buckets)


def _compose(
    words: list[bytes],
    matrix: NDArray[np.float32],
    subwords: Subwords | None,
    progress: Progress,
) -> None:
    """Own rows become word vectors, a batch at a time."""
    first = 0
    while first < len(words):
        last, size = first, 0
        while last < len(words) and size < _COMPOSE:
            size += len(words[last]) + 2
            last += 1
        if subwords is not None:
            add_ngrams(matrix[first:last], words[first:last], subwords)
        progress(last, len(words))
        first = last


def _quantised(path: Path) -> VectorsError:
    return VectorsError(
        f"{path} is a quantised fastText model, whose vectors are only approximate.",
        "Read the model it was made from, or its .vec file.",
    )
