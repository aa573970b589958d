"""Why a result is a result: one schema of reasons for every method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reason:
    """One query term answered by one term of the hit, and what that adds to the score.

    ``distance`` is Euclidean between their vectors where the method looks at vectors;
    ``probability`` that the match stands for the query term, where the method translates.
    """

    query: str
    match: str
    contribution: float
    distance: float | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Explanation:
    """The reasons of one hit. Where ``additive``, contributions sum to the score."""

    reasons: list[Reason]
    additive: bool
    facts: dict[str, Any] = field(default_factory=dict)

    def matched(self) -> dict[str, str]:
        """For each matched term the query term it answers; the strongest reason counts."""
        found: dict[str, str] = {}
        for reason in sorted(self.reasons, key=lambda r: -abs(r.contribution)):
            found.setdefault(reason.match, reason.query)
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "reasons": [
                {
                    "query": reason.query,
                    "match": reason.match,
                    "contribution": reason.contribution,
                    "distance": reason.distance,
                }
                for reason in self.reasons
            ],
            "additive": self.additive,
            **self.facts,
        }

    def lines(self, most: int = 6) -> list[str]:
        """The reasons as text, strongest first."""
        ordered = sorted(self.reasons, key=lambda r: -abs(r.contribution))
        lines = []
        for reason in ordered[:most]:
            how = reason.query
            if reason.match not in ("", reason.query):
                how = f"{reason.query} → {reason.match}"
            at = "" if reason.distance is None else f"  at distance {reason.distance:.3f}"
            if reason.probability is not None:
                at = f"  with probability {reason.probability:.3f}"
            lines.append(f"{reason.contribution:+.4f}  {how}{at}")
        if len(ordered) > most:
            lines.append(f"… and {len(ordered) - most} more")
        for name, value in self.facts.items():
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            if shown not in ("", None):
                lines.append(f"{name}: {shown}")
        return lines


def no_reasons(place: int) -> Explanation:
    """The explanation of a hit of an empty ranking, which nobody can ask for."""
    return Explanation([], additive=False)
