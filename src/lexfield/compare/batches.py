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
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.clouds import Clouds, find_exponent, make_clouds
from lexfield.compare.counts import Counts
from lexfield.compare.measures import compute_divergences
from lexfield.compare.neighbour_walk import NeighbourWalk
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pair_sums import PairSums
from lexfield.engine import Engine, map_blocks
from lexfield.errors import InputError, NotAStoreError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import SHARDS, Store, write
from lexfield.store.place import Place, place_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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
    required = sorted({step for k in ks for step in options.with_k(k).required_ks})
    counts, clouds, notes = _embed_long_texts(counts, options, required[-1])
    equal_radii = options.estimator == "equal_radius"
    if approximate:
        ok = not options.definition.uses_mixture and not equal_radii
        check(ok, "approximate", "False for js and for equal radii", True)
        check(engine is None, "approximate", "False on a cluster", True)
    d = 0.0 if equal_radii else find_exponent(clouds, options.dimension)
    row = 8 * (len(clouds.vectors) + len(counts.ids) * len(required))
    size = int(np.clip(memory * 2**30 / 4 / row, 16, 512))
    run = CloudRun(clouds, required, options, d, size, approximate)
    folder = None if resume is None else RunFolder(Path(resume), run.inputs, run.batches)
    sums = run.make_sums()
    for batch in _compute_batches(run, folder, engine, progress):
        sums.merge(batch)
    return counts, sums.compute_matrices(ks), notes


def compare_rows(
    counts: csr_matrix, options: ComparisonOptions, rows: Array, columns: Array | None = None
) -> NDArray[np.float64]:
    """Return the divergence of some rows of counts from others (by default all), in nats; ``jm``
    smooths by the latter."""
    right = counts if columns is None else counts[columns]
    return compute_divergences(
        counts[rows],
        right,
        options.measure,
        smoothing=options.smoothing,
        alpha=options.alpha,
        collection=np.asarray(right.sum(axis=0)).ravel(),
    )


def compare_rows_on(
    engine: Engine,
    folder: Path,
    counts: csr_matrix,
    options: ComparisonOptions,
    progress: Progress,
) -> NDArray[np.float64]:
    """Return the divergence of every row of counts from every other, computed on a cluster."""
    batches = [[first] for first in range(0, counts.shape[0], _ROWS)]
    inputs = Inputs("compute_count_batch", {"chosen": options.to_dict()}, counts)
    parts = RunFolder(folder, inputs, batches).compute_on(engine, progress)
    return np.concatenate([part["rows"] for part in parts])


@dataclass(frozen=True)
class CloudRun:
    """Sums over blocks of words, in batches."""

    clouds: Clouds
    ks: list[int]
    options: ComparisonOptions
    d: float
    size: int  # words per block
    approximate: bool = False

    @cached_property
    def walk(self) -> NeighbourWalk:
        return NeighbourWalk(self.clouds, self.ks, self.options, self.size, self.approximate)

    @cached_property
    def inputs(self) -> Inputs:
        meta = {"ks": self.ks, "d": self.d, "size": self.size, "approximate": self.approximate}
        meta["chosen"] = self.options.to_dict()
        return Inputs("compute_cloud_batch", meta, self.clouds.counts, self.clouds.vectors)

    def make_sums(self) -> PairSums:
        """Return sums of nothing."""
        return PairSums(self.clouds.counts, self.ks, self.options, self.d)

    @cached_property
    def batches(self) -> list[list[int]]:
        """The first words of the blocks of each batch."""
        starts = list(range(0, len(self.clouds.vectors), self.size))
        own = sum(array.nbytes for array in self.make_sums().arrays.values())
        most = max(_FEWEST, int(_BYTES / own))
        bounds = np.linspace(0, len(starts), min(len(starts), most) + 1).astype(int).tolist()
        return [starts[a:b] for a, b in pairwise(bounds)]


@dataclass(frozen=True)
class Inputs:
    """What a task reads: the task, its options and its arrays."""

    task: str
    meta: JsonObject
    counts: csr_matrix
    vectors: Array | None = None

    @cached_property
    def arrays(self) -> dict[str, Array]:
        arrays = {f"counts.{part}": getattr(self.counts, part) for part in _PARTS}
        return arrays if self.vectors is None else {"vectors": self.vectors, **arrays}

    @cached_property
    def key(self) -> str:
        """A checksum; a run can be resumed by one with the same key."""
        checksum = xxhash.xxh3_128(json.dumps(self.meta, sort_keys=True).encode())
        for array in self.arrays.values():
            checksum.update(np.ascontiguousarray(array).tobytes())
        return checksum.hexdigest()


