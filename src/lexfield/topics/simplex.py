"""Distances between probability distributions, and the bounds between them.

    js         Jensen–Shannon divergence in nats (eqs. 2–3 of Krstovski et al. 2013): 0 to ln 2
    hellinger  √(½ Σ (√p − √q)²), a metric from 0 to 1; h in what follows
    he         Σ (√p − √q)², the paper's variant (eq. 4): 2 h², 0 to 2
    kl         Kullback–Leibler divergence of q from p in nats; infinite where p > 0 = q

``bounds`` gives what h says of JS: ln 2 · h² ≤ JS ≤ h², both attained (``docs/methods/topics.md``).
The paper's ½ He ≤ JS ≤ 2 ln 2 · He (eq. 7) is for logarithms to base 2, where JS is at most 1;
there ours reads ½ He ≤ JS ≤ He / (2 ln 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.topics.mixtures import one, same_topics
from lexfield.topics.neighbours import METHODS, Certificate, Nearest, Neighbours

MEASURES = ("js", "hellinger", "he", "kl")

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


def distance(p: Any, q: Any, measure: str = "js") -> float:
    """How far two distributions are apart.

    >>> round(distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], "js"), 4)  # half of ln 2
    0.3466
    >>> round(distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], "hellinger"), 4)
    0.7071
    """
    check(measure in MEASURES, "measure", " or ".join(map(repr, MEASURES)), measure)
    first = one(p, what="p")
    second = one(q, what="q")
    same_topics(len(second), len(first), "q")
    if measure == "kl":
        from scipy.special import rel_entr

        return max(0.0, float(rel_entr(first, second).sum()))
    if measure == "js":
        return max(0.0, float(js_terms(first, second).sum()))
    square = float(((np.sqrt(first) - np.sqrt(second)) ** 2).sum())
    return square if measure == "he" else float(np.sqrt(square / 2))


def js_terms(p: NDArray[Any], q: NDArray[Any]) -> NDArray[np.float64]:
    """What each topic adds to the Jensen–Shannon divergence; none is negative."""
    from scipy.special import rel_entr

    middle = (p + q) / 2
    terms: NDArray[np.float64] = (rel_entr(p, middle) + rel_entr(q, middle)) / 2
    return terms


def bounds(hellinger: float) -> tuple[float, float]:
    """The least and the greatest Jensen–Shannon divergence that a Hellinger distance allows."""
    check(0 <= hellinger <= 1, "hellinger", "from 0 to 1", hellinger)
    return float(np.log(2)) * hellinger**2, min(hellinger**2, float(np.log(2)))
