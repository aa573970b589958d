"""The divergence of two texts: never a bare number, and no number if the estimate is impossible.

The k-nearest-neighbour estimators are not bounded as the divergences are that they estimate. Where
their bias is larger than the difference of two texts, as it is with word vectors of hundreds of
dimensions, they fall below 0 or exceed the largest possible value. Such an estimate is neither
shown as a number nor used to rank anything: its value is NaN, and a note says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.compare.measures import find_measure
from lexfield.errors import InputError
from lexfield.explain import Explanation
from lexfield.plottable import Plottable
from lexfield.results import JsonObject, html_table

_WORDS = 15  # shown in a notebook
_ROUNDING = 1e-9
_FIELDS = ("unit", "measure", "space", "interval", "p", "n", "m", "dropped", "entropy", "notes")
INSTEAD = "Use the estimator spread, or the categorical space: both are bounded."


@dataclass(frozen=True)
class Estimate(Plottable):
    """A divergence in ``unit``, and how far it can be trusted.

    value: NaN where the estimate is impossible (``possible`` is False); a note says what to do.
    raw: the estimate as computed, possible or not; for research only.
    interval: where the value lies with the requested confidence; None if not requested.
    p: how often texts of one distribution differ as much; None if not requested.
    n, m: tokens (or types) that were compared.
    dropped: the share of each text that was ignored.
    entropy: of each text: −Σ p ln p of its counts, or Kozachenko–Leonenko's of its cloud.
    """

    value: float
    unit: str
    measure: str
    space: str
    n: int
    m: int
    interval: tuple[float, float] | None = None
    p: float | None = None
    dropped: tuple[float, float] = (0.0, 0.0)
    entropy: tuple[float, float] = (0.0, 0.0)
    notes: list[str] = field(default_factory=list)
    raw: float = math.nan
    explain: Callable[[], Explanation] = field(
        default=lambda: Explanation([], additive=False), repr=False, compare=False
    )

    @property
    def possible(self) -> bool:
        """Is there a value? Not where the estimate lies outside the range of the measure."""
        return not math.isnan(self.value)

    @property
    def explanation(self) -> Explanation:
        """The words behind the value: each word of the first text with its part in it."""
        return self.explain()

    def to_dict(self) -> JsonObject:
        value = {"value": self.value if self.possible else None, "possible": self.possible}
        others = {name: getattr(self, name) for name in _FIELDS}
        return value | {
            name: list(one) if isinstance(one, tuple | list) else one
            for name, one in others.items()
        }

    def _repr_html_(self) -> str:
        words = [
            {"part": reason.contribution, "word": reason.query, "near": reason.match}
            for reason in self.explanation.reasons[:_WORDS]
        ]
        return html_table(words, str(self), self.notes)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        value = f"{self.value:.4f} {self.unit}" if self.possible else "–"
        parts = [f"{self.measure} ({self.space}) {value}"]
        if self.interval is not None:
            parts.append(f"[{self.interval[0]:.4f}, {self.interval[1]:.4f}]")
        if self.p is not None:
            parts.append(f"p = {self.p:.3g}")
        return " ".join(parts)


def drop_impossible(values: ArrayLike, measure: str) -> NDArray[np.float64]:
    """Return the estimates, in nats, with NaN for those outside the range of the measure."""
    raw = np.asarray(values, np.float64)
    most = find_measure(measure).most
    inside = (raw >= -_ROUNDING) & (raw <= most + _ROUNDING)
    return np.where(inside, np.clip(raw, 0.0, most), np.nan)


def note_impossible(raw: float, measure: str) -> str:
    """Say why a comparison has no value."""
    why = "is negative" if raw < 0 else f"of {raw:.4g} nats is too large"
    return (
        f"no value: the estimate {why}, but {measure} is {find_measure(measure).range}."
        f" The estimator's error is larger than what it measures. {INSTEAD}"
    )


def note_impossible_pairs(matrices: dict[int, NDArray[np.float64]], measure: str) -> str:
    """Say how many of all pairs have no value; nothing if all have one."""
    missing = sum(int(np.isnan(matrix).sum()) for matrix in matrices.values())
    total = sum(matrix.size - len(matrix) for matrix in matrices.values())
    if not missing:
        return ""
    return (
        f"{missing:,} of {total:,} pairs have no value: their estimate is not"
        f" {find_measure(measure).range}, as {measure} is. {INSTEAD}"
    )


def check_rankable(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix. Raise InputError if a pair has no value, as nothing can be ranked then."""
    missing = int(np.isnan(matrix).sum())
    if missing:
        raise InputError(
            f"{missing:,} of {matrix.size:,} divergences have no value, because their estimates are"
            " impossible: no label, ranking or map can be made of them.",
            f"{INSTEAD} On the command line: --estimator spread, or --space categorical.",
        )
    return matrix
