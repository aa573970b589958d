"""fastText model files (``.bin``, version 12): dictionary, word rows and n-gram rows.

The layout is that of ``FastText::saveModel``: magic number and version; the arguments; the
dictionary, words before labels; the input matrix (a row per word, then per bucket); the output
matrix, which is not needed.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    AGAIN,
    MAX_WORD,
    ByteReader,
    Source,
    TruncatedError,
    VectorFile,
    WordList,
    limit_note,
)
from lexfield.vectors.formats.subwords import MAX_NGRAM, Subwords

MAGIC = 793712314
_VERSION = 12
_ARGUMENTS = struct.Struct("<2i12id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<?2q")
_ENTRY_TAIL = 9  # count (int64) and kind (int8) after the zero byte of a word
_BATCH = 1 << 16  # bytes of words composed and decoded at a time: bounds the n-grams in memory
_ROWS = 4096  # rows checked at a time


class _Arguments(NamedTuple):
    dims: int
    buckets: int
    minn: int
    maxn: int


def read(source: Source, limit: int | None, progress: Progress) -> VectorFile:
    reader = ByteReader(source)
    arguments = _read_arguments(source, reader)
    words, labels = _read_dictionary(source, reader)
    rows = _read_shape(source, reader, arguments, len(words))
    dims, count, minn, maxn = arguments
    start = reader.position
    _check_output(source, start + 4 * rows * dims)
    total = len(words)
    wanted = total if limit is None else min(total, limit)
    matrix = _read_rows(source, start, wanted, dims)
    subwords, notes = None, []
    if count > 0 and 0 < maxn >= minn:
        buckets = _read_rows(source, start + 4 * total * dims, count, dims)
        notes = _clear_broken(buckets)
        subwords = Subwords(minn, maxn, buckets)
    del words[wanted:]
    decoded = _compose(words, matrix, subwords, progress)
    notes += decoded.notes()
    if labels:
        notes.append(f"{labels:,} labels of the classifier were skipped")
    if wanted < total:
        notes.append(limit_note(wanted, total))
    return VectorFile(decoded.words, matrix, notes=notes, subwords=subwords)


def _read_arguments(source: Source, reader: ByteReader) -> _Arguments:
    magic, version, dims, *_, buckets, minn, maxn, _, _ = _ARGUMENTS.unpack(
        reader.take(_ARGUMENTS.size)
    )
    if magic != MAGIC:
        raise VectorsError(
            f"{source} is not a fastText model: it begins with {magic}, not {MAGIC}.",
            "Models from before 2017 lack this number: read their .vec file instead.",
        )
    if version != _VERSION:
        raise VectorsError(
            f"{source}: fastText models of version {_VERSION} can be read. Got {version} instead.",
            "Read its .vec file instead.",
        )
    source.check_dims(dims)
    if buckets < 0 or not 0 <= maxn <= MAX_NGRAM or minn < 0:
        raise VectorsError(
            f"{source}: n-gram settings out of range: bucket={buckets}, minn={minn}, maxn={maxn}."
        )
    return _Arguments(dims, buckets, minn, maxn)


def _read_dictionary(source: Source, reader: ByteReader) -> tuple[list[bytes], int]:
    """Return the words, and the number of labels that were skipped."""
    size, count, labels, _, pruned = _DICTIONARY.unpack(reader.take(_DICTIONARY.size))
    if min(count, labels) < 0 or size != count + labels:
        raise VectorsError(
            f"{source}: the dictionary claims {size:,} entries, {count:,} words and"
            f" {labels:,} labels, which do not agree.",
            AGAIN,
        )
    if pruned > 0:
        raise _refuse_quantised(source)
    if not count:
        raise VectorsError(f"{source} holds {labels:,} labels and no words.")
    source.check_holds(size, 1 + _ENTRY_TAIL, f"a dictionary of {size:,} entries")
    words: list[bytes] = []
    for entry in range(size):
        try:
            word = reader.take_until(b"\0", MAX_WORD)
        except ValueError as error:
            raise VectorsError(f"{source} has a damaged dictionary: {error}.") from error
        kind = reader.take(_ENTRY_TAIL)[-1]
        if kind != (entry >= count):
            raise VectorsError(f"{source}: entry {entry + 1:,} of the dictionary is damaged.")
        if entry < count:
            words.append(word)
    return words, labels


def _read_shape(source: Source, reader: ByteReader, arguments: _Arguments, words: int) -> int:
    """Return the rows of the input matrix, checked against all that the file has said so far."""
    if reader.take(1) != b"\0":
        raise _refuse_quantised(source)
    rows, dims = struct.unpack("<2q", reader.take(16))
    needed = words + (arguments.buckets if arguments.maxn else 0)
    if dims != arguments.dims or rows < needed:
        raise VectorsError(
            f"{source}: expected a matrix of {needed:,} by {arguments.dims}."
            f" Got {rows:,} by {dims:,} instead.",
            AGAIN,
        )
    source.check_holds(rows, 4 * dims, f"a matrix of {rows:,} by {dims:,}")
    return int(rows)


def _check_output(source: Source, start: int) -> None:
    """Raise TruncatedError if the output matrix, the last part of the file, is incomplete."""
    source.seek(start)
    quantised, rows, dims = _MATRIX.unpack(source.read_exactly(_MATRIX.size))
    if not quantised and start + _MATRIX.size + 4 * rows * dims > source.size:
        raise TruncatedError


def _read_rows(source: Source, start: int, rows: int, dims: int) -> NDArray[np.float32]:
    if start + 4 * rows * dims > source.size:
        raise TruncatedError
    source.seek(start)
    return source.read_floats(rows * dims, "<f4").reshape(rows, dims)


def _clear_broken(buckets: NDArray[np.float32]) -> list[str]:
    """Set n-gram vectors that are not finite to zero, and return a note if there were any."""
    broken = 0
    for first in range(0, len(buckets), _ROWS):
        part = buckets[first : first + _ROWS]
        bad = ~np.isfinite(part).all(axis=1)
        part[bad] = 0
        broken += int(bad.sum())
    return [f"{broken:,} n-gram vectors were not finite and count as zero"] if broken else []


def _compose(
    words: list[bytes], matrix: NDArray[np.float32], subwords: Subwords | None, progress: Progress
) -> WordList:
    """Turn own rows into word vectors and decode the words, a batch at a time."""
    decoded = WordList()
    first = 0
    while first < len(words):
        last, size = first, 0
        while last < len(words) and size < _BATCH:
            size += len(words[last]) + 2
            last += 1
        if subwords is not None:
            subwords.add_to(matrix[first:last], words[first:last])
        decoded.add(words[first:last])
        words[first:last] = [b""] * (last - first)  # do not hold all words twice
        progress(last, len(words))
        first = last
    return decoded


def _refuse_quantised(source: Source) -> VectorsError:
    return VectorsError(
        f"{source} is a quantised fastText model, whose vectors are only approximate.",
        "Read the model it was made from, or its .vec file.",
    )
