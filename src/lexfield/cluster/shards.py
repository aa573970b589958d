"""An index in shards: parts of one collection, each a store of its own that never changes.

    IDX/
      CURRENT, 000001/   words, vectors, balls and statistics of all; the manifest names the shards
      shards/0000-…/     the rows of one part: what a segment holds, on axes common to all

Words are numbered as in an index of the whole, so sums over words run in the same order; the axes
of mean vectors and all statistics are those of the whole. So a row scores, to the bit, as it does
in a single index, whichever other shards are open.

What is added later is a segment in the store of the index, and what is deleted a mark there. Then
shards are searched as the segments that they are, together with the added ones, until ``compact``
makes shards of all.
"""

from __future__ import annotations

import os
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.cluster.shard_names import KIND, NAME, SHARD
from lexfield.cluster.write_shards import EMPTY, write_shards
from lexfield.errors import ChangedError, CorruptError, InputError, NotAStoreError, StoreError
from lexfield.index.about import measure_parts
from lexfield.index.build import choose_merged
from lexfield.index.collection import Collection
from lexfield.index.lexicon import Lexicon, embed_with, weigh_again
from lexfield.index.parts import write_next
from lexfield.index.rows import Key, Rows, Statistics
from lexfield.index.segment import Segment, number_stems
from lexfield.index.units import UNITS
from lexfield.progress import Progress
from lexfield.results import JsonObject
from lexfield.store.folder import SHARDS, Store, Writer, manifest_sum
from lexfield.store.manifest import root_of
from lexfield.store.place import is_address, place_of
from lexfield.text.corpus import Corpus, Vocabulary
from lexfield.text.normalise import NONE, Normalisation
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordEmbeddings

Sums = list[tuple[list[Any], int, int]]  # key, rows holding, total
_SHARD_NAME = re.compile(r"[0-9]{4}-[0-9a-f]{32}")
# what all shards share, in the store of the index
_SHARED = (
    "words", "counts", "vectors", "how", "contributions", "balls", "term_totals", *UNITS,
)  # fmt: skip


def check_shards(store: Store) -> None:
    """Raise CorruptError if the name of a shard in a manifest could lead elsewhere."""
    for shard in store.meta["shards"]:
        if not _SHARD_NAME.fullmatch(str(shard["name"])):
            raise CorruptError(
                f"{store.path}: {str(shard['name'])[:60]!r} cannot be the name of a shard.",
                "Restore it from a backup or build the index again from its source.",
            )


class ShardStatistics(Statistics):
    """The statistics of all shards, for the rows of one.

    Those of words and terms are kept with the index. Of n-grams and of groups of words there are
    too many: a query's are recorded in all shards first, and the sums are learned before the
    search. Each thread has its own, for its own query.
    """

    def __init__(self, index: Store, unit: str, stemmer: str) -> None:
        meta, stemmed = index.meta, stemmer != NONE
        fields = frozenset(name for shard in meta["shards"] for name in shard["fields"])
        super().__init__(meta["rows"][unit], meta["tokens"], index.array(f"{unit}.holding"), fields)
        self._terms = index.array(f"{unit}.term_holding" if stemmed else f"{unit}.holding")
        self._totals = index.array("term_totals" if stemmed else "counts")
        self._own = threading.local()

    def count(self, key: Key, holding: int, total: int) -> tuple[int, int]:
        if key[0] == "term":
            return int(self._terms[key[1]]), int(self._totals[key[1]])
        counts: dict[Key, tuple[int, int]] | None = getattr(self._own, "counts", None)
        if counts is not None:
            counts[key] = holding, total
            return holding, total
        sums: dict[Key, tuple[int, int]] = self._own.sums
        return sums[key]

    def learn(self, sums: Sums) -> None:
        """Take the sums over all shards that the next queries of this thread need."""
        self._own.sums = {tuple(key): (holding, total) for key, holding, total in sums}

    @contextmanager
    def record(self) -> Iterator[dict[Key, tuple[int, int]]]:
        """Note what is counted here, to be added up with what other shards count."""
        self._own.counts = {}
        try:
            yield self._own.counts
        finally:
            self._own.counts = None


