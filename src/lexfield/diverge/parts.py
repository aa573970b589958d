"""A run over all pairs in parts, each kept when it is finished: here, or by tasks on a cluster.

FOLDER/
  CURRENT, …       which run this is: a checksum of its texts and options
  shards/inputs    what every task reads (on a cluster)
  shards/0000 …    the sums of each part, or some rows of the matrix of counts
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.diverge.categorical import divergences
from lexfield.diverge.options import Options
from lexfield.diverge.points import Points
from lexfield.diverge.sums import Sums
from lexfield.diverge.walker import Walker
from lexfield.engine import Engine
from lexfield.errors import InputError, NotAStoreError
from lexfield.progress import Progress
from lexfield.store.folder import SHARDS, Store, Writer, write
from lexfield.store.place import Place, place_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Array = NDArray[Any]
_BYTES = 4e9  # of the sums of all parts together, if they are more than _FEWEST
_FEWEST = 16
_ROWS = 128  # documents whose divergences by counts are one task
_KIND = "part of pairs"
_INPUTS = f"{SHARDS}/inputs"


class Run:
    """What has to be computed: blocks of words, in parts."""

    def __init__(
        self,
        points: Points,
        ks: list[int],
        chosen: Options,
        d: float,
        size: int,
        approximate: bool,
    ) -> None:
        self.vectors, self.counts = points.vectors, points.counts
        self.ks, self.chosen, self.d = ks, chosen, d
        self.size, self.approximate = size, approximate

    @cached_property
    def walker(self) -> Walker:
        return Walker(
            self.vectors, self.counts, np.array(self.ks), self.chosen, self.size, self.approximate
        )

    def nothing(self) -> Sums:
        return Sums(self.counts, self.ks, self.chosen, self.d)

    @cached_property
    def parts(self) -> list[list[int]]:
        """The first words of the blocks of each part."""
        starts = list(range(0, len(self.vectors), self.size))
        own = sum(array.nbytes for array in self.nothing().arrays.values())
        most = max(_FEWEST, int(_BYTES / own))
        bounds = np.linspace(0, len(starts), min(len(starts), most) + 1).astype(int).tolist()
        return [starts[a:b] for a, b in pairwise(bounds)]

    @cached_property
    def key(self) -> str:
        """A run may be resumed by one that would compute the same."""
        about = [_plain(self.chosen), self.ks, self.approximate, self.size, self.d]
        counts = self.counts
        return _key(about, [self.vectors, counts.data, counts.indices, counts.indptr])

    def write(self, out: Writer) -> None:
        out.array("vectors", self.vectors)
        _write_counts(out, self.counts)
        out.meta.update(chosen=_plain(self.chosen), ks=self.ks, d=self.d, size=self.size)


class Kept:
    """The folder of a run; refuses one that belongs to another."""

    def __init__(self, folder: Path, run: Run | Rows) -> None:
        self._run = run
        self._place = Place(os.path.realpath(folder))
        try:
            store = Store.open(folder, "pairs")
        except NotAStoreError:
            with write(folder, "pairs") as out:
                out.meta = {"key": run.key}
            return
        if store.meta["key"] != run.key:
            raise InputError(
                f"{folder} belongs to a run on other texts or with other options.",
                "Name another folder, or delete this one.",
            )

    @property
    def _about(self) -> dict[str, str]:
        return {"place": self._place.path, "key": self._run.key}

    def has(self, number: int) -> bool:
        return self._place.has(_name(number))

    def load(self, number: int) -> Mapping[str, Array]:
        store = Store.open(self._place.store(_name(number)), _KIND)
        return {name: store.array(name) for name in store.names("")}

    def save(self, number: int, sums: Sums) -> None:
        _save(self._place, _name(number), sums.arrays)

    def on(self, engine: Engine, progress: Progress) -> Iterator[Mapping[str, Array]]:
        """Every part in order; those that are missing are computed by tasks."""
        if not self._place.has(_INPUTS):
            with self._place.writing(_INPUTS) as folder, write(folder, "inputs of pairs") as out:
                self._run.write(out)
        parts = self._run.parts
        items = [
            {**self._about, "number": number, "starts": parts[number]}
            for number in range(len(parts))
            if not self.has(number)
        ]
        done = len(parts) - len(items)

        def tell(number: int, total: int | None) -> None:
            progress(done + number, len(parts))

        task = "cloud_part" if isinstance(self._run, Run) else "count_part"
        for _ in engine.map(f"lexfield.diverge.parts:{task}", items, progress=tell):
            pass
        for number in range(len(parts)):
            yield self.load(number)


class Rows:
    """Divergences of counts: some rows of the matrix at a time."""

    def __init__(self, counts: csr_matrix, chosen: Options) -> None:
        self.counts, self.chosen = counts, chosen
        self.parts = [[first] for first in range(0, counts.shape[0], _ROWS)]
        self.key = _key([_plain(chosen)], [counts.data, counts.indices, counts.indptr])

    def write(self, out: Writer) -> None:
        _write_counts(out, self.counts)
        out.meta.update(chosen=_plain(self.chosen))


def cloud_part(place: str, key: str, number: int, starts: list[int]) -> int:
    """The task: add up the blocks of one part, and keep the sums."""
    where = place_of(place)
    if not where.has(_name(number)):
        run = _run(place, key)
        sums = run.nothing()
        for start in starts:
            sums.add(run.walker.block(start))
        _save(where, _name(number), sums.arrays)
    return number


def count_part(place: str, key: str, number: int, starts: list[int]) -> int:
    """The task: the divergences of some rows from all."""
    where = place_of(place)
    if not where.has(_name(number)):
        store = Store.open(where.store(_INPUTS), "inputs of pairs")
        counts, chosen = _read_counts(store), Options(**store.meta["chosen"])
        last = min(starts[0] + _ROWS, counts.shape[0])
        found = row_divergences(counts, chosen, np.arange(starts[0], last))
        _save(where, _name(number), {"rows": found})
    return number


def row_divergences(
    counts: csr_matrix, chosen: Options, rows: Array, columns: Array | None = None
) -> NDArray[np.float64]:
    """The divergence of some rows of counts from others, in nats; ``jm`` smooths by the latter."""
    right = counts if columns is None else counts[columns]
    return divergences(
        counts[rows],
        right,
        chosen.measure,
        smoothing=chosen.smoothing,
        alpha=chosen.alpha,
        collection=np.asarray(right.sum(axis=0)).ravel(),
    )


@lru_cache(maxsize=1)
def _run(place: str, key: str) -> Run:
    """The run of a folder, which ``key`` tells from others that were there before."""
    store = Store.open(place_of(place).store(_INPUTS), "inputs of pairs")
    meta, counts = store.meta, _read_counts(store)
    points = Points(store.array("vectors"), counts, [], np.empty(0))
    return Run(points, meta["ks"], Options(**meta["chosen"]), meta["d"], meta["size"], False)


def _name(number: int) -> str:
    return f"{SHARDS}/{number:04d}"


def _save(place: Place, name: str, arrays: Mapping[str, Array]) -> None:
    with place.writing(name) as folder, write(folder, _KIND) as out:
        for each, values in arrays.items():
            out.array(each, values)


def _plain(chosen: Options) -> dict[str, Any]:
    """The options as JSON can carry them; vectors are among the inputs."""
    return {f.name: getattr(chosen, f.name) for f in fields(chosen) if f.name != "vectors"}


def _key(about: Sequence[Any], arrays: Sequence[Array]) -> str:
    sum = xxhash.xxh3_128(json.dumps(about, sort_keys=True).encode())
    for array in arrays:
        sum.update(np.ascontiguousarray(array).tobytes())
    return sum.hexdigest()


def _write_counts(out: Writer, counts: csr_matrix) -> None:
    for part in ("data", "indices", "indptr"):
        out.array(f"counts.{part}", getattr(counts, part))
    out.meta["shape"] = list(counts.shape)


def _read_counts(store: Store) -> csr_matrix:
    from scipy.sparse import csr_matrix

    # copies, for a sparse matrix may be tidied up in its place
    parts = (np.array(store.array(f"counts.{part}")) for part in ("data", "indices", "indptr"))
    return csr_matrix(tuple(parts), tuple(store.meta["shape"]))
