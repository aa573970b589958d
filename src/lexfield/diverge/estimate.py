"""A divergence is never a bare number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lexfield.explain import Explanation
from lexfield.plottable import Plottable
from lexfield.results import html_table

_WORDS = 15  # shown in a notebook
UNITS = {"nats": 1.0, "bits": 1.0 / math.log(2)}


@dataclass(frozen=True)
class Estimate(Plottable):
    """What came out, in ``unit``, and how far it can be trusted.

    value: NaN where the estimate is impossible (``possible`` is False); a note says what to do.
    raw: the estimate as it came out, possible or not; for research only.
    interval: where the value lies with the confidence that was asked for; None if it was not.
    p: how often texts of one distribution differ as much; None if it was not asked for.
    n, m: tokens (or types) that were compared.
    dropped: the share of each text that took no part.
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
        """The words that say so: each word of the first text with its part in the value."""
        return self.explain()

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": self.value if self.possible else None,
            "possible": self.possible,
            "unit": self.unit,
            "measure": self.measure,
            "space": self.space,
            "interval": None if self.interval is None else list(self.interval),
            "p": self.p,
            "n": self.n,
            "m": self.m,
            "dropped": list(self.dropped),
            "entropy": list(self.entropy),
            "notes": list(self.notes),
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


def joined(notes: Sequence[str]) -> list[str]:
    """Notes without repetition, in order."""
    return list(dict.fromkeys(note for note in notes if note))
