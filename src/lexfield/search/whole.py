"""What a part of an index knows of all of it, so that its scores are those of the whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.store.folder import SHARDS
from lexfield.store.place import is_address

if TYPE_CHECKING:
    from lexfield.search.index import Index

Key = tuple[str | int, ...]


@dataclass
class Whole:
    """Statistics of all rows of one unit.

    Those of words and terms are kept with the index. Of n-grams and of groups of words there are
    too many: where the rows are a part, a query's are counted in all parts first (``counting``) and
    the sums are given with the search (``learn``). Each thread has its own, for its own query.
    """

    rows: int
    tokens: int
    holding: NDArray[np.int64]  # rows that hold each word
    stems: list[str]  # the terms, where there is a stemmer
    term_holding: NDArray[np.int64]
    term_totals: NDArray[np.int64]
    part: bool
    _own: threading.local = field(default_factory=threading.local)

    def counted(self, key: Key, holding: int, total: int) -> tuple[int, int]:
        """Rows that hold something and how often in all, from what is so in this part."""
        if not self.part:
            return holding, total
        counts: dict[Key, tuple[int, int]] | None = getattr(self._own, "counts", None)
        if counts is not None:
            counts[key] = holding, total
            return holding, total
        sums: dict[Key, tuple[int, int]] = self._own.sums
        return sums[key]

    def learn(self, sums: list[tuple[list[Any], int, int]]) -> None:
        """Take the sums over all parts that the next queries of this thread need."""
        self._own.sums = {tuple(key): (holding, total) for key, holding, total in sums}

    @contextmanager
    def counting(self) -> Iterator[dict[Key, tuple[int, int]]]:
        """Note what is counted here, to be added up with what other parts count."""
        self._own.counts = {}
        try:
            yield self._own.counts
        finally:
            self._own.counts = None


def is_sharded(path: str | Path) -> bool:
    return is_address(path) or (Path(path) / SHARDS).is_dir()


def open_sharded(path: str | Path, metric: str | None) -> Index:
    """The index in shards at a path or an address."""
    from lexfield.errors import InputError
    from lexfield.search.shards import ShardedIndex

    if metric is not None:
        raise InputError(
            f"{path} is an index in shards, which has no metrics.", "Build one without --shards."
        )
    return ShardedIndex(path)
