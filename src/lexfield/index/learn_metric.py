"""The metrics of an index: learned from groups of its documents, and stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import single_thread
from lexfield.errors import InputError, check
from lexfield.index.collection import Collection
from lexfield.index.fit_topics import mixtures_of_documents
from lexfield.index.lexicon import Maps
from lexfield.index.metrics import NAME, PREFIX, MetricReport, derive_missing
from lexfield.index.rows import Rows, mean_vectors, text_vectors
from lexfield.index.topics import (
    Topics,
    has_topics,
)
from lexfield.metric import held_out
from lexfield.metric.choose import choose_shrinkage
from lexfield.metric.distortion import WEIGHTS, MinimumDistortion
from lexfield.metric.held_out import HeldOutScore, gram_points, take_points
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject


def learn_metric(
    index: Collection,
    by: str,
    name: str,
    *,
    unit: str = "document",
    shrinkage: float | None = None,
    weights: str | Mapping[str, float] = "equal",
    seed: int = 0,
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> MetricReport:
    """Learn a metric from the documents of an index, grouped by a metadata field, and keep it.

    Without ``shrinkage`` it is chosen by held-out clusters. ``unit="sentence"`` takes the sentences
    of a group's documents. ``weights`` may map groups to numbers; 1 for the others.
    """
    check(bool(NAME.fullmatch(name)), "name", "letters, digits, '.', '_' and '-'", name)
    if not isinstance(weights, Mapping):
        check(weights in WEIGHTS, "weights", f"one of {', '.join(WEIGHTS)}", weights)
    if index.metric is not None:
        raise InputError("A metric cannot be learned under another.", "Open the index without one.")
    rows = index.rows(unit)
    labels, notes = clusters_of(rows, by)
    notes += index.coverage.require(allow_unknown)
    points, means = text_vectors(rows), mean_vectors(rows)
    labels = np.where(points.any(axis=1), labels, "")
    if rows.live is not None:
        points, means, labels = points[rows.live], means[rows.live], labels[rows.live]
    with single_thread():  # the same bytes at any number of threads
        of_texts, about = _fit(points, labels, shrinkage, weights, seed, progress)
        of_words = MinimumDistortion(about["shrinkage"], weights).fit(means, labels).map_
    notes += about.pop("notes")
    topic_map = None
    if has_topics(index.path):
        try:
            topic_map = _learn_topics(index, by, shrinkage, weights, seed)
        except InputError as error:
            notes.append(f"topics get no metric: {error.message}")
    learned = MetricReport(
        name=name,
        by=by,
        unit=unit,
        **about,
        weights="custom" if isinstance(weights, Mapping) else weights,
        topics=topic_map is not None,
        notes=notes,
    )
    made = derive_missing(Maps(of_words, of_texts), index.segments, None, progress)
    with index.write_part(f"{PREFIX}{name}") as out:
        out.array("words.map", of_words)
        out.array("texts.map", of_texts)
        out.meta.update(name=name, learned=asdict(learned), vectors=index.info()["vectors"])
        if topic_map is not None:
            out.array("topics.map", topic_map)
            out.meta["topics"] = Topics.open(index.path).fingerprint
        for key, values in made.items():
            out.array(key, values)
    index.refresh()
    return learned


def evaluate_metric(
    index: Collection,
    by: str,
    *,
    unit: str = "document",
    features: str = "vectors",
    axes: int = 200,
    allow_unknown: bool = False,
    **options: Any,
) -> tuple[list[HeldOutScore], list[str]]:
    """Return how well a metric recovers groups that it was not learned from, and notes.

    features: vectors, as search compares texts, or grams: the paper's unigrams and bigrams of
    function words on ``axes`` axes.
    """
    rows = index.rows(unit)
    labels, notes = clusters_of(rows, by)
    live = np.flatnonzero(np.ones(len(labels), bool) if rows.live is None else rows.live)
    labels = labels[live]
    if features == "grams":
        points = gram_points([rows.text(int(row)) for row in live], axes, options.get("seed", 0))
    else:
        notes += index.coverage.require(allow_unknown)
        vectors = text_vectors(rows)[live]
        labels = np.where(vectors.any(axis=1), labels, "")
        points = take_points(vectors)
    with single_thread():
        return held_out.evaluate_metric(points, labels.tolist(), **options), notes


def _fit(
    points: Array,
    labels: Array,
    shrinkage: float | None,
    weights: str | Mapping[str, float],
    seed: int,
    progress: Progress = silent,
) -> tuple[NDArray[np.float64], JsonObject]:
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
    index: Collection,
    by: str,
    shrinkage: float | None,
    weights: str | Mapping[str, float],
    seed: int,
) -> NDArray[np.float64]:
    """Learn the map of roots of the documents' mixtures."""
    mixtures, known = mixtures_of_documents(index, Topics.open(index.path))
    labels, _ = clusters_of(index.rows("document"), by)
    labels = np.where(known, labels[list(index.documents.values())], "")
    roots = np.sqrt(mixtures.astype(np.float64))
    with single_thread():
        return _fit(roots, labels, shrinkage, weights, seed)[0]


def clusters_of(rows: Rows, by: str) -> tuple[Array, list[str]]:
    """Return the cluster of every row, "" where its document has no value.

    Where every value is the id of a document (``duplicate_of``), linked documents are a cluster.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    column = rows.column(by)
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
