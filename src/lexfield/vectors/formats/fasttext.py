"""fastText model files (``.bin``, version 12), and vectors for words that their vocabulary lacks.

Bojanowski, Grave, Joulin, Mikolov: Enriching Word Vectors with Subword Information (TACL 2017).
A word is bracketed as ``<word>``; every run of ``minn`` to ``maxn`` code points is hashed (FNV-1a,
32 bits) to one of the rows of ``buckets``; the vector of the word is the mean of those rows.

The layout of a file is that of ``FastText::saveModel``: magic number and version; the arguments;
the dictionary, words before labels; the input matrix (a row per word, then per bucket); the output
matrix, which is not needed.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import VectorsError
from lexfield.progress import Progress
from lexfield.vectors.formats.common import (
    AGAIN,
    MAX_WORD,
    ByteReader,
    TruncatedError,
    VectorData,
    VectorFile,
    WordList,
    limit_note,
)

MAGIC = 793712314
_VERSION = 12
_ARGUMENTS = struct.Struct("<2i12id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<?2q")
_ENTRY_TAIL = 9  # count (int64) and kind (int8) after the zero byte of a word
_BATCH = 1 << 16  # bytes of words composed and decoded at a time: bounds the n-grams in memory
_ROWS = 4096  # rows checked at a time
_MAX_NGRAM = 64  # fastText itself uses 6; the bound keeps a damaged file from running for ever
_END_OF_SENTENCE = b"</s>"  # fastText has no n-grams for this word
_BASIS = np.uint32(2166136261)
_PRIME = np.uint32(16777619)


@dataclass(frozen=True, eq=False)
class Subwords:
    """The n-gram vectors of a fastText model."""

    minn: int
    maxn: int
    buckets: NDArray[np.float32]

    def __post_init__(self) -> None:
        if not 1 <= self.maxn <= _MAX_NGRAM or not 0 <= self.minn <= self.maxn:
            raise VectorsError(
                f"Subwords need 0 ≤ minn ≤ maxn ≤ {_MAX_NGRAM} and maxn ≥ 1."
                f" Got minn={self.minn}, maxn={self.maxn} instead."
            )
        if self.buckets.ndim != 2 or not len(self.buckets):
            raise VectorsError(
                f"Subwords need a matrix of bucket vectors. Got shape {self.buckets.shape} instead."
            )

    def __call__(self, word: str) -> NDArray[np.float32] | None:
        """Return the vector of a word outside the vocabulary; None if it has no n-gram."""
        ids, _ = self.ngrams([word.encode(errors="replace")])
        if not len(ids):
            return None
        with np.errstate(over="ignore"):
            mean = self.buckets[ids].mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean if np.isfinite(mean).all() else None

    def ngrams(self, words: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the bucket rows of all words, one word after the other, and a count per word."""
        marked = [b"" if word == _END_OF_SENTENCE else b"<%b>" % word for word in words]
        hashes, owners = _hash_ngrams(marked, self.minn, self.maxn)
        order = np.argsort(owners, kind="stable")
        ids = (hashes[order] % np.uint32(len(self.buckets))).astype(np.int64)
        return ids, np.bincount(owners, minlength=len(words))

    def add_to(self, matrix: NDArray[np.float32], words: Sequence[bytes]) -> None:
        """Replace the own rows of vocabulary words by the mean of own row and n-gram rows."""
        from scipy.sparse import csr_array

        ids, counts = self.ngrams(words)
        starts = np.concatenate([[0], np.cumsum(counts)])
        ones = np.ones(len(ids), np.float32)
        which = csr_array((ones, ids, starts), shape=(len(words), len(self.buckets)))
        with np.errstate(over="ignore", invalid="ignore"):
            matrix += which @ self.buckets
            matrix /= (counts + 1).astype(np.float32)[:, None]


