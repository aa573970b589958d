"""Why a result is a result: one schema of reasons for every method."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from lexfield.errors import list_names
from lexfield.results import JsonObject

_COUNT = re.compile(r"\(([\d,]+) ")
_LONGEST = 200  # characters of a term
_STOPWORDS = "stopwords)"  # ends the name of their sum
MARKS = "(the encoder's marks)"  # such as [CLS], which carry the whole text


@dataclass(frozen=True, slots=True)
class Reason:
    """One query term answered by one term of the hit, and what that adds to the score.

    ``distance`` is Euclidean between their vectors where the method looks at vectors;
    ``probability`` that the match stands for the query term, where the method translates; ``part``
    of the score that it belongs to, where that has parts.
    """

    query: str
    match: str
    contribution: float
    distance: float | None = None
    probability: float | None = None
    part: str | None = None


@dataclass(frozen=True)
class Explanation:
    """The reasons of one hit. Where ``additive``, contributions sum to the score.

    ``of_words``: what matches are words of the text (a fusion names ranks instead). ``parts`` are
    the numbers that the score is the sum of, by name, where a method combines several.
    """

    reasons: list[Reason]
    additive: bool
    facts: JsonObject = field(default_factory=dict)
    of_words: bool = True
    parts: dict[str, float] = field(default_factory=dict)

    def to_dict(self, most: int | None = None) -> JsonObject:
        """Return a record; ``most`` keeps that many of the strongest reasons, and sums the rest."""
        reasons, facts = self.reasons, self.facts
        if most is not None:
            reasons = _strongest(reasons, most)
            words = {reason.query for reason in reasons}
            facts = {name: _shorten_fact(value, most, words) for name, value in facts.items()}
        return {
            "reasons": [_describe(reason) for reason in reasons],
            "additive": self.additive,
            **({"parts": self.parts} if self.parts else {}),
            **facts,
        }

    def add_up(self, excluded: Container[str]) -> Explanation:
        """Return this with reasons of ``excluded`` words added up to one per part, "(3 stopwords)";
        as it is if there are no others."""
        named = [reason for reason in self.reasons if not is_sum(reason)]
        common = [r for r in named if r.query in excluded or r.match in excluded]
        if not common or len(common) == len(named):
            return self
        sums = []
        for part in dict.fromkeys(reason.part for reason in common):
            own = [reason.contribution for reason in common if reason.part == part]
            name = f"({len(own):,} {_STOPWORDS}"
            sums.append(Reason(name, name, sum(own), part=part))
        left = [reason for reason in self.reasons if is_sum(reason) or reason not in common]
        return replace(self, reasons=[*left, *sums])

    def lines(self, most: int = 6, excluded: Container[str] = ()) -> list[str]:
        """Return the reasons in numbers, strongest first; the weaker ones are added up, and so are
        ``excluded`` words."""
        reasons = self.add_up(excluded).reasons
        named = [reason for reason in reasons if not is_sum(reason)]
        ordered = sorted(named, key=lambda r: -abs(r.contribution))
        lines = [" ".join(f"{part:+.4f} {name}" for name, part in self.parts.items())]
        lines = [*filter(None, lines), *(_write_reason(reason) for reason in ordered[:most])]
        marks = [reason for reason in reasons if reason.query == MARKS]
        lines += map(_write_reason, marks)
        common = [reason for reason in reasons if adds_stopwords(reason)]
        sums = [reason for reason in reasons if reason.query != MARKS and reason not in common]
        weaker = count_weaker(len(ordered[most:]), sums)
        stopwords = count_weaker(0, common, "stopword")
        if weaker or stopwords:
            total = sum(r.contribution for r in self.reasons)
            total -= sum(r.contribution for r in [*ordered[:most], *marks])
            lines.append(f"{total:+.4f}  {' and '.join(filter(None, [weaker, stopwords]))}")
        for name, value in self.facts.items():
            shown = list_names(value) if isinstance(value, list) and value else value
            if shown not in ("", None, []):
                lines.append(f"{name}: {shown}")
        return lines


def is_sum(reason: Reason) -> bool:
    """Is this the sum of reasons that are not named, as "(14 other pairs)" is?"""
    return reason.query.startswith("(")


def adds_stopwords(reason: Reason) -> bool:
    """Is this the sum of pairs with a stopword?"""
    return is_sum(reason) and reason.query.endswith(_STOPWORDS)


def count_weaker(listed: int, reasons: Iterable[Reason], kind: str = "weaker pair") -> str:
    """Return how many reasons are not shown: those listed, and those already added up to one.

    "(14 other pairs)" are 14; "(other pairs)" are one or more.
    """
    sums = [reason.query for reason in reasons if is_sum(reason)]
    counts = [_COUNT.match(name) for name in sums]
    total = listed + sum(int(count[1].replace(",", "")) if count else 1 for count in counts)
    more = "" if all(counts) else "+"
    return f"{total:,}{more} {kind}{'s' if total > 1 or more else ''}" if total else ""


def _write_reason(reason: Reason) -> str:
    match = "" if reason.match in ("", reason.query) else f" → {reason.match}"
    detail = "" if reason.distance is None else f"  at distance {reason.distance:.3f}"
    if reason.probability is not None:
        detail = f"  with probability {reason.probability:.3f}"
    if reason.part is not None:  # the same pair may be in several
        detail = f"  in {reason.part}"
    return f"{reason.contribution:+.4f}  {reason.query}{match}{detail}"


def _describe(reason: Reason) -> JsonObject:
    """Return a record of a reason; ``part`` only where there is one."""
    record = {name: getattr(reason, name) for name in Reason.__slots__}
    if reason.part is None:
        del record["part"]
    return record


def _strongest(reasons: list[Reason], most: int) -> list[Reason]:
    """Return reasons in their order with long terms clipped, and the weak ones summed up as one."""
    ranked = sorted(range(len(reasons)), key=lambda i: -abs(reasons[i].contribution))
    kept = set(ranked[:most])
    short = [
        replace(reason, query=_clip(reason.query), match=_clip(reason.match))
        for number, reason in enumerate(reasons)
        if number in kept
    ]
    if rest := ranked[most:]:
        name = f"({len(rest):,} others)"
        short.append(Reason(name, name, sum(reasons[number].contribution for number in rest)))
    return short


def _clip(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _shorten_fact(value: Any, most: int, words: set[str]) -> Any:
    """Return the part of a long fact that is worth sending: of a table by word the rows of reasons,
    of flows the largest, of any other list the first."""
    if not isinstance(value, list | dict) or len(value) <= most:
        return value
    if isinstance(value, dict):
        return {word: one for word, one in value.items() if word in words}
    if all(isinstance(one, dict) and "flow" in one for one in value):
        value = sorted(value, key=lambda one: -one["flow"])
    return value[:most]


def no_reasons(place: int) -> Explanation:
    """Return an explanation without reasons, for methods that do not explain their hits."""
    return Explanation([], additive=False)
