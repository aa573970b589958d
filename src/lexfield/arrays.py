"""Arrays: the type of those whose element type does not matter, ranges of places, small types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # where the element type matters it is written NDArray[...]


def join_ranges(starts: Array, sizes: Array) -> NDArray[np.int64]:
    """Return the numbers of several ranges one after another: start, start + 1, … of each."""
    shifts: NDArray[np.int64] = np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    return np.arange(int(sizes.sum())) + shifts


def shrink(values: Array) -> Array:
    """Return whole numbers that are not negative in the smallest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
