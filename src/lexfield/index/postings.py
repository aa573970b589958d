"""Postings: the rows that hold each word, and how often (``lists.py`` says how they are stored).

Only sentences have lists: those of documents are put together from them, and phrases are found in
the sentences that hold their rarest word.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.engine.compiled import kernel
from lexfield.index.lists import Lists, count_holding, decode, join_chunks, make_lists
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus

Entries = tuple[NDArray[np.int32], NDArray[np.int32]]  # rows, ascending, and counts
_NO_BYTES: NDArray[np.uint8] = np.empty(0, np.uint8)
_SMALL = 1 << 20  # bytes of lists that are checked all at once: that is quicker than one by one
_PARTS = {  # of ``Lists``, by the names under which they are stored
    "offsets": "offsets", "sizes": "sizes", "data": "gaps", "common": "common",
    "chunks": "chunks", "low": "low",
}  # fmt: skip


class Postings:
    """The lists of the sentences of one segment."""

    def __init__(self, lists: Lists, terms: Array | None = None) -> None:
        """``terms`` are the numbers of rows that hold each stem, if there are stems."""
        self.lists = lists
        self.sizes = lists.sizes  # rows that hold each word
        self.term_sizes = terms
        self.chunks_per_word = (len(lists.chunks) - 1) // max(1, len(lists.common))

    def find(self, word: int) -> Entries:
        """Return the rows that hold a word, ascending, and how often each does."""
        lists, first = self.lists, int(self.first_chunks[word])
        begin, end = lists.offsets[word : word + 2].tolist()
        own = lists.data[begin:end]
        if first < 0:
            found: Entries = decode(own, self.sizes[word : word + 1].astype(np.int64))
            return found
        chunks = lists.chunks[first : first + self.chunks_per_word + 1]
        found = join_chunks(lists.low[int(chunks[0]) : int(chunks[-1])], chunks, own)
        return found

    def find_all(self, words: Array) -> tuple[Array, Array, Array]:
        """Return the lists of several words, one after another, and the size of each."""
        lists, sizes = self.lists, self.sizes[words].astype(np.int64)
        is_common = self.first_chunks[words] >= 0
        rare = words[~is_common]
        ends = zip(lists.offsets[rare].tolist(), lists.offsets[rare + 1].tolist(), strict=True)
        data = np.concatenate([_NO_BYTES, *[lists.data[first:last] for first, last in ends]])
        found: Entries = decode(data, sizes[~is_common])
        if not is_common.any():
            return *found, sizes
        others = zip(*map(self.find, words[is_common].tolist()), strict=True)
        of_common = np.repeat(is_common, sizes)
        joined = np.empty((2, len(of_common)), np.int32)
        joined[:, ~of_common] = found
        joined[:, of_common] = [np.concatenate(one) for one in others]
        return joined[0], joined[1], sizes

    def find_any(self, words: Array, groups: Array) -> tuple[Array, Array, Array]:
        """Return the rows that hold any word of a group, ascending, with the sums of their counts.

        The words of groups, and so what is returned, lie one after another; ``groups`` and the last
        array are their sizes.
        """
        rows, counts, sizes = self.find_all(words)
        ones = np.ones(len(sizes), np.int32)
        found: tuple[Array, Array, Array] = merge_sorted(rows, counts, sizes, ones, groups)
        return found

    @cached_property
    def first_chunks(self) -> NDArray[np.int64]:
        """The place of each common word in ``chunks``, and -1 for other words."""
        places = np.full(len(self.lists.sizes), -1, np.int64)
        places[self.lists.common] = np.arange(len(self.lists.common)) * self.chunks_per_word
        return places

    def count_live(self, live: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of some rows hold each word."""
        lists = (live[self.find(word)[0]].sum() for word in range(len(self.sizes)))
        return np.fromiter(lists, np.int64, len(self.sizes))


class DocumentPostings(Postings):
    """The lists of documents, made of those of their sentences."""

    def __init__(self, sentences: Postings, corpus: Corpus, sizes: Array | None) -> None:
        self._sentences, self._corpus, self._sizes = sentences, corpus, sizes
        self.term_sizes = None

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
        self.term_sizes = None

    def find(self, word: int) -> Entries:
        part = slice(int(self._offsets[word]), int(self._offsets[word + 1]))
        return self._rows[part], self._counts[part]

    def find_all(self, words: Array) -> tuple[Array, Array, Array]:
        starts, sizes = self._offsets[words].astype(np.int64), self.sizes[words].astype(np.int64)
        entries = join_ranges(starts, sizes)
        return self._rows[entries], self._counts[entries], sizes


