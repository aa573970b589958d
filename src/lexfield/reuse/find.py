"""Find the passages that texts of a collection share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.batches import Arrays
from lexfield.engine import Engine, map_blocks
from lexfield.progress import Progress, begin_stage, silent
from lexfield.reuse.align import HALF, PAD, align_windows
from lexfield.reuse.parts import KeptParts
from lexfield.reuse.passages import AROUND, LEAST, ReusedPassage, find_least, make_passages
from lexfield.reuse.scoring import COSTS, UNIT, AlignmentScorer, Scores
from lexfield.reuse.seeds import Windows, find_windows, note_limits
from lexfield.reuse.words import CorpusWords

_SEEDED = 16.0  # nats of the seeds of a window
_BLOCK = 2000  # windows per task
_AROUND = PAD + AROUND, PAD + HALF + AROUND  # words of a and b around the seeds of a window
Running = tuple[Engine | None, Progress]


@dataclass(frozen=True)
class Shared:
    """The passages that the documents of ``words`` share, best first.

    area: the number of pairs of words that were compared, of all pairs of texts.
    """

    words: CorpusWords
    passages: list[ReusedPassage]
    area: float
    notes: list[str] = field(default_factory=list)


def find_shared(
    words: CorpusWords,
    groups: Array | None = None,
    chance: float = 0.01,
    progress: Progress = silent,
    resume: str | Path | None = None,
    engine: Engine | None = None,
) -> Shared:
    """Return all passages of which at most ``chance`` are expected by chance, best first.

    Documents of the same group are not compared; without groups, every two documents are.
    ``resume`` is a folder for finished parts, from which an interrupted run continues.
    ``engine`` is a cluster that aligns; all its machines must see that folder.
    """
    begin_stage(progress, "finding places")
    read, order = words, _arrange(words, groups)
    words, groups = words.arrange(order), None if groups is None else np.asarray(groups)[order]
    parts = KeptParts.of(resume, words, groups)

    def find() -> Arrays:
        found, limits = find_windows(words, groups, _SEEDED, progress)
        return {**vars(found), "limits": np.array(limits)}

    kept = dict(parts.keep("windows", find))
    most, few, texts = kept.pop("limits").tolist()
    windows = Windows(**kept)
    area = count_area(words.lengths, groups)
    scores = Scores.of(words, *_mark_used(words, windows))
    scorer = AlignmentScorer(words, scores)
    least = find_least(chance, area)
    begin_stage(progress, "aligning")
    found: list[ReusedPassage] = []
    for (a, b), paths in _align(words, windows, scores, parts, (engine, progress)):
        made = make_passages(scorer, a, b, paths, least)
        numbered = [replace(one, a=int(order[a]), b=int(order[b])) for one in made]
        found += [one.flip() if one.a > one.b else one for one in numbered]
    found.sort(key=lambda one: (-one.score, one.a, one.b, one.box))
    return Shared(read, found, area, [*words.notes, *note_limits((most, few, texts))])


def _arrange(words: CorpusWords, groups: Array | None) -> NDArray[np.int64]:
    """Return the documents in an order that depends on their words and ids only, so that what is
    found does not depend on the order in which texts are given; groups stay together."""
    keys = [
        (xxhash.xxh3_128_digest(words.get_tokens(one).tobytes()), words.corpus.ids[one])
        for one in range(len(words))
    ]
    group_of = [0] * len(words) if groups is None else np.asarray(groups).tolist()
    least: dict[int, tuple[bytes, str]] = {}
    for key, group in zip(keys, group_of, strict=True):
        least[group] = min(key, least.get(group, key))
    order = sorted(range(len(words)), key=lambda one: (least[group_of[one]], keys[one]))
    return np.array(order, np.int64)


def count_area(lengths: Array, groups: Array | None) -> float:
    """Return the sum of m · n over all pairs of texts that are compared."""
    sizes = lengths.astype(np.float64)
    if groups is None:
        return float((sizes.sum() ** 2 - (sizes**2).sum()) / 2)
    totals = np.bincount(np.asarray(groups), sizes)
    return float((totals.sum() ** 2 - (totals**2).sum()) / 2)


def _mark_used(words: CorpusWords, windows: Windows) -> NDArray[np.bool_]:
    """Return which words can be aligned in either text of a window."""
    used = np.zeros((2, len(words.information)), bool)
    for side, around in enumerate(_AROUND):
        firsts, lasts = windows.offsets[:-1], windows.offsets[1:] - 1
        low = np.minimum.reduceat(windows.anchors[:, side], firsts) if len(windows) else firsts
        high = np.maximum.reduceat(windows.anchors[:, side], firsts) if len(windows) else lasts
        owners = windows.documents[:, side]
        starts, ends = words.offsets[owners], words.offsets[owners + 1]
        marks = np.zeros(len(words.tokens) + 1, np.int64)
        np.add.at(marks, np.maximum(starts + low - around, starts), 1)
        np.add.at(marks, np.minimum(starts + high + around + 1, ends), -1)
        used[side, words.tokens[np.cumsum(marks[:-1]) > 0]] = True
    return used


def _align(
    words: CorpusWords, windows: Windows, scores: Scores, parts: KeptParts, how: Running
) -> Iterator[tuple[tuple[int, int], list[NDArray[np.int64]]]]:
    """Yield, for every two documents with alignments, their pairs of places."""
    engine, progress = how
    order = np.lexsort((windows.documents[:, 1], windows.documents[:, 0]))
    sizes = np.diff(windows.offsets)[order]
    ends = np.append(0, np.cumsum(sizes))
    kept = np.repeat(windows.offsets[order] - ends[:-1], sizes) + np.arange(ends[-1])
    run: Arrays = {
        "tokens": words.tokens,
        "offsets": words.offsets,
        "documents": windows.documents[order],
        "ends": ends,
        "anchors": windows.anchors[kept],
        "starts": scores.starts,
        "others": scores.others,
        "values": scores.values,
    }
    starts = range(0, len(windows), _BLOCK)
    if engine is not None:
        parts.compute_on(engine, f"{__name__}:align_part", run, map(_name_block, starts), progress)

    def align(start: int) -> list[tuple[tuple[int, int], NDArray[np.int64]]]:
        found = parts.keep(_name_block(start), lambda: align_block(run, start))
        made, pairs = found["made"], found["pairs"]
        ends = made[:, 2].tolist()
        owners = run["documents"][start + made[:, 0]].tolist()
        return [
            ((a, b), pairs[first:end])
            for (a, b), first, end in zip(owners, [0, *ends], ends, strict=False)
        ]

    blocks = map_blocks(align, starts, progress=progress) if len(windows) else ()
    every = (one for block in blocks for one in block)
    for documents, group in groupby(every, key=lambda one: one[0]):
        yield documents, [pairs for _, pairs in group]


def _name_block(start: int) -> str:
    return f"{start:08d}"


def align_block(run: Arrays, start: int) -> Arrays:
    """Return the alignments of some windows."""
    stop = min(start + _BLOCK, len(run["documents"]))
    first, last = run["ends"][start], run["ends"][stop]
    made, pairs = align_windows(
        run["tokens"],
        run["offsets"],
        run["documents"][start:stop],
        run["ends"][start : stop + 1] - first,
        run["anchors"][first:last],
        (run["starts"], run["others"], run["values"]),
        COSTS,
        int(LEAST * UNIT),
    )
    return {"made": made, "pairs": pairs}


def align_part(place: str, key: str, name: str) -> str:
    """A task: align some windows and save the result."""
    parts = KeptParts.at(place, key)
    parts.keep(name, lambda: align_block(parts.inputs, int(name)))
    return name
