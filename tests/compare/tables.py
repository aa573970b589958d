"""Divergences of small tables of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from lexfield.compare.measures import make_table


def compute_divergences(
    left: csr_matrix, right: csr_matrix, measure: str, **options: Any
) -> NDArray[np.float64]:
    return make_table(left, right, measure, **options).compute()
