"""Pairs of rows that say nearly the same: Jaccard similarity of their words above a threshold.

Exact by prefix filtering (Chaudhuri et al. 2006): with words ordered from rare to frequent, two
sets with Jaccard ≥ t share a word among the first |s| − ⌈t·|s|⌉ + 1 of each. Every pair that does
is compared once, however many words it shares, and only as long as it can still reach t (Xiao et
al. 2008). Or by MinHash.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError, check
from lexfield.index.collection import Collection
from lexfield.index.filter import allowed_rows
from lexfield.index.rows import Rows
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.search.minhash import band_keys, band_size, candidate_pairs, signatures

_PART = 1_000_000  # candidates compared at a time
_BLOCKS = 200  # of rows, about equal in work
_MOST = 2_000_000  # pairs returned
_SHOWN = 500  # characters of a text
_ROUNDING = 1e-9

Found = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows, the Jaccard similarity of their words, stopwords out, and how their texts begin."""

    a: str
    b: str
    similarity: float
    text_a: str
    text_b: str


def duplicates(
    index: Collection,
    threshold: float = 0.8,
    *,
    unit: str = "document",
    approximate: bool = False,
    min_words: int = 1,
    full: bool = False,
    progress: Progress = silent,
) -> Table[Pair]:
    """Return all pairs with at least ``threshold``, most similar first.

    Rows with fewer than ``min_words`` distinct words, stopwords out, are left out.
    ``full`` returns whole texts instead of their first 500 characters. ``approximate`` finds
    candidates by MinHash; it misses at most about one pair in fifty.
    Raise InputError if there are more than two million pairs.
    """
    check(0 < threshold <= 1, "threshold", "above 0 and at most 1", threshold)
    check(min_words >= 1, "min_words", "at least 1", min_words)
    rows = index.rows(unit)
    allowed, long = allowed_rows(rows, None), rows.set_sizes >= min_words
    sets = _Sets(rows, long if allowed is None else allowed & long)
    parts = (
        sets.similar(_by_minhash(rows, threshold), threshold)
        if approximate
        else sets.join(threshold, progress)
    )
    found = _gather(parts, threshold)

    @cache
    def describe(row: int) -> tuple[str, str]:
        text = rows.text(row)
        shown = text if full or len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        return rows.describe(row)["id"], shown

    described = [(score, describe(a), describe(b)) for score, a, b in found]
    return Table(
        [Pair(a, b, score, text_a, text_b) for score, (a, text_a), (b, text_b) in described],
        f"{len(found)} pairs with Jaccard similarity of at least {threshold:g}",
    )


def _gather(parts: Iterator[Found], threshold: float) -> list[tuple[float, int, int]]:
    """Score and rows of every pair, most similar first."""
    kept: list[Found] = []
    count = 0
    for pairs, scores in parts:
        kept.append((pairs, scores))
        count += len(scores)
        if count > _MOST:
            raise InputError(
                f"More than {_MOST:,} pairs have a similarity of at least {threshold:g}.",
                "Leave out short rows with --min-words 5, or raise --threshold: short sentences"
                " with the same few words are all duplicates of each other.",
            )
    if not kept:
        return []
    pairs = np.concatenate([part for part, _ in kept])
    scores = np.concatenate([part for _, part in kept])
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))
    columns = (scores[order].tolist(), *pairs[order].T.tolist())
    return list(zip(*columns, strict=True))


def _by_minhash(rows: Rows, threshold: float) -> Iterator[NDArray[np.int64]]:
    filled = np.flatnonzero(rows.set_sizes)
    keys = band_keys(signatures(rows)[filled], band_size(threshold))
    return (filled[pairs] for pairs in candidate_pairs(keys))


