"""BM25 as Lucene computes it (Robertson and Zaragoza 2009; Kamphuis et al. 2020).

    value(g, d) = ln(1 + (N − n + ½) / (n + ½)) · c / (c + k1 (1 − b + b |d| / mean |d|))

c is the count of g in d, n the number of rows that hold g, N the number of all rows. With extended
counts (Rekabsaz et al., CIKM 2016) related words t of d count too, each as much as its cosine with
the query word: c' = c + Σ sim(q, t) c(t, d). n stays that of the query word; if the index does not
hold it, n is the number of rows with any word that stands for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.index.bags import Bags, Occurrences
from lexfield.search.extended import ExtendedMethod


@dataclass(frozen=True, kw_only=True)
class Bm25(ExtendedMethod):
    """
    k1: how slowly further occurrences of a word add less.
    b: how much length counts against a row, from 0 to 1.
    extend: count related words too, chosen by threshold or top as in translation.
    """

    k1: float = 1.5
    b: float = 0.75
    extend: bool = False
    threshold: float | None = None
    top: int | None = None
    name = "bm25"
    translates = False

    def __post_init__(self) -> None:
        ok = isinstance(self.k1, int | float) and 0 < self.k1 <= 1000
        check(ok, "k1", "a number above 0, at most 1000", self.k1)
        ok = isinstance(self.b, int | float) and 0 <= self.b <= 1
        check(ok, "b", "a number from 0 to 1", self.b)
        check(self.extend in (True, False), "extend", "true or false", self.extend)
        self.check_related()
        is_given = self.threshold is not None or self.top is not None
        check(self.extend or not is_given, "extend", "true for a threshold or top", self.extend)

    @property
    def uses_vectors(self) -> bool:
        return self.extend

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        norms = bags.remember((self, "norms"), lambda: self._compute_norms(bags))
        rarity = self.find_rarity(bags, held.holding)
        counts = held.counts.astype(np.float64)
        values: NDArray[np.float64] = rarity * (counts / (counts + norms[held.rows]))
        return values

    def compute_extended(
        self, bags: Bags, own: Occurrences, held: Occurrences
    ) -> NDArray[np.float64]:
        return self.compute_values(bags, replace(held, holding=own.holding or held.holding), 1)

    def find_rarity(self, bags: Bags, holding: int) -> float:
        """Return how much an n-gram tells rows apart, of which so many hold it."""
        return math.log1p((bags.rows.statistics.rows - holding + 0.5) / (holding + 0.5))

    def _compute_norms(self, bags: Bags) -> NDArray[np.float64]:
        norms: NDArray[np.float64] = self.find_norm(bags, bags.sizes(1).astype(np.float64))
        return norms

    def find_norm(self, bags: Bags, length: Any) -> Any:
        """Return what the count of an n-gram is compared with in rows of a length, or of many."""
        mean = bags.total(1) / max(bags.rows.statistics.rows, 1) or 1.0  # none if all were deleted
        return self.k1 * (1 - self.b + self.b / mean * length)
