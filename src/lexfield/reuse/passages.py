"""Passages: alignments of two texts that lie close together, in any order.

An alignment that overlaps a longer one keeps only the words that are not aligned yet. Alignments
with at most ``GAP`` words between them in both texts, or fewer in one and more in the other, form a
passage. Each of them beyond the best
could have been found anywhere near it, so a passage scores

    S = S_1 + Σ_{k>1} (S_k − JOIN)

and alignments that would add nothing are left out (compare the sum statistics of Karlin and
Altschul 1993). The passages expected by chance with a score of S or more are

    E = Σ m n · (exp(−S) + K exp(−λ S))

over all pairs of texts of m and n words. The first term is that of words drawn at random, for which
scores that are log odds have λ = 1 (Karlin and Altschul 1990). The second, with K and λ fitted to
texts that do not draw on each other, is that of turns of phrase and of topics: it is small, but it
decreases more slowly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp

import numpy as np
from numpy.typing import NDArray

from lexfield.reuse.scoring import IDENTICAL, AlignmentScorer, WordAlignment

GAP, FAR = 50, 400  # words
AROUND, _CELLS = 20, 1_000_000  # words around a passage, and pairs of words, to align at last
_BESIDE, _COPIES = 120, 64  # words beside a passage that may be copies of it; most copies
_CLOSE = 5  # words that make no difference
_SAME = 0.5  # of the information of both sides of a passage
_SHARED = 0.3  # of the shorter of two alignments that may lie within the other
JOIN = 13.0  # nats: ln of the places where the next could have been found, and a margin
LEAST = JOIN + 1  # nats of an alignment that is worth keeping
LAMBDA, K = 0.45, 1e-4
Box = tuple[int, int, int, int]  # the first and the last place in a, and in b
_CELL = 6  # bits of a place that are dropped to find alignments which overlap


@dataclass(frozen=True)
class ReusedPassage:
    """Alignments of two documents that belong together.

    No word is in two of them. moved: which of their pairs are in a different order in b.
    """

    a: int
    b: int
    parts: list[WordAlignment]
    score: float
    moved: list[NDArray[np.bool_]]

    @cached_property
    def box(self) -> Box:
        return _surround(self.parts)

    @cached_property
    def identical(self) -> float:
        """The share of identical words among all words of both sides.

        Words between two alignments that only one side has do not count: they were moved apart.
        """
        equal = np.concatenate([part.pairs[part.relations == IDENTICAL] for part in self.parts])
        same = min(len(np.unique(equal[:, side])) for side in range(2))
        within = [
            _count_covered([part.box[side : side + 2] for part in self.parts]) for side in (0, 2)
        ]
        between = min(whole - part for whole, part in zip(_measure(self.box), within, strict=True))
        return 2 * same / (sum(within) + 2 * max(0, between))

    def flip(self) -> ReusedPassage:
        """Return the same passage with its sides exchanged."""
        parts = [replace(one, pairs=one.pairs[:, ::-1]) for one in self.parts]
        return ReusedPassage(self.b, self.a, parts, self.score, self.moved)


def find_moved(parts: list[WordAlignment]) -> list[NDArray[np.bool_]]:
    """Return, for the pairs of each part, which stand in another order in b than in a: those off
    the longest chain of pairs that ascends in both."""
    pairs = np.concatenate([part.pairs for part in parts])
    ends: list[int] = []  # of the best chains of every length: places in b, ascending
    best: list[int] = []  # their last pairs
    links: dict[int, int] = {}
    for k in np.lexsort((-pairs[:, 1], pairs[:, 0])).tolist():
        at = bisect_left(ends, place := int(pairs[k, 1]))
        links[k] = best[at - 1] if at else -1
        ends[at : at + 1], best[at : at + 1] = [place], [k]
    moved, k = np.ones(len(pairs), bool), best[-1]
    while k >= 0:
        moved[k] = False
        k = links[k]
    return np.split(moved, np.cumsum([len(part.pairs) for part in parts])[:-1])


def compute_chance(score: float, area: float) -> float:
    """Return how many passages with this score or more are expected by chance."""
    return float(area * (exp(-score) + K * exp(-LAMBDA * score)))


def find_least(chance: float, area: float) -> float:
    """Return the score from which at most this many passages are expected by chance."""
    low, high = 0.0, 10_000.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if compute_chance(middle, area) > chance else (low, middle)
    return high


def make_passages(
    scorer: AlignmentScorer, a: int, b: int, paths: Iterable[NDArray[np.int64]], least: float
) -> list[ReusedPassage]:
    """Return the passages with a score of at least ``least`` in two documents, best first."""
    kept = _resolve(scorer, a, b, paths)
    found = []
    for group in _join(scorer, a, b, _group(kept)):
        group = _claim(scorer, a, b, group)
        if _add_up(group) >= least:
            group += _fill(scorer, a, b, group)
            for part in _split(scorer, a, b, scorer.extend(a, b, group)):
                part.sort(key=lambda one: one.box)
                if (score := _add_up(part)) >= least:
                    found.append(ReusedPassage(a, b, part, score, find_moved(part)))
    _add_copies(scorer, a, b, found, least)
    found.sort(key=lambda passage: (-passage.score, passage.box))
    return _drop_inner(found)


def _claim(
    scorer: AlignmentScorer, a: int, b: int, group: list[WordAlignment]
) -> list[WordAlignment]:
    """Return the alignments of a passage, best first, each without words that a better one has."""
    kept: list[WordAlignment] = []
    used: tuple[set[int], set[int]] = set(), set()
    for part in sorted(group, key=lambda one: -one.score):
        free = np.array([not (i in used[0] or j in used[1]) for i, j in part.pairs.tolist()])
        if not free.any():
            continue
        one = part if free.all() else scorer.score(a, b, part.pairs[free])
        if one.score >= LEAST:
            kept.append(one)
            for side, own in enumerate(used):
                own.update(one.pairs[:, side].tolist())
    return kept


def _add_up(group: list[WordAlignment]) -> float:
    scores = [part.score for part in group]
    return sum(scores) - JOIN * (len(scores) - 1)


def _fill(
    scorer: AlignmentScorer, a: int, b: int, group: list[WordAlignment]
) -> list[WordAlignment]:
    """Return alignments of words in and around a passage that are not aligned yet.

    Sentences that were moved within a passage have no window of their own.
    """
    first, last, low, high = _surround(group)
    first, low = max(0, first - AROUND), max(0, low - AROUND)
    last, high = last + AROUND, high + AROUND
    found: list[WordAlignment] = []
    taken = np.concatenate([part.pairs for part in group])
    while (last - first) * (high - low) <= _CELLS:
        pairs = scorer.align_free(a, b, (first, last, low, high), taken)
        one = scorer.score(a, b, pairs) if len(pairs) else None
        if one is None or one.score < LEAST:
            break
        if not any(_belong_together(one, part) for part in (*group, *found)):
            break
        found.append(one)
        taken = np.concatenate([taken, one.pairs])
    return found


def _add_copies(
    scorer: AlignmentScorer, a: int, b: int, found: list[ReusedPassage], least: float
) -> None:
    """Add the copies of short passages that are right beside them in one of the texts.

    They are in one window, of which only the best alignment is known.
    """
    none = np.empty((0, 2), np.int64)
    most = len(found) + _COPIES
    for one in found:  # also those that are added
        for side in (0, 2):
            first, last = one.box[side : side + 2]
            reach = last - first + 1 + AROUND
            for low, high in ((max(0, first - reach), first - 1), (last + 1, last + reach)):
                box = (low, high, *one.box[2:]) if side == 0 else (*one.box[:2], low, high)
                if reach > _BESIDE or low > high or len(found) == most:
                    continue
                if not len(pairs := scorer.align_free(a, b, box, none)):
                    continue
                parts = scorer.extend(a, b, [scorer.score(a, b, pairs)])
                own = ReusedPassage(a, b, parts, parts[0].score, find_moved(parts))
                is_copy = own.score >= least and _repeats(parts, one.parts)
                if is_copy and not any(_lies_within(own.box, x.box) for x in found):
                    found.append(own)


def _count_covered(ranges: list[tuple[int, ...]]) -> int:
    """Return how many places lie in at least one of some ranges."""
    covered, end = 0, -1
    for first, last in sorted(ranges):
        covered += max(0, last - max(first - 1, end))
        end = max(end, last)
    return covered


def _measure(box: Box) -> tuple[int, int]:
    """Return how many words a box has in a and in b."""
    first, last, low, high = box
    return last - first + 1, high - low + 1


def _measure_gaps(one: Box, other: Box) -> tuple[int, int]:
    """Return how far two boxes are apart in a and in b; negative if they overlap."""
    return (
        max(one[0], other[0]) - min(one[1], other[1]),
        max(one[2], other[2]) - min(one[3], other[3]),
    )


def _surround(parts: list[WordAlignment]) -> Box:
    first, last, low, high = zip(*(part.box for part in parts), strict=True)
    return min(first), max(last), min(low), max(high)


def _drop_inner(passages: list[ReusedPassage]) -> list[ReusedPassage]:
    """Return passages without those that mostly lie within a better one: words that it repeats."""
    kept: list[ReusedPassage] = []
    for one in passages:
        if not any(_lies_within(one.box, other.box) for other in kept):
            kept.append(one)
    return kept


def _lies_within(one: Box, other: Box) -> bool:
    return all(
        2 * (min(one[high], other[high]) - max(one[low], other[low])) >= one[high] - one[low]
        for low, high in ((0, 1), (2, 3))
    )


def _resolve(
    scorer: AlignmentScorer, a: int, b: int, paths: Iterable[NDArray[np.int64]]
) -> list[WordAlignment]:
    """Return alignments that share no word where they overlap; long ones take precedence.

    Where both sides are aligned already, as in the repetitions of a text that is copied as a whole,
    nothing is added; a passage that occurs twice in one of the texts is reported twice.
    """
    taken = scorer.make_marks(a), scorer.make_marks(b)
    kept: list[WordAlignment] = []
    cells: dict[tuple[int, int], list[int]] = {}
    for pairs in sorted(paths, key=lambda one: (-len(one), *one[0].tolist())):
        left, right = taken[0][pairs[:, 0]], taken[1][pairs[:, 1]]
        pairs = pairs[~(left & right)]
        if left.any() and right.any():
            own = _list_cells(pairs)
            near = sorted({k for cell in own for k in cells.get(cell, ())})
            used = np.concatenate([np.empty((0, 2), np.int64), *(kept[k].pairs for k in near)])
            left, right = (np.isin(pairs[:, side], used[:, side]) for side in range(2))
            pairs = pairs[~left & ~right]
        one = scorer.score(a, b, pairs) if len(pairs) else None
        if one is not None and one.score >= LEAST:
            for cell in _list_cells(one.pairs):
                cells.setdefault(cell, []).append(len(kept))
            kept.append(one)
            taken[0][one.pairs[:, 0]], taken[1][one.pairs[:, 1]] = True, True
    return kept


def _list_cells(pairs: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the squares of places that pairs lie in."""
    return list(dict.fromkeys(zip(*(pairs >> _CELL).T.tolist(), strict=True)))


