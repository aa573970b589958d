"""The query likelihood of a language model with Dirichlet smoothing (Zhai and Lafferty 2004).

    P(g | d) = (c + μ P(g)) / (|d| + μ)        c the count of g in d, P(g) its share of all rows

The score is ln Π P(g | d) / P(g), the logarithm of how many times likelier a row makes the query
than all rows together do: Σ ln(1 + c / (μ P(g))) + ln(μ / (|d| + μ)). For n-grams |d| is the number
of n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.index.bags import Bags, Occurrences
from lexfield.search.bag_method import BagMethod


class Dirichlet(BagMethod):
    """The base of ``lm`` and ``translation``."""

    mu: float

    def check_mu(self) -> None:
        ok = isinstance(self.mu, int | float) and 0 < self.mu <= 1e9
        check(ok, "mu", "a number above 0, at most 1e9", self.mu)

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        share = held.total / bags.total(n)
        values: NDArray[np.float64] = np.log1p(held.counts / (self.mu * share))
        return values

    def compute_norm(self, bags: Bags, n: int) -> NDArray[np.float64]:
        norm: NDArray[np.float64] = bags.remember(
            ("dirichlet", self.mu, n), lambda: np.log(self.mu / (bags.sizes(n) + self.mu))
        )
        return norm


@dataclass(frozen=True, kw_only=True)
class Lm(Dirichlet):
    """mu: number of words of the whole collection that are added to each row."""

    mu: float = 1000.0
    name = "lm"

    def __post_init__(self) -> None:
        self.check_mu()
