"""All rows of an index as points of the simplex, and how near they are to a mixture.

Where the index is seen under a map of roots of mixtures (x = √p), rows are compared by

    h_M² = ½ (x − y)ᵀ M (x − y),

which is Hellinger's h² for M = I. The score 1 − h_M² is a sum over topics too, since p and q sum
to 1: Σ_j (p_j + q_j)/2 − ½ δ_j (Mδ)_j with δ = x − y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.topk import top_k
from lexfield.index.rows import Rows
from lexfield.index.topics import Topics
from lexfield.topics.simplex import Neighbours, js_terms

Near = tuple[list[int], list[float], list[str]]  # rows, scores, notes
_BLOCK = 8192  # rows


@dataclass(frozen=True)
class RowMixtures:
    """Mixtures of all rows, compared as they are."""

    topics: Topics
    mixtures: NDArray[np.float32]
    known: NDArray[np.bool_]

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.mixtures)

    def near(self, mixture: Array, k: int, measure: str, allowed: NDArray[np.bool_]) -> Near:
        found = self._neighbours.query(mixture, k, measure, allowed=allowed)
        far = found.distances
        scores = (1 - (far / np.log(2) if measure == "js" else far**2)).tolist()
        certificate = found.certificate
        notes = []
        if len(found.rows):
            notes.append(
                f"exact: {certificate.candidates:,} of {certificate.rows:,} rows computed; the last"
                f" hit is at {measure} {certificate.kth:.4g}, no other row is under"
                f" {certificate.bound:.4g}"
            )
        return found.rows.tolist(), scores, notes

    def parts(self, mixture: Array, row: int, measure: str) -> NDArray[np.float64]:
        """Return what each topic adds to the score of a row."""
        first, second = mixture.astype(np.float64), self.mixtures[row].astype(np.float64)
        parts: NDArray[np.float64] = np.sqrt(first * second)
        if measure == "hellinger":
            return parts
        parts = (first + second) / 2 - js_terms(first, second) / np.log(2)
        return parts


@dataclass(frozen=True)
class MappedRowMixtures(RowMixtures):
    """Roots of mixtures, compared after a map; every row is measured."""

    map: NDArray[np.float64]

    def near(self, mixture: Array, k: int, measure: str, allowed: NDArray[np.bool_]) -> Near:
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
