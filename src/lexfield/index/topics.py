"""The topics of an index: a part of its store.

Segments never change, so the mixtures of a segment's rows are kept under the fingerprint of their
words. A segment without any (added, merged or compacted by a process that could not write them) is
inferred when it is needed; a mixture depends on the model and its row alone, so it is the same.

All rows together are points of the simplex. Where the index is seen under a map of roots of
mixtures (x = √p), rows are compared by

    h_M² = ½ (x − y)ᵀ M (x − y),

which is Hellinger's h² for M = I. The score 1 − h_M² is a sum over topics too, since p and q sum
to 1: Σ_j (p_j + q_j)/2 − ½ δ_j (Mδ)_j with δ = x − y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.topk import top_k
from lexfield.errors import InputError
from lexfield.index.names import name_index, name_step
from lexfield.index.parts import TOPICS, find_part, topic_key
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.index.segment import Segment
from lexfield.index.units import UNITS
from lexfield.progress import Progress, silent
from lexfield.results import Aside
from lexfield.store.folder import Store
from lexfield.topics.approximate import Search
from lexfield.topics.lda import TopicModel
from lexfield.topics.simplex import Nearest, Neighbours, js_terms, triangle_terms

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Mixtures = tuple[NDArray[np.float32], NDArray[np.bool_]]  # of rows; which have a known word
Near = tuple[list[int], list[float], list[str]]  # rows, scores, notes
_BLOCK = 8192  # rows


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
        part = find_part(store, TOPICS)
        if part is None:
            raise InputError(
                f"The {name_index(store.path)} has no topics yet.",
                "Fit them with: "
                + name_step(store.path, "topics fit IDX -t 50", "index.fit_topics(50)"),
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
                "This index has imported mixtures, but not their model, so new texts have none.",
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
        key = topic_key(segment, unit)
        if f"{key}mixtures" in self._store:
            return self._store.array(f"{key}mixtures"), self._store.array(f"{key}known")
        counts = segment_counts(segment, unit, self.model.ids)
        return self.model.infer(counts, progress), np.diff(counts.indptr) > 0

    def _own(self, segment: Segment, unit: str) -> Mixtures:
        if unit != "document":
            raise InputError(
                "The imported mixtures of this index belong to whole documents.",
                "Add --unit document (in Python: unit='document').",
            )
        places = {identity: i for i, identity in enumerate(self._store.strings("own.ids"))}
        found = [places.get(identity, -1) for identity in segment.corpus.ids]
        rows = np.array(found, np.int64)
        matrix = np.full((len(rows), self.topics), np.float32(1 / self.topics))
        known = rows >= 0
        matrix[known] = self._store.array("own.mixtures")[rows[known]]
        return matrix, known


def weigh_topics(kept: Topics, rows: Rows, topics: Sequence[int]) -> dict[int, NDArray[np.float64]]:
    """Return how many words of each row are of each of some topics, by its share.

    Raise InputError if there is no topic of a number.
    """
    if max(topics, default=0) >= kept.topics:
        hint = f"Topics are numbered from 0 to {kept.topics - 1}."
        raise InputError(f"There is no topic {max(topics)}.", hint)
    parts = [kept.mixtures(segment, rows.unit) for segment in rows.segments]
    words = rows.lengths * np.concatenate([known for _, known in parts])
    mixtures = np.concatenate([mixture for mixture, _ in parts])
    return {topic: mixtures[:, topic] * words.astype(np.float64) for topic in topics}


def has_topics(folder: Path) -> bool:
    """Return whether the index at a folder has topics."""
    return TOPICS in Store.open(folder).parts


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
            key = topic_key(segment, unit)
            if kept is None or f"{key}mixtures" not in kept:
                counts = segment_counts(segment, unit, model.ids)
                made[f"{key}mixtures"] = model.infer(counts, progress)
                made[f"{key}known"] = np.diff(counts.indptr) > 0
    return made


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


@dataclass(frozen=True)
class RowMixtures:
    """Mixtures of all rows, compared as they are."""

    topics: Topics
    mixtures: NDArray[np.float32]
    known: NDArray[np.bool_]

    @cached_property
    def _structures(self) -> dict[Search, Neighbours]:
        return {}

    def find(
        self, mixture: Array, k: int, measure: str, allowed: NDArray[np.bool_], search: Search
    ) -> Nearest:
        """Return the rows nearest to a mixture; the structure is built once for an open index."""
        if search not in self._structures:
            self._structures[search] = search.build(self.mixtures)
        return self._structures[search].query(mixture, k, measure, allowed=allowed)

    def near(
        self, mixture: Array, k: int, measure: str, allowed: NDArray[np.bool_], search: Search
    ) -> Near:
        found = self.find(mixture, k, measure, allowed, search)
        far = found.distances
        shares = {"js": far / np.log(2), "triangle": far / 2, "hellinger": far**2}
        scores = (1 - shares[measure]).tolist()
        certificate = found.certificate
        notes = []
        if not certificate.exact:
            notes.append(
                f"approximate ({search.neighbours}): {certificate.candidates:,} of"
                f" {certificate.rows:,} rows computed; nearer rows may have been missed"
            )
        elif len(found.rows):
            notes.append(
                Aside(
                    f"exact: {certificate.candidates:,} of {certificate.rows:,} rows computed; the"
                    f" last hit is at {measure} {certificate.kth:.4g}, no other row is under"
                    f" {certificate.bound:.4g}"
                )
            )
        return found.rows.tolist(), scores, notes

    def parts(self, mixture: Array, row: int, measure: str) -> NDArray[np.float64]:
        """Return what each topic adds to the score of a row."""
        first, second = mixture.astype(np.float64), self.mixtures[row].astype(np.float64)
        parts: NDArray[np.float64] = np.sqrt(first * second)
        if measure == "hellinger":
            return parts
        if measure == "triangle":
            parts = (first + second - triangle_terms(first, second)) / 2
            return parts
        parts = (first + second) / 2 - js_terms(first, second) / np.log(2)
        return parts


@dataclass(frozen=True)
class MappedRowMixtures(RowMixtures):
    """Roots of mixtures, compared after a map; every row is measured."""

    map: NDArray[np.float64]

    def near(
        self, mixture: Array, k: int, measure: str, allowed: NDArray[np.bool_], search: Search
    ) -> Near:
        own = np.sqrt(mixture.astype(np.float64)) @ self.map
        rows = np.flatnonzero(allowed)

        def block(first: int) -> Array:
            apart = self._points[rows[first : first + _BLOCK]] - own
            squares: Array = np.einsum("ij,ij->i", apart, apart)
            return squares

        squares = np.concatenate([np.empty(0), *map_blocks(block, range(0, len(rows), _BLOCK))])
        scores = 1 - squares / 2
        places = top_k(scores, k, rows)
        notes = []
        if measure != "hellinger":
            notes.append(f"under a metric topics are compared by Hellinger distance, not {measure}")
        if search != Search():
            notes.append("under a metric every row is compared, whichever search is chosen")
        return rows[places].tolist(), scores[places].tolist(), notes

    def parts(self, mixture: Array, row: int, measure: str) -> NDArray[np.float64]:
        first, second = mixture.astype(np.float64), self.mixtures[row].astype(np.float64)
        apart = np.sqrt(first) - np.sqrt(second)
        parts: NDArray[np.float64] = (first + second - apart * (apart @ self.map @ self.map.T)) / 2
        return parts

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        points: NDArray[np.float64] = np.sqrt(self.mixtures.astype(np.float64)) @ self.map
        return points


def open_row_mixtures(rows: Rows) -> RowMixtures:
    """Return the mixtures of all rows, made once for an open index."""
    return rows.cached("topic", _make)


def _make(rows: Rows) -> RowMixtures:
    topics = Topics.of(rows.segments[0].index_store)
    map_ = rows.segments[0].topic_map(topics)
    found = [topics.mixtures(segment, rows.unit) for segment in rows.segments]
    mixtures = np.concatenate([part for part, _ in found])
    known = np.concatenate([mask for _, mask in found])
    if map_ is not None:
        return MappedRowMixtures(topics, mixtures, known, map_)
    return RowMixtures(topics, mixtures, known)
