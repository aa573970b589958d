"""Finished parts of a run, kept in a folder from which a run that was stopped goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import xxhash

from lexfield.arrays import Array
from lexfield.compare.batches import Arrays, open_run, save_part
from lexfield.reuse.words import Words
from lexfield.store.folder import SHARDS, Store

_PART = "part of reuse"


class Parts:
    """The parts of one run; without a folder nothing is kept."""

    def __init__(self, folder: str | Path | None, words: Words, groups: Array | None) -> None:
        self._place = None
        if folder is not None:
            key = xxhash.xxh3_128(b"reuse" if groups is None else np.asarray(groups).tobytes())
            for array in (words.tokens, words.offsets, words.stems, words.information):
                key.update(np.ascontiguousarray(array).tobytes())
            self._place = open_run(Path(folder), key.hexdigest())

    def keep(self, name: str, compute: Callable[[], Arrays]) -> Arrays:
        """Return what the folder holds under a name, or else compute and save it."""
        name = f"{SHARDS}/{name}"
        if self._place is not None and self._place.has(name):
            store = Store.open(self._place.store(name), _PART)
            return {array: store.array(array) for array in store.names("")}
        arrays = compute()
        if self._place is not None:
            save_part(self._place, name, _PART, arrays)
        return arrays