class ShardSegment(Segment):
    """The rows of one shard; vectors are kept with the whole."""

    def __init__(self, store: Store, shared: Store) -> None:
        self._store, self._shared = store, shared
        self.name = NAME
        self.corpus = Corpus.load(store, store.meta["corpus"], f"{NAME}.")
        self.own: NDArray[np.int32] = store.array("own")  # numbers of its words in the whole
        self._units, self._sets = {}, {}
        self._postings = {}

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        chosen: NDArray[np.float32] = self._shared.array("vectors")[self.own]
        return chosen

    @cached_property
    def matches(self) -> NDArray[np.uint8]:
        chosen: NDArray[np.uint8] = self._shared.array("how")[self.own]
        return chosen

    @cached_property
    def contributions(self) -> Array | None:
        name = "contributions"
        return self._shared.array(name)[self.own] if name in self._shared else None

    @property
    def contents(self) -> str:
        own = [name for unit in UNITS for name in self._set_names(unit)]
        sums = self._store.fingerprint(own), self._shared.fingerprint(["vectors", "how"])
        return xxhash.xxh3_64_hexdigest("".join((*sums, self._store.fingerprint(["own"]))).encode())

    @property
    def index_store(self) -> Store:
        return self._shared


class SharedLexicon(Lexicon):
    """The words of all shards, whichever are open."""

    def __init__(self, shared: Store, index: ShardedCollection, excluded: frozenset[str]) -> None:
        self._shared = shared
        self._index = index
        self._excluded = excluded
        self.words = list(shared.strings("words"))
        self.ids = {word: number for number, word in enumerate(self.words)}
        self._computed = {}

    @cached_property
    def maps(self) -> list[NDArray[np.int32]]:  # type: ignore[override]
        """Of the shards that are open; not needed to read a query."""
        return [one.own for one in self._index.segments if isinstance(one, ShardSegment)]

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        return self._shared.array("vectors")

    @cached_property
    def matches(self) -> NDArray[np.uint8]:
        return self._shared.array("how")

    @cached_property
    def contributions(self) -> Array | None:
        name = "contributions"
        return self._shared.array(name) if name in self._shared else None

    def find_stems(self, stemmer: str) -> tuple[list[str], NDArray[np.int32]]:
        return number_stems(self.words, stemmer)

    @cached_property
    def content(self) -> NDArray[np.bool_]:
        return np.array([word not in self._excluded for word in self.words], bool)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        return self._shared.array("counts")

    @cached_property
    def _live(self) -> None:
        return None

    @property
    def has_balls(self) -> bool:
        return True

    @cached_property
    def balls(self) -> NDArray[np.int32]:
        return self._shared.array("balls")


