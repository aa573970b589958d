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
from lexfield.search.weighted import BagMethod


class Dirichlet(BagMethod):
    """What lm and translation share."""

    mu: float

    def check_mu(self) -> None:
        number = isinstance(self.mu, int | float) and 0 < self.mu <= 1e9
        check(number, "mu", "a number above 0, at most 1e9", self.mu)

    def values(self, bags: Bags, found: Occurrences, n: int) -> NDArray[np.float64]:
        share = found.total / bags.total(n)
        values: NDArray[np.float64] = np.log1p(found.counts / (self.mu * share))
        return values

    def norm(self, bags: Bags, n: int) -> NDArray[np.float64]:
        made: NDArray[np.float64] = bags.remember(
            ("dirichlet", self.mu, n), lambda: np.log(self.mu / (bags.sizes(n) + self.mu))
        )
        return made


@dataclass(frozen=True, kw_only=True)
class Lm(Dirichlet):
    """mu: how many words of all rows are added to each."""

    mu: float = 1000.0
    name = "lm"

    def __post_init__(self) -> None:
        self.check_mu()
