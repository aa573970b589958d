"""How well distances recover clusters (Mochihashi et al., section 5).

Every row of a cluster with other members is a query for them among all other rows. Precision at
eleven recalls is interpolated (the best precision at this recall or a higher one), R-precision is
the share of the cluster among the first R, R the number of its other members. Rows at equal
distances are taken in order. (trec_eval's eleven points may differ a little: to it, two of three
are a recall of 0.7.) ``clustering_precision`` is k-means' share of pairs of rows that are
together, or apart, as they truly are (Xing et al. 2002; Rand's index), a mean over random starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError
from lexfield.metric.distortion import labelled

Array = NDArray[Any]
LEVELS = 11
_BLOCK = 1 << 24  # distances computed together


@dataclass(frozen=True)
class Recovery:
    """Of every query: interpolated precision at recalls 0, 0.1 … 1, R-precision, and its AP."""

    queries: NDArray[np.int64]
    precisions: NDArray[np.float64]
    r_precisions: NDArray[np.float64]
    average_precisions: NDArray[np.float64]
    notes: list[str] = field(default_factory=list)

    @cached_property
    def eleven_points(self) -> NDArray[np.float64]:
        """11-point average precision of every query."""
        points: NDArray[np.float64] = self.precisions.mean(axis=1)
        return points

    @property
    def eleven_point(self) -> float:
        return float(self.eleven_points.mean())

    @property
    def r_precision(self) -> float:
        return float(self.r_precisions.mean())

    @property
    def average_precision(self) -> float:
        return float(self.average_precisions.mean())

    def to_dicts(self) -> list[dict[str, float]]:
        """The mean precision–recall curve."""
        means = self.precisions.mean(axis=0).tolist()
        return [
            {"recall": level / (LEVELS - 1), "precision": value}
            for level, value in enumerate(means)
        ]


def recovery(
    points: Array, clusters: Sequence[Any] | Array, *, most: int | None = None, seed: int = 0
) -> Recovery:
    """Ask with every row that has company in its cluster (or with ``most`` of them at random).

    Rows without a label are among those to be told apart, but are no queries.
    """
    rows = np.ascontiguousarray(points, np.float64)
    labels = np.asarray(clusters)
    if len(labels) != len(rows):
        raise InputError(f"{len(rows):,} rows have {len(labels):,} labels.")
    known = labelled(labels)
    numbers = np.full(len(rows), -1, np.int64)
    names = {name: i for i, name in enumerate(dict.fromkeys(labels[known].tolist()))}
    numbers[known] = [names[name] for name in labels[known].tolist()]
    sizes = np.bincount(numbers[known], minlength=1)
    queries = np.flatnonzero(known & (sizes[numbers] > 1))
    if not len(queries):
        raise InputError("No cluster has two members: there is nothing to recover.")
    notes = []
    if most is not None and len(queries) > most:
        notes.append(f"{most:,} of {len(queries):,} queries were drawn at random")
        rng = np.random.default_rng(seed)
        queries = np.sort(rng.choice(queries, most, replace=False))
    squares = np.einsum("ij,ij->i", rows, rows)
    step = max(1, _BLOCK // (8 * len(rows)))

    def block(first: int) -> tuple[Array, Array, Array]:
        part = queries[first : first + step]
        apart = squares[part, None] + squares - 2 * (rows[part] @ rows.T)
        apart[np.arange(len(part)), part] = np.inf  # last, and cut off
        order = np.argsort(apart, axis=1, kind="stable")[:, :-1]
        return _measures(numbers[order] == numbers[part, None])

    found = list(map_blocks(block, range(0, len(queries), step)))
    precisions, r_precisions, averages = (np.concatenate(p) for p in zip(*found, strict=True))
    return Recovery(queries, precisions, r_precisions, averages, notes)


def _measures(hits: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """Rankings as rows of right and wrong → precision at eleven recalls, R-precision, AP."""
    ranks = np.arange(1, hits.shape[1] + 1)
    right = hits.cumsum(axis=1)
    wanted = right[:, -1]
    precision = right / ranks
    # from the last rank to the first: the best precision from there on
    ceiling = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    levels = np.empty((len(hits), LEVELS))
    for level in range(LEVELS):
        needed = np.maximum(1, -(-level * wanted // (LEVELS - 1)))  # so many right: this recall
        first = (right < needed[:, None]).sum(axis=1)
        levels[:, level] = np.take_along_axis(ceiling, first[:, None], 1)[:, 0]
    r_precision = np.take_along_axis(right, wanted[:, None] - 1, 1)[:, 0] / wanted
    average = np.where(hits, precision, 0).sum(axis=1) / wanted
    return levels, r_precision, average


def clustering_precision(
    points: Array, clusters: Sequence[Any] | Array, *, starts: int = 100, seed: int = 0
) -> NDArray[np.float64]:
    """k-means from each of ``starts`` random starts, k the true number: pairs that agree."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import rand_score

    k = len(set(clusters))
    rows = np.ascontiguousarray(points, np.float64)

    def one(start: int) -> float:
        found = KMeans(k, init="random", n_init=1, random_state=seed + start).fit_predict(rows)
        return float(rand_score(clusters, found))

    return np.fromiter(map_blocks(one, range(starts)), np.float64, starts)
