"""Finished parts of a run, kept in a folder so that an interrupted run can continue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import xxhash

from lexfield.arrays import Array
from lexfield.compare.batches import Arrays, open_run, save_part
from lexfield.engine import Engine
from lexfield.progress import Progress
from lexfield.reuse.words import CorpusWords
from lexfield.store.folder import SHARDS, Store
from lexfield.store.place import Place, place_of

_PART = "part of reuse"
_INPUTS = "inputs"  # what the tasks of a cluster read


class KeptParts:
    """The parts of one run; without a place nothing is kept."""

    def __init__(self, place: Place | None, key: str = "") -> None:
        self._place, self._key = place, key

    @classmethod
    def of(cls, folder: str | Path | None, words: CorpusWords, groups: Array | None) -> KeptParts:
        """Return the parts of a run on some words. Raise InputError if the folder has another."""
        if folder is None:
            return cls(None)
        key = xxhash.xxh3_128(b"reuse" if groups is None else np.asarray(groups).tobytes())
        arrays = [words.tokens, words.offsets, words.stems, words.information]
        if words.vectors is not None:
            arrays.append(words.vectors.matrix[words.rows[words.rows >= 0]])
        for array in arrays:
            key.update(np.ascontiguousarray(array).tobytes())
        return cls(open_run(Path(folder), key.hexdigest()), key.hexdigest())

    @staticmethod
    @lru_cache(maxsize=1)
    def at(place: str, key: str) -> KeptParts:
        """Open the parts of a folder for the task of a cluster; ``key`` tells runs apart."""
        return KeptParts(place_of(place), key)

    @cached_property
    def inputs(self) -> Arrays:
        return self._read(_INPUTS)

    def keep(self, name: str, compute: Callable[[], Arrays]) -> Arrays:
        """Return what the folder holds under a name, or else compute and save it."""
        if self._place is not None and self._has(name):
            return self._read(name)
        arrays = compute()
        if self._place is not None:
            save_part(self._place, f"{SHARDS}/{name}", _PART, arrays)
        return arrays

    def compute_on(
        self, engine: Engine, task: str, inputs: Arrays, names: Iterable[str], progress: Progress
    ) -> None:
        """Let the tasks of a cluster compute and save the parts that are missing."""
        assert self._place is not None  # a cluster always has a folder
        self.keep(_INPUTS, lambda: inputs)
        own = {"place": self._place.path, "key": self._key}
        items = [{**own, "name": name} for name in names if not self._has(name)]
        for _ in engine.map(task, items, progress=progress):
            pass

    def _has(self, name: str) -> bool:
        assert self._place is not None
        return self._place.has(f"{SHARDS}/{name}")

    def _read(self, name: str) -> Arrays:
        assert self._place is not None
        store = Store.open(self._place.store(f"{SHARDS}/{name}"), _PART)
        return {array: store.array(array) for array in store.names("")}
