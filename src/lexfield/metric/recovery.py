"""How well distances recover clusters (Mochihashi et al., section 5).

Every row of a cluster with other members is a query for them among all other rows. Precision at
eleven recall levels is interpolated (the best precision at this recall or a higher one).
R-precision is the share of the cluster among the first R rows, with R the number of its other
members. Rows at equal distances keep their order. (trec_eval's eleven points may differ a little:
it counts two of three as a recall of 0.7.)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError
from lexfield.metric.distortion import has_label, number_clusters
from lexfield.metric.scatter import Matrix

LEVELS = 11
_BLOCK = 1 << 24  # bytes of distances computed together


@dataclass(frozen=True)
class Recovery:
    """Per query: interpolated precision at recalls 0, 0.1 … 1, and R-precision."""

    queries: NDArray[np.int64]
    precisions: Matrix
    r_precisions: Matrix

    @property
    def eleven_point(self) -> float:
        """The mean 11-point average precision."""
        return float(self.precisions.mean(axis=1).mean())

    @property
    def r_precision(self) -> float:
        return float(self.r_precisions.mean())


def measure_recovery(
    points: NDArray[np.floating],
    clusters: Sequence[Hashable] | NDArray[np.generic],
    *,
    most: int | None = None,
    seed: int = 0,
) -> Recovery:
    """Query with every row that shares its cluster, or with ``most`` of them drawn at random.

    Unlabelled rows are candidates, but not queries.
    """
    rows = np.ascontiguousarray(points, np.float64)
    labels = np.asarray(clusters)
    if len(labels) != len(rows):
        raise InputError(f"{len(rows):,} rows have {len(labels):,} labels.")
    known = has_label(labels)
    numbers = np.full(len(rows), -1, np.int64)
    numbers[known] = number_clusters(labels[known].tolist())
    sizes = np.bincount(numbers[known], minlength=1)
    queries = np.flatnonzero(known & (sizes[numbers] > 1))
    if not len(queries):
        raise InputError("No cluster has two members: there is nothing to recover.")
    if most is not None and len(queries) > most:
        rng = np.random.default_rng(seed)
        queries = np.sort(rng.choice(queries, most, replace=False))
    squares = np.einsum("ij,ij->i", rows, rows)
    step = max(1, _BLOCK // (8 * len(rows)))

    def measure(first: int) -> tuple[Matrix, Matrix]:
        part = queries[first : first + step]
        gaps = squares[part, None] + squares - 2 * (rows[part] @ rows.T)
        gaps[np.arange(len(part)), part] = np.inf  # the query itself comes last and is cut off
        order = np.argsort(gaps, axis=1, kind="stable")[:, :-1]
        return _score(numbers[order] == numbers[part, None])

    found = list(map_blocks(measure, range(0, len(queries), step)))
    precisions, r_precisions = (np.concatenate(part) for part in zip(*found, strict=True))
    return Recovery(queries, precisions, r_precisions)


def _score(hits: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """Return precision at eleven recalls and R-precision of rankings."""
    ranks = np.arange(1, hits.shape[1] + 1)
    right = hits.cumsum(axis=1)
    wanted = right[:, -1]
    precision = right / ranks
    # the best precision from each rank on
    ceiling = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    levels = np.empty((len(hits), LEVELS))
    for level in range(LEVELS):
        needed = np.maximum(1, -(-level * wanted // (LEVELS - 1)))  # hits for this recall
        first = (right < needed[:, None]).sum(axis=1)
        levels[:, level] = np.take_along_axis(ceiling, first[:, None], 1)[:, 0]
    r_precision = np.take_along_axis(right, wanted[:, None] - 1, 1)[:, 0] / wanted
    return levels, r_precision
