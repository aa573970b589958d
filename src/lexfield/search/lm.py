"""Query likelihood under language models: ``lm`` and ``translation``.

Dirichlet smoothing (Zhai and Lafferty 2004):

    P(g | d) = (c + μ P(g)) / (|d| + μ)        c the count of g in d, P(g) its share of all rows

The score is ln Π P(g | d) / P(g), the logarithm of how many times likelier a row makes the query
than all rows together do: Σ ln(1 + c / (μ P(g))) + ln(μ / (|d| + μ)). For n-grams |d| is the number
of n-grams.

The translation model (Berger and Lafferty 1999) with the similarity of word vectors as translation
probability, filtered by a threshold (Rekabsaz, Lupu and Hanbury 2016):

    P(q | M_d) = Π_q Σ_t P_T(q | t) P(t | M_d)        P(t | M_d) = (c(t, d) + μ P(t)) / (|d| + μ)

Every query word has a translated count c' = Σ P_T(q|t) c(t, d) and share P' = Σ P_T(q|t) P(t), and
the rest is as above, to which this is equal if no pair of words reaches the threshold. P_T is in
``related.py``. N-grams are not translated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.index.bags import Bags, Occurrences
from lexfield.search.bag_method import BagMethod
from lexfield.search.extended import ExtendedMethod

MEANS = 5.0  # chosen on other data than the benchmarks: docs/methods/bags.md


@dataclass(frozen=True, kw_only=True)
class Lm(BagMethod):
    """mu: number of words of the whole collection that are added to each row; by default MEANS
    times as many as a row has on average."""

    mu: float | None = None
    name = "lm"

    def __post_init__(self) -> None:
        ok = self.mu is None or (isinstance(self.mu, int | float) and 0 < self.mu <= 1e9)
        check(ok, "mu", "none, or a number above 0, at most 1e9", self.mu)

    def compute_values(self, bags: Bags, held: Occurrences, n: int) -> NDArray[np.float64]:
        share = held.total / bags.total(n)
        values: NDArray[np.float64] = np.log1p(held.counts / (self.find_mu(bags) * share))
        return values

    def compute_norm(self, bags: Bags, n: int) -> NDArray[np.float64]:
        mu = self.find_mu(bags)
        norm: NDArray[np.float64] = bags.remember(
            ("dirichlet", mu, n), lambda: np.log(mu / (bags.sizes(n) + mu))
        )
        return norm

    def find_mu(self, bags: Bags) -> float:
        """Return μ: the one that was given, or MEANS times the mean length of all rows."""
        if self.mu is not None:
            return self.mu
        return MEANS * bags.total(1) / bags.rows.statistics.rows


@dataclass(frozen=True, kw_only=True)
class Translation(ExtendedMethod, Lm):
    """
    mu: as in lm.
    threshold: words with at least this cosine may stand for one another; by default the cosine at
        which a word of the index has 1.6 relatives on average.
    top: instead of a threshold, the number of nearest words that may stand for a word.
    """

    threshold: float | None = None
    top: int | None = None
    name = "translation"
    translates = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_related()
