"""The rows with the highest sums over the distinct words that they hold.

    sum(s) = |s|^-ρ · Σ value(w)   over the words w of s that have a value

|s| is the number of distinct words of the row. In a large collection the stored lists are added up
window by window, as in ``max_score.py``. Only rows whose sum may be among the highest are then
added up exactly, in the order of the words' numbers. A row that holds j of the words has at
least j words, so it is scaled by j^-ρ at most; words that together do not reach the lowest of the
highest sums so far bring in no row on their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import push, sort_heap, top_k
from lexfield.index.lists import CHUNK_BITS
from lexfield.index.rows import Rows
from lexfield.search.max_score import (
    LARGEST_WINDOW,
    SLACK,
    add_gains,
    can_read,
    clear_sums,
    find_window_end,
    open_lists,
    read_window,
    start_lists,
)
from lexfield.search.method import Mask

_FEW = 10_000  # rows of a collection whose lists are decoded: that is as quick
_IN_CHUNK = (1 << CHUNK_BITS) - 1
Ranked = tuple[NDArray[np.int64], NDArray[np.float64]]


def find_highest_sums(
    rows: Rows, words: Array, values: Array, penalty: float, allowed: Mask, k: int
) -> Ranked:
    """Return the ``k`` allowed rows with the highest sums above 0, and these, best first.

    A word may be given more than once; its values are added.
    """
    scales = find_scales(rows, penalty)
    words, which = np.unique(words, return_inverse=True)
    values = np.bincount(which, values, minlength=len(words)).astype(np.float64, copy=False)
    if len(rows) < _FEW or not can_read(rows):
        return _decode_lists(rows, words, values, scales, allowed, k)
    best, sums, size = np.empty(k, np.int64), np.empty(k), 0
    order = np.argsort(-values, kind="stable")
    rests = bound_rests(values[order], penalty)
    parts = zip(rows.blocks(), rows.postings_by_segment, rows.lexicon.inverse, strict=True)
    for (start, unit), postings, inverse in parts:
        own = inverse[words]
        held = own >= 0
        lists, forms = open_lists(postings, own[held])
        place = np.cumsum(held) - 1  # of each word among those held here
        here = order[held[order]]
        part = slice(start, start + unit.rows)
        size = rank_word_lists(
            lists, forms, place[here], rests[held[order]], values[held], penalty,
            rows.sizes[part], scales, allowed[part], start, best, sums, size,
        )  # fmt: skip
    best, sums = best[:size], sums[:size]
    sort_heap(best, sums)
    return best, sums


def find_scales(rows: Rows, penalty: float) -> NDArray[np.float64]:
    """Return |s|^-ρ for each number of distinct words that a row may have."""

    def find(own: Rows) -> NDArray[np.float64]:
        sizes = np.arange(int(own.sizes.max(initial=0)) + 1)
        return np.maximum(sizes, 1).astype(np.float64) ** -penalty

    return rows.cached(f"sizes^-{penalty}", find)


def _decode_lists(
    rows: Rows, words: Array, values: Array, scales: Array, allowed: Mask, k: int
) -> Ranked:
    """Do what ``find_highest_sums`` does by adding up every list."""
    sizes, held = rows.postings_of(words)
    totals: NDArray[np.float64] = np.bincount(
        held, np.repeat(values, sizes), minlength=len(allowed)
    ).astype(np.float64, copy=False)
    found = np.flatnonzero((totals > 0) & allowed)
    sums = totals[found] * scales[rows.sizes[found]]
    order = top_k(sums, k)
    return found[order], sums[order]


@kernel
def bound_rests(values: Array, penalty: float) -> Array:
    """Return the highest sum of a row that holds none of the words before each; values fall."""
    rests = np.zeros(len(values))
    for first in range(len(values)):
        total = 0.0
        for place in range(first, len(values)):
            total += values[place]
            rests[first] = max(rests[first], total * (place - first + 1) ** -penalty)
    return rests


@kernel
def rank_word_lists(
    lists: tuple[Array, Array, Array],
    forms: Array,
    order: Array,
    rests: Array,
    values: Array,
    penalty: float,
    sizes: Array,
    scales: Array,
    allowed: Array,
    start: int,
    best: Array,
    sums: Array,
    size: int,
) -> int:
    """Push the rows of a segment, whose first has the number ``start``, on the heap of the best.

    ``forms`` are the words there (see ``open_lists``), ``order`` is that of falling values, and
    ``rests`` bounds the sums of rows without the words before each. Return the size of the heap.
    """
    count, rows = len(forms), len(sizes)
    window = min(LARGEST_WINDOW, rows)
    rough, slots = np.zeros(window, np.float32), np.zeros(window, np.int32)
    chosen = np.empty(window + 1, np.uint16)
    heads, spans = np.zeros((count, 3), np.int64), np.zeros((count, 4), np.int64)
    buffer = np.empty(np.minimum(forms[:, 3], window).sum(), np.int64)
    data, low, chunks = lists
    start_lists(data, forms, heads)
    gains = values.astype(np.float32)
    end, most = 0, values.max() if count else 0.0
    # Whole numbers are added up without rounding: then a row that equals the floor is too low,
    # because of equal rows the first ones are kept.
    is_exact = (values == np.floor(values)).all() and values.sum() < 1 << 24
    while end < rows:
        first, end = end, find_window_end(end, rows)
        floor, needed = sums[0] if size == len(best) else 0.0, count
        while needed > 0 and rests[needed - 1] * SLACK < floor:
            needed -= 1
        if needed == 0:
            break
        least = floor
        if penalty < 1 and most > 0:
            least = max(floor, (floor / most**penalty) ** (1 / (1 - penalty)))
        read_window(data, low, chunks, forms, heads, spans, buffer, first, end, rows)
        base = first & ~_IN_CHUNK
        found = add_gains(
            low, spans, buffer, order, needed, gains, np.float32(least / SLACK), rough, chosen
        )
        found = keep_likely(
            chosen[:found], rough, floor, is_exact, sizes[base:], scales, allowed[base:]
        )
        clear_sums(low, spans, buffer, order[:needed], rough)
        if found:
            own = chosen[:found]
            totals = add_values(low, forms, spans, buffer, own, slots, values, sizes[base:], scales)
            for place in range(found):
                if size < len(best) or totals[place] >= sums[0]:
                    row = start + base + int(own[place])
                    size = push(best, sums, size, row, totals[place])
    return size


@kernel
def keep_likely(
    chosen: Array,
    rough: Array,
    floor: float,
    is_exact: bool,
    sizes: Array,
    scales: Array,
    allowed: Array,
) -> int:
    """Move the allowed rows whose sums may reach the floor to the front. Return how many they are.

    ``rough`` sums count repeated words several times, so they are never too low."""
    found = 0
    for place in range(len(chosen)):
        row = chosen[place]
        most = np.float64(rough[row]) * scales[sizes[row]]
        is_high = most > floor if is_exact else most * SLACK >= floor
        if is_high and allowed[row]:
            chosen[found] = row
            found += 1
    return found


@kernel
def add_values(
    low: Array,
    forms: Array,
    spans: Array,
    buffer: Array,
    chosen: Array,
    slots: Array,
    values: Array,
    sizes: Array,
    scales: Array,
) -> Array:
    """Return the sums of chosen rows of a window, added up in the order of the words."""
    sums = np.zeros(len(chosen))
    for place in range(len(chosen)):
        slots[chosen[place]] = place + 1
    for form in range(len(forms)):
        for place in range(spans[form, 0], spans[form, 1]):
            slot = slots[low[place]]
            if slot:
                sums[slot - 1] += values[form]
        if forms[form, 2] >= 0:  # its bytes say only how often rows hold it
            continue
        for place in range(spans[form, 2], spans[form, 3]):
            slot = slots[np.uint16(buffer[place])]
            if slot:
                sums[slot - 1] += values[form]
    for place in range(len(chosen)):
        row = chosen[place]
        sums[place] *= scales[sizes[row]]
        slots[row] = 0
    return sums
