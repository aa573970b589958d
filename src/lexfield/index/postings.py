"""Postings: the rows that hold each word, and how often, as one list of bytes per word.

An entry is the gap to the row before in a variable number of bytes (Thiel and Heaps 1972), with a
bit that says whether the word occurs more than once in the row; if so, its count less 2 follows.
Most entries take one or two bytes. Only sentences have lists: those of documents are put together
from them, and phrases are found in the sentences that hold their rarest word.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.engine.compiled import kernel
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus

Entries = tuple[NDArray[np.int32], NDArray[np.int32]]  # rows, ascending, and counts
_STEP = 1 << 24  # tokens that are counted at a time
_NO_BYTES: NDArray[np.uint8] = np.empty(0, np.uint8)
_SMALL = 1 << 20  # bytes of lists that are checked all at once: that is quicker than one by one


class Postings:
    """The lists of the sentences of one segment."""

    def __init__(self, offsets: Array, sizes: Array, data: Array) -> None:
        self._offsets, self._data = offsets, data
        self.sizes = sizes  # rows that hold each word

    def find(self, word: int) -> Entries:
        """Return the rows that hold a word, ascending, and how often each does."""
        first, last = self._offsets[word : word + 2].tolist()
        own = self._data[first:last]
        found: Entries = _decode(own, self.sizes[word : word + 1].astype(np.int64))
        return found

    def find_all(self, words: Array) -> tuple[Array, Array, Array]:
        """Return the lists of several words, one after another, and the size of each."""
        ends = zip(self._offsets[words].tolist(), self._offsets[words + 1].tolist(), strict=True)
        data = np.concatenate([_NO_BYTES, *[self._data[first:last] for first, last in ends]])
        sizes = self.sizes[words].astype(np.int64)
        return *_decode(data, sizes), sizes

    def find_any(self, words: Array, groups: Array) -> tuple[Array, Array, Array]:
        """Return the rows that hold any word of a group, ascending, with the sums of their counts.

        The words of groups, and so what is returned, lie one after another; ``groups`` and the last
        array are their sizes.
        """
        found: tuple[Array, Array, Array] = merge_groups(*self.find_all(words), groups)
        return found

    def count_live(self, live: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of some rows hold each word."""
        lists = (live[self.find(word)[0]].sum() for word in range(len(self.sizes)))
        return np.fromiter(lists, np.int64, len(self.sizes))


class DocumentPostings(Postings):
    """The lists of documents, made of those of their sentences."""

    def __init__(self, sentences: Postings, corpus: Corpus, sizes: Array | None) -> None:
        self._sentences, self._corpus, self._sizes = sentences, corpus, sizes

    @cached_property
    def sizes(self) -> Array:  # type: ignore[override]
        if self._sizes is not None:
            return self._sizes
        lists = (len(self.find(word)[0]) for word in range(len(self._sentences.sizes)))
        return np.fromiter(lists, np.int64, len(self._sentences.sizes))

    @cached_property
    def documents(self) -> NDArray[np.int32]:
        """The document of each sentence."""
        sizes = np.diff(self._corpus.sentence_offsets)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def find(self, word: int) -> Entries:
        rows, counts = self._sentences.find(word)
        return _add_equal(self.documents[rows], counts, np.array([len(rows)]))[:2]

    def find_all(self, words: Array) -> tuple[Array, Array, Array]:
        rows, counts, sizes = self._sentences.find_all(words)
        return _add_equal(self.documents[rows], counts, sizes)


class OldPostings(Postings):
    """Lists as indexes had them before version 0.2 was released: plain rows and counts."""

    def __init__(self, offsets: Array, rows: Array, counts: Array) -> None:
        self._offsets, self._rows, self._counts = offsets, rows, counts
        self.sizes = np.diff(offsets)

    def find(self, word: int) -> Entries:
        part = slice(int(self._offsets[word]), int(self._offsets[word + 1]))
        return self._rows[part], self._counts[part]

    def find_all(self, words: Array) -> tuple[Array, Array, Array]:
        starts, sizes = self._offsets[words].astype(np.int64), self.sizes[words].astype(np.int64)
        entries = join_ranges(starts, sizes)
        return self._rows[entries], self._counts[entries], sizes


