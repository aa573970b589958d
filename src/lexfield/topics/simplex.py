"""Distances between probability distributions, and the bounds between them.

    js         Jensen–Shannon divergence in nats (eqs. 2–3 of Krstovski et al. 2013): 0 to ln 2
    hellinger  √(½ Σ (√p − √q)²), a metric from 0 to 1; h in what follows
    he         Σ (√p − √q)², the paper's variant (eq. 4): 2 h², 0 to 2
    kl         Kullback–Leibler divergence of q from p in nats; infinite where p > 0 = q

``bounds`` returns what h implies for JS: ln 2 · h² ≤ JS ≤ h², both attained
(``docs/methods/topics.md``). The paper's ½ He ≤ JS ≤ 2 ln 2 · He (eq. 7) is for logarithms to base
2, where JS is at most 1; there ours reads ½ He ≤ JS ≤ He / (2 ln 2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.errors import check
from lexfield.topics.mixtures import check_mixture, check_width
from lexfield.topics.neighbours import MEASURES, METHODS, Certificate, Nearest, Neighbours

__all__ = [
    "MEASURES",
    "METHODS",
    "Certificate",
    "Nearest",
    "Neighbours",
    "bounds",
    "distance",
    "js_terms",
]


def distance(p: ArrayLike, q: ArrayLike, measure: str = "js") -> float:
    """Return the distance between two distributions.

    >>> round(distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], "js"), 4)  # half of ln 2
    0.3466
    >>> round(distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], "hellinger"), 4)
    0.7071
    """
    check(measure in MEASURES, "measure", " or ".join(map(repr, MEASURES)), measure)
    first = check_mixture(p, what="p")
    second = check_mixture(q, what="q")
    check_width(len(second), len(first), "q")
    if measure == "kl":
        from scipy.special import rel_entr

        return max(0.0, float(rel_entr(first, second).sum()))
    if measure == "js":
        return max(0.0, float(js_terms(first, second).sum()))
    square = float(((np.sqrt(first) - np.sqrt(second)) ** 2).sum())
    return square if measure == "he" else float(np.sqrt(square / 2))


def js_terms(p: Array, q: Array) -> NDArray[np.float64]:
    """Return what each topic adds to the Jensen–Shannon divergence; no term is negative."""
    from scipy.special import rel_entr

    middle = (p + q) / 2
    terms: NDArray[np.float64] = (rel_entr(p, middle) + rel_entr(q, middle)) / 2
    return terms


def bounds(hellinger: float) -> tuple[float, float]:
    """Return the least and the greatest Jensen–Shannon divergence at a Hellinger distance."""
    check(0 <= hellinger <= 1, "hellinger", "from 0 to 1", hellinger)
    return float(np.log(2)) * hellinger**2, min(hellinger**2, float(np.log(2)))
