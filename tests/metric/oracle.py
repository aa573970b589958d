"""Slow, obvious code that the metric is tested against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[Any]


def scatter(rows: Matrix, clusters: list[Any], weights: dict[Any, float]) -> Matrix:
    """Eq. 7, a sum of outer products."""
    total = np.zeros((rows.shape[1], rows.shape[1]))
    for name in set(clusters):
        members = rows[[c == name for c in clusters]]
        centre = members.sum(axis=0) / len(members)
        for member in members:
            total += weights.get(name, 1.0) * np.outer(member - centre, member - centre)
    return total


def metric(scatter: Matrix) -> Matrix:
    """Eq. 6, by determinant and inverse."""
    inverse: Matrix = np.linalg.inv(scatter)
    made: Matrix = np.linalg.det(scatter) ** (1 / len(scatter)) * inverse
    return made


def precisions(points: Matrix, clusters: list[Any], query: int) -> tuple[list[float], float]:
    """Precision at eleven recalls and R-precision of one query."""
    far = [float(np.linalg.norm(points[query] - point)) for point in points]
    order = sorted((i for i in range(len(points)) if i != query), key=lambda i: (far[i], i))
    right = [clusters[i] == clusters[query] for i in order]
    wanted = sum(right)
    at = [(sum(right[:n]) / wanted, sum(right[:n]) / n) for n in range(1, len(right) + 1)]
    levels = [max(p for recall, p in at if recall >= level / 10 - 1e-12) for level in range(11)]
    return levels, sum(right[:wanted]) / wanted
