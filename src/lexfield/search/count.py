"""How often the words of a query occur: multiset sum with scalar multiples (lecture notes, 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.index.bags import Bags, Occurrences
from lexfield.search.weighted import BagMethod


@dataclass(frozen=True, kw_only=True)
class Count(BagMethod):
    """The value of an n-gram is its count in the row."""

    name = "count"

    def values(self, bags: Bags, found: Occurrences, n: int) -> NDArray[np.float64]:
        return found.counts.astype(np.float64)