def save_postings(
    out: Writer, name: str, corpus: Corpus, stem_of: NDArray[np.int32] | None = None
) -> None:
    """Write what ``load_postings`` maps; ``stem_of`` is the stem of each word, if it has one."""
    lists = make_lists(corpus, out.scratch)
    for part, stored in _PARTS.items():
        out.array(f"{name}.lists.{stored}", getattr(lists, part))
    words = np.arange(len(lists.sizes), dtype=np.int32)
    del lists
    starts = np.asarray(corpus.arrays["token_offsets"])
    documents = starts[np.asarray(corpus.arrays["sentence_offsets"])]
    out.array(f"{name}.lists.document.sizes", count_holding(corpus, documents, words))
    if stem_of is not None:
        stems = count_holding(corpus, starts, stem_of)
        out.array(f"{name}.lists.stems.sizes", stems)


def load_postings(store: Store, name: str, corpus: Corpus, unit: str) -> Postings:
    """Map the postings of a segment; they are rebuilt if lexfield 0.1 wrote lists of stems."""
    lists = _load_lists(store, f"{name}.lists.")
    if lists is not None:
        stems = f"{name}.lists.stems.sizes"
        own = Postings(lists, store.array(stems) if stems in store else None)
        if unit == "sentence":
            return own
        return DocumentPostings(own, corpus, store.array(f"{name}.lists.document.sizes"))
    for folder in (f"{name}.postings.{unit}", f"{name}.bags.{unit}"):
        if f"{folder}.rows" in store and f"{name}.bags.stems.bytes" not in store:
            parts = ("offsets", "rows", "counts")
            return OldPostings(*(store.array(f"{folder}.{part}") for part in parts))
    own = Postings(make_lists(corpus))
    return own if unit == "sentence" else DocumentPostings(own, corpus, None)


def _load_lists(store: Store, prefix: str) -> Lists | None:
    """Map lists; None if there are none. First versions of 0.2 stored bytes for all words."""
    if f"{prefix}gaps" in store:
        plain = {part: store.array(f"{prefix}{part}") for part in ("offsets", "sizes", "common")}
        chunks, low = store.array(f"{prefix}chunks"), _check_parts(store, f"{prefix}low")
        return Lists(**plain, data=_check_parts(store, f"{prefix}gaps"), chunks=chunks, low=low)
    if f"{prefix}bytes" not in store:
        return None
    offsets, sizes = store.array(f"{prefix}offsets"), store.array(f"{prefix}sizes")
    nothing, chunks = np.empty(0, np.int32), np.zeros(1, np.int64)
    data = _check_parts(store, f"{prefix}bytes")
    return Lists(offsets, sizes, data, nothing, chunks, np.empty(0, np.uint16))


def _check_parts(store: Store, name: str) -> Array:
    """Map an array of which a search reads small parts."""
    data = store.checked(name)
    checked: Array = np.asarray(data) if data.shape[0] * data.dtype.itemsize <= _SMALL else data
    return checked


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
def merge_sorted(
    rows: Array, counts: Array, sizes: Array, weights: Array, groups: Array
) -> tuple[Array, Array, Array]:
    """Merge groups of lists of ascending rows; groups, lists and rows lie one after another.

    The counts of equal rows, times the weights of their lists, are added in the order of the lists;
    sums have the type of the weights. ``sizes`` are those of lists, ``groups`` and what is returned
    last are those of groups.
    """
    merged, sums = np.empty(len(rows), np.int32), np.empty(len(rows), weights.dtype)
    left, last = np.empty(len(groups), np.int64), np.int32(np.iinfo(np.int32).max)
    ends = np.cumsum(sizes)
    heads = ends - sizes
    size = first = 0
    for group in range(len(groups)):
        begin, until = size, first + groups[group]
        while True:
            row = last
            for number in range(first, until):
                if heads[number] < ends[number]:
                    row = min(row, rows[heads[number]])
            if row == last:
                break
            merged[size], sums[size] = row, 0
            for number in range(first, until):
                head = heads[number]
                if head < ends[number] and rows[head] == row:
                    sums[size] += weights[number] * counts[head]
                    heads[number] += 1
            size += 1
        left[group], first = size - begin, until
    return merged[:size].copy(), sums[:size].copy(), left