def _group(kept: list[WordAlignment]) -> list[list[WordAlignment]]:
    """Return alignments in groups of neighbours."""
    kept = sorted(kept, key=lambda one: one.box)
    labels = list(range(len(kept)))

    def find_root(k: int) -> int:
        while labels[k] != k:
            k = labels[k]
        return k

    active: list[int] = []
    for k, one in enumerate(kept):
        active = [j for j in active if kept[j].box[1] + FAR >= one.box[0]]
        active.sort(key=lambda j: max(_measure_gaps(kept[j].box, one.box)))
        active.append(k)
        for j in active[:-1]:
            x, y = sorted((find_root(j), find_root(k)))
            if x != y and _belong_together(kept[j], one):
                near = [[kept[i] for i in active if find_root(i) == root] for root in (x, y)]
                if not _are_copies(*near):
                    labels[y] = x
    groups: dict[int, list[WordAlignment]] = {}
    for k, one in enumerate(kept):
        groups.setdefault(find_root(k), []).append(one)
    return list(groups.values())


def _join(
    scorer: AlignmentScorer, a: int, b: int, groups: list[list[WordAlignment]]
) -> list[list[WordAlignment]]:
    """Join groups that are not far apart if both sides then still say half of the same: sentences
    that were moved farther than ``_belong_together`` allows."""
    joined: list[list[WordAlignment]] = []
    active: list[list[WordAlignment]] = []
    for group in sorted(groups, key=_surround):
        first = _surround(group)[0]
        active = [other for other in active if _surround(other)[1] + FAR >= first]
        for other in active:
            is_near = max(_measure_gaps(_surround(group), _surround(other))) <= FAR
            if not is_near or _repeats(group, other):
                continue
            if scorer.measure_overlap(a, b, _surround(group + other)) >= _SAME:
                other += group
                break
        else:
            joined.append(group)
            active.append(group)
    return joined


