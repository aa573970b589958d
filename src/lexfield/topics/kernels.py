"""Divergences of a mixture from the rows of a matrix, compiled.

Every search computes the distances it reports with ``divergence``, so equal rows have equal
distances to the last bit, whichever method found them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel

JS, HELLINGER_SQUARED, KL = 0, 1, 2


@kernel
def divergence(measure: int, q: Array, row: Array) -> float:
    """Return JS in nats, h² = ½ Σ (√p − √q)², or KL(q ‖ row); never negative from rounding."""
    total = 0.0
    if measure == JS:
        for j in range(q.shape[0]):
            a, b = q[j], np.float64(row[j])
            both = a + b
            if a > 0.0:
                total += 0.5 * a * math.log(2.0 * a / both)
            if b > 0.0:
                total += 0.5 * b * math.log(2.0 * b / both)
    elif measure == HELLINGER_SQUARED:
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
def divergences(measure: int, q: Array, mixtures: Array, rows: Array) -> NDArray[np.float64]:
    """Return the divergence of ``q`` from each of the given rows."""
    out = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        out[i] = divergence(measure, q, mixtures[rows[i]])
    return out


@reordered_kernel
def bhattacharyya(roots: Array, row: Array) -> float:
    """Return Σ √q √p in the precision of the row, to within T units in the last place."""
    total = roots[0] * np.sqrt(row[0])
    for j in range(1, row.shape[0]):
        total += roots[j] * np.sqrt(row[j])
    return float(total)


@kernel
def largest(measure: int) -> float:
    """Return the largest possible divergence: that of mixtures without a common topic."""
    return math.log(2.0) if measure == JS else 1.0


@kernel
def affinity(measure: int, p: float, q: float) -> float:
    """Return s(p, q), what one topic takes off the largest possible divergence.

    It is concave, grows in p and in q, and s(ap, aq) = a s(p, q).
    """
    if p <= 0.0 or q <= 0.0:
        return 0.0
    if measure == HELLINGER_SQUARED:
        return math.sqrt(p * q)
    both = p + q
    return 0.5 * (both * math.log(both) - p * math.log(p) - q * math.log(q))
