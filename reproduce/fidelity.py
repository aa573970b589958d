"""Formulas of the papers as they are meant and as they are printed.

``fidelity="corrected"`` is what lexfield computes. ``fidelity="as_published"`` keeps a slip of the
print; nothing outside ``reproduce`` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

FIDELITIES = ("corrected", "as_published")
EPSILON = 1e-5


def check(fidelity: str) -> None:
    if fidelity not in FIDELITIES:
        raise ValueError(f"fidelity is one of {', '.join(FIDELITIES)}, not {fidelity!r}")


def exponent(dimension: float, fidelity: str) -> float:
    """The power of distance in Hare et al., Eq. 4: the volume of a ball grows with its radius to
    the power of the dimension, which is missing in print."""
    check(fidelity)
    return dimension if fidelity == "corrected" else 1.0


def knn_kl(x: Any, y: Any, k: int, fidelity: str = "corrected") -> float:
    """Hare et al., Eqs. 4 and 5: KL of two clouds of points by their k-th nearest neighbours."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    rho, nu = kth(x, x, k), kth(x, y, k)
    ratio = exponent(x.shape[1], fidelity) * np.log(rho / nu) + np.log((len(x) - 1) / len(y))
    return float(np.mean([renyi(ratio, k, 1 + sign * EPSILON) for sign in (1, -1)]))


def renyi(log_ratio: Any, k: int, alpha: float) -> float:
    b = 2 * gammaln(k) - gammaln(k - alpha + 1) - gammaln(k + alpha - 1)
    total = logsumexp((1 - alpha) * log_ratio) - np.log(len(log_ratio)) + b
    return float(total / (alpha - 1))


def kth(x: Any, y: Any, k: int) -> Any:
    """The Euclidean distance of each point of x to its k-th nearest of y, itself left out."""
    from scipy.spatial.distance import cdist

    far = cdist(x, y)
    return np.partition(np.where(far > 0, far, np.inf), k - 1, axis=1)[:, k - 1]


def hellinger(p: Any, q: Any, fidelity: str = "corrected") -> float:
    """Krstovski et al. call Σ(√p − √q)² the Hellinger distance: it is twice its square."""
    check(fidelity)
    square = float(np.square(np.sqrt(p) - np.sqrt(q)).sum())
    return float(np.sqrt(square / 2)) if fidelity == "corrected" else square
