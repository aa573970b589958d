"""Local alignment of words (Smith and Waterman 1981) with affine gaps (Gotoh 1982), in a band.

    H(i, j) = max(0, H(i−1, j−1) + s(a_i, b_j), E(i, j), F(i, j))
    E(i, j) = max(H(i, j−1) − open, E(i, j−1) − extend)      words of b only
    F(i, j) = max(H(i−1, j) − open, F(i−1, j) − extend)      words of a only

The band follows the seeds of a window. After the best alignment of a window has been found, the
rows before and after it are aligned in turn. Scores are whole numbers, hundredths of a nat, so that
every machine finds the same.
"""

from __future__ import annotations

import numpy as np

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel

HALF = 32  # words on either side of the path through the seeds
PAD = 48  # words before the first and after the last seed
_ROWS = 4096  # rows of a window; what is longer is aligned in parts
_FEWEST = 3  # rows that are worth aligning
Table = tuple[Array, Array, Array]  # starts, others and values of ``Scores``
_STOP, _PAIR, _LEFT, _UP, _LEFT_ON, _UP_ON = 0, 1, 2, 3, 4, 8


@kernel
def place_band(anchors: Array, first: int, rows: int, firsts: Array) -> None:
    """Write the first column of the band for each of ``rows`` rows from ``first`` on.

    The middle of the band is on the line through the seeds, which ascend by their places in a.
    """
    at = 0
    for row in range(rows):
        i = first + row
        while at + 1 < len(anchors) and anchors[at + 1, 0] <= i:
            at += 1
        x, y = anchors[at, 0], anchors[at, 1]
        middle = y + (i - x)
        if i > x and at + 1 < len(anchors):
            x2, y2 = anchors[at + 1, 0], anchors[at + 1, 1]
            middle = y + (y2 - y) * (i - x) // (x2 - x)
        firsts[row] = middle - HALF


@kernel
def align_band(
    a: Array, b: Array, firsts: Array, width: int, table: Table, costs: Array, held: Array
) -> tuple[int, Array]:
    """Return the score and the pairs of places of the best local alignment of all of ``a``.

    Row i is compared with columns ``firsts[i]`` to before ``firsts[i] + width``. The table is that
    of ``Scores``; any other pair of words costs ``costs[0]``, a gap ``costs[1]`` for its first word
    and ``costs[2]`` for each more. ``held`` has a place per word and is −costs[0] everywhere, also
    on return. Of equal ones the nearest to the middle of the band is best: so every copy of a
    passage is found from its own seeds.
    """
    starts, others, scores = table
    low, middle = -(1 << 30), width // 2
    path = np.zeros((len(a), width), np.uint8)
    best_h, best_f = np.zeros(width + 2, np.int64), np.full(width + 2, low, np.int64)
    new_h, new_f = np.zeros(width + 2, np.int64), np.full(width + 2, low, np.int64)
    top, top_i, top_k = 0, -1, -1
    for i in range(len(a)):
        for at in range(starts[a[i]], starts[a[i] + 1]):
            held[others[at]] = scores[at]
        shift = firsts[i] - firsts[i - 1] if i else 0
        gap, left = low, 0
        for k in range(width):
            j = firsts[i] + k
            new_h[k], new_f[k] = 0, low
            if not 0 <= j < len(b):
                left, gap = 0, low
                continue
            up, diagonal = k + shift, k + shift - 1
            score, mark = held[b[j]], _PAIR
            score += best_h[diagonal] if i and 0 <= diagonal < width else 0
            drop = low
            if i and 0 <= up < width:
                drop = best_h[up] - costs[1]
                if best_f[up] - costs[2] > drop:
                    drop = best_f[up] - costs[2]
                    path[i, k] |= _UP_ON
            new_f[k] = drop
            if k:
                opened = left - costs[1]
                if gap - costs[2] > opened:
                    gap -= costs[2]
                    path[i, k] |= _LEFT_ON
                else:
                    gap = opened
            if gap > score:
                score, mark = gap, _LEFT
            if drop > score:
                score, mark = drop, _UP
            if score <= 0:
                score, mark = 0, _STOP
            path[i, k] |= mark
            new_h[k] = left = score
            if score > top or (score == top > 0 and abs(k - middle) < abs(top_k - middle)):
                top, top_i, top_k = score, i, k
        best_h, new_h = new_h, best_h
        best_f, new_f = new_f, best_f
        for at in range(starts[a[i]], starts[a[i] + 1]):
            held[others[at]] = -costs[0]
    return top, _trace(path, firsts, top_i, top_k)


@kernel
def _trace(path: Array, firsts: Array, i: int, k: int) -> Array:
    """Return the pairs of places on the path that ends at row i and place k of the band."""
    pairs = np.empty((i + 1, 2), np.int64)
    count, state = 0, 0
    while i >= 0 and 0 <= k < path.shape[1]:
        mark = path[i, k]
        if state == 0:
            state = mark & 3
            if state == _STOP:
                break
        if state == _PAIR:
            pairs[count, 0], pairs[count, 1] = i, firsts[i] + k
            count += 1
            if i:
                k += firsts[i] - firsts[i - 1] - 1
            i -= 1
            state = 0
        elif state == _LEFT:
            if not mark & _LEFT_ON:
                state = 0
            k -= 1
        else:
            if not mark & _UP_ON:
                state = 0
            if i:
                k += firsts[i] - firsts[i - 1]
            i -= 1
    return pairs[:count][::-1].copy()


@kernel
def align_windows(
    tokens: Array,
    offsets: Array,
    documents: Array,
    anchor_offsets: Array,
    anchors: Array,
    table: Table,
    costs: Array,
    least: int,
) -> tuple[Array, Array]:
    """Return the alignments with at least ``least`` in every window, and their pairs of places.

    An alignment is its window, its score, and where its pairs end.
    """
    held = np.full(len(table[0]) - 1, -costs[0], np.int64)
    made, pairs = np.empty((64, 3), np.int64), np.empty((1024, 2), np.int64)
    count = size = 0
    waiting = np.empty((64, 2), np.int64)
    for window in range(len(documents)):
        own = anchors[anchor_offsets[window] : anchor_offsets[window + 1]]
        a = tokens[offsets[documents[window, 0]] : offsets[documents[window, 0] + 1]]
        b = tokens[offsets[documents[window, 1]] : offsets[documents[window, 1] + 1]]
        last = min(len(a), own[-1, 0] + PAD)
        begin = max(0, own[0, 0] - PAD)
        while begin < last:
            waiting[0, 0], waiting[0, 1] = begin, min(last, begin + _ROWS)
            begin = waiting[0, 1]
            left = 1
            while left:
                left -= 1
                top, end = waiting[left, 0], waiting[left, 1]
                firsts = np.empty(end - top, np.int64)
                place_band(own, top, end - top, firsts)
                score, path = align_band(a[top:end], b, firsts, 2 * HALF, table, costs, held)
                if score < least:
                    continue
                if count == len(made):
                    made = np.concatenate((made, np.empty_like(made)))
                while size + len(path) > len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                for one in range(len(path)):
                    pairs[size + one, 0], pairs[size + one, 1] = path[one, 0] + top, path[one, 1]
                size += len(path)
                made[count, 0], made[count, 1], made[count, 2] = window, score, size
                count += 1
                first, final = path[0, 0] + top, path[-1, 0] + top + 1
                for side in range(2):
                    start, stop = (top, first) if side == 0 else (final, end)
                    if stop - start >= _FEWEST and left < len(waiting):
                        waiting[left, 0], waiting[left, 1] = start, stop
                        left += 1
    return made[:count], pairs[:size]
