"""Divergences of small tables of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from lexfield.compare.options import ComparisonOptions


def compute_divergences(
    left: csr_matrix,
    right: csr_matrix,
    measure: str,
    collection: NDArray[np.float64] | None = None,
    known: csr_matrix | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """``collection`` are by default the counts of both matrices."""
    both = np.asarray(left.sum(axis=0)).ravel() + np.asarray(right.sum(axis=0)).ravel()
    counts = both if collection is None else collection
    chosen = ComparisonOptions(measure=measure, **options)
    return chosen.make_table(left, right, counts, known).compute()
