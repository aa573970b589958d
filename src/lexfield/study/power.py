"""What a study of this size can see.

A share's standard error s comes from redrawing participants, so it holds how alike one person's
answers are; with N times the participants it is s/√N. For a two-sided test at level a,

    power of a true difference δ from chance   Φ(|δ|/s − z) + Φ(−|δ|/s − z),    z = Φ⁻¹(1 − a/2)
    smallest difference seen with power p      (z + Φ⁻¹(p)) · s

The power of the difference that was observed says nothing new about it (it is its p value in other
words) and is not given; the differences that could be seen, and what more participants buy, are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from lexfield.errors import check

_NORMAL = NormalDist()
DIFFERENCES = (2.0, 5.0, 10.0)  # points


@dataclass(frozen=True)
class Power:
    """In points (per cent) away from chance."""

    what: str
    participants: int
    error: float  # standard error of the share
    detectable: float  # smallest difference seen with a power of 80%
    power_2: float  # of differences of 2, 5 and 10 points
    power_5: float
    power_10: float
    needed_2: int  # participants who would see them with a power of 80%
    needed_5: int
    needed_10: int


def power(difference: float, error: float, level: float = 0.05) -> float:
    """The chance that a two-sided test finds a true difference."""
    check(0 < level < 1, "level", "between 0 and 1", level)
    if error <= 0:
        return 1.0 if difference else level
    z = _NORMAL.inv_cdf(1 - level / 2)
    ratio = abs(difference) / error
    return _NORMAL.cdf(ratio - z) + _NORMAL.cdf(-ratio - z)


def detectable(error: float, wanted: float = 0.8, level: float = 0.05) -> float:
    """The smallest difference found with the wanted power."""
    return (_NORMAL.inv_cdf(1 - level / 2) + _NORMAL.inv_cdf(wanted)) * error


def needed(participants: int, error: float, difference: float, wanted: float = 0.8) -> int:
    """Participants who find a difference with the wanted power, answering as many questions."""
    ratio = detectable(error, wanted) / abs(difference)
    return max(2, ceil(participants * ratio * ratio - 1e-9))


def power_of(what: str, participants: int, error: float) -> Power:
    """The table row for a share with this standard error (in points)."""
    power_2, power_5, power_10 = (power(points, error) for points in DIFFERENCES)
    needed_2, needed_5, needed_10 = (needed(participants, error, one) for one in DIFFERENCES)
    return Power(
        what, participants, error, detectable(error),
        power_2, power_5, power_10, needed_2, needed_5, needed_10,
    )  # fmt: skip


def binomial_error(share: float, asked: int) -> float:
    """The standard error, in points, of a share of independent answers."""
    return 100 * sqrt(share * (1 - share) / asked) if asked else 0.0
