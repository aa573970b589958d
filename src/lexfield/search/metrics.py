"""Metrics learned from the clusters of an index: each a part of its store.

A metric is a linear map of word vectors, and where the index has topics, one of roots of mixtures.
A segment never changes, so what search needs of it under the map (vectors, balls, means on their
axes) is kept under the fingerprint of its contents. What is missing since the index changed is made
when the index is opened under the metric.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import single_thread
from lexfield.errors import InputError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.search.parts import find_part, part_names, remove_part, write_part
from lexfield.search.segment import UNITS, Segment, find_balls
from lexfield.search.topics import Topics, exists, mixtures_of_documents
from lexfield.store.folder import Store
from lexfield.vectors.wordvectors import WordEmbeddings

if TYPE_CHECKING:
    from lexfield.search.index import Index
    from lexfield.search.rows import Rows

PREFIX = "metrics/"  # of the names of these parts
FIXED = ("words.", "topics.")  # what their arrays begin with that are of no segment
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
Array = NDArray[Any]


@dataclass(frozen=True)
class Learned:
    """A metric of an index: what it was learned from, and what held-out clusters say of it.

    before, after: 11-point precision of recovering held-out clusters of the training rows, by
    Euclidean distance and under the metric; None where the shrinkage was given.
    """

    name: str
    by: str
    unit: str
    clusters: int
    rows: int
    rank: int
    dims: int
    shrinkage: float
    weights: str
    before: float | None
    after: float | None
    topics: bool
    notes: list[str] = field(default_factory=list)


def learn(
    index: Index,
    by: str,
    name: str,
    *,
    unit: str = "document",
    shrinkage: float | None = None,
    weights: str = "equal",
    seed: int = 0,
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> Learned:
    """Learn a metric from the documents of an index, grouped by a metadata field, and keep it.

    Without ``shrinkage`` it is chosen by held-out clusters. ``unit="sentence"`` takes the sentences
    of a group's documents as its members. ``allow_unknown``: also where most words have no vector.
    """
    from lexfield.metric.distortion import WEIGHTS

    check(bool(_NAME.fullmatch(name)), "name", "letters, digits, '.', '_' and '-'", name)
    check(weights in WEIGHTS, "weights", f"one of {', '.join(WEIGHTS)}", weights)
    if index.metric is not None:
        raise InputError("A metric cannot be learned under another.", "Open the index without one.")
    rows = index.rows(unit)
    labels, notes = clusters_of(rows, by)
    notes += index.coverage.require(allow_unknown)
    points = means(rows)
    labels = np.where(points.any(axis=1), labels, "")
    if rows.live is not None:
        points, labels = points[rows.live], labels[rows.live]
    with single_thread():  # the same bytes at any number of threads
        map_, about = _fit(points, labels, shrinkage, weights, seed, progress)
    notes += about.pop("notes")
    topic_map = None
    if exists(index.path):
        try:
            topic_map = _learn_topics(index, by, shrinkage, weights, seed)
        except InputError as error:
            notes.append(f"topics get no metric: {error.message}")
    learned = Learned(
        name=name,
        by=by,
        unit=unit,
        **about,
        weights=weights,
        topics=topic_map is not None,
        notes=notes,
    )
    made = derive_missing(map_, index.segments, None, progress)
    with write_part(index, f"{PREFIX}{name}") as out:
        out.array("words.map", map_)
        out.meta.update(name=name, learned=asdict(learned), vectors=index.info()["vectors"])
        if topic_map is not None:
            out.array("topics.map", topic_map)
            out.meta["topics"] = Topics.open(index.path).fingerprint
        for key, values in made.items():
            out.array(key, values)
    index.refresh()
    return learned


def _fit(
    points: Array,
    labels: Array,
    shrinkage: float | None,
    weights: str,
    seed: int,
    progress: Progress = silent,
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    from lexfield.metric.choose import choose_shrinkage
    from lexfield.metric.distortion import MinimumDistortion

    before = after = None
    notes = []
    metric = MinimumDistortion(1.0 if shrinkage is None else shrinkage, weights).fit(points, labels)
    if shrinkage is None:
        tried = choose_shrinkage(points, labels, weights=weights, seed=seed, progress=progress)
        shrinkage, after = tried[0].shrinkage, tried[0].eleven_point
        before = next(row.eleven_point for row in tried if row.shrinkage == 1)
        if shrinkage == 1:
            notes.append("no metric recovered held-out clusters better than Euclidean distance")
        else:
            metric = MinimumDistortion(shrinkage, weights).fit(points, labels)
    return metric.map_, {
        "clusters": metric.clusters_,
        "rows": len(points) - metric.unlabelled_,
        "rank": metric.rank_,
        "dims": points.shape[1],
        "shrinkage": shrinkage,
        "before": before,
        "after": after,
        "notes": [*metric.notes_, *notes],
    }


def _learn_topics(
    index: Index, by: str, shrinkage: float | None, weights: str, seed: int
) -> NDArray[np.float64]:
    """The same for the roots of the documents' mixtures."""
    mixtures, known = mixtures_of_documents(index, Topics.open(index.path))
    labels, _ = clusters_of(index.rows("document"), by)
    labels = np.where(known, labels[list(index.documents.values())], "")
    roots = np.sqrt(mixtures.astype(np.float64))
    with single_thread():
        return _fit(roots, labels, shrinkage, weights, seed)[0]


