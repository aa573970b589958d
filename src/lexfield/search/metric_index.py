"""An index seen through a learned metric: the same rows, with every vector mapped.

Search methods get mapped vectors, balls and means, and need not know of the metric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.search.embedding import VectorSource
from lexfield.search.index import Index
from lexfield.search.metrics import Metric
from lexfield.search.segment import Segment, Unit
from lexfield.search.topics import Topics
from lexfield.store.folder import Store
from lexfield.vectors.wordvectors import WordEmbeddings

T = TypeVar("T")


class MetricIndex(Index):
    """``Index.open(path, metric="name")``: it can be searched but not changed."""

    def __init__(self, path: Path, metric: str) -> None:
        self.metric = metric
        super().__init__(path)

    def _load(self) -> None:
        super()._load()
        self.__dict__.pop("_metric", None)

    def _changing(self, work: Callable[[], T]) -> T:
        raise InputError(
            f"The index is open under the metric {self.metric!r}.", "Open it without to change it."
        )

    @cached_property
    def _metric(self) -> Metric:
        return Metric(self._store, self.metric or "")

    @cached_property
    def segments(self) -> list[Segment]:
        plain = [Segment(self._store, meta) for meta in self._meta["segments"]]
        arrays = self._metric.arrays(plain)
        return [
            _MappedSegment(self._store, meta, own, self._metric)
            for meta, own in zip(self._meta["segments"], arrays, strict=True)
        ]

    @cached_property
    def _source(self) -> VectorSource:
        return _MappedSource(self._meta["vectors"], self._metric.map)


class _MappedSegment(Segment):
    def __init__(self, store: Store, meta: dict[str, Any], arrays: dict[str, Any], metric: Metric):
        super().__init__(store, meta)
        self.vectors = arrays["vectors"]
        self._arrays = arrays
        self._metric = metric

    def unit(self, name: str) -> Unit:
        if name not in self._units:
            prefix = f"{name}."
            own = {
                key.removeprefix(prefix): values
                for key, values in self._arrays.items()
                if key.startswith(prefix)
            }
            self._units[name] = replace(super().unit(name), **own)
        return self._units[name]

    @property
    def balls(self) -> NDArray[np.int32]:
        balls: NDArray[np.int32] = self._arrays["balls"]
        return balls

    def topic_map(self, topics: Topics) -> NDArray[np.float64]:
        return self._metric.topic_map(topics)


class _MappedSource(VectorSource):
    def __init__(self, about: dict[str, Any], map_: NDArray[np.float64]) -> None:
        super().__init__(about)
        self._map = map_

    def embed(self, words: Sequence[str]) -> WordEmbeddings:
        plain = super().embed(words)
        return WordEmbeddings((plain.vectors @ self._map).astype(np.float32), plain.matches)
