"""Which topics of a row are worth a place in the lists of the certified search.

A low threshold makes long lists and tight bounds, a high one the reverse. The best depends on how
sparse the mixtures are, so the cost of a few is estimated on a sample; any gives exact results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = (8, 16, 32, 48, 64, 96, 128, 192, 256)  # topics a row, on average, that are tried
DEFAULT = 32  # without a sample that says more
LOWEST = 1e-6
SAMPLE, QUERIES = 1000, 4
ENTRY, PASS = 1.2, 400.0  # nanoseconds, measured: to read an entry; to bound a row again

Array = NDArray[Any]


def choose_threshold(mixtures: Array) -> float:
    """The cheapest threshold for queries like the rows themselves; the same for the same rows."""
    height, width = mixtures.shape
    rows = np.random.default_rng(0).permutation(height)[:SAMPLE]
    sample = mixtures[np.sort(rows)].astype(np.float64)
    tried = [kept for kept in KEPT if kept < width] or [width / 2]
    thresholds = [
        max(float(np.quantile(sample, 1 - kept / width)), LOWEST)
        for kept in (tried if height > SAMPLE else [min(DEFAULT, tried[-1])])
    ]
    queries = np.linspace(0, len(sample) - 1, QUERIES).astype(int)
    costs = [_cost(sample, queries, threshold) for threshold in thresholds]
    return thresholds[int(np.argmin(costs))]


def _cost(sample: Array, queries: Array, threshold: float) -> float:
    """Nanoseconds a row of the collection, a query."""
    over = sample > threshold
    listed = over.mean(axis=0)
    low = _shared(np.where(over, sample, 0), threshold)
    rests = np.where(over, 0, sample).sum(axis=1)
    total = 0.0
    for number in queries:
        q = sample[number]
        head = over[number]
        found = _shared(q[head], np.maximum(sample[:, head], threshold)).sum(axis=1)
        found += low[:, ~head].sum(axis=1) + _shared(q[~head].sum(), rests)
        bounds = np.log(2) - found
        exact = np.log(2) - _shared(q, sample).sum(axis=1)
        nearest = np.delete(exact, number).min() if len(exact) > 1 else 0.0
        total += ENTRY * listed[head].sum() + PASS * (bounds <= nearest).mean()
    return float(total)


def _shared(p: Array | float, q: Array | float) -> Array:
    """``kernels.shared`` for Jensen–Shannon, of arrays."""
    from scipy.special import xlogy

    both = np.asarray(p) + np.asarray(q)
    found: Array = 0.5 * (xlogy(both, both) - xlogy(p, p) - xlogy(q, q))
    return found
