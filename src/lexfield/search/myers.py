"""The bit-parallel edit distance of Myers (1999), in the banded form of Hyyrö (2003).

D[i, j] is the distance between the first i symbols of the pattern and the first j of a row, here of
n and m symbols. A path of at most d edits stays on the diagonals i − j from (n − m − d) / 2 to
(n − m + d) / 2, for it needs |i − j| edits to reach such a cell, and |(n − i) − (m − j)| to leave.
The vertical differences of D on these diagonals are the bits of one or a few machine words, and a
symbol of the row moves them along the diagonals in a dozen operations. If there are more diagonals
than symbols of the pattern, only the words that reach into the table are kept: as the band slides
down, words enter above its first row and leave below its last.

D never falls along a diagonal. So its value on the diagonal that ends at D[n, m], the distance, is
a bound of it in every column, and rows of which it exceeds the limit are left early. Rows are taken
``_LANES`` at a time, so that each operation works on a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel

_LANES = 128  # rows side by side
_CHUNK = 16  # columns between two checks whether a row can still come under the limit
_ONE, _LAST = np.uint64(1), np.uint64(63)
_PLUS, _MINUS, _SAME, _ENDS = 0, _LANES, 2 * _LANES, 3 * _LANES  # of each word of the band
_CARRY, _HITS, _EDITS = _LANES, 2 * _LANES, 3 * _LANES  # of all


@dataclass(frozen=True)
class Pattern:
    """One text, ready to be compared."""

    symbols: Array  # its distinct symbols, ascending
    codes: NDArray[np.int32]  # the text: 1 + the place of each of its symbols

    @classmethod
    def of(cls, text: Sequence[int]) -> Pattern:
        symbols, places = np.unique(np.asarray(text, np.int64), return_inverse=True)
        return cls(symbols, places.astype(np.int32) + 1)

    def table(self, size: int) -> NDArray[np.int32]:
        """Return the code of each symbol below ``size``: 0 for one that the text lacks."""
        table = np.zeros(size, np.int32)
        small = np.searchsorted(self.symbols, size)
        table[self.symbols[:small]] = np.arange(1, small + 1)
        return table


def count_edits(
    pattern: Pattern,
    table: Array,
    data: Array,
    starts: Array,
    ends: Array,
    lengths: Array,
    limit: int,
) -> NDArray[np.int32]:
    """Return the edits to stretches of ``data`` with ``lengths`` symbols each.

    ``table`` maps numbers to codes. A stretch that is longer than its number of symbols is UTF-8.
    It is fastest if lengths ascend. A distance above ``limit`` may be any number above it.
    """
    out = np.empty(len(starts), np.int32)
    _measure(data, starts, ends, lengths, table, pattern.symbols, pattern.codes, limit, out)
    return out


@kernel
def _measure(
    data: Array,
    starts: Array,
    ends: Array,
    lengths: Array,
    table: Array,
    symbols: Array,
    pattern: Array,
    limit: int,
    out: Array,
) -> int:
    """Decode as many symbols as are needed: most rows exceed the limit early. The number that is
    returned has no meaning."""
    codes, at = np.zeros((_CHUNK, _LANES), np.uint32), np.empty(_LANES, np.int64)
    touched = 0
    lanes = np.empty(4 * _LANES, np.uint64)
    for first in range(0, len(starts), _LANES):
        own = slice(first, min(first + _LANES, len(starts)))
        begin, end, sizes, found = starts[own], ends[own], lengths[own], out[own]
        at[: len(sizes)] = begin
        touched += _touch(data, begin, end)
        band, window, low, top = _begin(sizes, pattern, len(symbols), limit)
        for lane in range(len(sizes)):
            found[lane] = max(0, len(pattern) - sizes[lane])
            lanes[_EDITS + lane] = np.uint64(found[lane])
        longest, shortest = int(sizes.max()), int(sizes.min())
        for done in range(0, longest, _CHUNK):
            for lane in range(len(sizes)):
                columns = min(_CHUNK, int(sizes[lane]) - done)
                if end[lane] - begin[lane] == sizes[lane]:  # ASCII, or ids of words
                    for column in range(columns):
                        codes[column, lane] = table[data[at[lane] + column]]
                    at[lane] += max(columns, 0)
                else:
                    at[lane] = _decode(data, at[lane], columns, table, symbols, codes[:, lane])
            stop = min(done + _CHUNK, longest)
            for column in range(done, stop):
                _advance(band, lanes, codes[column - done], window)
                _slide(window, pattern, low + column + 64 * (top + len(window) - 1))
                if top and low + column + 1 + 64 * top == 0:
                    top -= 1
                    _lift(band, window)
                    _mark_ends(band, sizes, len(pattern) - low - 64 * top)
                if column + 1 >= shortest or column + 1 == stop:
                    for lane in range(len(sizes)):
                        if column < sizes[lane]:
                            found[lane] = np.int32(lanes[_EDITS + lane])
            if found.min() > limit:
                break
    return touched


@kernel
def _touch(data: Array, starts: Array, ends: Array) -> int:
    """Read the first lines of memory of rows, so that the processor waits for all of them at once.

    Return some number, or the compiler would leave it out.
    """
    line, total = 64 // data.itemsize, 0
    for lane in range(len(starts)):
        for place in range(starts[lane], min(ends[lane], starts[lane] + 2 * line), line):
            total += int(data[place])
    return total


@kernel
def _decode(data: Array, place: int, count: int, table: Array, symbols: Array, codes: Array) -> int:
    """Read characters of UTF-8 as codes. Return the place after the last."""
    for number in range(count):
        byte = data[place]
        place += 1
        if byte < 0x80:
            codes[number] = table[byte]
            continue
        more = 1 + (byte >= 0xE0) + (byte >= 0xF0)
        symbol = np.int64(byte) & (0x3F >> more)
        for _ in range(more):
            symbol = (symbol << 6) | (np.int64(data[place]) & 0x3F)
            place += 1
        near = np.searchsorted(symbols, symbol)
        is_symbol = near < len(symbols) and symbols[near] == symbol
        codes[number] = near + 1 if is_symbol else 0
    return place


@kernel
def _begin(
    lengths: Array, pattern: Array, symbols: int, limit: int
) -> tuple[Array, Array, int, int]:
    """Return the state before the first column: what is known of each lane (see ``_advance``), for
    each code which symbols of the pattern are in the band, the lowest diagonal, and how many words
    of the band are above those that are kept."""
    size, longest, shortest = len(pattern), int(lengths.max()), int(lengths.min())
    most = min(limit, max(size, longest))  # no distance exceeds the longer length
    most = max(most, longest - size, size - shortest)  # the last diagonal of each lane is there
    low = -((most + longest - size) // 2)
    words, top = ((size - shortest + most) // 2 - low) // 64 + 1, 0
    if words > size // 64 + 2:
        words, top = size // 64 + 2, max(0, -((low + 64) // 64))
    start = low + 64 * top  # row of the first bit
    band = np.zeros((words + 1, 4 * _LANES), np.uint64)
    window = np.zeros((words + 1, symbols + 1), np.uint64)
    for word in range(words):  # cells below row 0 exceed those above
        above = max(0, -start - 64 * word)
        plus = np.uint64(0) if above > 63 else ~((_ONE << np.uint64(above)) - _ONE)
        band[word, _PLUS : _PLUS + _LANES] = plus
    _mark_ends(band, lengths, size - start)
    for place in range(max(0, -start), min(64 * words, size - start)):
        window[place >> 6, pattern[start + place]] |= _ONE << np.uint64(place & 63)
    return band, window, low, top


@kernel
def _mark_ends(band: Array, lengths: Array, last: int) -> None:
    """Mark the diagonal where each lane ends, if it is in the band; ``last`` is the place of the
    one where an empty row would end."""
    for lane in range(len(lengths)):
        place = last - lengths[lane]
        if 0 <= place < 64 * (len(band) - 1):
            band[place >> 6, _ENDS + lane] = _ONE << np.uint64(place & 63)


@kernel
def _lift(band: Array, window: Array) -> None:
    """Take the word above the first into the band instead of the last."""
    for word in range(len(band) - 2, 0, -1):
        band[word] = band[word - 1]
        window[word] = window[word - 1]
    band[0] = 0
    window[0] = 0


@kernel
def _advance(band: Array, lanes: Array, row: Array, window: Array) -> None:
    """Process one symbol of every lane, given its code.

    ``band`` has for each word of the band, and one more, four numbers per lane: positive and
    negative differences, where D equals its diagonal neighbour, and the bit of the diagonal where
    the row ends. They lie in one array, so that the compiler sees that they do not overlap.
    ``lanes`` are in the same way scratch space, and how many edits are on the last diagonal.
    """
    if len(band) == 2:
        _advance_word(band[0], lanes, row, window[0])
        return
    words = len(band) - 1
    for lane in range(_LANES):
        lanes[_CARRY + lane] = lanes[_HITS + lane] = np.uint64(0)
    for word in range(words):
        own, symbols = band[word], window[word]
        for lane in range(_LANES):
            lanes[lane] = symbols[row[lane]]
        for lane in range(_LANES):
            equal, plus = lanes[lane], own[_PLUS + lane]
            part = (equal & plus) + plus
            total = part + lanes[_CARRY + lane]
            lanes[_CARRY + lane] = np.uint64(part < plus) | np.uint64(total < part)
            same = (total ^ plus) | equal | own[_MINUS + lane]
            own[_SAME + lane] = same
            lanes[_HITS + lane] |= same & own[_ENDS + lane]
    for word in range(words):
        own, below = band[word], band[word + 1]
        for lane in range(_LANES):
            same, plus = own[_SAME + lane], own[_PLUS + lane]
            right = own[_MINUS + lane] | ~(same | plus)
            moved = (same >> _ONE) | (below[_SAME + lane] << _LAST)
            own[_PLUS + lane] = (same & plus) | ~(moved | right)
            own[_MINUS + lane] = moved & right
    for lane in range(_LANES):
        lanes[_EDITS + lane] += np.uint64(lanes[_HITS + lane] == 0)


@kernel
def _advance_word(own: Array, lanes: Array, row: Array, symbols: Array) -> None:
    """Do the same for a band of one word, which is the case for limits of up to about 60."""
    for lane in range(_LANES):
        lanes[lane] = symbols[row[lane]]
    for lane in range(_LANES):
        equal, plus, minus = lanes[lane], own[_PLUS + lane], own[_MINUS + lane]
        same = (((equal & plus) + plus) ^ plus) | equal | minus
        right, moved = minus | ~(same | plus), same >> _ONE
        own[_PLUS + lane] = (same & plus) | ~(moved | right)
        own[_MINUS + lane] = moved & right
        lanes[_EDITS + lane] += np.uint64((same & own[_ENDS + lane]) == 0)


@kernel
def _slide(window: Array, pattern: Array, entering: int) -> None:
    """Move the band by one symbol of the pattern; that at ``entering`` is then its last."""
    words = len(window) - 1
    for word in range(words):
        own, below = window[word], window[word + 1]
        for code in range(len(own)):
            own[code] = (own[code] >> _ONE) | (below[code] << _LAST)
    if 0 <= entering < len(pattern):
        window[words - 1, pattern[entering]] |= _ONE << _LAST
