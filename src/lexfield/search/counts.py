"""Weighted sums of word counts, and of their relative frequencies (lecture notes, 2 and 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.index.bags import Bags, Occurrences
from lexfield.search.bag_method import BagMethod


@dataclass(frozen=True, kw_only=True)
class Count(BagMethod):
    """The value of an n-gram is its count in the row."""

    name = "count"

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        return held.counts.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Frequency(BagMethod):
    """The value of an n-gram is its count divided by the number of n-grams of the row."""

    name = "frequency"

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        frequencies: NDArray[np.float64] = held.counts / bags.sizes(n)[held.rows]
        return frequencies
