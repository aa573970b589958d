"""Choose the shrinkage by held-out clusters.

Clusters are dealt into folds. For each fold the metric is learned from the other folds. It then
has to recover the clusters of the fold among their rows and unlabelled rows, as a search would; the
shrinkage with the best mean 11-point precision wins. Whole clusters are held out, never single
rows, because the metric is meant for clusters it has not seen. Shrinkage 1, the Euclidean
distance, is a candidate, so a metric that does not help is not chosen.

Recovery (Mochihashi et al., section 5): every row of a cluster with other members is a query for
them among all other rows. Precision at eleven recall levels is interpolated (the best precision at
this recall or a higher one). R-precision is the share of the cluster among the first R rows, with R
the number of its other members. Rows at equal distances keep their order. (trec_eval's eleven
points may differ a little: it counts two of three as a recall of 0.7.)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError
from lexfield.metric.distortion import (
    cluster_weights,
    has_label,
    metric_eigenvalues,
    number_clusters,
    principal_axes,
)
from lexfield.metric.scatter import Matrix, Numbers, Scatter
from lexfield.progress import Progress, silent
from lexfield.results import Table

SHRINKAGES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_QUERIES = 2000  # at most, per fold
_UNLABELLED = 5000  # rows at most among which a fold's clusters are recovered
_LEVELS = 11
_FOLDS = 5
_BLOCK = 1 << 24  # bytes of distances computed together


@dataclass(frozen=True)
class ShrinkageScore:
    """A shrinkage and how well held-out clusters were recovered with it."""

    shrinkage: float
    eleven_point: float
    r_precision: float


def choose_shrinkage(
    points: NDArray[np.floating],
    clusters: Sequence[Hashable] | NDArray[np.generic],
    *,
    weights: str | Mapping[Any, float] = "equal",
    seed: int = 0,
    progress: Progress = silent,
) -> Table[ShrinkageScore]:
    """Return all candidates, the best first; ties go to the one nearer the Euclidean distance."""
    labels = np.asarray(clusters)
    known = has_label(labels)
    rng = np.random.default_rng(seed)
    others = points[rng.permutation(np.flatnonzero(~known))[:_UNLABELLED]]
    points = points[known]
    names, own, sizes = np.unique(labels[known], return_inverse=True, return_counts=True)
    if isinstance(weights, Mapping):
        weights = {number: weights.get(name, 1.0) for number, name in enumerate(names.tolist())}
    several = np.flatnonzero(sizes > 1)
    if len(several) < 3:
        raise InputError(
            f"Only {len(several)} of the clusters have two members; three are needed to choose the"
            " shrinkage.",
            "Name the shrinkage, such as 0.1, or give at least three such clusters.",
        )
    folds = min(_FOLDS, len(several))
    fold = np.full(len(names), -1)
    fold[rng.permutation(several)] = np.arange(len(several)) % folds
    sums = np.zeros((len(SHRINKAGES), 2))
    tolerance = points.shape[1] * float(np.finfo(np.float32).eps) ** 2
    for number in range(folds):
        held = fold[own] == number
        values, axes = principal_axes(_scatter_matrix(points[~held], own[~held], weights))
        truth = [*own[held].tolist(), *[None] * len(others)]
        # On these axes a shrinkage only stretches columns.
        turned = np.concatenate([points[held], others]) @ axes
        for place, shrinkage in enumerate(SHRINKAGES):
            stretch = np.sqrt(metric_eigenvalues(values, shrinkage, tolerance))
            recovery = measure_recovery(turned * stretch, truth, most=_QUERIES, seed=seed)
            sums[place] += recovery.eleven_point, recovery.r_precision
            progress(number * len(SHRINKAGES) + place + 1, folds * len(SHRINKAGES))
    rows = [
        ShrinkageScore(float(shrinkage), *(sums[place] / folds).tolist())
        for place, shrinkage in enumerate(SHRINKAGES)
    ]
    rows.sort(key=lambda row: (-row.eleven_point, -row.shrinkage))
    return Table(rows, f"shrinkage by {folds} folds of {len(several):,} clusters")


def _scatter_matrix(
    points: NDArray[np.floating], own: Numbers, weights: str | Mapping[Any, float]
) -> Matrix:
    if isinstance(weights, Mapping):
        xi: Any = weights
    else:
        xi = None if weights == "equal" else cluster_weights(weights, points, own)
    scatter = Scatter(points.shape[1], xi)
    scatter.add(points, own.tolist())
    return scatter.matrix()


@dataclass(frozen=True)
class Recovery:
    """Per query: interpolated precision at recalls 0, 0.1 … 1, R- and average precision."""

    queries: NDArray[np.int64]
    precisions: Matrix
    r_precisions: Matrix
    average_precisions: Matrix

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

    def measure(first: int) -> tuple[Matrix, Matrix, Matrix]:
        part = queries[first : first + step]
        gaps = squares[part, None] + squares - 2 * (rows[part] @ rows.T)
        gaps[np.arange(len(part)), part] = np.inf  # the query itself comes last and is cut off
        order = np.argsort(gaps, axis=1, kind="stable")[:, :-1]
        return _score(numbers[order] == numbers[part, None])

    found = list(map_blocks(measure, range(0, len(queries), step)))
    return Recovery(queries, *(np.concatenate(part) for part in zip(*found, strict=True)))


def _score(hits: NDArray[np.bool_]) -> tuple[Matrix, Matrix, Matrix]:
    """Return precision at eleven recalls, R-precision and average precision of rankings."""
    ranks = np.arange(1, hits.shape[1] + 1)
    right = hits.cumsum(axis=1)
    wanted = right[:, -1]
    precision = right / ranks
    # the best precision from each rank on
    ceiling = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    levels = np.empty((len(hits), _LEVELS))
    for level in range(_LEVELS):
        needed = np.maximum(1, -(-level * wanted // (_LEVELS - 1)))  # hits for this recall
        first = (right < needed[:, None]).sum(axis=1)
        levels[:, level] = np.take_along_axis(ceiling, first[:, None], 1)[:, 0]
    r_precision = np.take_along_axis(right, wanted[:, None] - 1, 1)[:, 0] / wanted
    return levels, r_precision, (precision * hits).sum(axis=1) / wanted
