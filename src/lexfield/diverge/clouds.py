"""All pairs of clouds: blocks of words on all cores, added up in order, resumable."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.diverge.counts import Counts
from lexfield.diverge.options import Options
from lexfield.diverge.points import Points, embed, exponent
from lexfield.diverge.sums import Block, Sums
from lexfield.diverge.walk import union_block, walk_block, walk_lists
from lexfield.engine import map_blocks
from lexfield.errors import InputError, NotAStoreError, check
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, write
from lexfield.vectors.neighbours import nearest_rows, prepared

Array = NDArray[Any]
_SPARE = 4  # times as many neighbours are listed as the median document should need
_ROWS = 64  # words whose products with all others are held at a time
_SAVED = 1.0  # seconds between two notes of how far a resumable run has come


def cloud_pairs(
    counts: Counts,
    ks: list[int],
    chosen: Options,
    *,
    approximate: bool = False,
    memory: float = 1.0,
    resume: str | Path | None = None,
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
    walker = _Walker(points, np.array(wanted), chosen, size, approximate)
    starts = range(0, len(points.vectors), size)
    sums = Sums(points.counts, wanted, chosen, d)
    key = "" if resume is None else _key(points, chosen, wanted, approximate, size)
    done = 0 if resume is None else _resumed(Path(resume), sums, key)
    saved = time.monotonic()
    for number, block in enumerate(map_blocks(walker.block, starts[done:]), done + 1):
        sums.add(block)
        if resume is not None and (time.monotonic() - saved > _SAVED or number == len(starts)):
            _save(Path(resume), sums, number, key)
            saved = time.monotonic()
        progress(number, len(starts))
    return counts, sums.matrices(ks), notes


def _embedded(counts: Counts, chosen: Options, most: int) -> tuple[Counts, Points, list[str]]:
    """Points of the documents that have enough of them for the largest k; others are named."""
    vectors, notes = chosen.loaded(), []
    counts = counts.used()
    distinct = np.diff(counts.matrix.indptr)  # an upper bound: some may have no vector
    while True:
        short = distinct <= most
        if short.any():
            names = ", ".join(id for id, few in zip(counts.ids, short, strict=True) if few)
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


class _Walker:
    """What every block of words needs."""

    def __init__(
        self, points: Points, ks: Array, chosen: Options, size: int, approximate: bool
    ) -> None:
        by_word = points.counts.T.tocsr()
        self._holders = by_word.indptr.astype(np.int64)
        self._held = by_word.indices.astype(np.int32)
        self._weights = by_word.data.astype(np.float64)
        self._vectors, self._documents = points.vectors, points.counts.shape[0]
        self._lengths = np.einsum("ij,ij->i", points.vectors, points.vectors)
        self._ks, self._chosen, self._size = ks, chosen, size
        self._plain = points.vectors.astype(np.float32) if approximate else None
        self._base = None if self._plain is None else prepared(self._plain, euclidean=True)
        if self._base is not None:
            _ = self._base.cells  # trained here, once, and not by every thread
        share = int(ks[-1]) / float(np.median(np.diff(points.counts.indptr)))
        self._listed_words = min(int(_SPARE * share * len(points.vectors)), len(points.vectors) - 1)

    def block(self, first: int) -> Block:
        """What the words of one block tell of all documents."""
        last = min(first + self._size, len(self._vectors))
        entries = slice(int(self._holders[first]), int(self._holders[last]))
        sizes = np.diff(self._holders[first : last + 1])
        shape = (entries.stop - entries.start, self._documents, len(self._ks))
        none = (0, 0, 0)
        radii = self._chosen.estimator == "equal_radius"
        out = np.full((last - first, *shape[1:]), np.nan)
        own, others = (np.zeros(shape if radii else none, np.int32) for _ in range(2))
        union = np.zeros(shape if self._chosen.measure == "js" else none)
        left = np.ones(last - first, bool) if self._base is None else self._listed(first, out)
        room = np.empty((_ROWS, len(self._vectors)))
        for start, end in _runs(np.flatnonzero(left), _ROWS):
            at = first + start
            part = self._vectors[at : first + end]
            products = np.matmul(part, self._vectors.T, out=room[: end - start])
            common = (self._holders, self._held, self._ks)
            before = int(self._holders[at] - self._holders[first])
            if len(union):
                again = products.copy()
                union_block(self._vectors, self._lengths, again, at, *common, union[before:])
            walk_block(
                self._vectors, self._lengths, products, at, *common, out[start:end],
                own[before:], others[before:],
            )  # fmt: skip
        return Block(
            np.repeat(np.arange(last - first), sizes),
            self._held[entries],
            self._weights[entries],
            out,
            own,
            others,
            union,
        )

    def _listed(self, first: int, out: Array) -> Array:
        """Walk along approximate lists; True for the words whose list was too short."""
        assert self._plain is not None and self._base is not None
        part = self._plain[first : first + len(out)]
        found = nearest_rows(
            part,
            self._base,
            k=self._listed_words,
            skip=np.arange(first, first + len(out)),
            approximate=True,
        )
        reached = np.zeros(len(out), np.bool_)
        walk_lists(
            found.offsets, found.rows, -found.scores, first,
            self._holders, self._held, self._ks, out, reached,
        )  # fmt: skip
        return ~reached


def _runs(places: Array, most: int) -> Iterator[tuple[int, int]]:
    """Consecutive numbers as (first, last + 1), at most so many at a time."""
    if len(places):
        for run in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
            for start in range(int(run[0]), int(run[-1]) + 1, most):
                yield start, min(start + most, int(run[-1]) + 1)


def _key(points: Points, chosen: Options, ks: list[int], approximate: bool, size: int) -> str:
    """A run may be resumed by one that would compute the same."""
    kept = {f.name: getattr(chosen, f.name) for f in fields(chosen) if f.name != "vectors"}
    sum = xxhash.xxh3_128(json.dumps([kept, ks, approximate, size], sort_keys=True).encode())
    for array in (points.vectors, points.counts.data, points.counts.indices, points.counts.indptr):
        sum.update(np.ascontiguousarray(array).tobytes())
    return sum.hexdigest()


def _resumed(folder: Path, sums: Sums, key: str) -> int:
    """Take up the sums of an earlier run; the number of blocks it had finished."""
    try:
        store = Store.open(folder, "pairs")
    except NotAStoreError:
        if folder.exists() and any(folder.iterdir()):
            raise
        return 0
    if store.meta["key"] != key:
        raise InputError(
            f"{folder} belongs to a run on other texts or with other options.",
            "Name another folder, or delete this one.",
        )
    for name in sums.arrays:
        sums.arrays[name] = np.array(store.array(name))
    return int(store.meta["blocks"])


def _save(folder: Path, sums: Sums, blocks: int, key: str) -> None:
    with write(folder, "pairs") as out:
        for name, values in sums.arrays.items():
            out.array(name, values)
        out.meta = {"key": key, "blocks": blocks}
