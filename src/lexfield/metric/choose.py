"""Choose the shrinkage by held-out clusters.

Clusters are dealt into folds. For each fold the metric is learned from the other folds. It then
has to recover the clusters of the fold among their rows and unlabelled rows, as a search would; the
shrinkage with the best mean 11-point precision wins. Whole clusters are held out, never single
rows, because the metric is meant for clusters it has not seen. Shrinkage 1, the Euclidean
distance, is a candidate, so a metric that does not help is not chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.metric.distortion import (
    cluster_weights,
    has_label,
    metric_eigenvalues,
    principal_axes,
)
from lexfield.metric.recovery import measure_recovery
from lexfield.metric.scatter import Matrix, Numbers, Scatter
from lexfield.progress import Progress, silent
from lexfield.results import Table

SHRINKAGES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_QUERIES = 2000  # at most, per fold
_UNLABELLED = 5000  # rows at most among which a fold's clusters are recovered


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
    weights: str = "equal",
    folds: int = 5,
    seed: int = 0,
    progress: Progress = silent,
) -> Table[ShrinkageScore]:
    """Return all candidates, the best first; ties go to the one nearer the Euclidean distance."""
    check(isinstance(folds, int) and folds >= 2, "folds", "a whole number of at least 2", folds)
    labels = np.asarray(clusters)
    known = has_label(labels)
    rng = np.random.default_rng(seed)
    others = points[rng.permutation(np.flatnonzero(~known))[:_UNLABELLED]]
    points = points[known]
    names, own, sizes = np.unique(labels[known], return_inverse=True, return_counts=True)
    several = np.flatnonzero(sizes > 1)
    if len(several) < 3:
        raise InputError(
            f"Only {len(several)} of the clusters have two members; three are needed to choose the"
            " shrinkage.",
            "Name the shrinkage, such as 0.1, or give at least three such clusters.",
        )
    folds = min(folds, len(several))
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


def _scatter_matrix(points: NDArray[np.floating], own: Numbers, weights: str) -> Matrix:
    xi = None if weights == "equal" else cluster_weights(weights, points, own)
    scatter = Scatter(points.shape[1], xi)
    scatter.add(points, own.tolist())
    return scatter.matrix()
