"""Shrinkage chosen by held-out clusters.

Clusters are dealt into folds. For each fold the metric is learned from the others and asked to
recover the clusters of the fold among their rows and those without a label, as a search would have
to; the shrinkage with the best mean 11-point precision wins. Whole clusters are held out, never
rows: the metric is for clusters that it has not seen. 1, the Euclidean distance, is among the
candidates, so that a metric that does not help is not chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.metric.distortion import derived, labelled, principal, scales
from lexfield.metric.recovery import recovery
from lexfield.metric.scatter import Matrix, Scatter
from lexfield.progress import Progress, silent
from lexfield.results import Table

SHRINKAGES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_MOST = 2000  # queries a fold
_OTHERS = 5000  # rows without a label among which they are recovered


@dataclass(frozen=True)
class Choice:
    """A shrinkage and how well held-out clusters were recovered under it."""

    shrinkage: float
    eleven_point: float
    r_precision: float


def choose_shrinkage(
    points: NDArray[Any],
    clusters: Sequence[Any] | NDArray[Any],
    *,
    shrinkages: Sequence[float] = SHRINKAGES,
    weights: str = "equal",
    folds: int = 5,
    seed: int = 0,
    progress: Progress = silent,
) -> Table[Choice]:
    """All candidates, the best first; of equals the one nearer to the Euclidean distance."""
    check(isinstance(folds, int) and folds >= 2, "folds", "a whole number of at least 2", folds)
    labels = np.asarray(clusters)
    known = labelled(labels)
    rng = np.random.default_rng(seed)
    others = points[rng.permutation(np.flatnonzero(~known))[:_OTHERS]]
    points, labels = points[known], labels[known]
    names, own, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    several = np.flatnonzero(sizes > 1)
    if len(several) < 3:
        raise InputError(
            f"{len(several)} clusters with two members are too few to hold some out.",
            "Name the shrinkage (--shrinkage 0.1), or give three such clusters at least.",
        )
    folds = min(folds, len(several))
    fold = np.full(len(names), -1)
    fold[rng.permutation(several)] = np.arange(len(several)) % folds
    sums = np.zeros((len(shrinkages), 2))
    tolerance = points.shape[1] * float(np.finfo(np.float32).eps) ** 2
    for number in range(folds):
        held = fold[own] == number
        values, axes = principal(_scatter(points[~held], own[~held], weights))
        asked = [*own[held].tolist(), *[None] * len(others)]
        # On its axes, a shrinkage only stretches columns.
        turned = np.concatenate([points[held], others]) @ axes
        for place, shrinkage in enumerate(shrinkages):
            stretch = np.sqrt(scales(values, shrinkage, tolerance))
            found = recovery(turned * stretch, asked, most=_MOST, seed=seed)
            sums[place] += found.eleven_point, found.r_precision
            progress(number * len(shrinkages) + place + 1, folds * len(shrinkages))
    rows = [
        Choice(float(shrinkage), *(sums[place] / folds).tolist())
        for place, shrinkage in enumerate(shrinkages)
    ]
    rows.sort(key=lambda row: (-row.eleven_point, -row.shrinkage))
    return Table(rows, f"shrinkage by {folds} folds of {len(several):,} clusters")


def _scatter(points: NDArray[Any], own: NDArray[np.int64], weights: str) -> Matrix:
    xi = None if weights == "equal" else derived(weights, points, own)
    gathered = Scatter(points.shape[1], xi)
    gathered.add(points, own.tolist())
    return gathered.matrix()
