"""Metrics learned from the clusters of an index: each a part of its store.

A metric is a linear map of word vectors, one of what words add to the vectors of texts, and where
the index has topics, one of roots of mixtures.
A segment never changes, so what search needs of it under the map (vectors, balls, means on their
axes) is kept under the fingerprint of its contents. What is missing after a change of the index is
made when the index is opened under the metric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import single_thread
from lexfield.errors import InputError, list_names
from lexfield.index.axes import text_axes
from lexfield.index.lexicon import Maps
from lexfield.index.names import name_index, name_step
from lexfield.index.parts import find_part, metric_key, part_names, remove_part
from lexfield.index.segment import Segment, find_balls
from lexfield.index.topics import Topics
from lexfield.index.units import UNITS, Unit
from lexfield.progress import Progress, silent
from lexfield.results import Table, pluralise
from lexfield.store.folder import Store
from lexfield.vectors.wordvectors import WordEmbeddings

PREFIX = "metrics/"  # the names of these parts begin with it
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class MetricSummary:
    """A metric of an index: what it was learned from, and how it does on held-out clusters.

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


@dataclass(frozen=True)
class MetricReport(MetricSummary):
    """The same, with notes on what was left out."""

    notes: list[str] = field(default_factory=list)

    def summarise(self) -> MetricSummary:
        return MetricSummary(*(getattr(self, one.name) for one in fields(MetricSummary)))


def derive(segment: Segment, maps: Maps, progress: Progress = silent) -> dict[str, Array]:
    """Return what search needs of a segment under a metric."""
    with single_thread():  # the same bytes at any number of threads
        plain = WordEmbeddings(segment.vectors, segment.matches, segment.contributions)
        embedded = maps.apply(plain)
        made: dict[str, Array] = {"vectors": embedded.vectors}
        if embedded.contributions is not None:
            made["contributions"] = embedded.contributions
        for name in UNITS:
            rows = replace(segment.text_rows(name), vectors=embedded.added)
            made |= {f"{name}.{key}": values for key, values in text_axes(rows).items()}
        known = WordEmbeddings.from_matrix(embedded.vectors, segment.matches)
        made["balls"] = find_balls(known, progress)
    return made


def derive_missing(
    maps: Maps, segments: Sequence[Segment], kept: Store | None, progress: Progress = silent
) -> dict[str, Array]:
    """Return the arrays derived from segments that are not among those kept."""
    return {
        f"{metric_key(segment)}{key}": values
        for segment in segments
        if kept is None or f"{metric_key(segment)}balls" not in kept
        for key, values in derive(segment, maps, progress).items()
    }


def read_maps(part: Store) -> Maps:
    """Return the maps that a metric's part of an index holds."""
    words = part.array("words.map")
    return Maps(words, part.array("texts.map") if "texts.map" in part else words)


class Metric:
    """An open metric of an index."""

    def __init__(self, index: Store, name: str) -> None:
        part = find_part(index, f"{PREFIX}{name}") if NAME.fullmatch(name) else None
        if part is None:
            known = [row.name for row in _read_metrics(index)]
            raise InputError(
                f"The {name_index(index.path)} has no metric {name!r}.",
                f"There are: {list_names(known)}."
                if known
                else f"Learn one with: {name_learning(index.path, name)}",
            )
        self._store = part

    @property
    def maps(self) -> Maps:
        """M^½ of word vectors, and of what words add to the vectors of texts."""
        return read_maps(self._store)

    def topic_map(self, topics: Topics) -> NDArray[np.float64]:
        """Return M^½ of roots of mixtures. Raise InputError if there is none for these topics."""
        if self._store.meta.get("topics") != topics.fingerprint:
            why = "for other topics" if "topics" in self._store.meta else "without topics"
            raise InputError(
                f"The metric {self._store.meta['name']!r} was learned {why}.",
                "Learn it again, now that the index has these.",
            )
        return self._store.array("topics.map")

    def map_segments(self, segments: Sequence[Segment]) -> list[Segment]:
        """Return segments as search sees them under the metric: from what is kept, else made."""
        mapped: list[Segment] = []
        for segment in segments:
            key = metric_key(segment)
            if f"{key}balls" in self._store:
                names = self._store.names(key)
                arrays = {name: self._store.array(f"{key}{name}") for name in names}
            else:
                arrays = derive(segment, self.maps)
            mapped.append(MappedSegment(segment, arrays, self))
        return mapped


class MappedSegment(Segment):
    """A segment whose vectors, balls and means are mapped by a metric; methods do not notice."""

    def __init__(self, plain: Segment, arrays: dict[str, Array], metric: Metric) -> None:
        self.__dict__.update(vars(plain))  # as it is open
        self._units, self._sets = {}, {}
        self._plain, self.matches = plain, plain.matches
        self.vectors = arrays["vectors"]
        self.contributions = arrays.get("contributions")
        self._arrays = arrays
        self._metric = metric

    def _load(self, unit: str, field: str) -> Array:
        name = f"{unit}.{field}"
        return self._arrays[name] if name in self._arrays else super()._load(unit, field)

    def _make_unit(self, name: str, load: Callable[[str], Array]) -> Unit:
        return Unit(load, None if f"{name}.axes" in self._arrays else self.text_rows(name))

    @property
    def balls(self) -> NDArray[np.int32]:
        return self._arrays["balls"]

    @property
    def index_store(self) -> Store:
        return self._plain.index_store

    def topic_map(self, topics: Topics) -> NDArray[np.float64]:
        return self._metric.topic_map(topics)


def name_learning(path: Path, name: str) -> str:
    """Return what to type to learn a metric for the index at a path."""
    command = f"metric learn IDX --by FIELD --name {name}"
    return name_step(path, command, f"lx.learn_metric(index, by='FIELD', name={name!r})")


def list_metrics(folder: Path) -> Table[MetricReport]:
    """Return the metrics of the index at a folder, by name."""
    rows = _read_metrics(Store.open(folder))
    return Table(rows, pluralise(len(rows), "metric"))


def remove_metric(folder: Path, name: str) -> None:
    """Delete a metric. Raise InputError if there is none of this name."""
    Metric(Store.open(folder), name)
    remove_part(folder, f"{PREFIX}{name}")


def _read_metrics(index: Store) -> list[MetricReport]:
    return [MetricReport(**index.parts[name]["learned"]) for name in part_names(index, PREFIX)]
