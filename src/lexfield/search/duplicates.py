"""Pairs of rows that say nearly the same: Jaccard similarity of their words above a threshold.

Exact by prefix filtering (Chaudhuri et al. 2006): with words ordered from rare to frequent, two
sets with Jaccard ≥ t share a word among the first |s| − ⌈t·|s|⌉ + 1 of each. Or by MinHash.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.results import Table
from lexfield.search.filter import allowed_rows
from lexfield.search.index import Index
from lexfield.search.minhash import band_keys, band_size, candidate_pairs, signatures
from lexfield.search.rows import Rows

_PART = 1_000_000  # pairs compared at a time


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows and the Jaccard similarity of their words, stopwords out."""

    a: str
    b: str
    similarity: float
    text_a: str
    text_b: str


def duplicates(
    index: Index,
    threshold: float = 0.8,
    *,
    unit: str = "document",
    approximate: bool = False,
) -> Table[Pair]:
    """All pairs with at least ``threshold``, most similar first.

    ``approximate`` finds candidates by MinHash; it misses at most about one pair in fifty.
    """
    check(0 < threshold <= 1, "threshold", "above 0 and at most 1", threshold)
    rows = index.rows(unit)
    sets = _Sets(rows)
    allowed = allowed_rows(rows, None)
    source = _by_minhash(rows, threshold) if approximate else sets.by_prefix(threshold)
    found: dict[tuple[int, int], float] = {}
    for pairs in source:
        if allowed is not None:
            pairs = pairs[allowed[pairs].all(axis=1)]
        for start in range(0, len(pairs), _PART):
            part = pairs[start : start + _PART]
            scores = sets.jaccard(part)
            for (a, b), score in zip(
                part[scores >= threshold].tolist(), scores[scores >= threshold], strict=True
            ):
                found[a, b] = float(score)
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return Table(
        [
            Pair(rows.describe(a)["id"], rows.describe(b)["id"], score, rows.text(a), rows.text(b))
            for (a, b), score in ordered
        ],
        f"{len(ordered)} pairs with Jaccard similarity of at least {threshold:g}",
    )


def _by_minhash(rows: Rows, threshold: float) -> Iterator[NDArray[np.int64]]:
    filled = np.flatnonzero(rows.set_sizes)
    keys = band_keys(signatures(rows)[filled], band_size(threshold))
    return (filled[pairs] for pairs in candidate_pairs(keys))


class _Sets:
    """The rows' words as ranks from rare to frequent, sorted within each row."""

    def __init__(self, rows: Rows) -> None:
        self._sizes = rows.set_sizes.astype(np.int64)
        self._offsets = np.append(0, np.cumsum(self._sizes))
        order = np.lexsort((np.arange(len(rows.lexicon)), rows.frequencies))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        words = np.concatenate(
            [own[unit.words] for unit, own in zip(rows.units, rows.lexicon.maps, strict=True)]
        )
        row_of = np.repeat(np.arange(len(rows)), self._sizes)
        self._width = len(order)
        # One sorted number for each (row, rank): membership is then a binary search.
        self._entries = np.sort(row_of * self._width + rank[words])

    def by_prefix(self, threshold: float) -> Iterator[NDArray[np.int64]]:
        """For each word, pairs of rows that have it in their prefixes."""
        needed = np.ceil(threshold * self._sizes - 1e-9).astype(np.int64)
        lengths = np.where(self._sizes > 0, self._sizes - needed + 1, 0)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        places = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        ranks = self._entries[np.repeat(self._offsets[:-1], lengths) + places] % self._width
        order = np.argsort(ranks, kind="stable")
        rows, ranks = rows[order], ranks[order]
        starts = np.flatnonzero(np.append(True, ranks[1:] != ranks[:-1]))
        ends = np.append(starts[1:], len(ranks))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if end - start > 1:
                yield from self._pairs_of(rows[start:end], threshold)

    def _pairs_of(self, group: NDArray[np.int64], threshold: float) -> Iterator[NDArray[np.int64]]:
        """Pairs within a group whose sizes alone do not rule the threshold out."""
        sizes = self._sizes[group]
        order = np.argsort(sizes, kind="stable")
        group, sizes = group[order], sizes[order]
        for place in range(len(group) - 1):
            last = int(np.searchsorted(sizes, sizes[place] / threshold + 1e-9, "right"))
            others = group[place + 1 : last]
            if len(others):
                own = np.full(len(others), group[place])
                yield np.column_stack([np.minimum(own, others), np.maximum(own, others)])

    def jaccard(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        first, second = pairs[:, 0], pairs[:, 1]
        sizes = self._sizes[first]
        places = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        ranks = self._entries[np.repeat(self._offsets[first], sizes) + places] % self._width
        wanted = np.repeat(second, sizes) * self._width + ranks
        found = np.searchsorted(self._entries, wanted)
        hit = self._entries[np.minimum(found, len(self._entries) - 1)] == wanted
        common = np.bincount(np.repeat(np.arange(len(pairs)), sizes), hit, minlength=len(pairs))
        together = sizes + self._sizes[second] - common
        scores: NDArray[np.float64] = common / np.maximum(together, 1)
        return scores
