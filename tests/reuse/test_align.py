"""Local alignment agrees with plain dynamic programming over all pairs of words."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexfield.reuse.align import align_band

COSTS = np.array([150, 250, 80], np.int64)
WORDS = 6
texts = st.lists(st.integers(0, WORDS - 1), max_size=14)
SCORES = {(w, w): 100 * (w + 1) for w in range(WORDS)} | {(1, 4): 120, (4, 1): 120}


def score_pair(u: int, v: int) -> int:
    return SCORES.get((u, v), -int(COSTS[0]))


def score_slowly(a: list[int], b: list[int]) -> int:
    """The best local alignment, by recursion over all ends and all lengths of gaps."""
    best = 0
    ends = {(i, j): 0 for i in range(len(a) + 1) for j in range(len(b) + 1)}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            options = [0]
            if i and j:
                options.append(ends[i - 1, j - 1] + score_pair(a[i - 1], b[j - 1]))
            for gap in range(1, max(i, j) + 1):
                cost = int(COSTS[1] + (gap - 1) * COSTS[2])
                options += [ends[i - gap, j] - cost] if gap <= i else []
                options += [ends[i, j - gap] - cost] if gap <= j else []
            ends[i, j] = max(options)
            best = max(best, ends[i, j])
    return best


def score_path(a: list[int], b: list[int], pairs: list[list[int]]) -> int:
    total = 0
    for number, (i, j) in enumerate(pairs):
        total += score_pair(a[i], b[j])
        if number:
            for gap in (i - pairs[number - 1][0] - 1, j - pairs[number - 1][1] - 1):
                assert gap >= 0
                total -= int(COSTS[1] + (gap - 1) * COSTS[2]) if gap else 0
    return total


@settings(max_examples=150)
@given(texts, texts, st.integers(0, 3))
def test_the_best_alignment_is_found(a: list[int], b: list[int], shift: int) -> None:
    rows = [sorted((v, SCORES[u, v]) for u, v in SCORES if u == w) for w in range(WORDS)]
    starts = np.append(0, np.cumsum([len(row) for row in rows]))
    others = np.array([v for row in rows for v, _ in row], np.int32)
    scores = np.array([s for row in rows for _, s in row], np.int64)
    held = np.full(WORDS, -COSTS[0], np.int64)
    # a band that moves but holds all columns
    firsts = -shift - np.arange(len(a), dtype=np.int64) % (shift + 1)
    width = len(b) + 2 * shift + 1
    left, right = np.array(a, np.int32), np.array(b, np.int32)
    table = (starts, others, scores)
    best, pairs = align_band(left, right, firsts, width, table, COSTS, held)
    assert best == score_slowly(a, b)
    assert score_path(a, b, pairs.tolist()) == best
    assert (held == -COSTS[0]).all()
