"""The lists of postings as they are stored: which rows hold each word, and how often.

A list of bytes has an entry per row: the gap to the row before in a variable number of bytes (Thiel
and Heaps 1972), with a bit that says whether the word occurs more than once in the row; if so, its
count less 2 follows. Most entries take one or two bytes.

A word in one row of 8 to 2,048 is *common*. Its rows are stored as they are: those of each chunk of
65,536 rows as 16-bit numbers, like the arrays of Roaring (Chambi et al. 2016). They can be added up
without decoding. Its list of bytes has only the rows that hold it several times. Most words in more
rows are stopwords, and their lists would be twice as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.store.scratch import Allocate, release
from lexfield.text.corpus import Corpus

CHUNK_BITS = 16  # a chunk has 2**CHUNK_BITS rows
_DENSE, _SPARSE = 8, 2048  # a common word is in one row of so many
_LEAST = 64  # rows that hold a common word
_WITHIN = (1 << CHUNK_BITS) - 1
_STEP = 1 << 22  # tokens that are counted at a time


@dataclass(frozen=True)
class Lists:
    """The lists of all words of some rows."""

    offsets: Array  # word → its first byte in ``data``
    sizes: Array  # rows that hold each word
    data: Array  # lists of bytes
    common: Array  # the common words, ascending
    chunks: Array  # common word × chunk → its first place in ``low``; then the end of all
    low: Array  # the lowest 16 bits of the rows of common words


def make_lists(corpus: Corpus, allocate: Allocate = np.zeros) -> Lists:
    """Return the lists of the sentences of a corpus; large arrays are made by ``allocate``."""
    starts = np.asarray(corpus.arrays["token_offsets"])
    words, rows = len(corpus.vocabulary), len(starts) - 1
    sizes = count_holding(corpus, starts, np.arange(words, dtype=np.int32))
    common = np.flatnonzero(
        (sizes >= max(_LEAST, rows / _SPARSE)) & (sizes <= rows / _DENSE)
    )  # fmt: skip
    numbers = np.full(words, -1, np.int32)
    numbers[common] = np.arange(len(common))
    per_word = count_chunks(rows)
    offsets = np.zeros(words + 1, np.int64)
    chunks = np.zeros(len(common) * per_word + 1, np.int64)
    nothing = np.empty(0, np.uint8), np.empty(0, np.uint16)
    _walk_all(corpus, starts, numbers, offsets[1:], chunks[1:], *nothing)
    np.cumsum(offsets, out=offsets)
    np.cumsum(chunks, out=chunks)
    data, low = allocate(int(offsets[-1]), np.uint8), allocate(int(chunks[-1]), np.uint16)
    places = offsets[:-1].copy(), chunks[:-1:per_word].copy()
    _walk_all(corpus, starts, numbers, *places, data, low)
    return Lists(offsets, sizes, data, common.astype(np.int32), chunks, low)


def count_chunks(rows: int) -> int:
    """Return how many chunks some rows have."""
    return max(1, -(-rows >> CHUNK_BITS))


def count_holding(corpus: Corpus, starts: Array, terms: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return how many of the rows that begin at ``starts`` hold each term; words have terms."""
    size = int(terms.max(initial=-1)) + 1
    holding, last = np.zeros(size, np.int32), np.full(size, -1, np.int32)
    for first, own, tokens in split_rows(corpus, starts):
        _count_holding(first, own, np.asarray(tokens), terms, last, holding)
    return holding


def split_rows(corpus: Corpus, starts: Array) -> Iterator[tuple[int, Array, Array]]:
    """Yield rows in parts of about ``_STEP`` tokens: the first row, where each begins, tokens."""
    tokens = corpus.arrays["tokens"]
    wanted = np.arange(0, int(starts[-1]), _STEP).astype(starts.dtype)
    cuts = np.unique(np.searchsorted(starts, wanted)).tolist()
    for low, high in pairwise([*cuts, len(starts) - 1]):
        if low < high:
            own = starts[low : high + 1].astype(np.int64)
            yield low, own - own[0], tokens[int(own[0]) : int(own[-1])]
            release()