class RunFolder:
    """The folder of a run. Raise InputError if it belongs to another run."""

    def __init__(self, folder: Path, inputs: Inputs, batches: list[list[int]]) -> None:
        self._inputs, self._batches = inputs, batches
        self._place = Place(os.path.realpath(folder))
        try:
            store = Store.open(folder, _RUN)
        except NotAStoreError:
            with write(folder, _RUN) as out:
                out.meta = {"key": inputs.key}
            return
        if store.meta["key"] != inputs.key:
            raise InputError(
                f"{folder} belongs to a run on other texts or with other options.",
                "Name another folder, or delete this one.",
            )

    def has(self, number: int) -> bool:
        return self._place.has(_name_batch(number))

    def load(self, number: int) -> Mapping[str, Array]:
        store = Store.open(self._place.store(_name_batch(number)), _BATCH)
        return {name: store.array(name) for name in store.names("")}

    def save(self, number: int, sums: PairSums) -> None:
        _save_batch(self._place, number, sums.arrays)

    def compute_on(self, engine: Engine, progress: Progress) -> Iterator[Mapping[str, Array]]:
        """Yield every batch in order; tasks compute those that are missing."""
        inputs, total = self._inputs, len(self._batches)
        if not self._place.has(_INPUTS_NAME):
            with self._place.writing(_INPUTS_NAME) as folder, write(folder, _INPUTS) as out:
                for name, values in inputs.arrays.items():
                    out.array(name, values)
                out.meta.update(inputs.meta, shape=list(inputs.counts.shape))
        items = [
            {"place": self._place.path, "key": inputs.key, "number": number, "starts": starts}
            for number, starts in enumerate(self._batches)
            if not self.has(number)
        ]

        def report(number: int, _: int | None) -> None:
            progress(total - len(items) + number, total)

        for _ in engine.map(f"{__name__}:{inputs.task}", items, progress=report):
            pass
        for number in range(total):
            yield self.load(number)


def compute_cloud_batch(place: str, key: str, number: int, starts: list[int]) -> int:
    """A task: add up the blocks of one batch, and save the sums."""
    where = place_of(place)
    if not where.has(_name_batch(number)):
        run = _open_run(place, key)
        sums = run.make_sums()
        for start in starts:
            sums.add(run.walk.walk_block(start))
        _save_batch(where, number, sums.arrays)
    return number


def compute_count_batch(place: str, key: str, number: int, starts: list[int]) -> int:
    """A task: compute the divergences of some rows from all."""
    where = place_of(place)
    if not where.has(_name_batch(number)):
        _, counts, options = _open_inputs(place)
        last = min(starts[0] + _ROWS, counts.shape[0])
        values = compare_rows(counts, options, np.arange(starts[0], last))
        _save_batch(where, number, {"rows": values})
    return number


@lru_cache(maxsize=1)
def _open_run(place: str, key: str) -> CloudRun:
    """Open the run of a folder; ``key`` distinguishes it from earlier runs in the same folder."""
    store, counts, options = _open_inputs(place)
    clouds = Clouds(store.array("vectors"), counts, [], np.empty(0))
    return CloudRun(clouds, store.meta["ks"], options, store.meta["d"], store.meta["size"])


def _open_inputs(place: str) -> tuple[Store, csr_matrix, ComparisonOptions]:
    from scipy.sparse import csr_matrix

    store = Store.open(place_of(place).store(_INPUTS_NAME), _INPUTS)
    # copies, because SciPy may change a sparse matrix in place
    arrays = tuple(np.array(store.array(f"counts.{part}")) for part in _PARTS)
    counts = csr_matrix(arrays, tuple(store.meta["shape"]))
    return store, counts, ComparisonOptions(**store.meta["chosen"])


def _compute_batches(
    run: CloudRun, folder: RunFolder | None, engine: Engine | None, progress: Progress
) -> Iterator[Mapping[str, Array]]:
    """Yield the sums of every batch, in order."""
    if engine is not None:
        assert folder is not None  # checked by pairs
        yield from folder.compute_on(engine, progress)
        return
    missing = [n for n in range(len(run.batches)) if folder is None or not folder.has(n)]
    starts = [start for number in missing for start in run.batches[number]]
    total = sum(map(len, run.batches))
    done = total - len(starts)
    blocks = map_blocks(run.walk.walk_block, starts) if starts else iter(())
    for number, own in enumerate(run.batches):
        if folder is not None and number not in missing:
            yield folder.load(number)
            continue
        sums = run.make_sums()
        for place in range(len(own)):
            sums.add(next(blocks))
            if folder is not None and place + 1 == len(own):
                folder.save(number, sums)
            done += 1
            progress(done, total)
        yield sums.arrays


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
                "Take a smaller k or longer texts: at least two are needed.",
            )
        clouds = make_clouds(counts, options)
        distinct = np.diff(clouds.counts.indptr)  # fewer where words share a vector
        if not (distinct <= k).any():
            break
    if clouds.dropped.any():
        share = clouds.dropped.mean()
        notes.append(f"tokens without a vector: {share:.1%} of a document on average")
    return counts, clouds, notes


def _name_batch(number: int) -> str:
    return f"{SHARDS}/{number:04d}"


def _save_batch(place: Place, number: int, arrays: Mapping[str, Array]) -> None:
    with place.writing(_name_batch(number)) as folder, write(folder, _BATCH) as out:
        for name, values in arrays.items():
            out.array(name, values)
