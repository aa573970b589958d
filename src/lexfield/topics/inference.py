"""The mixtures of new documents under a fitted model: the E-step of Hoffman et al. (2010).

For a document with counts n_w it repeats, from γ = 1,

    γ_t = α + exp E[ln θ_t] Σ_w n_w exp E[ln β_tw] / Σ_u exp(E[ln θ_u] + E[ln β_uw])

with E[ln θ_t] = ψ(γ_t) − ψ(Σ γ), until γ changes by less than ``TOLERANCE`` on average. Start and
end are scikit-learn's, so the results are too; documents do not depend on each other.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel, reordered_kernel

TOLERANCE = 1e-3
ROUNDS = 100

Array = NDArray[Any]


@kernel
def digamma(x: float) -> float:
    """ψ(x) for x > 0: up to 6 by recurrence, then the asymptotic series; to about 1e-11."""
    below = 0.0
    while x < 6.0:
        below -= 1.0 / x
        x += 1.0
    f = 1.0 / (x * x)
    series = f * (
        1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f * (1 / 132 - f * 691 / 32760))))
    )
    return below + math.log(x) - 0.5 / x - series


@reordered_kernel
def _dot(a: Array, b: Array) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel
def _expectations(gamma: Array, out: Array) -> None:
    """exp E[ln θ] for θ ~ Dirichlet(γ)."""
    whole = 0.0
    for t in range(len(gamma)):
        whole += gamma[t]
    whole = digamma(whole)
    for t in range(len(gamma)):
        out[t] = math.exp(digamma(gamma[t]) - whole)


@kernel
def infer_rows(
    offsets: Array,
    words: Array,
    counts: Array,
    topics_of_words: Array,
    prior: float,
    tolerance: float,
    rounds: int,
) -> Array:
    """γ, normalised, for sparse rows; ``topics_of_words[w]`` is exp E[ln β_·w]."""
    height, width = len(offsets) - 1, topics_of_words.shape[1]
    out = np.empty((height, width))
    gamma, before, theta = np.empty(width), np.empty(width), np.empty(width)
    for row in range(height):
        gamma[:] = 1.0
        _expectations(gamma, theta)
        for _ in range(rounds):
            before[:] = gamma
            gamma[:] = 0.0
            for i in range(offsets[row], offsets[row + 1]):
                weights = topics_of_words[words[i]]
                scale = counts[i] / (_dot(theta, weights) + 2.220446049250313e-16)
                for t in range(width):
                    gamma[t] += scale * weights[t]
            change = 0.0
            for t in range(width):
                gamma[t] = prior + gamma[t] * theta[t]
                change += abs(gamma[t] - before[t])
            _expectations(gamma, theta)
            if change < tolerance * width:
                break
        out[row] = gamma / gamma.sum()
    return out
