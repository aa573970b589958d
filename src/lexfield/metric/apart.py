"""Rows apart from the centroids of their clusters, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel


@kernel
def contrasts(
    rows: NDArray[Any],
    order: NDArray[np.int64],
    own: NDArray[np.int64],
    roots: NDArray[np.float64],
    sizes: NDArray[np.int64],
    means: NDArray[np.float64],
    apart: NDArray[np.float64],
) -> int:
    """Go on with the centroids of clusters, and fill ``apart`` with one row for every member but a
    cluster's first; gives their number. The sum of their products is the scatter.

    The row is the j-th member less the mean of those before it, times √((j−1)/j) and ``roots`` of
    the cluster: Helmert's contrasts, in Welford's order. ``order``: the rows to take; ``own``: the
    cluster of each; ``sizes``, ``means``: of clusters so far.
    """
    at = 0
    for place in range(len(order)):
        row, one = rows[order[place]], own[place]
        mean, seen = means[one], sizes[one]
        sizes[one] += 1
        if seen == 0:
            for feature in range(len(mean)):
                mean[feature] = row[feature]
            continue
        share = 1 / (seen + 1)
        factor = np.sqrt(seen * share) * roots[one]
        for feature in range(len(mean)):
            gap = row[feature] - mean[feature]
            apart[at, feature] = gap * factor
            mean[feature] += gap * share
        at += 1
    return at