def _hash_ngrams(
    words: Sequence[bytes], minn: int, maxn: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the hash of every n-gram and the word it belongs to, for all words at once.

    The n-grams that begin at each code point grow together, by a code point per step.
    """
    text = np.frombuffer(b"".join(words), np.uint8)
    lengths = np.array([len(word) for word in words], np.int64)
    inside = (text & 0xC0) == 0x80  # a UTF-8 continuation byte
    # fastText hashes signed chars: bytes from 0x80 on are sign-extended to 32 bits.
    signed = text.view(np.int8).astype(np.int32).view(np.uint32)
    at: NDArray[np.int64] = np.flatnonzero(~inside)
    owner = np.repeat(np.arange(len(words)), lengths)[at]
    end: NDArray[np.int64] = np.cumsum(lengths)[owner]
    first = at == end - lengths[owner]
    hashes: NDArray[np.uint32] = np.full(len(at), _BASIS)
    found = [np.empty(0, np.uint32)]
    owners = [np.empty(0, np.int64)]
    for n in range(1, maxn + 1):
        growing = np.arange(len(at))
        while len(growing):
            hashes[growing] = (hashes[growing] ^ signed[at[growing]]) * _PRIME
            at[growing] += 1
            growing = growing[at[growing] < end[growing]]
            growing = growing[inside[at[growing]]]
        if n >= minn:
            # The brackets alone are not n-grams.
            good = ~(first | (at == end)) if n == 1 else np.ones(len(at), np.bool_)
            found.append(hashes[good])
            owners.append(owner[good])
        more = at < end
        at, owner, end, first, hashes = at[more], owner[more], end[more], first[more], hashes[more]
        if not len(at):
            break
    return np.concatenate(found), np.concatenate(owners)


def read(source: VectorFile, limit: int, progress: Progress) -> VectorData:
    reader = ByteReader(source)
    dims, count, minn, maxn = _read_arguments(source, reader)
    words, labels = _read_dictionary(source, reader)
    total = len(words)
    _check_matrices(source, reader, dims, total + (count if maxn else 0))
    start = reader.position
    wanted = min(total, limit)
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
    return VectorData(decoded.words, matrix, notes=notes, compose=subwords)


def _read_arguments(source: VectorFile, reader: ByteReader) -> tuple[int, int, int, int]:
    """Return dims, buckets, minn and maxn."""
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
    if buckets < 0 or not 0 <= maxn <= _MAX_NGRAM or minn < 0:
        raise VectorsError(
            f"{source}: n-gram settings out of range: bucket={buckets}, minn={minn}, maxn={maxn}."
        )
    return dims, buckets, minn, maxn


def _read_dictionary(source: VectorFile, reader: ByteReader) -> tuple[list[bytes], int]:
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


def _check_matrices(source: VectorFile, reader: ByteReader, dims: int, needed: int) -> None:
    """Read the header of the input matrix. Raise VectorsError unless both matrices can be there."""
    quantised, rows, columns = _MATRIX.unpack(reader.take(_MATRIX.size))
    if quantised:
        raise _refuse_quantised(source)
    if columns != dims or rows < needed:
        raise VectorsError(
            f"{source}: expected a matrix of {needed:,} by {dims}."
            f" Got {rows:,} by {columns:,} instead.",
            AGAIN,
        )
    source.check_holds(rows, 4 * dims, f"a matrix of {rows:,} by {dims:,}")
    start = reader.position + 4 * rows * dims
    source.seek(start)
    quantised, rows, columns = _MATRIX.unpack(source.read(_MATRIX.size))
    if not quantised and start + _MATRIX.size + 4 * rows * columns > source.size:
        raise TruncatedError


def _read_rows(source: VectorFile, start: int, rows: int, dims: int) -> NDArray[np.float32]:
    return np.fromfile(source.path, "<f4", rows * dims, offset=start).reshape(rows, dims)


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


def _refuse_quantised(source: VectorFile) -> VectorsError:
    return VectorsError(
        f"{source} is a quantised fastText model, whose vectors are only approximate.",
        "Read the model it was made from, or its .vec file.",
    )