class _Sets:
    """The rows' words as ranks from rare to frequent, sorted within each row; rows that are not
    ``allowed`` have none."""

    def __init__(self, rows: Rows, allowed: NDArray[np.bool_]) -> None:
        order = np.lexsort((np.arange(len(rows.lexicon)), rows.statistics.holding))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        words = np.concatenate(
            [own[unit.words] for unit, own in zip(rows.units, rows.lexicon.maps, strict=True)]
        )
        sizes = rows.set_sizes.astype(np.int64)
        owners = np.repeat(np.arange(len(rows)), sizes)
        words, owners = words[allowed[owners]], owners[allowed[owners]]
        sizes = np.where(allowed, sizes, 0)
        self._width = len(order)
        self._sizes = sizes
        self._offsets = np.append(0, np.cumsum(sizes))
        self._ranks = np.sort(owners * self._width + rank[words]) % max(1, self._width)

    def join(self, threshold: float, progress: Progress) -> Iterator[Found]:
        """Compare every two rows that share a word of their prefixes, once."""
        needed = np.ceil(threshold * self._sizes - _ROUNDING).astype(np.int64)
        lengths = np.where(self._sizes > 0, self._sizes - needed + 1, 0)
        owners = np.repeat(np.arange(len(lengths)), lengths)
        places = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        ranks = self._ranks[self._offsets[:-1][owners] + places]
        holders = owners[np.argsort(ranks, kind="stable")]
        held = np.bincount(ranks, minlength=self._width)
        starts = np.append(0, np.cumsum(held))
        work = np.append(0, np.cumsum(np.bincount(owners, held[ranks], len(lengths))))
        cuts = np.searchsorted(work, np.linspace(0, work[-1], _BLOCKS + 1)[1:-1])
        bounds = np.unique([0, *cuts.tolist(), len(lengths)]).tolist()

        def block(of: tuple[int, int]) -> Found:
            found: Found = _join(
                self._ranks, self._offsets, lengths, starts, holders, *of, threshold
            )
            return found

        yield from map_blocks(block, list(pairwise(bounds)), progress=progress)

    def similar(self, source: Iterator[NDArray[np.int64]], threshold: float) -> Iterator[Found]:
        """The candidates that reach the threshold."""
        for pairs in source:
            for start in range(0, len(pairs), _PART):
                part = pairs[start : start + _PART]
                scores = _compare(self._ranks, self._offsets, part, threshold)
                yield part[scores >= threshold], scores[scores >= threshold]


@kernel
def _join(
    ranks: Any,
    offsets: Any,
    lengths: Any,
    starts: Any,
    holders: Any,
    first: Any,
    last: Any,
    threshold: Any,
) -> Any:
    """Pairs (smaller row first) of rows from ``first`` to before ``last`` with rows before them.

    holders[starts[word]:starts[word + 1]] are the rows with a word in their prefix, ascending.
    """
    seen = np.full(len(lengths), -1, np.int64)
    pairs, scores = np.empty((16, 2), np.int64), np.empty(16)
    count = 0
    for row in range(first, last):
        for place in range(lengths[row]):
            word = ranks[offsets[row] + place]
            for at in range(starts[word], starts[word + 1]):
                other = holders[at]
                if other >= row:
                    break
                if seen[other] == row:
                    continue
                seen[other] = row
                score = _jaccard(ranks, offsets, other, row, threshold)
                if score < threshold:
                    continue
                if count == len(scores):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                    scores = np.concatenate((scores, np.empty_like(scores)))
                pairs[count, 0], pairs[count, 1], scores[count] = other, row, score
                count += 1
        if count > _MOST:
            break
    return pairs[:count], scores[:count]


@kernel
def _compare(ranks: Any, offsets: Any, pairs: Any, threshold: Any) -> Any:
    scores = np.empty(len(pairs))
    for number in range(len(pairs)):
        scores[number] = _jaccard(ranks, offsets, pairs[number, 0], pairs[number, 1], threshold)
    return scores


@kernel
def _jaccard(ranks: Any, offsets: Any, a: Any, b: Any, threshold: Any) -> Any:
    """The similarity of two rows; −1 as soon as it cannot reach the threshold."""
    at, end, other, other_end = offsets[a], offsets[a + 1], offsets[b], offsets[b + 1]
    total = end - at + other_end - other
    common = 0
    while at < end and other < other_end:
        most = common + min(end - at, other_end - other)
        if most < (threshold - _ROUNDING) * (total - most):
            return -1.0
        if ranks[at] == ranks[other]:
            common += 1
            at += 1
            other += 1
        elif ranks[at] < ranks[other]:
            at += 1
        else:
            other += 1
    return common / max(total - common, 1)
