"""The nearest documents of each, by counts of words, in memory that grows with the documents and
not with their pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.clouds import check_coverage
from lexfield.compare.counts import Counts, compare_rows, spread_counts
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import count_texts, find_copies, note_copies, note_hub, read_options
from lexfield.engine import map_blocks
from lexfield.engine.topk import top_k
from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.results import Frames, JsonObject, html_table
from lexfield.text.corpus import Corpus

_CELLS = 1 << 23  # of the matrix of all pairs, computed at a time
_SHOWN = 20  # documents in a notebook


@dataclass(frozen=True)
class NearestPairs(Frames):
    """``neighbours[i]`` are the rows of the documents nearest to ``ids[i]``, nearest first, and
    ``values[i]`` their divergences; -1 and NaN where a document has fewer neighbours."""

    ids: list[str]
    neighbours: NDArray[np.int64]
    values: NDArray[np.float64]
    options: ComparisonOptions
    metadata: list[dict[str, str]]
    notes: list[str]

    def to_dicts(self) -> list[JsonObject]:
        return list(self._list_pairs(len(self.ids)))

    def _list_pairs(self, documents: int) -> Iterator[JsonObject]:
        for row in range(documents):
            near = zip(self.neighbours[row].tolist(), self.values[row].tolist(), strict=True)
            for other, value in near:
                if other >= 0:
                    yield {"a": self.ids[row], "b": self.ids[other], "k": None, "value": value}

    def _repr_html_(self) -> str:
        more = [f"{len(self.ids):,} documents in all"] if len(self.ids) > _SHOWN else []
        return html_table(list(self._list_pairs(_SHOWN)), repr(self), [*more, *self.notes])

    def __repr__(self) -> str:
        each = f"the nearest {self.neighbours.shape[1]:,} of each"
        return f"<NearestPairs: {len(self.ids):,} documents, {each}, {self.options.measure}>"


def find_nearest_pairs(
    corpus: Corpus | Counts,
    nearest: int,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **options: Any,
) -> NearestPairs:
    """Return the ``nearest`` documents of each; ``options`` are those of ``ComparisonOptions``.

    Every pair is compared, some rows of the matrix at a time, so the result is exact. Of equal
    divergences the earlier document comes first. Documents that differ infinitely are left out.
    """
    chosen = read_options(options)
    if not chosen.compares_counts:
        raise InputError(
            "The nearest documents are found by counts of words, not by clouds of vectors.",
            "Leave out --nearest, or take --space categorical or --estimator spread.",
        )
    check(chosen.hubs is None, "hubs", "left out with nearest: it needs all pairs", chosen.hubs)
    counts = count_texts(corpus, chosen, sample, seed)
    notes = [*counts.notes, *check_coverage(counts, chosen, each=False)]
    matrix, height, copies = (
        spread_counts(counts, chosen).matrix,
        len(counts.ids),
        find_copies(counts),
    )
    same: dict[int, list[int]] = {}
    for i, j in copies:
        same.setdefault(i, []).append(j)
        same.setdefault(j, []).append(i)
    nearest, size = min(nearest, height - 1), max(1, _CELLS // height)
    collection = np.asarray(matrix.sum(axis=0)).ravel()

    def compare(first: int) -> tuple[Array, Array]:
        values = compare_rows(matrix[first : first + size], matrix, chosen, collection, matrix)
        values *= chosen.scale
        for row, own in enumerate(values, first):
            own[same.get(row, [])] = 0.0
            own[row] = np.nan
        return _choose_nearest(values, nearest)

    neighbours, values = _allocate(height, nearest)
    starts = range(0, height, size)
    for first, found in zip(starts, map_blocks(compare, starts), strict=True):
        neighbours[first : first + size], values[first : first + size] = found
        progress(min(first + size, height), height)
    if alone := int((neighbours[:, -1] < 0).sum()):
        notes.append(f"{alone:,} documents have fewer than {nearest:,} others with a finite value")
    if copies:
        notes.append(note_copies(counts.ids, copies))
    if hub := note_hub(counts.ids, neighbours[neighbours[:, 0] >= 0, 0], chosen):
        notes.append(hub)
    return NearestPairs(counts.ids, neighbours, values, chosen, counts.metadata, notes)


def _choose_nearest(values: Array, nearest: int) -> tuple[Array, Array]:
    """Return the columns of the lowest finite values of each row, lowest first, and these."""
    neighbours, found = _allocate(len(values), nearest)
    for row, own in enumerate(values):
        near = top_k(np.where(np.isfinite(own), -own, -np.inf), nearest)
        neighbours[row, : len(near)], found[row, : len(near)] = near, own[near]
    return neighbours, found


def _allocate(height: int, width: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return neighbours and values of nothing."""
    return np.full((height, width), -1), np.full((height, width), np.nan)