def _walk_all(
    corpus: Corpus,
    rows: Array,
    numbers: Array,
    cursor: Array,
    places: Array,
    data: Array,
    low: Array,
) -> None:
    """Write all lists, the bytes of each word from its ``cursor`` on, the rows of each common word
    from its place on. If ``data`` and ``low`` are empty, measure them: ``places`` are those of the
    chunks of common words then."""
    size = len(numbers)
    before, current = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    state = numbers, before, current, np.zeros(size, np.int32), cursor, places, data, low
    chunks = 0 if len(data) or len(low) else count_chunks(len(rows) - 1)
    for first, starts, tokens in split_rows(corpus, rows):
        _walk(first, starts, np.asarray(tokens), state, chunks)
    _end_all(state, chunks)


@kernel
def _walk(first: int, starts: Array, tokens: Array, state: tuple[Array, ...], chunks: int) -> None:
    """Count words row by row; the entry of a word ends when it is met in a later row."""
    _, _, current, counts, _, _, _, _ = state
    for place in range(len(starts) - 1):
        row = first + place
        for token in tokens[starts[place] : starts[place + 1]]:
            if current[token] == row:
                counts[token] += 1
                continue
            _end_entry(token, state, chunks)
            current[token] = row
            counts[token] = 1


@kernel
def _end_all(state: tuple[Array, ...], chunks: int) -> None:
    for word in range(len(state[0])):
        _end_entry(word, state, chunks)


@kernel
def _end_entry(word: int, state: tuple[Array, ...], chunks: int) -> None:
    """Write the entry of a word, or measure it; ``state`` is that of ``_walk_all``."""
    numbers, before, current, counts, cursor, places, data, low = state
    if current[word] < 0:
        return
    row, several, number = np.int64(current[word]), counts[word] > 1, numbers[word]
    if number >= 0:
        if chunks:
            places[number * chunks + (row >> CHUNK_BITS)] += 1
        else:
            low[places[number]] = row & _WITHIN
            places[number] += 1
        if not several:
            return
    cursor[word] = _put(data, cursor[word], 2 * (row - before[word] - 1) + several)
    if several:
        cursor[word] = _put(data, cursor[word], counts[word] - 2)
    before[word] = row


@kernel
def _put(data: Array, place: int, value: int) -> int:
    """Write a number, seven bits per byte, the lowest first; return the place behind it."""
    while value >= 128:
        if len(data):
            data[place] = 128 | (value & 127)
        value >>= 7
        place += 1
    if len(data):
        data[place] = value
    return place + 1


@kernel
def take(data: Array, place: int) -> tuple[np.int64, int]:
    """Return the number that begins at a place, and the place behind it."""
    byte = np.int64(data[place])
    value, shift = byte & 127, 7
    place += 1
    while byte >= 128:
        byte = np.int64(data[place])
        value |= (byte & 127) << shift
        shift += 7
        place += 1
    return value, place


@kernel
def decode(data: Array, sizes: Array) -> tuple[Array, Array]:
    """Return the rows and counts of lists of so many entries, whose bytes lie one after another."""
    total = sizes.sum()
    rows, counts = np.empty(total, np.int32), np.ones(total, np.int32)
    place, first = 0, 0
    for size in sizes:
        row = np.int64(-1)
        for entry in range(first, first + size):
            value, place = take(data, place)
            row += (value >> 1) + 1
            rows[entry] = row
            if value & 1:
                value, place = take(data, place)
                counts[entry] = value + 2
        first += size
    return rows, counts


@kernel
def join_chunks(low: Array, chunks: Array, data: Array) -> tuple[Array, Array]:
    """Return the rows and counts of a common word. ``chunks`` are where its chunks begin in ``low``
    and where the last one ends, ``data`` its list of bytes."""
    size = chunks[-1] - chunks[0]
    rows, counts = np.empty(size, np.int32), np.ones(size, np.int32)
    for chunk in range(len(chunks) - 1):
        base = chunk << CHUNK_BITS
        for place in range(chunks[chunk] - chunks[0], chunks[chunk + 1] - chunks[0]):
            rows[place] = base + low[place]
    place, row, entry = 0, np.int64(-1), 0
    while place < len(data):
        value, place = take(data, place)
        row += (value >> 1) + 1
        while rows[entry] < row:
            entry += 1
        value, place = take(data, place)
        counts[entry] = value + 2
    return rows, counts


@kernel
def _count_holding(
    first: int, starts: Array, tokens: Array, terms: Array, last: Array, holding: Array
) -> None:
    """Count for each term the rows that hold it; ``last`` is the last of them."""
    for place in range(len(starts) - 1):
        for token in tokens[starts[place] : starts[place + 1]]:
            term = terms[token]
            if last[term] != first + place:
                last[term] = first + place
                holding[term] += 1
