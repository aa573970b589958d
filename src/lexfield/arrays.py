"""Arrays: the type of those whose element type does not matter, and ranges of places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # where the element type matters it is written NDArray[...]


def join_ranges(starts: Array, sizes: Array) -> NDArray[np.int64]:
    """Return the numbers of several ranges one after another: start, start + 1, … of each."""
    shifts: NDArray[np.int64] = np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    return np.arange(int(sizes.sum())) + shifts