def clusters_of(rows: Rows, by: str) -> tuple[Array, list[str]]:
    """The cluster of every row, "" where its document has no value.

    Where every value is the id of a document (``duplicate_of``), linked documents are a cluster.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    column = rows.columns.get(by)
    if column is None:
        known = list_names(rows.columns)
        raise InputError(f"No document has metadata {by!r}.", f"There are: {known}.")
    ids = [identity for segment in rows.segments for identity in segment.corpus.ids]
    numbers = {identity: number for number, identity in enumerate(ids)}
    filled = [number for number, value in enumerate(column) if value]
    labels, notes = np.array(column, object), []
    if filled and all(column[number] in numbers for number in filled):
        others = [numbers[column[number]] for number in filled]
        links = coo_matrix((np.ones(len(filled)), (filled, others)), (len(ids), len(ids)))
        found = connected_components(links, directed=False)[1]
        linked = np.zeros(len(ids), bool)
        linked[[*filled, *others]] = True
        labels = np.array([str(n) if has else "" for n, has in zip(found, linked, strict=True)])
        notes.append(f"{by} names other documents: those that it links are one cluster")
    return labels[rows.documents].astype(str), notes


def means(rows: Rows) -> NDArray[np.float32]:
    """The mean vector of every row; zero where no word has a vector."""
    from scipy.sparse import csr_matrix

    parts = []
    for segment, unit in zip(rows.segments, rows.units, strict=True):
        shape = (unit.rows, len(segment.vectors))
        parts.append(csr_matrix((unit.shares, unit.words, unit.offsets), shape) @ segment.vectors)
    return np.concatenate(parts)


def derived(segment: Segment, map_: Array, progress: Progress = silent) -> dict[str, Array]:
    """What search needs of a segment under a map."""
    from lexfield.search.axes import mean_axes

    with single_thread():  # the same bytes at any number of threads
        vectors = (segment.vectors @ map_).astype(np.float32)
        made: dict[str, Array] = {"vectors": vectors}
        for name in UNITS:
            unit = segment.unit(name)
            axes = mean_axes(unit.offsets, unit.words, unit.shares, vectors)
            made |= {f"{name}.{key}": values for key, values in axes.items()}
        made["balls"] = find_balls(WordEmbeddings.from_matrix(vectors, segment.how), progress)
    return made


def derive_missing(
    map_: Array, segments: Sequence[Segment], kept: Store | None, progress: Progress = silent
) -> dict[str, Array]:
    """The arrays derived of segments that are not among those kept."""
    return {
        f"{segment.contents}.{key}": values
        for segment in segments
        if kept is None or f"{segment.contents}.balls" not in kept
        for key, values in derived(segment, map_, progress).items()
    }


def segment_keys(segment: Segment) -> list[str]:
    """What the names of the arrays of a segment begin with."""
    return [f"{segment.contents}."]


class Metric:
    """A metric that is kept with an index, open."""

    def __init__(self, index: Store, name: str) -> None:
        part = find_part(index, f"{PREFIX}{name}") if _NAME.fullmatch(name) else None
        if part is None:
            known = [row.name for row in _learned(index)]
            raise InputError(
                f"The index {index.path} has no metric {name!r}.",
                f"There are: {list_names(known)}."
                if known
                else f"Learn one with: lexfield metric learn {index.path} --by FIELD --name {name}",
            )
        self._store = part

    @property
    def map(self) -> NDArray[np.float64]:
        """M^½ of word vectors."""
        return self._store.array("words.map")

    def topic_map(self, topics: Topics) -> NDArray[np.float64]:
        """M^½ of roots of mixtures; an error where there is none for these topics."""
        if self._store.meta.get("topics") != topics.fingerprint:
            why = "for other topics" if "topics" in self._store.meta else "without topics"
            raise InputError(
                f"The metric {self._store.meta['name']!r} was learned {why}.",
                "Learn it again, now that the index has these.",
            )
        return self._store.array("topics.map")

    def arrays(self, segments: Sequence[Segment]) -> list[dict[str, Array]]:
        """What is derived of each segment: as it is kept, else made."""
        return [
            self._kept(s) if f"{s.contents}.balls" in self._store else derived(s, self.map)
            for s in segments
        ]

    def _kept(self, segment: Segment) -> dict[str, Array]:
        prefix = f"{segment.contents}."
        return {name: self._store.array(f"{prefix}{name}") for name in self._store.names(prefix)}


def listing(folder: Path) -> Table[Learned]:
    """The metrics of an index, by name."""
    rows = _learned(Store.open(folder))
    return Table(rows, f"{len(rows)} metrics")


def remove(folder: Path, name: str) -> None:
    """Delete a metric; an error where there is none of this name."""
    Metric(Store.open(folder), name)
    remove_part(folder, f"{PREFIX}{name}")


def _learned(index: Store) -> list[Learned]:
    return [Learned(**index.parts[name]["learned"]) for name in part_names(index, PREFIX)]
