"""Words of long texts as numbers, by a compiled loop: what ``segment`` cuts, many times as fast.

A text comes as bytes, with a zero after each sentence. Words of ASCII are cut here, by the rules of
``segment``; words of other texts were cut there, and come between two bytes 255, which no text has.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel
from lexfield.store.strings import StringArray
from lexfield.text.segment import BREAK, words

Array = NDArray[Any]
_CUT = 255
_ROOM = 1 << 20  # numbers at a time
_BETWEEN = "“”‘—–…"  # never part of a word


def as_bytes(text: str) -> bytes:
    """A marked text for ``Words.number``."""
    if text.isascii():
        return text.encode()
    for mark in _BETWEEN:  # with these gone most sentences of a book are ASCII
        text = text.replace(mark, " ")
    return b"\0".join([_sentence(one) for one in text.split(BREAK)])


def _sentence(text: str) -> bytes:
    if text.isascii():
        return text.encode()
    cut = " ".join(words(text)).encode().replace(b" ", b"\xff\xff")
    return b"\xff" + cut + b"\xff" if cut else b""


class Words:
    """A table of the distinct words of what was ``numbered``; number 0 is the end of a sentence."""

    def __init__(self) -> None:
        self._seed = np.uint64(secrets.randbits(64))  # nobody can write a text of colliding words
        self._slots: NDArray[np.int32] = np.zeros(1 << 16, np.int32)
        self._hashes = np.zeros(1, np.uint64)
        self._ends = np.zeros(1, np.int64)
        self._letters = np.zeros(1 << 20, np.uint8)
        self._size = 1

    def number(self, text: bytes) -> NDArray[np.int32]:
        """The numbers of a text's words, in order; new words get the next ones."""
        data = np.frombuffer(text, np.uint8)
        room = np.empty(min(len(data), _ROOM), np.int32)
        parts = [room[:0]]
        first = 0
        while first < len(data):
            self._make_room(len(data))
            first, found, self._size = _number(
                data, first, room, self._seed,
                self._slots, self._hashes, self._ends, self._letters, self._size,
            )  # fmt: skip
            parts.append(room[:found].copy())
        return np.concatenate(parts)

    def names(self) -> StringArray:
        """The words, by their numbers less one."""
        return StringArray(self._letters, self._ends[: self._size])

    def _make_room(self, length: int) -> None:
        """The loop stops when half of the slots are taken; letters fit whatever comes."""
        if 2 * self._size >= len(self._slots):
            self._slots = np.zeros(4 * len(self._slots), np.int32)
            _place(self._slots, self._hashes[: self._size])
        words = len(self._slots) // 2 + 1
        self._hashes = _longer(self._hashes, words)
        self._ends = _longer(self._ends, words)
        used = int(self._ends[self._size - 1])
        if len(self._letters) < used + length:
            self._letters = _longer(self._letters, used + used // 2 + length)


def _longer(values: Array, length: int) -> Array:
    if len(values) >= length:
        return values
    longer = np.zeros(length, values.dtype)
    longer[: len(values)] = values
    return longer


@kernel
def _place(slots: Array, hashes: Array) -> None:
    """Put every word into an empty table."""
    for number in range(1, len(hashes)):
        slot = hashes[number] & np.uint64(len(slots) - 1)
        while slots[slot]:
            slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
        slots[slot] = number


@kernel
def _number(
    data: Array,
    first: int,
    numbers: Array,
    seed: Any,
    slots: Array,
    hashes: Array,
    ends: Array,
    letters: Array,
    size: int,
) -> tuple[int, int, int]:
    """Number words from place ``first``, until the end, or until half of the slots or all room for
    numbers is taken: the place, how many numbers were found, and how many words there are."""
    place, found = first, 0
    while place < len(data) and 2 * size < len(slots) and found < len(numbers):
        byte = data[place]
        if byte == 0:
            numbers[found] = 0
            found += 1
            place += 1
        elif byte == _CUT:
            end = place + 1
            while data[end] != _CUT:
                end += 1
            numbers[found] = _look_up(
                data[place + 1 : end], seed, slots, hashes, ends, letters, size
            )
            size = max(size, numbers[found] + 1)
            found += 1
            place = end + 1
        elif _is_letter(byte) or _is_digit(byte):
            end = _end_of_word(data, place)
            numbers[found] = _look_up(data[place:end], seed, slots, hashes, ends, letters, size)
            size = max(size, numbers[found] + 1)
            found += 1
            place = end
        else:
            place += 1
    return place, found, size


@kernel
def _is_letter(byte: int) -> bool:
    return 97 <= byte <= 122 or 65 <= byte <= 90


@kernel
def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


@kernel
def _end_of_word(data: Array, place: int) -> int:
    """Letters and digits, an apostrophe between letters, a point or comma between digits."""
    while place < len(data):
        byte = data[place]
        if _is_letter(byte) or _is_digit(byte):
            place += 1
            continue
        if place + 1 >= len(data):
            break
        before, after = data[place - 1], data[place + 1]
        within = byte == 39 and _is_letter(before) and _is_letter(after)
        number = (byte == 46 or byte == 44) and _is_digit(before) and _is_digit(after)
        if not (within or number):
            break
        place += 2
    return place


@kernel
def _same(letters: Array, start: int, word: Array) -> bool:
    different = 0
    for place in range(len(word)):
        different |= letters[start + place] ^ word[place]
    return different == 0


@kernel
def _look_up(
    word: Array, seed: Any, slots: Array, hashes: Array, ends: Array, letters: Array, size: int
) -> int:
    """The number of a word, which is ``size`` if it is new."""
    value = seed
    for byte in word:
        value = (value ^ np.uint64(byte)) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
    slot = value & np.uint64(len(slots) - 1)
    while slots[slot]:
        number = slots[slot]
        if hashes[number] == value:
            start, end = ends[number - 1], ends[number]
            if end - start == len(word) and _same(letters, start, word):
                return int(number)
        slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
    slots[slot] = size
    hashes[size] = value
    start = ends[size - 1]
    letters[start : start + len(word)] = word
    ends[size] = start + len(word)
    return size
