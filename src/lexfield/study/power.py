"""The differences that a study of this size can detect.

The standard error s of a share comes from resampling participants, so it accounts for how similar
the answers of one person are; with N times the participants it is s/√N. For a two-sided test at
level a,

    power of a true difference δ from chance     Φ(|δ|/s − z) + Φ(−|δ|/s − z),  z = Φ⁻¹(1 − a/2)
    smallest difference detected with power p    (z + Φ⁻¹(p)) · s

The power of the observed difference is not reported: it is its p value in other words.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(0.975)  # of a two-sided test at the level 5%
_WANTED = _NORMAL.inv_cdf(0.8)  # of a power of 80%
DIFFERENCES = (2.0, 5.0, 10.0)  # points


@dataclass(frozen=True)
class Power:
    """In points (per cent) away from chance."""

    what: str
    participants: int
    error: float  # standard error of the share
    detectable: float  # smallest difference detected with a power of 80%
    power_2: float  # of differences of 2, 5 and 10 points
    power_5: float
    power_10: float
    needed_2: int  # participants needed to detect them with a power of 80%
    needed_5: int
    needed_10: int


def compute_power(difference: float, error: float) -> float:
    """Return the probability that a two-sided test detects a true difference."""
    if error <= 0:
        return 1.0 if difference else 0.05
    ratio = abs(difference) / error
    return _NORMAL.cdf(ratio - _Z) + _NORMAL.cdf(-ratio - _Z)


def compute_detectable_difference(error: float) -> float:
    """Return the smallest difference that is detected with a power of 80%."""
    return (_Z + _WANTED) * error


def count_needed_participants(participants: int, error: float, difference: float) -> int:
    """Return how many participants detect a difference, if they answer as many questions."""
    ratio = compute_detectable_difference(error) / abs(difference)
    return max(2, ceil(participants * ratio * ratio - 1e-9))


def describe_power(what: str, participants: int, error: float) -> Power:
    """Return the row of a share with this standard error, in points."""
    power_2, power_5, power_10 = (compute_power(points, error) for points in DIFFERENCES)
    needed_2, needed_5, needed_10 = (
        count_needed_participants(participants, error, points) for points in DIFFERENCES
    )
    detectable = compute_detectable_difference(error)
    powers, needed = (power_2, power_5, power_10), (needed_2, needed_5, needed_10)
    return Power(what, participants, error, detectable, *powers, *needed)
