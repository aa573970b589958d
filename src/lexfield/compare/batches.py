"""All pairs computed in batches, each saved when it is finished: here, or by tasks on a cluster.

Blocks of words are added up to batches, and batches to the total, in the same order wherever they
are computed. So a run on a cluster, or one that was stopped and resumed, returns the same bits.

FOLDER/
  CURRENT, …       which run this is: a checksum of its texts and options
  shards/inputs    what every task reads (on a cluster)
  shards/0000 …    the sums of each batch, or some rows of the matrix of counts
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from lexfield.arrays import Array
from lexfield.compare.clouds import Clouds, find_exponent, make_clouds
from lexfield.compare.counts import Counts, compare_rows
from lexfield.compare.neighbour_walk import NeighbourWalk, PairSums
from lexfield.compare.options import ComparisonOptions
from lexfield.engine import Engine, map_blocks
from lexfield.errors import InputError, NotAStoreError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import SHARDS, Store, write
from lexfield.store.place import Place, place_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Arrays = Mapping[str, Array]
_BYTES = 4e9  # the sums of all batches together, if there are more than _FEWEST
_FEWEST = 16
_ROWS = 128  # documents per batch when counts are compared
_BATCH, _RUN, _INPUTS = "part of pairs", "pairs", "inputs of pairs"  # kinds of store
_INPUTS_NAME = f"{SHARDS}/inputs"
_PARTS = ("data", "indices", "indptr")  # of a sparse matrix


def compare_clouds(
    counts: Counts,
    ks: list[int],
    options: ComparisonOptions,
    *,
    approximate: bool = False,
    memory: float = 1.0,
    resume: str | Path | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> tuple[Counts, dict[int, Array], list[str]]:
    """Return the documents that could be compared, a matrix for each of ``ks`` in nats, and notes.
    The parameters are those of ``pairs``."""
    options.check_for_texts()
    required = sorted({step for k in ks for step in replace(options, k=k).required_ks})
    counts, clouds, notes = _embed_long_texts(counts, options, required[-1])
    equal_radii = options.estimator == "equal_radius"
    if approximate:
        ok = not options.definition.uses_mixture and not equal_radii
        check(ok, "approximate", "False for js and for equal radii", True)
        check(engine is None, "approximate", "False on a cluster", True)
    d = 0.0 if equal_radii else find_exponent(clouds, options.dimension)
    row = 8 * (len(clouds.vectors) + len(counts.ids) * len(required))
    size = int(np.clip(memory * 2**30 / 4 / row, 16, 512))
    run = CloudRun(clouds.counts, options, clouds.vectors, required, d, size, approximate)
    if engine is None:
        _ = run.walk  # made once, before threads need it
    sums = run.make_sums()
    for batch in compute_batches(run, resume, engine, progress):
        sums.merge(batch)
    return counts, sums.compute_matrices(ks), notes


@dataclass(frozen=True)
class CountRun:
    """Every row of counts compared with every other, some rows per batch.

    ``jm`` smooths by all of them.
    """

    counts: csr_matrix
    options: ComparisonOptions

    @property
    def batches(self) -> list[list[int]]:
        """What to compute in each batch: here its first row."""
        return [[first] for first in range(0, self.counts.shape[0], _ROWS)]

    def compute(self, starts: list[int]) -> Arrays:
        """Return the arrays of one batch."""
        rows = self.counts[starts[0] : starts[0] + _ROWS]
        return {"rows": compare_rows(rows, self.counts, self.options)}

    @property
    def meta(self) -> JsonObject:
        return {"chosen": self.options.to_dict()}

    @property
    def arrays(self) -> dict[str, Array]:
        return {f"counts.{part}": getattr(self.counts, part) for part in _PARTS}

    @cached_property
    def key(self) -> str:
        """A checksum; a run can be resumed by one with the same key."""
        checksum = xxhash.xxh3_128(json.dumps(self.meta, sort_keys=True).encode())
        for array in self.arrays.values():
            checksum.update(np.ascontiguousarray(array).tobytes())
        return checksum.hexdigest()


@dataclass(frozen=True)
class CloudRun(CountRun):
    """Sums over blocks of words, some blocks per batch."""

    vectors: Array
    ks: list[int]
    d: float
    size: int  # words per block
    approximate: bool = False

    @cached_property
    def walk(self) -> NeighbourWalk:
        return NeighbourWalk(
            self.vectors, self.counts, self.ks, self.options, self.size, self.approximate
        )

    def make_sums(self) -> PairSums:
        """Return sums of nothing."""
        return PairSums(self.counts, self.ks, self.options, self.d)

    @cached_property
    def batches(self) -> list[list[int]]:
        """The first words of the blocks of each batch."""
        starts = list(range(0, len(self.vectors), self.size))
        own = sum(array.nbytes for array in self.make_sums().arrays.values())
        most = max(_FEWEST, int(_BYTES / own))
        bounds = np.linspace(0, len(starts), min(len(starts), most) + 1).astype(int).tolist()
        return [starts[a:b] for a, b in pairwise(bounds)]

    def compute(self, starts: list[int]) -> Arrays:
        sums = self.make_sums()
        for start in starts:
            sums.add(self.walk.walk_block(start))
        return sums.arrays

    @property
    def meta(self) -> JsonObject:
        own = {"ks": self.ks, "d": self.d, "size": self.size, "approximate": self.approximate}
        return own | super().meta

    @property
    def arrays(self) -> dict[str, Array]:
        return {"vectors": self.vectors} | super().arrays


def compute_batches(
    run: CountRun, resume: str | Path | None, engine: Engine | None, progress: Progress
) -> Iterator[Arrays]:
    """Yield the arrays of every batch, in order; read those that the folder ``resume`` holds."""
    place = None if resume is None else open_run(Path(resume), run.key)
    missing = [
        number
        for number in range(len(run.batches))
        if place is None or not place.has(_name_batch(number))
    ]
    if engine is not None:
        assert place is not None  # checked by pairs
        _compute_on(engine, run, place, missing, progress)
        missing = []
    computed = map_blocks(run.compute, [run.batches[number] for number in missing])
    for number in range(len(run.batches)):
        if place is not None and number not in missing:
            store = Store.open(place.store(_name_batch(number)), _BATCH)
            yield {name: store.array(name) for name in store.names("")}
            continue
        arrays = next(computed)
        if place is not None:
            save_part(place, _name_batch(number), _BATCH, arrays)
        progress(len(run.batches) - len(missing) + missing.index(number) + 1, len(run.batches))
        yield arrays


def open_run(folder: Path, key: str) -> Place:
    """Return the folder of a run. Raise InputError if it belongs to another run."""
    try:
        store = Store.open(folder, _RUN)
    except NotAStoreError:
        with write(folder, _RUN) as out:
            out.meta = {"key": key}
    else:
        if store.meta["key"] != key:
            raise InputError(
                f"{folder} belongs to a run on other texts or with other options.",
                "Name another folder, or delete this one.",
            )
    return Place(os.path.realpath(folder))


def _compute_on(
    engine: Engine, run: CountRun, place: Place, missing: list[int], progress: Progress
) -> None:
    """Let the tasks of a cluster compute and save the missing batches."""
    if not place.has(_INPUTS_NAME):
        meta = {**run.meta, "shape": list(run.counts.shape)}
        save_part(place, _INPUTS_NAME, _INPUTS, run.arrays, meta)
    total = len(run.batches)
    items = [
        {"place": place.path, "key": run.key, "number": number, "starts": run.batches[number]}
        for number in missing
    ]

    def report(number: int, _: int | None) -> None:
        progress(total - len(items) + number, total)

    for _ in engine.map(f"{__name__}:compute_batch", items, progress=report):
        pass


def compute_batch(place: str, key: str, number: int, starts: list[int]) -> int:
    """A task: compute one batch and save it."""
    where, name = place_of(place), _name_batch(number)
    if not where.has(name):
        save_part(where, name, _BATCH, _open_run(place, key).compute(starts))
    return number


@lru_cache(maxsize=1)
def _open_run(place: str, key: str) -> CountRun:
    """Open the run of a folder; ``key`` distinguishes it from earlier runs in the same folder."""
    from scipy.sparse import csr_matrix

    store = Store.open(place_of(place).store(_INPUTS_NAME), _INPUTS)
    # copies, because SciPy may change a sparse matrix in place
    arrays = tuple(np.array(store.array(f"counts.{part}")) for part in _PARTS)
    counts = csr_matrix(arrays, tuple(store.meta["shape"]))
    options = ComparisonOptions(**store.meta["chosen"])
    if "vectors" not in store:
        return CountRun(counts, options)
    own = (store.meta[name] for name in ("ks", "d", "size"))
    return CloudRun(counts, options, store.array("vectors"), *own)


def _name_batch(number: int) -> str:
    return f"{SHARDS}/{number:04d}"


def save_part(
    place: Place, name: str, kind: str, arrays: Arrays, meta: JsonObject | None = None
) -> None:
    """Write arrays of a run; a part is complete or not there."""
    with place.writing(name) as folder, write(folder, kind) as out:
        for array, values in arrays.items():
            out.array(array, values)
        out.meta.update(meta or {})


def _embed_long_texts(
    counts: Counts, options: ComparisonOptions, k: int
) -> tuple[Counts, Clouds, list[str]]:
    """Return the documents with more than k distinct points and their clouds; notes name the
    others."""
    notes = []
    counts = counts.drop_unused_types()
    distinct = np.diff(counts.matrix.indptr)  # an upper bound: some may have no vector
    while True:
        short = distinct <= k
        if short.any():
            names = list_names(id for id, few in zip(counts.ids, short, strict=True) if few)
            notes.append(f"left out, with fewer than {k + 1:,} distinct known words: {names}")
            counts = counts.keep(np.flatnonzero(~short)).drop_unused_types()
        if len(counts.ids) < 2:
            raise InputError(
                f"{len(counts.ids)} documents have more than {k:,} distinct known words.",
                "Use a smaller neighbour, or longer texts: at least two are needed.",
            )
        clouds = make_clouds(counts, options)
        distinct = np.diff(clouds.counts.indptr)  # fewer where words share a vector
        if not (distinct <= k).any():
            break
    if clouds.dropped.any():
        share = clouds.dropped.mean()
        notes.append(f"tokens without a vector: {share:.1%} of a document on average")
    return counts, clouds, notes