class ShardedCollection(Collection):
    """What is stored in shards: all of them are open or, as a task sees it, ``only`` one."""

    def __init__(
        self, path: str | Path, only: int | None = None, metric: str | None = None
    ) -> None:
        self._address = str(path) if is_address(path) else os.path.realpath(path)
        self._place = place_of(path)
        self._only = only
        self._attach(self._place.store(), metric)

    @property
    def address(self) -> str:
        return self._address

    def _open_store(self) -> Store:
        try:
            store = Store.open(self.path, KIND)
        except NotAStoreError as error:
            if not (self.path / SHARDS).is_dir() or (self.path / "CURRENT").exists():
                raise
            raise NotAStoreError(
                f"{self.path} was never finished: its building was interrupted.",
                "Run the same command again; what was finished is kept.",
            ) from error
        check_shards(store)
        self.__dict__.pop("_statistics", None)
        return store

    @property
    def shards(self) -> list[JsonObject]:
        """What the manifest says of each shard."""
        shards: list[JsonObject] = self._meta["shards"]
        return shards

    @property
    def is_as_built(self) -> bool:
        """Has nothing been added or deleted since it was built?"""
        return len(self._meta["segments"]) == 1 and "deleted" not in self._store

    @cached_property
    def segments(self) -> list[Segment]:
        numbers = range(len(self.shards)) if self._only is None else [self._only]
        plain: list[Segment] = [self._segment(self.shards[number]) for number in numbers]
        plain += [Segment(self._store, meta) for meta in self._meta["segments"][1:]]
        return plain if self._metric is None else self._metric.map_segments(plain)

    def _segment(self, about: JsonObject) -> ShardSegment:
        name = f"{SHARDS}/{about['name']}"
        try:
            folder = self._place.store(name)
            found = manifest_sum(folder)
        except StoreError as error:
            if isinstance(error, CorruptError):
                raise
            if not self._store.is_current():
                message = f"{self.address} was changed before its shards were opened."
                raise ChangedError(message, "Open it again.") from error
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
        if self.is_as_built and self.metric is None:
            return SharedLexicon(self._store, self, stopwords(self.language))
        return Lexicon(self.segments, stopwords(self.language), self._deleted)

    @property
    def normalisation(self) -> Normalisation:
        return Normalisation(**self._meta["segments"][0]["corpus"]["normalisation"])

    def _make_rows(self, unit: str) -> Rows:
        statistics = None if self._only is None else self.statistics(unit)
        return Rows(self.segments, self.lexicon, unit, self._deleted, statistics)

    def statistics(self, unit: str) -> ShardStatistics:
        """The statistics of all shards."""
        cached: dict[str, ShardStatistics] = self.__dict__.setdefault("_statistics", {})
        if unit not in cached:
            cached[unit] = ShardStatistics(self._store, unit, self.normalisation.stemmer)
        return cached[unit]

    @property
    def _deleted(self) -> NDArray[np.bool_]:
        if "deleted" in self._store:
            return self._store.array("deleted")
        return np.zeros(sum(len(segment.corpus.ids) for segment in self.segments), bool)

    def _choose_merged(self, tokens: int) -> tuple[range, range]:
        """Merge added segments only: shards stay as they are until all are compacted."""
        first, last = len(self.shards), len(self.segments)
        kept, absorbed = choose_merged(self.segments[first:], tokens)
        return range(first + len(kept)), range(last - len(absorbed), last)

    def _keep(self, out: Writer, numbers: Iterable[int]) -> None:
        first, added = len(self.shards), self._meta["segments"][1:]
        kept = [added[number - first] for number in numbers if number >= first]
        out.meta.update(self._meta, segments=[self._meta["segments"][0], *kept])
        for name in (*_SHARED, *(meta["name"] for meta in kept)):
            out.keep(self._store, f"{name}.")

    def _compact(self, progress: Progress) -> None:
        """Make as many shards as there are of all documents that were not deleted."""
        if not len(self):
            raise InputError("No document is left; an index cannot be empty. Delete its folder.")

        def embed(vocabulary: Vocabulary) -> tuple[WordEmbeddings, JsonObject]:
            found = embed_with(list(vocabulary), self.lexicon, self._source)
            embedded = weigh_again(found, self._meta["vectors"], vocabulary.counts)
            coverage = embedded.coverage(vocabulary.counts)
            return embedded, {**self._meta["vectors"], "coverage": coverage}

        write_shards(
            self,
            self._place,
            min(len(self.shards), len(self)),
            embed=embed,
            language=self.language,
            normalisation=self.normalisation,
            commit=lambda: write_next(self._store, self.segments),
            notes=lambda: [one for one in self._meta["notes"] if not one.startswith(EMPTY)],
            progress=progress,
        )

    def info(self) -> JsonObject:
        found = super().info()
        parts: Counter[str] = Counter(found["parts"])
        for segment in self.segments[: len(self.shards)]:
            parts.update(measure_parts(segment._store))
        return {
            **found,
            "path": self.address,
            "bytes": sum(parts.values()),
            "parts": dict(parts.most_common()),
            "notes": [*self._meta["notes"], *self.coverage.build_notes()],
            "shards": [
                {name: shard[name] for name in ("name", "documents", "sentence", "tokens")}
                for shard in self.shards
            ],
        }

    def __repr__(self) -> str:
        documents, sentences = (self._meta["rows"][unit] for unit in ("document", "sentence"))
        words = len(self._store.strings("words"))
        if not self.is_as_built:
            documents, words = len(self), len(self.lexicon)
            sentences = sum(len(segment.corpus.sentences) for segment in self.segments)
        return (
            f"<Index {self.address!r}: {documents:,} documents, {sentences:,} sentences,"
            f" {words:,} distinct words, {len(self.shards)} shards>"
        )
