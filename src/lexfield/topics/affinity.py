"""The affinity s(p, q) of two values of a topic, and lines above it.

Write JS(p, q) = ln 2 − Σ s(pⱼ, qⱼ) with s(p, q) = ½[(p+q) ln(p+q) − p ln p − q ln q]; for the
squared Hellinger distance 1 − Σ √(pⱼ qⱼ). Both s grow in p and q, are concave, and s(ap, aq) =
a s(p, q). So a tangent plane at p = ρq lies above s everywhere: s(p, q) ≤ μp + νq.
"""

from __future__ import annotations

import math

from lexfield.engine.compiled import kernel

JS, HELLINGER_SQUARED, KL = 0, 1, 2


@kernel
def largest(measure: int) -> float:
    """Return the largest possible divergence: that of mixtures without a common topic."""
    return math.log(2.0) if measure == JS else 1.0


@kernel
def affinity(measure: int, p: float, q: float) -> float:
    """Return s(p, q), what one topic takes off the largest possible divergence."""
    if p <= 0.0 or q <= 0.0:
        return 0.0
    if measure == HELLINGER_SQUARED:
        return math.sqrt(p * q)
    both = p + q
    return 0.5 * (both * math.log(both) - p * math.log(p) - q * math.log(q))


@kernel
def find_slopes(measure: int, ratio: float) -> tuple[float, float]:
    """Return μ and ν of the tangent plane at p = ratio · q."""
    if measure == HELLINGER_SQUARED:
        return 0.5 / math.sqrt(ratio), 0.5 * math.sqrt(ratio)
    return 0.5 * math.log((1.0 + ratio) / ratio), 0.5 * math.log(1.0 + ratio)


@kernel
def find_excess(measure: int, p: float, cap: float, slope: float) -> float:
    """Return the largest s(p, x) − slope · x for x from 0 to cap."""
    is_root = measure == HELLINGER_SQUARED
    x = min(cap, p / (4.0 * slope**2 if is_root else math.expm1(2.0 * slope)))
    return affinity(measure, p, x) - slope * x
