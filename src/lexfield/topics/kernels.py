"""Divergences of one mixture from the rows of a matrix, compiled.

js is Jensen and Shannon's divergence in nats, square is h² = ½ Σ (√p − √q)², kl is KL(q ‖ row).
Every search computes the distances that it reports here, so equal rows have equal distances to the
bit, whatever found them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel, reordered_kernel

JS, SQUARE, KL = 0, 1, 2


@kernel
def value(measure: int, q: NDArray[Any], row: NDArray[Any]) -> float:
    """One divergence; rounding cannot make it negative."""
    total = 0.0
    if measure == 0:
        for j in range(q.shape[0]):
            a, b = q[j], np.float64(row[j])
            both = a + b
            if a > 0.0:
                total += 0.5 * a * math.log(2.0 * a / both)
            if b > 0.0:
                total += 0.5 * b * math.log(2.0 * b / both)
    elif measure == 1:
        for j in range(q.shape[0]):
            step = math.sqrt(q[j]) - math.sqrt(np.float64(row[j]))
            total += 0.5 * step * step
    else:
        for j in range(q.shape[0]):
            a, b = q[j], np.float64(row[j])
            if a > 0.0:
                total += a * math.log(a / b) if b > 0.0 else math.inf
    return max(total, 0.0)


@kernel
def values(
    measure: int, q: NDArray[Any], mixtures: NDArray[Any], rows: NDArray[Any]
) -> NDArray[np.float64]:
    """The divergence of ``q`` from each of the chosen rows."""
    out = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        out[i] = value(measure, q, mixtures[rows[i]])
    return out


@reordered_kernel
def overlap(roots: NDArray[Any], row: NDArray[Any]) -> float:
    """Σ √q √p, roughly: in the precision of the row, to within T units of its last place."""
    total = roots[0] * np.sqrt(row[0])
    for j in range(1, row.shape[0]):
        total += roots[j] * np.sqrt(row[j])
    return float(total)


@kernel
def shared(measure: int, p: float, q: float) -> float:
    """What one topic takes off the largest possible divergence (ln 2, or 1 for the square).

    Concave, growing in p and in q, and shared(ap, aq) = a shared(p, q).
    """
    if p <= 0.0 or q <= 0.0:
        return 0.0
    if measure == 1:
        return math.sqrt(p * q)
    both = p + q
    return 0.5 * (both * math.log(both) - p * math.log(p) - q * math.log(q))
