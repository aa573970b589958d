"""The figures of a study: how often each method was chosen, strengths, agreement, power.

Answers of one participant are alike, so intervals come from redrawing participants, each with all
their answers (cluster bootstrap): 2,000 draws, the share of each, quantiles, a little further out
the fewer participants there are. Totals that were published without the participants get intervals
as if answers were independent; those are too narrow by as much as one person's answers are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.study.agreement import Agreement, agreement
from lexfield.study.design import BACKGROUND, Design
from lexfield.study.paper import Totals
from lexfield.study.power import Power, power_of
from lexfield.study.published import published_shares, published_strengths
from lexfield.study.store import Answer, Study
from lexfield.study.strengths import Offer, fit, unbounded

Array = NDArray[np.float64]
ALL = "all"
FEW = 20  # participants below which intervals are rough


@dataclass(frozen=True)
class Share:
    """How often something was chosen, in per cent, beside chance.

    choose3: ``method`` in questions with this target. head2head: the target's list against that of
    ``method`` (``all``: any baseline).
    """

    group: str
    target: str
    method: str
    chosen: int
    asked: int
    per_cent: float
    low: float | None
    high: float | None
    chance: float


@dataclass(frozen=True)
class Strength:
    """A Bradley–Terry score θ; they sum to 0 in a group. ``share``: of the sum of all exp(θ)."""

    group: str
    method: str
    score: float
    low: float | None
    high: float | None
    share: float


@dataclass(frozen=True)
class Position:
    """How often what stood in a place was chosen: chance, if the order did not matter."""

    group: str
    place: int  # from 1
    per_cent: float
    low: float | None
    high: float | None
    chance: float


@dataclass(frozen=True)
class Analysis:
    kind: str
    participants: int
    answers: int
    simulated: bool
    shares: list[Share]
    strengths: list[Strength]
    agreement: dict[str, Agreement]
    power: list[Power]
    positions: list[Position]
    background: dict[str, dict[str, int]]
    published: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The shares, each with the published one beside it where there is one."""
        rows = [asdict(share) for share in self.shares]
        if self.published is None:
            return rows
        names = ("group", "target", "method")
        theirs = {tuple(row[n] for n in names): row for row in self.published["shares"]}
        for row in rows:
            other = theirs.get(tuple(row[n] for n in names))
            row["published"] = other and other["per_cent"]
            row["difference"] = other and row["per_cent"] - other["per_cent"]
        return rows


def analyse(study: Study, *, draws: int = 2_000, level: float = 0.95, seed: int = 0) -> Analysis:
    """All figures of a study as it stands."""
    check(100 <= draws <= 100_000, "draws", "from 100 to 100,000", draws)
    check(0.5 <= level < 1, "level", "from 0.5 to below 1", level)
    design, answers, people = study.design, study.answers(), study.participants()
    active = {answer.participant for answer in answers}
    shares: list[Share] = []
    strengths: list[Strength] = []
    powers: list[Power] = []
    positions: list[Position] = []
    agreements: dict[str, Agreement] = {}
    notes: list[str] = []
    for group in design.groups:
        some = [answer for answer in answers if answer.group == group]
        if not some:
            continue
        part = Group(group, design, some, draws, level, seed)
        shares += part.shares()
        strengths += part.strengths(notes)
        positions += part.positions()
        powers += part.power(shares)
        agreements[group] = agreement(*_judgements(study, some), draws, level, seed)
        if part.count < FEW:
            notes.append(
                f"{group}: fewer than {FEW} participants ({part.count}): intervals are rough"
            )
    return Analysis(
        design.kind,
        len(active),
        len(answers),
        any(person.simulated for person in people),
        shares,
        strengths,
        agreements,
        powers,
        positions,
        _background([person.background for person in people if person.id in active]),
        _published(study, draws, level, seed),
        notes + _notes(study, len(people) - len(active)),
    )


