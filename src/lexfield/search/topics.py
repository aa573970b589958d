"""The topic model of an index: a part of its store.

Segments never change, so the mixtures of a segment's rows are kept under the fingerprint of their
words. A segment without any (added, merged or compacted by a process that could not write them) is
inferred when it is needed; a mixture depends on the model and its row alone, so it is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.search.parts import find_part, write_part
from lexfield.search.query import Query
from lexfield.search.segment import UNITS, Segment
from lexfield.store.folder import Store
from lexfield.topics.lda import TopicModel

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from lexfield.search.index import Index

PART = "topics"
FIXED = ("model.", "own.")  # what its arrays begin with that are of no segment
Mixtures = tuple[NDArray[np.float32], NDArray[np.bool_]]  # of all rows; which of them have any word


class Topics:
    """What is kept: a model, or mixtures of documents that another model gave."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.model = TopicModel.load(store) if "model" in store.meta else None
        self.notes: list[str] = list(store.meta.get("notes", []))

    @classmethod
    def open(cls, folder: Path) -> Topics:
        """The topics of the index at a folder, as they are now."""
        return cls.of(Store.open(folder))

    @classmethod
    def of(cls, store: Store) -> Topics:
        """The topics of an open index."""
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

    def needed_model(self) -> TopicModel:
        """The model; where there are only mixtures, what can be done instead."""
        if self.model is None:
            raise InputError(
                "This index has mixtures from another model, which cannot be given new texts.",
                "Search for documents like one of the index: lexfield search IDX --like ID"
                " --method topic --unit document",
            )
        return self.model

    def name(self, topic: int, words: int = 4) -> str:
        """What to call a topic: its number and likeliest words."""
        top = f": {' '.join(self.model.top_words(topic, words))}" if self.model else ""
        return f"topic {topic}{top}"

    def mixtures(self, segment: Segment, unit: str, progress: Progress = silent) -> Mixtures:
        """Of the rows of a segment."""
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


def exists(folder: Path) -> bool:
    """Does the index at a folder have topics?"""
    return PART in Store.open(folder).parts


def fit_topics(
    index: Index, topics: int = 50, *, progress: Progress = silent, **options: Any
) -> Topics:
    """Fit a model to the documents of an index and keep it there; options as ``TopicModel.fit``."""
    rows = index.rows("document")
    words = list(rows.lexicon.words)
    ids = {word: number for number, word in enumerate(words)}
    from scipy.sparse import vstack

    parts = [segment_counts(segment, "document", ids) for segment in rows.segments]
    counts = vstack(parts, format="csr")
    if rows.live is not None:
        counts = counts[rows.live]
    return use_model(index, TopicModel.fit(counts, words, topics, progress=progress, **options))


def use_model(index: Index, model: TopicModel) -> Topics:
    """Keep a model with an index, and the mixtures of all its rows."""
    made = infer_missing(model, index.segments, None)
    with write_part(index, PART) as out:
        model.save(out)
        for name, values in made.items():
            out.array(name, values)
    index.refresh()
    return Topics.open(index.path)


def use_mixtures(
    index: Index, mixtures: Any, ids: Sequence[str] | None, notes: Sequence[str] = ()
) -> Topics:
    """Keep mixtures of documents from elsewhere: by id, or without ids in the index's order."""
    from lexfield.topics.mixtures import check_mixtures

    matrix, more = check_mixtures(mixtures)
    documents = list(index.documents)
    if ids is None and len(matrix) != len(documents):
        raise InputError(
            f"There are {len(matrix):,} mixtures for {len(documents):,} documents.",
            "Give a row for each document in order, or a parquet file with an id column.",
        )
    names = documents if ids is None else list(ids)
    if len(set(names)) < len(names) or len(names) != len(matrix):
        raise InputError("Ids of the mixtures must be one a row and all different.")
    inside = set(documents)
    known = np.array([name in inside for name in names], bool)
    if not known.any():
        raise InputError("No id of the mixtures is the id of a document of the index.")
    said = [*notes, *more]
    if missing := len(documents) - int(known.sum()):
        said.append(f"{missing:,} documents of the index have no mixture and are never found")
    with write_part(index, PART) as out:
        out.array("own.mixtures", matrix[known].astype(np.float32))
        out.strings("own.ids", [name for name, here in zip(names, known, strict=True) if here])
        out.meta.update(notes=said)
    index.refresh()
    return Topics.open(index.path)


def infer_texts(index: Index, topics: Topics, texts: Sequence[str]) -> Mixtures:
    """Mixtures of texts, cut as the index's own."""
    return infer_counts(topics.needed_model(), [index.query(text) for text in texts])


def infer_counts(model: TopicModel, queries: Sequence[Query]) -> Mixtures:
    """Mixtures of queries."""
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


def mixtures_of_documents(index: Index, topics: Topics) -> Mixtures:
    """Mixtures of the documents of an index that were not deleted, in order."""
    parts = [topics.mixtures(segment, "document") for segment in index.segments]
    live = list(index.documents.values())
    mixtures = np.concatenate([part for part, _ in parts])[live]
    return mixtures, np.concatenate([known for _, known in parts])[live]


def infer_missing(
    model: TopicModel, segments: Sequence[Segment], kept: Store | None, progress: Progress = silent
) -> dict[str, NDArray[Any]]:
    """The arrays of mixtures of segments that are not among those kept."""
    made: dict[str, NDArray[Any]] = {}
    for segment in segments:
        for unit in UNITS:
            key = _key(segment, unit)
            if kept is None or f"{key}mixtures" not in kept:
                counts = segment_counts(segment, unit, model.ids)
                made[f"{key}mixtures"] = model.infer(counts, progress)
                made[f"{key}known"] = np.diff(counts.indptr) > 0
    return made


def segment_keys(segment: Segment) -> list[str]:
    """What the names of the arrays of a segment begin with."""
    return [_key(segment, unit) for unit in UNITS]


def _key(segment: Segment, unit: str) -> str:
    return f"{segment.fingerprint(unit)}.{unit}."


def segment_counts(segment: Segment, unit: str, ids: dict[str, int]) -> csr_matrix:
    """Rows of a segment as counts of the words that have a column in ``ids``."""
    from scipy.sparse import csr_matrix

    columns = np.array([ids.get(word, -1) for word in segment.corpus.vocabulary], np.int64)
    arrays = segment.unit(unit)
    own = columns[arrays.words]
    keep = own >= 0
    rows = np.repeat(np.arange(arrays.rows), np.diff(arrays.offsets))[keep]
    made = csr_matrix((arrays.counts[keep], (rows, own[keep])), (arrays.rows, len(ids)))
    made.sort_indices()
    return made
