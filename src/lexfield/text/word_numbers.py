"""Numbers for words, in the order of their first occurrence.

A dictionary is enough for a small collection. In a large one a compiled loop finds the words of a
text and looks them up in a hash table, without making a string of each: that is several times as
fast, but the loop takes a second to compile after installation.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.text.scan import encode, find_kinds, find_word_end
from lexfield.text.segment import BREAK, split_words

_FIRST = 1 << 16  # words that a table has room for at first
_MEAN_LENGTH = 16  # characters of a word that it has room for


class WordNumbers:
    """The number of every word so far; ``BREAK`` is number 0."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._numbers[BREAK]
        self._table: _Table | None = None

    def __len__(self) -> int:
        return len(self._numbers) if self._table is None else len(self._table)

    def compile(self) -> None:
        """Use the compiled table from here on."""
        if self._table is None:
            self._table = _Table()
            self._table.add_words(self._numbers)
            self._numbers.clear()

    def add_words(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the numbers of words."""
        if self._table is not None:
            return self._table.add_words(words)
        return np.fromiter(map(self._numbers.__getitem__, words), np.int32)

    def add_text(self, text: str) -> NDArray[np.int32]:
        """Return the numbers of the words of a text, and 0 for each break in it."""
        codes = None if self._table is None else encode(text)
        if self._table is None or codes is None:
            return self.add_words(split_words(text))
        return self._table.add_text(codes)

    def take_names(self) -> Iterator[str]:
        """Yield all words in the order of their numbers, and forget them."""
        if self._table is not None:
            yield from self._table.list_names()
        else:
            yield from self._numbers
        self.__init__()  # type: ignore[misc]


class _Table:
    """A hash table of words, which lie one after another as UTF-16."""

    def __init__(self) -> None:
        # Drawn anew for each table, so that nobody can write a text whose words all collide.
        self._factor = np.uint64(secrets.randbits(64) | 1)
        self._slots = np.full(2 * _FIRST, -1, np.int32)
        self._starts = np.zeros(_FIRST + 1, np.int64)
        self._pool = np.empty(_FIRST * _MEAN_LENGTH, np.uint16)
        self._size = np.zeros(1, np.int64)

    def __len__(self) -> int:
        return int(self._size[0])

    def add_text(self, codes: NDArray[np.uint16]) -> NDArray[np.int32]:
        tokens, place, count = np.empty(len(codes), np.int32), 0, 0
        while place < len(codes):
            place, count = number_text(
                codes, find_kinds(), place, tokens, count, self._factor, self._parts
            )
            self._make_room(len(codes))
        return tokens[:count]

    def add_words(self, words: Iterable[str]) -> NDArray[np.int32]:
        encoded = [word.encode("utf-16-le") for word in words]
        ends = np.cumsum([len(word) // 2 for word in encoded], dtype=np.int64)
        codes = np.frombuffer(b"".join(encoded), "<u2")
        tokens, count = np.empty(len(ends), np.int32), 0
        while count < len(ends):
            count = number_list(codes, ends, tokens, count, self._factor, self._parts)
            self._make_room(len(codes))
        return tokens

    @property
    def _parts(self) -> tuple[Array, Array, Array, Array]:
        return self._slots, self._starts, self._pool, self._size

    def _make_room(self, length: int) -> None:
        """Make room for one more word, of up to so many characters."""
        size = len(self)
        if 2 * size >= len(self._slots):
            self._slots = np.full(2 * len(self._slots), -1, np.int32)
            fill_slots(self._factor, self._parts)
        if size + 1 >= len(self._starts):
            self._starts = np.append(self._starts, np.zeros(len(self._starts), np.int64))
        if self._starts[size] + length > len(self._pool):
            room = np.empty(max(length, len(self._pool)), np.uint16)
            self._pool = np.append(self._pool, room)

    def list_names(self) -> Iterator[str]:
        starts = (2 * self._starts[: len(self) + 1]).tolist()
        words = self._pool[: self._starts[len(self)]].tobytes()
        return (words[first:last].decode("utf-16-le") for first, last in pairwise(starts))


@kernel
def number_text(
    codes: Array,
    kinds: Array,
    place: int,
    tokens: Array,
    count: int,
    factor: np.uint64,
    table: tuple[Array, Array, Array, Array],
) -> tuple[int, int]:
    """Write the numbers of the words of a text from a place on. Return where the table was full, or
    the end, and how many numbers there are now."""
    slots, starts, pool, size = table
    while place < len(codes):
        end = find_word_end(codes, kinds, place)
        if end > place:
            slot = find_slot(codes, place, end, factor, slots, starts, pool)
            if slots[slot] < 0 and not add_word(codes, place, end, slot, slots, starts, pool, size):
                break
            tokens[count] = slots[slot]
            count += 1
        place = max(end, place + 1)
    return place, count


@kernel
def number_list(
    codes: Array,
    ends: Array,
    tokens: Array,
    count: int,
    factor: np.uint64,
    table: tuple[Array, Array, Array, Array],
) -> int:
    """Write the numbers of words that end at some places; return how many there are now."""
    slots, starts, pool, size = table
    while count < len(ends):
        first, end = ends[count - 1] if count else 0, ends[count]
        slot = find_slot(codes, first, end, factor, slots, starts, pool)
        if slots[slot] < 0 and not add_word(codes, first, end, slot, slots, starts, pool, size):
            break
        tokens[count] = slots[slot]
        count += 1
    return count


@kernel
def find_slot(
    codes: Array,
    first: int,
    end: int,
    factor: np.uint64,
    slots: Array,
    starts: Array,
    pool: Array,
) -> np.int64:
    """Return the slot of a word, or the empty one where it belongs."""
    value, length = np.uint64(0), end - first
    for place in range(first, end):
        value = (value ^ np.uint64(codes[place])) * factor
        value ^= value >> np.uint64(29)
    slot = np.int64(value & np.uint64(len(slots) - 1))
    while slots[slot] >= 0:
        own = starts[slots[slot]]
        if starts[slots[slot] + 1] - own == length:
            place = 0
            while place < length and pool[own + place] == codes[first + place]:
                place += 1
            if place == length:
                break
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel
def add_word(
    codes: Array,
    first: int,
    end: int,
    slot: np.int64,
    slots: Array,
    starts: Array,
    pool: Array,
    size: Array,
) -> bool:
    """Give a new word the next number; return False if there is no room for it."""
    number, length = size[0], end - first
    own = starts[number]
    if 2 * number >= len(slots) or number + 1 >= len(starts) or own + length > len(pool):
        return False
    for place in range(length):
        pool[own + place] = codes[first + place]
    starts[number + 1] = own + length
    slots[slot] = number
    size[0] = number + 1
    return True


@kernel
def fill_slots(factor: np.uint64, table: tuple[Array, Array, Array, Array]) -> None:
    """Enter all words into empty slots."""
    slots, starts, pool, size = table
    for number in range(size[0]):
        first, end = starts[number], starts[number + 1]
        slots[find_slot(pool, first, end, factor, slots, starts, pool)] = number