@dataclass(frozen=True)
class Lists:
    """What is made of the words of all sentences at once."""

    offsets: NDArray[np.int64]
    sizes: NDArray[np.int32]
    data: NDArray[np.uint8]


def make_lists(corpus: Corpus) -> Lists:
    """Return the lists of the sentences of a corpus."""
    offsets = np.zeros(len(corpus.vocabulary) + 1, np.int64)
    nothing = np.empty(0, np.uint8)
    sizes = _walk_all(corpus, offsets[1:], nothing)
    np.cumsum(offsets, out=offsets)
    data = np.empty(int(offsets[-1]), np.uint8)
    _walk_all(corpus, offsets[:-1].copy(), data)
    return Lists(offsets, sizes, data)


def save_postings(out: Writer, name: str, corpus: Corpus) -> None:
    """Write what ``load_postings`` maps."""
    lists = make_lists(corpus)
    out.array(f"{name}.lists.offsets", lists.offsets)
    out.array(f"{name}.lists.sizes", lists.sizes)
    out.array(f"{name}.lists.bytes", lists.data)
    del lists
    holding = np.zeros(len(corpus.vocabulary), np.int32)
    last = np.full(len(corpus.vocabulary), -1, np.int32)
    for first, starts, tokens in split_rows(corpus, corpus.token_offsets[corpus.sentence_offsets]):
        _count_holding(first, starts, tokens, last, holding)
    out.array(f"{name}.lists.document.sizes", holding)


def load_postings(store: Store, name: str, corpus: Corpus, unit: str) -> Postings:
    """Map the postings of a segment; they are made anew if lexfield 0.1 wrote lists of stems."""
    if f"{name}.lists.bytes" in store:
        offsets, sizes = store.array(f"{name}.lists.offsets"), store.array(f"{name}.lists.sizes")
        data = store.checked(f"{name}.lists.bytes")
        lists = Postings(offsets, sizes, np.asarray(data) if len(data) <= _SMALL else data)
        if unit == "sentence":
            return lists
        return DocumentPostings(lists, corpus, store.array(f"{name}.lists.document.sizes"))
    for folder in (f"{name}.postings.{unit}", f"{name}.bags.{unit}"):
        if f"{folder}.rows" in store and f"{name}.bags.stems.bytes" not in store:
            parts = ("offsets", "rows", "counts")
            return OldPostings(*(store.array(f"{folder}.{part}") for part in parts))
    made = make_lists(corpus)
    lists = Postings(made.offsets, made.sizes, made.data)
    return lists if unit == "sentence" else DocumentPostings(lists, corpus, None)


def split_rows(corpus: Corpus, starts: Array) -> list[tuple[int, Array, Array]]:
    """Return rows in parts of about ``_STEP`` tokens: the first row, where each begins, tokens."""
    tokens, ends = corpus.arrays["tokens"], starts.astype(np.int64)
    cuts = np.unique(np.searchsorted(ends, np.arange(0, int(ends[-1]), _STEP))).tolist()
    bounds = [*cuts, len(ends) - 1]
    return [
        (low, ends[low : high + 1] - ends[low], tokens[int(ends[low]) : int(ends[high])])
        for low, high in pairwise(bounds)
        if low < high
    ]


def _walk_all(corpus: Corpus, cursor: Array, data: Array) -> NDArray[np.int32]:
    """Write all lists, each from its ``cursor`` on, or measure them if ``data`` is empty.

    Return the number of entries of each.
    """
    size = len(corpus.vocabulary)
    sizes, counts = np.zeros(size, np.int32), np.zeros(size, np.int32)
    before, current = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    for first, starts, tokens in split_rows(corpus, corpus.token_offsets):
        _walk(first, starts, np.asarray(tokens), sizes, before, current, counts, cursor, data)
    _end_all(sizes, before, current, counts, cursor, data)
    return sizes


