"""Find the passages that texts of a collection share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.batches import Arrays
from lexfield.engine import map_blocks
from lexfield.progress import Progress, begin_stage, silent
from lexfield.reuse.align import align_windows
from lexfield.reuse.parts import Parts
from lexfield.reuse.passages import LEAST, Passage, find_least, make_passages
from lexfield.reuse.scoring import COSTS, UNIT, Scorer, Scores
from lexfield.reuse.seeds import Windows, find_windows
from lexfield.reuse.words import Words

_SEEDED = 16.0  # nats of the seeds of a window
_BLOCK = 2000  # windows per task


@dataclass(frozen=True)
class Shared:
    """The passages that the documents of ``words`` share, best first.

    area: the number of pairs of words that were compared, of all pairs of texts.
    """

    words: Words
    passages: list[Passage]
    area: float
    notes: list[str] = field(default_factory=list)


def find_shared(
    words: Words,
    groups: Array | None = None,
    chance: float = 0.01,
    progress: Progress = silent,
    resume: str | Path | None = None,
) -> Shared:
    """Return all passages of which at most ``chance`` are expected by chance, best first.

    Documents of the same group are not compared; without groups, every two documents are.
    ``resume`` is a folder for finished parts, from which a run that was stopped goes on.
    """
    begin_stage(progress, "finding places")
    parts = Parts(resume, words, groups)
    notes: list[str] = []

    def find() -> Arrays:
        found, more = find_windows(words, groups, _SEEDED, progress)
        notes.extend(more)
        return vars(found)

    windows = Windows(**parts.keep("windows", find))
    area = count_area(words.lengths, groups)
    scores = Scores.of(words, _mark_used(words, windows))
    scorer = Scorer(words, scores)
    least = find_least(chance, area)
    begin_stage(progress, "aligning")
    found: list[Passage] = []
    for (a, b), paths in _align(words, windows, scores, parts, progress):
        found += make_passages(scorer, a, b, paths, least)
    found.sort(key=lambda one: (-one.score, one.a, one.b, one.box))
    return Shared(words, found, area, [*words.notes, *notes])


def count_area(lengths: Array, groups: Array | None) -> float:
    """Return the sum of m · n over all pairs of texts that are compared."""
    sizes = lengths.astype(np.float64)
    if groups is None:
        return float((sizes.sum() ** 2 - (sizes**2).sum()) / 2)
    totals = np.bincount(np.asarray(groups), sizes)
    return float((totals.sum() ** 2 - (totals**2).sum()) / 2)


def _mark_used(words: Words, windows: Windows) -> NDArray[np.bool_]:
    """Return which words can occur in a window; in a small collection all can."""
    used = np.zeros(len(words.information), bool)
    for side in range(2):
        firsts, lasts = windows.offsets[:-1], windows.offsets[1:] - 1
        low = np.minimum.reduceat(windows.anchors[:, side], firsts) if len(windows) else firsts
        high = np.maximum.reduceat(windows.anchors[:, side], firsts) if len(windows) else lasts
        owners = windows.documents[:, side]
        starts, ends = words.offsets[owners], words.offsets[owners + 1]
        marks = np.zeros(len(words.tokens) + 1, np.int64)
        np.add.at(marks, np.maximum(starts + low - _AROUND, starts), 1)
        np.add.at(marks, np.minimum(starts + high + _AROUND, ends), -1)
        used[words.tokens[np.cumsum(marks[:-1]) > 0]] = True
    return used


_AROUND = 96  # words on either side of the seeds of a window that can be aligned


def _align(
    words: Words, windows: Windows, scores: Scores, parts: Parts, progress: Progress
) -> Iterator[tuple[tuple[int, int], list[NDArray[np.int64]]]]:
    """Yield, for every two documents with alignments, their pairs of places."""
    order = np.lexsort((windows.documents[:, 1], windows.documents[:, 0]))

    def align(start: int) -> list[tuple[tuple[int, int], NDArray[np.int64]]]:
        chosen = order[start : start + _BLOCK]
        documents = windows.documents[chosen]
        sizes = windows.offsets[chosen + 1] - windows.offsets[chosen]
        anchors = np.concatenate(
            [windows.anchors[windows.offsets[w] : windows.offsets[w + 1]] for w in chosen.tolist()]
        )

        def compute() -> Arrays:
            ends, least = np.append(0, np.cumsum(sizes)), int(LEAST * UNIT)
            texts = words.tokens, words.offsets
            found = align_windows(*texts, documents, ends, anchors, scores.table, COSTS, least)
            return dict(zip(("made", "pairs"), found, strict=True))

        made, pairs = parts.keep(f"{start:08d}", compute).values()
        ends = made[:, 2].tolist()
        owners = documents[made[:, 0]].tolist()
        return [
            ((a, b), pairs[first:end])
            for (a, b), first, end in zip(owners, [0, *ends], ends, strict=False)
        ]

    starts = range(0, len(windows), _BLOCK)
    blocks = map_blocks(align, starts, progress=progress) if len(windows) else ()
    every = (one for block in blocks for one in block)
    for documents, group in groupby(every, key=lambda one: one[0]):
        yield documents, [pairs for _, pairs in group]
