"""All pairs of clouds: blocks of words on all cores or on a cluster, added up in order, resumable.

Blocks are added up in parts, and the parts to the whole, in the same order wherever they were
computed: so a run on a cluster, or one that was stopped and went on, gives the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.counts import Counts
from lexfield.diverge.options import Options
from lexfield.diverge.parts import Kept, Run
from lexfield.diverge.points import Points, embed, exponent
from lexfield.engine import Engine, map_blocks
from lexfield.errors import InputError, check, list_names
from lexfield.progress import Progress, silent

Array = NDArray[Any]


def cloud_pairs(
    counts: Counts,
    ks: list[int],
    chosen: Options,
    *,
    approximate: bool = False,
    memory: float = 1.0,
    resume: str | Path | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> tuple[Counts, dict[int, Array], list[str]]:
    """The documents that could be compared, a matrix for each of ``ks`` in nats, and notes."""
    chosen.for_texts()
    wanted = sorted({step for k in ks for step in chosen.with_k(k).neighbours})
    counts, points, notes = _embedded(counts, chosen, wanted[-1])
    if approximate:
        plain = chosen.measure != "js" and chosen.estimator != "equal_radius"
        check(plain, "approximate", "False for js and for equal radii", True)
    d = 0.0 if chosen.estimator == "equal_radius" else exponent(points, chosen.dimension)
    row = 8 * (len(points.vectors) + len(counts.ids) * len(wanted))
    size = int(np.clip(memory * 2**30 / 4 / row, 16, 512))
    run = Run(points, wanted, chosen, d, size, approximate)
    kept = None if resume is None else Kept(Path(resume), run)
    sums = run.nothing()
    for part in _computed(run, kept, engine, progress):
        sums.merge(part)
    return counts, sums.matrices(ks), notes


def _computed(
    run: Run, kept: Kept | None, engine: Engine | None, progress: Progress
) -> Iterator[Mapping[str, Array]]:
    """The sums of every part, in order."""
    if engine is not None:
        assert kept is not None  # checked at the door
        check(not run.approximate, "approximate", "False on a cluster", True)
        yield from kept.on(engine, progress)
        return
    missing = [n for n in range(len(run.parts)) if kept is None or not kept.has(n)]
    starts = [start for number in missing for start in run.parts[number]]
    total = sum(map(len, run.parts))
    done = total - len(starts)
    blocks = map_blocks(run.walker.block, starts) if starts else iter(())
    for number, own in enumerate(run.parts):
        if kept is not None and number not in missing:
            yield kept.load(number)
            continue
        sums = run.nothing()
        for place in range(len(own)):
            sums.add(next(blocks))
            if kept is not None and place + 1 == len(own):
                kept.save(number, sums)
            done += 1
            progress(done, total)
        yield sums.arrays


def _embedded(counts: Counts, chosen: Options, most: int) -> tuple[Counts, Points, list[str]]:
    """Points of the documents that have enough of them for the largest k; others are named."""
    vectors, notes = chosen.loaded(), []
    counts = counts.used()
    distinct = np.diff(counts.matrix.indptr)  # an upper bound: some may have no vector
    while True:
        short = distinct <= most
        if short.any():
            names = list_names(id for id, few in zip(counts.ids, short, strict=True) if few)
            notes.append(f"left out, with fewer than {most + 1:,} distinct known words: {names}")
            counts = counts.keep(np.flatnonzero(~short)).used()
        if len(counts.ids) < 2:
            raise InputError(
                f"{len(counts.ids)} documents have more than {most:,} distinct known words.",
                "Take a smaller k or longer texts: two at least are needed.",
            )
        points = embed(counts, vectors, points=chosen.points, reduce=chosen.reduce)
        distinct = np.diff(points.counts.indptr)  # fewer where words share a vector
        if not (distinct <= most).any():
            break
    if points.dropped.any():
        share = points.dropped.mean()
        notes.append(f"tokens without a vector: {share:.1%} of a document on average")
    return counts, points, notes
