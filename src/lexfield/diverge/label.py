"""Which category a text is nearest to, by its divergence from texts whose category is known.

Rules:
    category  the category with the smallest mean divergence to its members (Hare et al.)
    nearest   the category of the nearest document
    vote      the commonest category among the nearest few; the nearer ones where two are even
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.diverge.categorical import smoothed, smoothing_of
from lexfield.diverge.counts import Counts
from lexfield.diverge.pairs import Pairs
from lexfield.diverge.possible import check_rankable
from lexfield.errors import check

RULES = ("category", "nearest", "vote")
Matrix = NDArray[np.float64]


def class_distances(
    distances: Matrix, labels: NDArray[Any], classes: NDArray[Any], rule: str, neighbours: int
) -> Matrix:
    """For each row (a text) and class how far it is by a rule; infinite where nothing speaks for
    the class. ``distances`` may hold infinity for documents that are not to be looked at."""
    check(rule in RULES, "rule", f"one of {', '.join(RULES)}", rule)
    check_rankable(distances)
    check(neighbours >= 1, "neighbours", "at least 1", neighbours)
    far = np.full((len(distances), len(classes)), np.inf)
    if rule == "vote":
        for row, values in enumerate(distances):
            order = np.argsort(values, kind="stable")[:neighbours]
            order = order[np.isfinite(values[order])]
            for place, label in enumerate(classes):
                mine = order[labels[order] == label]
                if len(mine):  # votes first; then the mean, squeezed into less than one vote
                    mean = float(values[mine].mean())
                    far[row, place] = -len(mine) + mean / (1 + abs(mean)) / 2
        return far
    for place, label in enumerate(classes):
        columns = distances[:, labels == label]
        finite = np.isfinite(columns)
        some = finite.any(axis=1)
        if rule == "nearest":
            far[some, place] = columns[some].min(axis=1, initial=np.inf)
        else:
            sums = np.where(finite, columns, 0).sum(axis=1)
            far[some, place] = sums[some] / finite[some].sum(axis=1)
    return far


def leave_one_out(
    distances: Matrix, labels: ArrayLike, rule: str = "category", neighbours: int = 5
) -> NDArray[Any]:
    """The label that each document gets from all the others; ``distances[i, j]`` is of i from j."""
    names = np.asarray(labels)
    classes = np.unique(names)
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    far = class_distances(others, names, classes, rule, neighbours)
    chosen: NDArray[Any] = classes[far.argmin(axis=1)]
    return chosen


@dataclass(frozen=True)
class Evidence:
    """The documents nearest to one text."""

    id: str
    label: str
    divergence: float


def nearest_documents(
    found: Pairs, labels: Sequence[str], row: int, k: int = 5, which: int | None = None
) -> list[Evidence]:
    """What speaks for the label of one document: its nearest others."""
    matrix = check_rankable(found.matrix if which is None else found[which])
    order = [j for j in np.argsort(matrix[row], kind="stable").tolist() if j != row][:k]
    return [Evidence(found.ids[j], labels[j], float(matrix[row, j])) for j in order]


def telling_words(
    counts: Counts, labels: ArrayLike, row: int, first: str, second: str
) -> list[tuple[str, float]]:
    """The words of a text that speak for one category rather than another, strongest first.

    Each has p ln(q/r): p its share of the text, q and r its shares of the two categories without
    the text, smoothed as ``jm``. The sum is how much less the text diverges from the first.
    """
    from scipy.sparse import csr_matrix

    names = np.asarray(labels)
    others = np.arange(len(names)) != row
    pooled = [
        csr_matrix(counts.matrix[np.flatnonzero((names == name) & others)].sum(axis=0))
        for name in (first, second)
    ]
    whole = np.asarray(counts.matrix.sum(axis=0)).ravel()
    q, r = (smoothed(part, smoothing_of("jm"), whole).ravel() for part in pooled)
    mine = counts.matrix[row]
    p = mine.data / mine.data.sum()
    parts = p * np.log(q[mine.indices] / r[mine.indices])
    order = np.argsort(-parts, kind="stable").tolist()
    return [(counts.types[mine.indices[i]], float(parts[i])) for i in order]
