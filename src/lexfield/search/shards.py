"""An index in shards: parts of one collection, each a store of its own that never changes.

    IDX/
      CURRENT, 000001/   words, vectors, balls and statistics of all; the manifest names the shards
      shards/0000-…/     the rows of one part: what a segment holds, on axes common to all

Words are numbered as in an index of the whole, so sums over words run in the same order; the axes
of mean vectors and all statistics are those of the whole. So a row scores, to the bit, as it does
in a single index, whichever other shards are open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import CorruptError, InputError, NotAStoreError, StoreError, check
from lexfield.search.index import Index
from lexfield.search.lexicon import Lexicon
from lexfield.search.rows import Rows
from lexfield.search.segment import UNITS, Segment
from lexfield.search.whole import Whole
from lexfield.store.folder import SHARDS, Store, manifest_sum
from lexfield.store.manifest import root_of
from lexfield.store.place import is_address, place_of
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import Normalisation
from lexfield.text.stem import NONE
from lexfield.text.stopwords import stopwords
from lexfield.topics.lda import TopicModel

T = TypeVar("T")
KIND = "index in shards"
SHARD = "shard"
_SHARD_NAME = re.compile(r"[0-9]{4}-[0-9a-f]{32}")
NAME = "s"  # of the one segment in a shard's store


def check_shards(store: Store) -> None:
    """Refuse a manifest in which the name of a shard could lead elsewhere."""
    for shard in store.meta["shards"]:
        if not _SHARD_NAME.fullmatch(str(shard["name"])):
            raise CorruptError(
                f"{store.path}: {str(shard['name'])[:60]!r} cannot be the name of a shard.",
                "Restore it from a backup or build the index again from its source.",
            )


class ShardSegment(Segment):
    """The rows of one shard; vectors are kept with the whole."""

    def __init__(self, store: Store, shared: Store) -> None:
        self._store, self._shared = store, shared
        self.name = NAME
        self.corpus = Corpus.load(store, store.meta["corpus"], f"{NAME}.")
        self.own: NDArray[np.int32] = store.array("own")  # numbers of its words in the whole
        self._units = {}

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        chosen: NDArray[np.float32] = self._shared.array("vectors")[self.own]
        return chosen

    @cached_property
    def how(self) -> NDArray[np.uint8]:
        chosen: NDArray[np.uint8] = self._shared.array("how")[self.own]
        return chosen

    @property
    def whole(self) -> Store:
        return self._shared


class SharedLexicon(Lexicon):
    """The words of all shards, whichever are open."""

    def __init__(self, shared: Store, index: ShardedIndex, excluded: frozenset[str]) -> None:
        self._shared = shared
        self._index = index
        self._excluded = excluded
        self.words = list(shared.strings("words"))
        self.ids = {word: number for number, word in enumerate(self.words)}
        self._computed = {}

    @cached_property
    def maps(self) -> list[NDArray[np.int32]]:  # type: ignore[override]
        """Of the shards that are open, which nobody needs for a query alone."""
        return [segment.own for segment in self._index.segments]

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        return self._shared.array("vectors")

    @cached_property
    def how(self) -> NDArray[np.uint8]:
        return self._shared.array("how")

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        return self._shared.array("counts")

    @cached_property
    def _live(self) -> None:
        return None

    @property
    def has_balls(self) -> bool:
        return True

    @property
    def _balls(self) -> NDArray[np.int32]:
        return self._shared.array("balls")


class ShardedIndex(Index):
    """``Index.open`` gives one; with ``only``, as some of its shards see it."""

    def __init__(self, path: str | Path, only: Sequence[int] | None = None) -> None:
        self.address = str(path) if is_address(path) else os.path.realpath(path)
        self._place = place_of(path)
        self._only = only
        super().__init__(self._place.store())

    def _load(self) -> None:
        try:
            self._store = Store.open(self.path, KIND)
        except NotAStoreError as error:
            if not (self.path / SHARDS).is_dir() or (self.path / "CURRENT").exists():
                raise
            raise NotAStoreError(
                f"{self.path} was never finished: its building was interrupted.",
                "Run the same command again; what was finished is kept.",
            ) from error
        self.state = self._store.state
        self._meta = self._store.meta
        check_shards(self._store)
        for name in ("segments", "lexicon", "documents", "_rows", "_source"):
            self.__dict__.pop(name, None)

    @property
    def shards(self) -> list[dict[str, Any]]:
        """What the manifest says of each shard."""
        shards: list[dict[str, Any]] = self._meta["shards"]
        return shards

    @cached_property
    def segments(self) -> list[ShardSegment]:  # type: ignore[override]
        numbers = range(len(self.shards)) if self._only is None else self._only
        return [self._segment(self.shards[number]) for number in numbers]

    def _segment(self, about: dict[str, Any]) -> ShardSegment:
        name = f"{SHARDS}/{about['name']}"
        try:
            folder = self._place.store(name)
            found = manifest_sum(folder)
        except StoreError as error:
            if isinstance(error, CorruptError):
                raise
            raise CorruptError(
                f"The shard {about['name']} of {self.address} is missing.",
                "Restore it from a backup or build the index again from its source.",
            ) from error
        if found != about["manifest"] or about.get("root") not in (None, root_of(folder)):
            raise CorruptError(
                f"The shard {about['name']} of {self.address} is not the one that was built.",
                "Restore it from a backup or build the index again from its source.",
            )
        return ShardSegment(Store.open(folder, SHARD), self._store)

    @cached_property
    def lexicon(self) -> Lexicon:
        return SharedLexicon(self._store, self, stopwords(self.language))

    @property
    def normalisation(self) -> Normalisation:
        return Normalisation(**self._meta["segments"][0]["corpus"]["normalisation"])

    def rows(self, unit: str = "sentence") -> Rows:
        check(unit in UNITS, "unit", "'sentence' or 'document'", unit)
        cached: dict[str, Rows] = self.__dict__.setdefault("_rows", {})
        if unit not in cached:
            cached[unit] = Rows(self.segments, self.lexicon, unit, self._deleted, self.whole(unit))
        return cached[unit]

    def whole(self, unit: str) -> Whole:
        """The statistics of all shards."""
        store = self._store
        stemmed = self.normalisation.stem != NONE
        return Whole(
            self._meta["rows"][unit],
            self._meta["tokens"],
            store.array(f"{unit}.holding"),
            list(store.strings("stems")) if stemmed else [],
            store.array(f"{unit}.term_holding" if stemmed else f"{unit}.holding"),
            store.array("term_totals" if stemmed else "counts"),
            part=self._only is not None,
        )

    @property
    def _deleted(self) -> NDArray[np.bool_]:
        return np.zeros(sum(len(segment.corpus.ids) for segment in self.segments), bool)

    def _changing(self, work: Callable[[], T]) -> T:
        raise InputError(
            f"{self.address} is an index in shards, which never change.",
            "Build it again from all documents, with --replace.",
        )

    def fit_topics(self, topics: int = 50, **options: Any) -> TopicModel:
        if is_address(self.address):
            raise InputError(
                "Topics are fitted to an index in a folder.", "Build or copy it there first."
            )
        return super().fit_topics(topics, **options)

    def info(self) -> dict[str, Any]:
        found = super().info()
        sizes = sum(segment._store.size for segment in self.segments)
        return {
            **found,
            "path": self.address,
            "bytes": found["bytes"] + sizes,
            "notes": [*self._meta["notes"], *self.coverage.build_notes()],
            "shards": [
                {name: shard[name] for name in ("name", "documents", "sentence", "tokens")}
                for shard in self.shards
            ],
        }

    def __repr__(self) -> str:
        documents, sentences = (self._meta["rows"][unit] for unit in ("document", "sentence"))
        return (
            f"<Index {self.address!r}: {documents:,} documents, {sentences:,} sentences,"
            f" {len(self._store.strings('words')):,} distinct words, {len(self.shards)} shards>"
        )
