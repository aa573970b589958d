"""The translation language model (Berger and Lafferty 1999) with the similarity of word vectors as
translation probability, filtered by a threshold (Rekabsaz, Lupu and Hanbury 2016).

    P(q | M_d) = Π_q Σ_t P_T(q | t) P(t | M_d)        P(t | M_d) = (c(t, d) + μ P(t)) / (|d| + μ)

so every query word has a translated count c' = Σ P_T(q|t) c(t, d) and share P' = Σ P_T(q|t) P(t),
and the rest is as in ``lm.py``, which this is for a threshold that no pair of words reaches. P_T is
in ``related.py``. N-grams are not translated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.index.bags import Bags, Occurrences
from lexfield.search.lm import Dirichlet
from lexfield.search.soft import SoftMethod


@dataclass(frozen=True, kw_only=True)
class Translation(SoftMethod, Dirichlet):
    """mu: as in lm. threshold: words with at least this cosine may stand for one another; by
    default that at which a word of the index has 1.6 relatives. top: instead of a threshold, so
    many nearest words of each."""

    mu: float = 1000.0
    threshold: float | None = None
    top: int | None = None
    name = "translation"
    translates = True

    def __post_init__(self) -> None:
        self.check_mu()
        self.check_related()

    def weights(
        self, similarities: NDArray[np.float64], probabilities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return probabilities

    def soft_values(self, bags: Bags, own: Occurrences, found: Occurrences) -> NDArray[np.float64]:
        return self.values(bags, found, 1)
