"""The translation language model (Berger and Lafferty 1999) with the similarity of word vectors as
translation probability, filtered by a threshold (Rekabsaz, Lupu and Hanbury 2016).

    P(q | M_d) = Π_q Σ_t P_T(q | t) P(t | M_d)        P(t | M_d) = (c(t, d) + μ P(t)) / (|d| + μ)

Every query word has a translated count c' = Σ P_T(q|t) c(t, d) and share P' = Σ P_T(q|t) P(t), and
the rest is as in ``lm.py``, to which this is equal if no pair of words reaches the threshold. P_T
is in ``related.py``. N-grams are not translated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.index.bags import Bags, Occurrences
from lexfield.search.extended import ExtendedMethod
from lexfield.search.lm import Dirichlet


@dataclass(frozen=True, kw_only=True)
class Translation(ExtendedMethod, Dirichlet):
    """
    mu: as in lm.
    threshold: words with at least this cosine may stand for one another; by default the cosine at
        which a word of the index has 1.6 relatives on average.
    top: instead of a threshold, the number of nearest words that may stand for a word.
    """

    mu: float = 1000.0
    threshold: float | None = None
    top: int | None = None
    name = "translation"
    uses_vectors = True
    translates = True

    def __post_init__(self) -> None:
        self.check_mu()
        self.check_related()

    def weigh(
        self, similarities: NDArray[np.float64], probabilities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return probabilities

    def compute_extended(
        self, bags: Bags, own: Occurrences, held: Occurrences
    ) -> NDArray[np.float64]:
        return self.compute_values(bags, held, 1)
