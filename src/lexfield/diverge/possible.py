"""Estimates that no divergence can have, and what to do about them.

The k-nearest-neighbour estimators are not bounded as the divergences are which they estimate. Where
their bias is larger than the difference of two texts, as it is with word vectors of hundreds of
dimensions, they come out below 0, or over the most that a measure can be. Such an estimate is
neither shown as a number nor used to rank anything: it is no value (NaN) and a note says so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError

_MOST = {"js": math.log(2), "hellinger": 1.0}  # in nats
_ROUNDING = 1e-9
INSTEAD = "Use the estimator spread, or the categorical space: both are bounded."


def only_possible(values: Any, measure: str) -> NDArray[np.float64]:
    """Return the estimates, in nats, with NaN for those outside the range of the measure."""
    raw = np.asarray(values, np.float64)
    most = _MOST.get(measure, math.inf)
    inside = (raw >= -_ROUNDING) & (raw <= most + _ROUNDING)
    return np.where(inside, np.clip(raw, 0.0, most), np.nan)


def range_of(measure: str) -> str:
    """Return the values that a measure can have, in words."""
    return {"js": "between 0 and ln 2", "hellinger": "between 0 and 1"}.get(measure, "at least 0")


def impossible_note(raw: float, measure: str) -> str:
    """Say why a comparison has no value."""
    why = "is negative" if raw < 0 else f"of {raw:.4g} nats is too large"
    return (
        f"no value: the estimate {why}, but {measure} is {range_of(measure)}. The estimator's error"
        f" is larger than what it measures. {INSTEAD}"
    )


def impossible_pairs_note(matrices: dict[int, NDArray[np.float64]], measure: str) -> str:
    """Say how many of all pairs have no value; nothing if all have one."""
    missing = sum(int(np.isnan(matrix).sum()) for matrix in matrices.values())
    total = sum(matrix.size - len(matrix) for matrix in matrices.values())
    if not missing:
        return ""
    return (
        f"{missing:,} of {total:,} pairs have no value: their estimate is not {range_of(measure)},"
        f" as {measure} is. {INSTEAD}"
    )


def check_rankable(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix, or raise InputError if a pair has no value: nothing can be ranked then."""
    missing = int(np.isnan(matrix).sum())
    if missing:
        raise InputError(
            f"{missing:,} of {matrix.size:,} divergences have no value, because their estimates are"
            " impossible: no label, ranking or map can be made of them.",
            f"{INSTEAD} On the command line: --estimator spread, or --space categorical.",
        )
    return matrix