def _repeats(group: list[WordAlignment], other: list[WordAlignment]) -> bool:
    """Do two groups align some of the same words of a text, as if it were quoted twice?"""
    same, shorter, _ = _compare(group, other)
    return same > _SHARED * shorter


def _are_copies(group: list[WordAlignment], other: list[WordAlignment]) -> bool:
    """Do two groups mostly align the same words of a text?"""
    same, _, longer = _compare(group, other)
    return 2 * same > longer


def _compare(group: list[WordAlignment], other: list[WordAlignment]) -> tuple[int, int, int]:
    """Return how many words two groups share in one of the texts, and how many words the shorter
    and the longer group align."""
    one, two = (np.concatenate([part.pairs for part in each]) for each in (group, other))
    same = max(int(np.isin(one[:, side], two[:, side]).sum()) for side in range(2))
    return same, min(len(one), len(two)), max(len(one), len(two))


def _split(
    scorer: AlignmentScorer, a: int, b: int, group: list[WordAlignment]
) -> list[list[WordAlignment]]:
    """Return a group as it is if half of its words have a word opposite, or if both sides say half
    of the same in any order; else cut it at the widest gap, and its parts likewise, so that a few
    words are not the end of a long span."""
    box = _surround(group)
    is_close = len(group) == 1 or 2 * _count(group) >= max(_measure(box))
    if is_close or scorer.measure_overlap(a, b, box) >= _SAME:
        return [group]
    widest, best = -1, (group, group)
    for low, high in ((0, 1), (2, 3)):
        ordered = sorted(group, key=lambda one: one.box[low])
        end = ordered[0].box[high]
        for cut, one in enumerate(ordered[1:], 1):
            if (gap := one.box[low] - end) > widest:
                widest, best = gap, (ordered[:cut], ordered[cut:])
            end = max(end, one.box[high])
    if widest <= _CLOSE:
        return [group]
    return [part for half in best for part in _split(scorer, a, b, half)]


def _count(group: list[WordAlignment]) -> int:
    """Return how many pairs of words stand opposite each other, related or not."""
    return sum(1 + int(np.diff(part.pairs, axis=0).min(axis=1).sum()) for part in group)


def _belong_together(one: WordAlignment, other: WordAlignment) -> bool:
    """Are two alignments near each other, without being two copies of the same words?

    The farther apart they are in one text, the closer they must be in the other: sentences of a
    passage may have been rearranged, and one may lie in a gap of the other.
    """
    gaps = _measure_gaps(one.box, other.box)
    near = 1
    for gap in gaps:
        near *= max(gap, 0) + _CLOSE
    if max(gaps) > FAR or near > (GAP + _CLOSE) ** 2:
        return False
    return min(gaps) > 0 or not _repeats([one], [other])
