"""The rows with the highest sums of BM25, straight from the stored lists: MaxScore (Turtle and
Flood 1995) in windows of rows.

A word that occurs once in a row adds gain · g there, where gain is its weight times its rarity, and
g = 1 / (1 + K) depends on the length of the row only; c occurrences add c times as much at most. So
in each window the gains of all lists are added up, and only rows whose sum times g reaches the k-th
best score so far are scored. Lists whose gains together do not reach it bring in no row alone. The
first windows are small: there are soon k good rows. Scores are added up in the order of the query,
so they equal those of a search that reads everything, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import push, sort_heap
from lexfield.index.bags import Bags
from lexfield.index.lists import CHUNK_BITS, take
from lexfield.index.postings import Postings
from lexfield.index.rows import Rows
from lexfield.store.checked import check_ranges

_FIRST = 512  # rows of the first window; each is as large as all before it together
LARGEST_WINDOW = 1 << CHUNK_BITS  # rows: one chunk
_WITHIN = (1 << CHUNK_BITS) - 1  # rows of a chunk, less 1
SLACK = 1.00001  # more than rounding to single precision takes away
_LAST = 1 << 62  # a row behind all others
_EVERY_ROW: NDArray[np.bool_] = np.empty(0, bool)


class Saturation(NamedTuple):
    """The parameters of K = k1 (1 − b + b |d| / mean |d|), which is at least ``least``."""

    k1: float
    b: float
    mean: float
    least: float


class Gain(NamedTuple):
    """A term of the query: what it is worth is weight · rarity · c / (c + K)."""

    term: int
    weight: float
    rarity: float


def can_read(rows: Rows) -> bool:
    """Return whether the lists of all rows are stored in a form that can be added up."""
    lists = rows.postings_by_segment
    return bool(lists) and all(type(own) is Postings for own in lists)


def find_highest(
    bags: Bags, gains: Sequence[Gain], saturation: Saturation, k: int, among: Array | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the ``k`` rows with the highest sums above 0, and these, best first."""
    best, scores, size = np.empty(k, np.int64), np.empty(k), 0
    mask = _EVERY_ROW if among is None else among
    words = [bags.words_of(gain.term) for gain in gains]
    every = np.array([word for some in words for word in some], np.int64)
    terms = np.repeat(np.arange(len(words)), [len(some) for some in words])
    weights, rarities = ([gain.weight for gain in gains], [gain.rarity for gain in gains])
    values = np.array(weights, np.float64), np.array(rarities, np.float64)
    ranks, rests = _rank_terms(gains)
    rows, bounds = bags.rows, bags.remember("short lengths", lambda: _shorten(bags.rows.lengths))
    parts = zip(rows.blocks(), rows.postings_by_segment, rows.lexicon.inverse, strict=True)
    for (start, unit), postings, inverse in parts:
        own = inverse[every]
        held = own >= 0
        lists, forms = open_lists(postings, own[held])
        part, here = slice(start, start + unit.rows), terms[held]
        order = np.argsort(ranks[here], kind="stable")
        size = rank_lists(
            lists, forms, here, (order, rests[here[order]]), values, rows.lengths[part],
            bounds[part], mask, start, saturation, best, scores, size,
        )  # fmt: skip
    best, scores = best[:size], scores[:size]
    sort_heap(best, scores)
    return best, scores


def _shorten(lengths: Array) -> NDArray[np.uint8]:
    """Return lengths of up to 255: a quarter of the memory that a search reads here and there."""
    return np.minimum(lengths, 255).astype(np.uint8)