class Group:
    """The answers of one group, as sums a participant, and redrawn participants."""

    def __init__(
        self, name: str, design: Design, answers: list[Answer], draws: int, level: float, seed: int
    ) -> None:
        self.name, self.design, self.answers = name, design, answers
        ids = sorted({answer.participant for answer in answers})
        self.count = len(ids)
        self._row = {number: row for row, number in enumerate(ids)}
        rng = np.random.default_rng(seed)
        self._times = rng.multinomial(self.count, np.full(self.count, 1 / self.count), draws)
        self._tails = expanded(self.count, level)
        self._errors: dict[tuple[str, str], float] = {}

    def _sums(self, keys: Sequence[Any], rows: Sequence[tuple[int, Any, int]]) -> Array:
        """Sums of (participant, key, value) as a table participant × key."""
        column = {key: i for i, key in enumerate(keys)}
        table = np.zeros((self.count, len(keys)))
        for participant, key, value in rows:
            table[self._row[participant], column[key]] += value
        return table

    def _ratios(self, chosen: Array, asked: Array) -> tuple[Array, Array, Array]:
        """Shares in per cent, their intervals (2 × keys), and standard errors."""
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = 100 * chosen.sum(0) / asked.sum(0)
            drawn = 100 * (self._times @ chosen) / (self._times @ asked)
        return shares, self._interval(drawn), np.nanstd(drawn, axis=0)

    def _interval(self, drawn: Array) -> Array:
        if self.count < 2:
            return np.full((2, drawn.shape[1]), np.nan)
        return np.asarray(np.nanquantile(drawn, self._tails, axis=0))

    def shares(self) -> list[Share]:
        events = [event for answer in self.answers for event in _events(self.design, answer)]
        keys = [key for key in _keys(self.design) if any(key == event[1] for event in events)]
        chosen = self._sums(keys, events)
        asked = self._sums(keys, [(who, key, 1) for who, key, _ in events])
        shares, interval, errors = self._ratios(chosen, asked)
        self._errors = dict(zip(keys, errors.tolist(), strict=True))
        chance = 100 * self.design.choose / self.design.size
        return [
            Share(
                self.name, *key, int(chosen[:, i].sum()), int(asked[:, i].sum()),
                float(shares[i]), *_pair(interval[:, i]), chance,
            )
            for i, key in enumerate(keys)
        ]  # fmt: skip

    def strengths(self, notes: list[str]) -> list[Strength]:
        offered = {method for answer in self.answers for method in answer.methods}
        methods = [method for method in self.design.methods if method in offered]
        number = {method: i for i, method in enumerate(methods)}
        panels = [tuple(sorted(number[m] for m in answer.methods)) for answer in self.answers]
        kinds = sorted(set(panels))
        offers = [Offer(panel, self.design.choose) for panel in kinds]
        asked = self._sums(
            kinds, [(a.participant, p, 1) for a, p in zip(self.answers, panels, strict=True)]
        )
        chosen = self._sums(
            methods, [(a.participant, a.methods[i], 1) for a in self.answers for i in a.chosen]
        )
        weights = np.vstack([np.ones(self.count), self._times])
        theta = fit(offers, weights @ asked, weights @ chosen)
        beats = np.zeros((len(methods), len(methods)))
        for answer in self.answers:
            won = [number[answer.methods[i]] for i in answer.chosen]
            lost = [number[m] for i, m in enumerate(answer.methods) if i not in answer.chosen]
            beats[np.ix_(won, lost)] += 1
        for method in unbounded(offers, beats):
            notes.append(f"{self.name}: only the prior bounds the score of {methods[method]}")
        return strength_rows(self.name, methods, theta[0], self._interval(theta[1:]))

    def positions(self) -> list[Position]:
        places = list(range(self.design.size))
        chosen = self._sums(places, [(a.participant, i, 1) for a in self.answers for i in a.chosen])
        asked = self._sums(places, [(a.participant, i, 1) for a in self.answers for i in places])
        shares, interval, _ = self._ratios(chosen, asked)
        chance = 100 * self.design.choose / self.design.size
        return [
            Position(self.name, i + 1, float(shares[i]), *_pair(interval[:, i]), chance)
            for i in places
        ]

    def power(self, shares: Sequence[Share]) -> list[Power]:
        """Of each target's share: in its questions, or against all baselines."""
        if self.count < 2:
            return []
        main = [key for key in self._errors if key[1] in (key[0], ALL)]
        return [power_of(f"{key[0]} ({self.name})", self.count, self._errors[key]) for key in main]


