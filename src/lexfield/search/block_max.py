"""The rows with the highest sums over lists, without adding up all of them: block-max pruning (BMP,
Mallia, Suel and Tonellotto 2024).

Rows are taken in blocks of 32. A list knows the highest value in each block that it has a row in;
the sum of these over all lists bounds every sum in the block. Blocks are added up in falling order
of their bounds until the k-th highest sum exceeds the bounds of all others. Bounds and sums are
added in the order of the query. So sums equal those of a search that reads everything, to the last
bit, and no bound is too low, for rounding never reverses the order of two sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import push, sort_heap

_BITS = 5  # a block has 2**_BITS rows
_WITHIN = (1 << _BITS) - 1
_BATCHES = (32, 128, 512)  # blocks that are added up at a time; then all that are left
_EVERY_ROW: NDArray[np.bool_] = np.empty(0, bool)
_NO_BLOCK: NDArray[np.int32] = np.empty(0, np.int32)
Ranked = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True)
class ValueList:
    """Ascending rows with values above 0, and the highest value of each block that has any."""

    rows: NDArray[np.int32]
    values: NDArray[np.float64]
    blocks: NDArray[np.int32]
    highest: NDArray[np.float64]
    starts: NDArray[np.int32]  # place of the first row of each block, then the number of rows

    @classmethod
    def of(cls, rows: NDArray[np.int32], values: NDArray[np.float64]) -> ValueList:
        return cls(rows, values, *split_blocks(rows, values))


Lists = Sequence[tuple[float, ValueList]]


class BlockSums:
    """The sums of rows over weighted lists; weights are above 0."""

    def __init__(self, rows: int, lists: Lists, among: NDArray[np.bool_] | None) -> None:
        self._lists = lists
        self._among = _EVERY_ROW if among is None else among
        self._bounds = np.zeros((rows >> _BITS) + 1)
        for weight, one in lists:
            add_bounds(self._bounds, one.blocks, one.highest, weight)

    def find_highest(self, k: int) -> Ranked:
        """Return the ``k`` rows with the highest sums, and these, best first."""
        items, scores, size = np.empty(k, np.int64), np.empty(k), 0
        bounds, done = self._bounds, _NO_BLOCK
        for count in (*_BATCHES, len(bounds)):
            floor, last = (scores[0], items[0] >> _BITS) if size == k else (0.0, len(bounds))
            blocks = choose_blocks(bounds, done, floor, last, count)
            size = push_sums(self._add_up(blocks), blocks, self._among, items, scores, size)
            if len(blocks) < count:
                break
            done = np.sort(np.append(done, blocks))
        items, scores = items[:size], scores[:size]
        sort_heap(items, scores)
        return items, scores

    def find_over(self, floor: float) -> Ranked:
        """Return the rows whose sums reach a floor above 0, ascending, and their sums."""
        blocks = np.flatnonzero(self._bounds >= floor).astype(np.int32)
        rows, sums = take_sums(self._add_up(blocks), blocks, self._among, floor)
        return rows, sums

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sums of ascending rows."""
        own = rows >> _BITS
        blocks = np.unique(own).astype(np.int32)
        sums: NDArray[np.float64] = self._add_up(blocks)[
            np.searchsorted(blocks, own), rows & _WITHIN
        ]
        return sums

    def count_over(self, floor: float) -> int:
        """Return an upper bound of the number of rows whose sums reach a floor."""
        return int(np.count_nonzero(self._bounds >= floor)) << _BITS

    def _add_up(self, blocks: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the sums of all rows of ascending blocks."""
        sums = np.zeros((len(blocks), 1 << _BITS))
        for weight, one in self._lists:
            add_blocks(sums, blocks, one.rows, one.values, one.blocks, one.starts, weight)
        return sums


@kernel
def split_blocks(rows: Array, values: Array) -> tuple[Array, Array, Array]:
    """Return the blocks of ascending rows, the highest value in each, and where each begins."""
    blocks, highest = np.empty(len(rows), np.int32), np.empty(len(rows))
    starts = np.empty(len(rows) + 1, np.int32)
    number, place = 0, 0
    while place < len(rows):
        block, most = rows[place] >> _BITS, 0.0
        blocks[number], starts[number] = block, place
        while place < len(rows) and rows[place] >> _BITS == block:
            most = max(most, values[place])
            place += 1
        highest[number] = most
        number += 1
    starts[number] = place
    return blocks[:number].copy(), highest[:number].copy(), starts[: number + 1].copy()


@kernel
def add_bounds(bounds: Array, blocks: Array, highest: Array, weight: float) -> None:
    for place in range(len(blocks)):
        bounds[blocks[place]] += weight * highest[place]


@kernel
def choose_blocks(bounds: Array, done: Array, floor: float, last: int, count: int) -> Array:
    """Return the ``count`` blocks with the highest bounds above a floor, ascending, without those
    that are done. Up to the block ``last`` a bound may also equal the floor, if that is above 0."""
    items, scores = np.empty(count, np.int32), np.empty(count)
    size, next_done = 0, 0
    for block in range(len(bounds)):
        bound = bounds[block]
        if bound > floor or (bound == floor and bound > 0 and block <= last):
            while next_done < len(done) and done[next_done] < block:
                next_done += 1
            if next_done < len(done) and done[next_done] == block:
                continue
            if count == len(bounds):  # all of them
                items[size] = block
                size += 1
            elif size < count or bound > scores[0]:
                size = push(items, scores, size, block, bound)
    return np.sort(items[:size])


@kernel
def add_blocks(
    sums: Array,
    wanted: Array,
    rows: Array,
    values: Array,
    blocks: Array,
    starts: Array,
    weight: float,
) -> None:
    """Add the weighted values of a list to the sums (block × row) of wanted, ascending blocks."""
    low = 0
    for number in range(len(wanted)):
        block, high = wanted[number], len(blocks)
        step = 1
        while low + step < high and blocks[low + step] < block:  # look further and further ahead
            low += step
            step *= 2
        high = min(high, low + step + 1)
        while low < high:
            middle = (low + high) >> 1
            if blocks[middle] < block:
                low = middle + 1
            else:
                high = middle
        if low == len(blocks):
            break
        if blocks[low] == block:
            for place in range(starts[low], starts[low + 1]):
                sums[number, rows[place] & _WITHIN] += weight * values[place]


@kernel
def push_sums(
    sums: Array, blocks: Array, among: Array, items: Array, scores: Array, size: int
) -> int:
    """Push sums above 0 on a heap of the highest. Return its new size."""
    for number in range(len(blocks)):
        first = int(blocks[number]) << _BITS
        for place in range(sums.shape[1]):
            score = sums[number, place]
            is_high = score > 0 and (size < len(items) or score >= scores[0])
            if is_high and (not len(among) or among[first + place]):
                size = push(items, scores, size, first + place, score)
    return size


@kernel
def take_sums(sums: Array, blocks: Array, among: Array, floor: float) -> tuple[Array, Array]:
    """Return the rows whose sums reach a floor, and their sums."""
    rows, found = np.empty(sums.size, np.int64), np.empty(sums.size)
    size = 0
    for number in range(len(blocks)):
        first = int(blocks[number]) << _BITS
        for place in range(sums.shape[1]):
            if sums[number, place] >= floor and (not len(among) or among[first + place]):
                rows[size], found[size] = first + place, sums[number, place]
                size += 1
    return rows[:size], found[:size]
