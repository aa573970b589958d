"""Which part of a text the words of a query are: sums of frequencies (lecture notes, section 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.index.bags import Bags, Occurrences
from lexfield.search.weighted import BagMethod


@dataclass(frozen=True, kw_only=True)
class Frequency(BagMethod):
    """The value of an n-gram is its count over the number of all n-grams of the row."""

    name = "frequency"

    def values(self, bags: Bags, found: Occurrences, n: int) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = found.counts / bags.sizes(n)[found.rows]
        return shares