def expanded(count: int, level: float) -> tuple[float, float]:
    """Quantiles of redrawn means that hold the level for few participants too (Hesterberg 2015).

    Redrawing n gives a spread too small by √((n−1)/n), and tails as of a normal distribution, not
    of Student's.
    """
    from scipy.stats import norm, t

    if count < 2:
        return 0.0, 1.0
    tail = float(norm.cdf(sqrt(count / (count - 1)) * t.ppf((1 - level) / 2, count - 1)))
    return tail, 1 - tail


def _events(design: Design, answer: Answer) -> list[tuple[int, tuple[str, str], int]]:
    """(participant, (target, method), chosen or not) for each share an answer counts in."""
    target = next(method for method in answer.methods if method in design.targets)
    won = [int(i in answer.chosen) for i in range(len(answer.methods))]
    if design.kind == "choose3":
        return [
            (answer.participant, (target, method), value)
            for method, value in zip(answer.methods, won, strict=True)
        ]
    place = answer.methods.index(target)
    return [
        (answer.participant, (target, method), won[place])
        for method in (answer.methods[1 - place], ALL)
    ]


def _keys(design: Design) -> list[tuple[str, str]]:
    last = (ALL,) if design.kind == "head2head" else ()
    return [
        (target, method)
        for target in design.targets
        for method in (*(() if last else (target,)), *design.baselines, *last)
    ]


def strength_rows(
    group: str, methods: Sequence[str], theta: Array, interval: Array
) -> list[Strength]:
    """Scores as rows, strongest first."""
    share = np.exp(theta - theta.max())
    share /= share.sum()
    return [
        Strength(group, methods[i], float(theta[i]), *_pair(interval[:, i]), float(share[i]))
        for i in np.argsort(-theta, kind="stable").tolist()
    ]


def _pair(values: Array) -> tuple[float | None, float | None]:
    low, high = (None if np.isnan(value) else float(value) for value in values)
    return low, high


def _judgements(study: Study, answers: list[Answer]) -> tuple[list[tuple[int, int]], list[int]]:
    """Units and values of agreement; one sentence from two methods is one unit."""
    design = study.design
    units: list[tuple[int, int]] = []
    values: list[int] = []
    if design.kind == "head2head":
        pairs = {key: i for i, key in enumerate(_keys(design))}
        for answer in answers:
            (_, key, won), _ = _events(design, answer)
            units.append((answer.query, pairs[key]))
            values.append(won)
        return units, values
    same: dict[tuple[int, str], int] = {}
    first = {
        number: same.setdefault((query, text), number)
        for query, lists in study.suggestions.items()
        for entries in lists.values()
        for number, text in entries
    }
    for answer in answers:
        for place, (number,) in enumerate(answer.shown):
            units.append((answer.query, first[number]))
            values.append(int(place in answer.chosen))
    return units, values


def _background(given: list[dict[str, int]]) -> dict[str, dict[str, int]]:
    result = {}
    for name, (_, options) in BACKGROUND.items():
        counts = Counter(one[name] for one in given if name in one)
        result[name] = {option: counts[i] for i, option in enumerate(options)}
        result[name]["no answer"] = len(given) - counts.total()
    return result


def _published(study: Study, draws: int, level: float, seed: int) -> dict[str, Any] | None:
    kept = study.about.get("published")
    if not kept:
        return None
    totals = Totals.from_dict(kept)
    shares = published_shares(totals, study.design, level)
    return {
        "participants": totals.participants,
        "answers": sum(total.asked for total in totals.totals),
        "shares": shares,
        "strengths": published_strengths(totals, study.design, draws, level, seed),
    }


def _notes(study: Study, idle: int) -> list[str]:
    notes = []
    if idle:
        notes.append(f"{idle} joined and answered nothing; they do not count")
    if left := study.about.get("left_out"):
        notes.append(f"{left} queries were left out: too few different suggestions")
    if study.about.get("published"):
        notes.append(
            "published totals name no participants: their intervals take answers as independent"
        )
    return notes
