"""The mixtures of new documents under a fitted model: the E-step of Hoffman et al. (2010).

For a document with counts n_w it repeats, from γ = 1,

    γ_t = α + exp E[ln θ_t] Σ_w n_w exp E[ln β_tw] / Σ_u exp(E[ln θ_u] + E[ln β_uw])

with E[ln θ_t] = ψ(γ_t) − ψ(Σ γ), until γ changes by less than ``TOLERANCE`` on average. It starts
and stops as scikit-learn does, so the results agree; documents do not depend on each other.
"""

from __future__ import annotations

import math

import numpy as np

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel

TOLERANCE = 1e-3
ROUNDS = 100


@kernel
def exp_digamma(x: float) -> float:
    """Return exp ψ(x) for x > 0, to a relative error of about 1e-10, without a logarithm.

    For x ≥ 6, with y = x − ½: y + 1/24y − 37/5760y³ + …, the exponential of the asymptotic series
    ψ(½ + y) = ln y + Σ (1 − 2^(1−2n)) B_2n / (2n y^2n). Below 6, six steps of ψ(x) = ψ(x+1) − 1/x,
    whose fractions are paired to 2x + 5 over u, u + 4 and u + 6 with u = x (x + 5).
    """
    factor = 1.0
    if x < 6.0:
        u = x * (x + 5.0)
        v, w = u + 4.0, u + 6.0
        factor = math.exp(-(2.0 * x + 5.0) * (v * w + u * (v + w)) / (u * v * w))
        x += 6.0
    y = x - 0.5
    f = 1.0 / (y * y)
    series = f * (
        1 / 24
        - f * (37 / 5760 - f * (10313 / 2903040 - f * (5509121 / 1393459200 - f * 0.007365033)))
    )
    return factor * y * (1.0 + series)


@reordered_kernel
def _dot(a: Array, b: Array) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel
def _round(theta: Array, counts: Array, block: Array, prior: float, gamma: Array) -> None:
    """Compute γ from exp E[ln θ] over a document's words, whose rows of topics are ``block``."""
    gamma[:] = 0.0
    for i in range(len(counts)):
        weights = block[i, : len(theta)]
        share = counts[i] / (_dot(theta, weights) + 2.220446049250313e-16)
        for t in range(len(theta)):
            gamma[t] += share * weights[t]
    for t in range(len(theta)):
        gamma[t] = prior + gamma[t] * theta[t]


@kernel
def _infer(counts: Array, block: Array, prior: float, tolerance: float, rounds: int) -> Array:
    """Return γ of one document.

    A topic whose γ equals the prior to the last bit has less than 1e-16 of any word. When half of
    the topics do, further rounds leave them out.
    """
    width = block.shape[1]
    active = np.arange(width)
    gamma, before, theta = np.ones(width), np.empty(width), np.empty(width)
    powers = np.full(width, exp_digamma(1.0))
    total, left = float(width), width
    for _ in range(rounds):
        scale = 1.0 / exp_digamma(total)
        total = prior * width + counts.sum()  # Σ γ after any round
        for t in range(left):
            theta[t], before[t] = powers[t] * scale, gamma[t]
        _round(theta[:left], counts, block, prior, gamma[:left])
        change, moved = 0.0, 0
        for t in range(left):
            if gamma[t] != before[t]:
                change += abs(gamma[t] - before[t])
                powers[t] = exp_digamma(gamma[t])
            moved += gamma[t] != prior
        if change < tolerance * width:
            break
        if moved <= left // 2:
            kept = 0
            for t in range(left):
                if gamma[t] != prior:
                    active[kept], gamma[kept], powers[kept] = active[t], gamma[t], powers[t]
                    block[:, kept] = block[:, t]
                    kept += 1
            left = kept
    out = np.full(width, prior)
    out[active[:left]] = gamma[:left]
    return out


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
    """Return normalised γ for sparse rows; ``topics_of_words[w]`` is exp E[ln β_·w]."""
    out = np.empty((len(offsets) - 1, topics_of_words.shape[1]))
    for row in range(len(out)):
        first, last = offsets[row], offsets[row + 1]
        block = topics_of_words[words[first:last]]
        gamma = _infer(counts[first:last], block, prior, tolerance, rounds)
        out[row] = gamma / gamma.sum()
    return out