def _rank_terms(gains: Sequence[Gain]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rank of each term by falling gain, and the sum of its gain and all lower ones.

    In Python: there are few terms, and a kernel that sorts would take seconds to compile.
    """
    ranks, rests, rest = np.empty(len(gains), np.int64), np.empty(len(gains)), 0.0
    values = [gain.weight * gain.rarity for gain in gains]
    rising = sorted(range(len(gains)), key=values.__getitem__)
    for place, term in enumerate(rising):
        rest += values[term]
        ranks[term], rests[term] = len(gains) - place, rest
    return ranks, rests


def open_lists(postings: Postings, words: Array) -> tuple[tuple[Array, Array, Array], Array]:
    """Return the bytes, the plain rows and the chunks of lists, those of some words checked; and of
    each: its first byte, its last, its first chunk or -1, and how many rows it has."""
    lists, each = postings.lists, postings.chunks_per_word
    forms = np.empty((len(words), 4), np.int64)
    forms[:, 0], forms[:, 1] = lists.offsets[words], lists.offsets[words + 1]
    forms[:, 2], forms[:, 3] = postings.first_chunks[words], lists.sizes[words]
    common = forms[forms[:, 2] >= 0, 2]
    data = check_ranges(lists.data, forms[:, 0], forms[:, 1])
    low = check_ranges(lists.low, lists.chunks[common], lists.chunks[common + each])
    return (data, low, lists.chunks), forms


@kernel
def rank_lists(
    lists: tuple[Array, Array, Array],
    forms: Array,
    terms: Array,
    ranks: tuple[Array, Array],
    values: tuple[Array, Array],
    lengths: Array,
    bounds: Array,
    among: Array,
    start: int,
    saturation: tuple[float, float, float, float],
    best: Array,
    scores: Array,
    size: int,
) -> int:
    """Push the rows of a segment, whose first has the number ``start``, on the heap of the best.

    ``forms`` are the words of the query there (see ``open_lists``), ``terms`` the terms they stand
    for, ``ranks`` their order, ``values`` the weights and rarities of terms; ``bounds`` are no
    higher than the lengths of rows. Return the size of the heap.
    """
    count, window, rows = len(forms), min(LARGEST_WINDOW, len(lengths)), len(lengths)
    sums, slots = np.zeros(window, np.float32), np.zeros(window, np.int32)
    chosen = np.empty(window + 1, np.uint16)
    heads = np.zeros((count, 3), np.int64)  # of the bytes: the next place, row and count
    spans = np.zeros((count, 4), np.int64)  # of this window: in ``low``, and in the buffer
    buffer = np.empty(np.minimum(forms[:, 3], window).sum(), np.int64)
    (data, low, chunks), (order, rest) = lists, ranks
    start_lists(data, forms, heads)
    own_gains = (values[0] * values[1])[terms].astype(np.float32)
    end, most = 0, 1 + find_saturation(0, saturation)
    while end < rows:
        first, end = end, find_window_end(end, rows)
        floor, needed = scores[0] if size == len(best) else 0.0, count
        while needed > 0 and rest[needed - 1] * SLACK < floor:
            needed -= 1
        read_window(data, low, chunks, forms, heads, spans, buffer, first, end, rows)
        base, least = first & ~_WITHIN, np.float32(floor * most / SLACK)
        found = add_gains(low, spans, buffer, order, needed, own_gains, least, sums, chosen)
        found = keep_high(
            chosen[:found], sums, floor, bounds[base:], among[start + base :], saturation
        )
        clear_sums(low, spans, buffer, order[:needed], sums)
        if found:
            own = chosen[:found]
            totals = add_scores(
                low, terms, spans, buffer, own, slots, values, lengths[base:], saturation
            )
            for place in range(found):
                if size < len(best) or totals[place] >= scores[0]:
                    row = start + base + int(own[place])
                    size = push(best, scores, size, row, totals[place])
    return size


@kernel
def find_window_end(first: int, rows: int) -> int:
    """Return where the window ends that begins with a row: at the end of a chunk at the latest."""
    return min(first + min(LARGEST_WINDOW, max(_FIRST, first)), rows)


@kernel
def start_lists(data: Array, forms: Array, heads: Array) -> None:
    """Read the first entry of each list of bytes."""
    for form in range(len(forms)):
        place, row, count = forms[form, 0], np.int64(_LAST), np.int64(1)
        if place < forms[form, 1]:
            value, place = take(data, place)
            row = value >> 1
            if value & 1:
                value, place = take(data, place)
                count = value + 2
        heads[form, 0], heads[form, 1], heads[form, 2] = place, row, count


@kernel
def read_window(
    data: Array,
    low: Array,
    chunks: Array,
    forms: Array,
    heads: Array,
    spans: Array,
    buffer: Array,
    first: int,
    end: int,
    rows: int,
) -> None:
    """Find the entries of all words in a window: plain rows in ``low``; others are decoded to the
    buffer as row and count. Of a row that is among the former, the count is less by 1."""
    used = 0
    stop_row = _WITHIN + 1 if end == rows or end & _WITHIN == 0 else end & _WITHIN
    for form in range(len(forms)):
        chunk = forms[form, 2]
        if chunk >= 0:
            chunk += first >> CHUNK_BITS
            begin = spans[form, 1] if first & _WITHIN else chunks[chunk]
            stop = chunks[chunk + 1]
            if stop_row <= _WITHIN:
                last, stop = stop, begin
                while stop < last and low[stop] < stop_row:
                    stop += 1
            spans[form, 0], spans[form, 1] = begin, stop
        spans[form, 2] = used
        row = heads[form, 1]
        if row < end:
            place, count, ending = heads[form, 0], heads[form, 2], forms[form, 1]
            less = 1 if chunk >= 0 else 0
            while row < end:
                buffer[used] = (row & _WITHIN) | (count - less) << 32
                used += 1
                if place == ending:
                    row = _LAST
                    break
                value, place = take(data, place)
                row += (value >> 1) + 1
                count = 1
                if value & 1:
                    value, place = take(data, place)
                    count = value + 2
            heads[form, 0], heads[form, 1], heads[form, 2] = place, row, count
        spans[form, 3] = used


@kernel
def add_gains(
    low: Array,
    spans: Array,
    buffer: Array,
    order: Array,
    needed: int,
    gains: Array,
    least: np.float32,
    sums: Array,
    chosen: Array,
) -> int:
    """Add the gains of words to the sums of the rows of a window that hold them; those of words
    that are not needed only to sums above 0. Write the rows whose sums are above the least, and
    return how many they are. Without branches: which rows these are cannot be predicted."""
    found, nothing = 0, np.float32(0)
    for number in range(len(order)):
        form = order[number]
        gain, is_needed = gains[form], number < needed
        for place in range(spans[form, 0], spans[form, 1]):
            row = low[place]
            own = sums[row]
            more = own + (gain if is_needed or own > 0 else nothing)
            sums[row], chosen[found] = more, row
            found += (more > least) & (own <= least)
        for place in range(spans[form, 2], spans[form, 3]):
            entry = buffer[place]
            row = np.uint16(entry)
            own = sums[row]
            more = own + (gain * np.float32(entry >> 32) if is_needed or own > 0 else nothing)
            sums[row], chosen[found] = more, row
            found += (more > least) & (own <= least)
    return found


@kernel
def keep_high(
    chosen: Array,
    sums: Array,
    floor: float,
    lengths: Array,
    among: Array,
    saturation: tuple[float, float, float, float],
) -> int:
    """Move the rows whose scores may reach the floor, and that are allowed, to the front. Return
    how many they are."""
    found = 0
    for place in range(len(chosen)):
        row = chosen[place]
        norm = find_saturation(lengths[row], saturation)
        is_high = sums[row] * SLACK >= floor * (1 + norm)
        if is_high and (not len(among) or among[row]):
            chosen[found] = row
            found += 1
    return found


@kernel
def clear_sums(low: Array, spans: Array, buffer: Array, forms: Array, sums: Array) -> None:
    """Set the sums of the rows of some words to 0."""
    for form in forms:
        for place in range(spans[form, 0], spans[form, 1]):
            sums[low[place]] = 0
        for place in range(spans[form, 2], spans[form, 3]):
            sums[np.uint16(buffer[place])] = 0


@kernel
def add_scores(
    low: Array,
    terms: Array,
    spans: Array,
    buffer: Array,
    chosen: Array,
    slots: Array,
    values: tuple[Array, Array],
    lengths: Array,
    saturation: tuple[float, float, float, float],
) -> Array:
    """Return the scores of chosen rows of a window, added up term by term."""
    counts, scores = np.zeros(len(chosen)), np.zeros(len(chosen))
    weights, rarities = values
    for place in range(len(chosen)):
        slots[chosen[place]] = place + 1
    for form in range(len(terms)):
        for place in range(spans[form, 0], spans[form, 1]):
            slot = slots[low[place]]
            if slot:
                counts[slot - 1] += 1
        for place in range(spans[form, 2], spans[form, 3]):
            slot = slots[np.uint16(buffer[place])]
            if slot:
                counts[slot - 1] += buffer[place] >> 32
        term = terms[form]
        if form + 1 < len(terms) and terms[form + 1] == term:
            continue
        for place in range(len(chosen)):
            if counts[place]:
                norm = find_saturation(lengths[chosen[place]], saturation)
                value = rarities[term] * (counts[place] / (counts[place] + norm))
                scores[place] += weights[term] * value
                counts[place] = 0
    for row in chosen:
        slots[row] = 0
    return scores


@kernel
def find_saturation(length: int, saturation: tuple[float, float, float, float]) -> float:
    """Return K for a row of some length."""
    k1, b, mean, least = saturation
    return max(k1 * (1 - b + b / mean * length), least)