@kernel
def _walk(
    first: int,
    starts: Array,
    tokens: Array,
    sizes: Array,
    before: Array,
    current: Array,
    counts: Array,
    cursor: Array,
    data: Array,
) -> None:
    """Count words row by row; the entry of a word ends when it is met in a later row."""
    for place in range(len(starts) - 1):
        row = first + place
        for token in tokens[starts[place] : starts[place + 1]]:
            if current[token] == row:
                counts[token] += 1
                continue
            _end_entry(token, sizes, before, current, counts, cursor, data)
            current[token] = row
            counts[token] = 1


@kernel
def _end_all(
    sizes: Array, before: Array, current: Array, counts: Array, cursor: Array, data: Array
) -> None:
    for word in range(len(sizes)):
        _end_entry(word, sizes, before, current, counts, cursor, data)


@kernel
def _end_entry(
    word: int,
    sizes: Array,
    before: Array,
    current: Array,
    counts: Array,
    cursor: Array,
    data: Array,
) -> None:
    if current[word] < 0:
        return
    several = counts[word] > 1
    gap = np.int64(current[word]) - before[word] - 1
    cursor[word] = _put(data, cursor[word], 2 * gap + several)
    if several:
        cursor[word] = _put(data, cursor[word], counts[word] - 2)
    before[word] = current[word]
    sizes[word] += 1


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
def _decode(data: Array, sizes: Array) -> tuple[Array, Array]:
    """Return the entries of lists of so many, whose bytes lie one after another."""
    total = sizes.sum()
    rows, counts = np.empty(total, np.int32), np.ones(total, np.int32)
    place, first = 0, 0
    for size in sizes:
        row = np.int64(-1)
        for entry in range(first, first + size):
            value, place = _take(data, place)
            row += (value >> 1) + 1
            rows[entry] = row
            if value & 1:
                value, place = _take(data, place)
                counts[entry] = value + 2
        first += size
    return rows, counts


@kernel
def _take(data: Array, place: int) -> tuple[int, int]:
    """Return the number that ``_put`` has written, and the place behind it."""
    byte = np.int64(data[place])
    value, shift = byte & 127, 7
    place += 1
    while byte >= 128:
        byte = np.int64(data[place])
        value |= (byte & 127) << shift
        shift += 7
        place += 1
    return int(value), place


@kernel
def _add_equal(rows: Array, counts: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Return the distinct of ascending rows in each of some lists, with the sums of their counts,
    and how many are left of each list."""
    distinct, sums = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    left = np.empty(len(sizes), np.int64)
    size = last = 0
    for number in range(len(sizes)):
        first, begin = last, size
        last += sizes[number]
        for entry in range(first, last):
            if size > begin and distinct[size - 1] == rows[entry]:
                sums[size - 1] += counts[entry]
            else:
                distinct[size], sums[size] = rows[entry], counts[entry]
                size += 1
        left[number] = size - begin
    return distinct[:size].copy(), sums[:size].copy(), left


@kernel
def merge_groups(
    rows: Array, counts: Array, sizes: Array, groups: Array
) -> tuple[Array, Array, Array]:
    """Return the rows of any list of a group, ascending, with the sums of their counts; lists and
    groups lie one after another."""
    merged, sums = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    left = np.empty(len(groups), np.int64)
    ends = np.cumsum(sizes)
    heads, last = ends - sizes, np.int32(np.iinfo(np.int32).max)
    size = number = 0
    for group in range(len(groups)):
        begin, until = size, number + groups[group]
        while True:
            row = last
            for one in range(number, until):
                if heads[one] < ends[one]:
                    row = min(row, rows[heads[one]])
            if row == last:
                break
            merged[size], sums[size] = row, 0
            for one in range(number, until):
                if heads[one] < ends[one] and rows[heads[one]] == row:
                    sums[size] += counts[heads[one]]
                    heads[one] += 1
            size += 1
        left[group], number = size - begin, until
    return merged[:size].copy(), sums[:size].copy(), left


@kernel
def _count_holding(first: int, starts: Array, tokens: Array, last: Array, holding: Array) -> None:
    """Count for each word the rows that hold it; ``last`` is the last of them."""
    for place in range(len(starts) - 1):
        for token in tokens[starts[place] : starts[place + 1]]:
            if last[token] != first + place:
                last[token] = first + place
                holding[token] += 1
