"""Does a metric help to find the members of groups that it was not learned from?

Groups are dealt into folds. For each fold the metric is learned from the other groups, and every
row of a held-out group asks for the other members of its group among all held-out and unlabelled
rows, by Euclidean distance and under the metric. The interval of the difference resamples groups,
for the queries of one group are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.metric.choose import Recovery, choose_shrinkage, measure_recovery
from lexfield.metric.distortion import MinimumDistortion, has_label
from lexfield.metric.features import Grams, clustering_precision
from lexfield.progress import Progress, silent

Matrix = NDArray[np.float64]
Points = Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[Matrix, Matrix]]
Fold = tuple[NDArray[np.int64], dict[str, Matrix], list[float]]  # owners of queries, figures, Rand
_UNLABELLED = 5000
_RESAMPLES = 2000
_STARTS = 10


@dataclass(kw_only=True)
class HeldOutScore:
    """A measure by Euclidean distance and under the metric.

    low, high: bounds of the difference with 95% confidence; for kmeans its range over the folds,
    which are its ``queries``.
    """

    measure: str
    euclidean: float
    metric: float
    difference: float
    low: float
    high: float
    queries: int


def gram_points(texts: Sequence[str], axes: int, seed: int = 0) -> Points:
    """Return the paper's features of rows: found from training texts, then applied to others."""

    def make(train: NDArray[np.int64], others: NDArray[np.int64]) -> tuple[Matrix, Matrix]:
        grams = Grams.of([texts[row] for row in train], seed=seed)
        size = min(axes, len(grams.axes))
        rest = grams.weighted([texts[row] for row in others])
        return grams.axes.apply(grams.training, size), grams.axes.apply(rest, size)

    return make


def take_points(points: NDArray[np.floating]) -> Points:
    """Return rows of a matrix, which are the same whatever is learned from."""
    rows = np.asarray(points, np.float64)
    return lambda train, others: (rows[train], rows[others])


def evaluate_metric(
    points: Points,
    labels: Sequence[str],
    *,
    shrinkage: float | None = None,
    weights: str | Mapping[Any, float] = "equal",
    sphere: bool = False,
    kmeans: bool = False,
    folds: int = 5,
    seed: int = 0,
    progress: Progress = silent,
) -> list[HeldOutScore]:
    """Return how well held-out groups are recovered: MAP, 11-point and R-precision, and with
    ``kmeans`` the share of pairs that k-means puts together or apart as they are.

    ``sphere``: rows have length one, before and after the map, so that angles are compared.
    """
    names = np.asarray(labels)
    known = has_label(names)
    groups, own, sizes = np.unique(names[known], return_inverse=True, return_counts=True)
    several = np.flatnonzero(sizes > 1)
    if len(several) < 2 * folds:
        raise InputError(
            f"Only {len(several)} groups have two members; {folds} folds need {2 * folds}.",
            "Give more groups, or fewer folds.",
        )
    rng = np.random.default_rng(seed)
    fold = np.full(len(groups), -1)
    fold[rng.permutation(several)] = np.arange(len(several)) % folds
    labelled = np.flatnonzero(known)
    others = rng.permutation(np.flatnonzero(~known))[:_UNLABELLED]
    found = []
    for number in range(folds):
        held = fold[own] == number
        train, test = labelled[~held], labelled[held]
        learned, asked = points(train, np.concatenate([test, others]))
        if sphere:
            learned, asked = _scale(learned), _scale(asked)
        chosen = shrinkage
        if chosen is None:
            tried = choose_shrinkage(learned, names[train], weights=weights, seed=seed)
            chosen = tried[0].shrinkage
        mapped = MinimumDistortion(chosen, weights).fit(learned, names[train]).transform(asked)
        both = (asked, _scale(mapped) if sphere else mapped)
        truth = [*names[test].tolist(), *[None] * len(others)]
        recovered = [measure_recovery(rows, truth, most=2000, seed=seed) for rows in both]
        figures = [_figures(one) for one in recovered]
        rand = [
            clustering_precision(rows[: len(test)], names[test], starts=_STARTS, seed=seed).mean()
            for rows in (both if kmeans else ())
        ]
        owners = own[held][recovered[0].queries]
        found.append((owners, {n: np.stack([one[n] for one in figures]) for n in figures[0]}, rand))
        progress(number + 1, folds)
    return _summarise(found, rng)


def _scale(rows: Matrix) -> Matrix:
    """Return rows of length one; empty ones stay empty."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = rows / np.where(lengths > 0, lengths, 1)
    return scaled


def _figures(recovery: Recovery) -> dict[str, Matrix]:
    return {
        "map": recovery.average_precisions,
        "11pt": recovery.precisions.mean(axis=1),
        "rprec": recovery.r_precisions,
    }


def _summarise(found: list[Fold], rng: np.random.Generator) -> list[HeldOutScore]:
    owners = np.concatenate([one for one, _, _ in found])
    _, owners = np.unique(owners, return_inverse=True)
    counts = np.bincount(owners)
    drawn = rng.integers(0, len(counts), (_RESAMPLES, len(counts)))
    scores = []
    for name in found[0][1]:
        before, after = np.concatenate([pairs[name] for _, pairs, _ in found], axis=1)
        sums = np.bincount(owners, after - before)
        means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
        scores.append(_score(name, before, after, np.quantile(means, [0.025, 0.975])))
    if found[0][2]:
        before, after = np.array([rand for _, _, rand in found]).T
        gaps = after - before
        scores.append(_score("kmeans", before, after, np.array([gaps.min(), gaps.max()])))
    return scores


def _score(name: str, before: Matrix, after: Matrix, ends: Matrix) -> HeldOutScore:
    low, high = ends.tolist()
    return HeldOutScore(
        measure=name,
        euclidean=float(before.mean()),
        metric=float(after.mean()),
        difference=float((after - before).mean()),
        low=low,
        high=high,
        queries=len(before),
    )
