"""The topics of an index: a part of its store.

Segments never change, so the mixtures of a segment's rows are kept under the fingerprint of their
words. A segment without any (added, merged or compacted by a process that could not write them) is
inferred when it is needed; a mixture depends on the model and its row alone, so it is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError
from lexfield.index.parts import find_part
from lexfield.index.query import Query
from lexfield.index.segment import Segment
from lexfield.index.units import UNITS
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store
from lexfield.topics.lda import TopicModel

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PART = "topics"
FIXED = ("model.", "own.")  # prefixes of arrays that belong to no segment
Mixtures = tuple[NDArray[np.float32], NDArray[np.bool_]]  # of rows; which have a known word


class Topics:
    """A model and the mixtures of all rows, or only mixtures of documents from another model."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.model = TopicModel.load(store) if "model" in store.meta else None
        self.notes: list[str] = list(store.meta.get("notes", []))

    @classmethod
    def open(cls, folder: Path) -> Topics:
        """Open the topics of the index at a folder, as they are now."""
        return cls.of(Store.open(folder))

    @classmethod
    def of(cls, store: Store) -> Topics:
        """Return the topics of an open index. Raise InputError if it has none."""
        part = find_part(store, PART)
        if part is None:
            raise InputError(
                f"The index {store.path} has no topics yet.",
                f"Fit them with: lexfield topics fit {store.path} -t 50",
            )
        return cls(part)

    @property
    def fingerprint(self) -> str:
        """Changes with the model, or with the mixtures that stand for it."""
        return self._store.fingerprint(["own.mixtures" if self.model is None else "model.weights"])

    @property
    def topics(self) -> int:
        name = "own.mixtures" if self.model is None else "model.weights"
        shape = self._store.array(name).shape
        return int(shape[1] if self.model is None else shape[0])

    def require_model(self) -> TopicModel:
        """Return the model. Raise InputError if there are only mixtures of another one."""
        if self.model is None:
            raise InputError(
                "This index has mixtures from another model, which cannot be given new texts.",
                "Search for documents like one of the index: lexfield search IDX --like ID"
                " --method topic --unit document",
            )
        return self.model

    def name(self, topic: int, words: int = 4) -> str:
        """Return the name of a topic: its number and likeliest words."""
        top = f": {' '.join(self.model.top_words(topic, words))}" if self.model else ""
        return f"topic {topic}{top}"

    def mixtures(self, segment: Segment, unit: str, progress: Progress = silent) -> Mixtures:
        """Return the mixtures of the rows of a segment."""
        if self.model is None:
            return self._own(segment, unit)
        key = _key(segment, unit)
        if f"{key}mixtures" in self._store:
            return self._store.array(f"{key}mixtures"), self._store.array(f"{key}known")
        counts = segment_counts(segment, unit, self.model.ids)
        return self.model.infer(counts, progress), np.diff(counts.indptr) > 0

    def _own(self, segment: Segment, unit: str) -> Mixtures:
        if unit != "document":
            raise InputError(
                "The mixtures that were brought to this index are of documents.",
                "Add --unit document (in Python: unit='document').",
            )
        places = {identity: i for i, identity in enumerate(self._store.strings("own.ids"))}
        found = [places.get(identity, -1) for identity in segment.corpus.ids]
        rows = np.array(found, np.int64)
        matrix = np.full((len(rows), self.topics), np.float32(1 / self.topics))
        known = rows >= 0
        matrix[known] = self._store.array("own.mixtures")[rows[known]]
        return matrix, known


def has_topics(folder: Path) -> bool:
    """Return whether the index at a folder has topics."""
    return PART in Store.open(folder).parts


def infer_counts(model: TopicModel, queries: Sequence[Query]) -> Mixtures:
    """Return the mixtures of queries."""
    from scipy.sparse import csr_matrix

    rows, columns, counts = [], [], []
    for row, query in enumerate(queries):
        for word, count in zip(query.words, query.counts.tolist(), strict=True):
            if word in model.ids:
                rows.append(row)
                columns.append(model.ids[word])
                counts.append(count)
    shape = (len(queries), len(model.words))
    made = csr_matrix((np.array(counts, np.int64), (rows, columns)), shape)
    made.sort_indices()
    return model.infer(made), np.diff(made.indptr) > 0


def infer_missing(
    model: TopicModel, segments: Sequence[Segment], kept: Store | None, progress: Progress = silent
) -> dict[str, Array]:
    """Return the arrays of mixtures of segments that are not among those kept."""
    made: dict[str, Array] = {}
    for segment in segments:
        for unit in UNITS:
            key = _key(segment, unit)
            if kept is None or f"{key}mixtures" not in kept:
                counts = segment_counts(segment, unit, model.ids)
                made[f"{key}mixtures"] = model.infer(counts, progress)
                made[f"{key}known"] = np.diff(counts.indptr) > 0
    return made


def segment_keys(segment: Segment) -> list[str]:
    """Return what the names of the arrays of a segment begin with."""
    return [_key(segment, unit) for unit in UNITS]


def _key(segment: Segment, unit: str) -> str:
    return f"{segment.fingerprint(unit)}.{unit}."


def segment_counts(segment: Segment, unit: str, ids: dict[str, int]) -> csr_matrix:
    """Return the rows of a segment as counts of the words that have a column in ``ids``."""
    from scipy.sparse import csr_matrix

    columns = np.array([ids.get(word, -1) for word in segment.corpus.vocabulary], np.int64)
    arrays = segment.unit(unit)
    own = columns[arrays.words]
    keep = own >= 0
    rows = np.repeat(np.arange(arrays.rows), np.diff(arrays.offsets))[keep]
    made = csr_matrix((arrays.counts[keep], (rows, own[keep])), (arrays.rows, len(ids)))
    made.sort_indices()
    return made
