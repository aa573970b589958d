"""The results of a study: how often each method was chosen, strengths, agreement, power.

Answers of one participant are similar, so intervals come from resampling participants, each with
all their answers (cluster bootstrap). Quantiles are widened for few participants.

The standard error s of a share comes from the same resampling; with N times the participants it is
s/√N. For a two-sided test at level a,

    power of a true difference δ from chance     Φ(|δ|/s − z) + Φ(−|δ|/s − z),  z = Φ⁻¹(1 − a/2)
    smallest difference detected with power p    (z + Φ⁻¹(p)) · s

The power of the observed difference is not reported: it is its p value in other words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.study.agreement import Agreement, measure_agreement
from lexfield.study.database import Answer, Study
from lexfield.study.design import BACKGROUND, Design
from lexfield.study.strengths import Offer, find_unbounded, fit

Array = NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)
ALL = "all"
FEW = 20  # participants below which intervals are rough
_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(0.975)  # of a two-sided test at the level 5%
_WANTED = _NORMAL.inv_cdf(0.8)  # of a power of 80%
DIFFERENCES = (2, 5, 10)  # points


@dataclass(frozen=True)
class ChoiceShare:
    """How often something was chosen, in per cent, compared with chance.

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
    """A Bradley–Terry score θ; scores of a group sum to 0. ``share`` is exp(θ) / Σ exp(θ)."""

    group: str
    method: str
    score: float
    low: float | None
    high: float | None
    share: float


@dataclass(frozen=True)
class Position:
    """How often the offer in a place was chosen; near chance if the order did not matter."""

    group: str
    place: int  # from 1
    per_cent: float
    low: float | None
    high: float | None
    chance: float


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


@dataclass(frozen=True)
class Analysis:
    kind: str
    participants: int
    answers: int
    simulated: bool
    shares: list[ChoiceShare] = field(default_factory=list)
    strengths: list[Strength] = field(default_factory=list)
    agreement: dict[str, Agreement] = field(default_factory=dict)
    power: list[Power] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    background: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the shares."""
        return [asdict(share) for share in self.shares]


def analyse(study: Study, *, draws: int = 2_000, level: float = 0.95) -> Analysis:
    """Analyse the answers of a study so far."""
    design, answers, people = study.design, study.answers(), study.participants()
    active = {answer.participant for answer in answers}
    result = Analysis(
        design.kind,
        len(active),
        len(answers),
        any(person.simulated for person in people),
        background=_count_background([p.background for p in people if p.id in active]),
    )
    for name in design.groups:
        given = [answer for answer in answers if answer.group == name]
        if not given:
            continue
        group = GroupAnalysis(name, design, given, draws, level, 0)
        result.shares.extend(group.shares())
        result.strengths.extend(group.strengths(result.notes))
        result.positions.extend(group.positions())
        result.power.extend(group.power())
        judgements = _list_judgements(study, given)
        result.agreement[name] = measure_agreement(*judgements, draws, level)
        if group.count < FEW:
            result.notes.append(
                f"{name}: fewer than {FEW} participants ({group.count}): intervals are rough"
            )
    if idle := len(people) - len(active):
        result.notes.append(f"{idle} joined but answered nothing; they are not counted")
    if left_out := study.about.get("left_out"):
        result.notes.append(f"{left_out} queries were left out: too few different suggestions")
    if study.about.get("published"):  # kept by lexfield 0.1
        result.notes.append("to compare with published totals: reproduce/questionnaire.py --study")
    return result


class GroupAnalysis:
    """The answers of one group, and resampled participants."""

    def __init__(
        self, name: str, design: Design, answers: list[Answer], draws: int, level: float, seed: int
    ) -> None:
        self.name, self.design, self.answers = name, design, answers
        participants = sorted({answer.participant for answer in answers})
        self.count = len(participants)
        self._row = {participant: row for row, participant in enumerate(participants)}
        rng = np.random.default_rng(seed)
        self._times = rng.multinomial(self.count, np.full(self.count, 1 / self.count), draws)
        self._tails = widen_tails(self.count, level)
        self._errors: dict[tuple[str, str], float] = {}

    def _tabulate(self, keys: Sequence[Key], events: Iterable[tuple[int, Key, int]]) -> Array:
        """Return the sums of (participant, key, value) as a table participant × key."""
        column = {key: i for i, key in enumerate(keys)}
        table = np.zeros((self.count, len(keys)))
        for participant, key, value in events:
            table[self._row[participant], column[key]] += value
        return table

    def _estimate(
        self, keys: Sequence[Key], events: Sequence[tuple[int, Key, int]]
    ) -> Iterator[tuple[Key, int, int, float, float | None, float | None, float]]:
        """Yield key, chosen, asked, per cent, interval and standard error for each key."""
        chosen = self._tabulate(keys, events)
        asked = self._tabulate(keys, ((who, key, 1) for who, key, _ in events))
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = 100 * chosen.sum(0) / asked.sum(0)
            drawn = 100 * (self._times @ chosen) / (self._times @ asked)
        interval, errors = self._interval(drawn), np.nanstd(drawn, axis=0)
        for i, key in enumerate(keys):
            counts = int(chosen[:, i].sum()), int(asked[:, i].sum())
            bounds = _bounds_or_none(interval[:, i])
            yield key, *counts, float(shares[i]), *bounds, float(errors[i])

    def _interval(self, drawn: Array) -> Array:
        if self.count < 2:
            return np.full((2, drawn.shape[1]), np.nan)
        return np.asarray(np.nanquantile(drawn, self._tails, axis=0))

    def shares(self) -> list[ChoiceShare]:
        events = [event for answer in self.answers for event in _list_events(self.design, answer)]
        used = {key for _, key, _ in events}
        keys = [key for key in _list_keys(self.design) if key in used]
        rows = []
        for key, chosen, asked, per_cent, low, high, error in self._estimate(keys, events):
            rows.append(
                ChoiceShare(self.name, *key, chosen, asked, per_cent, low, high, self.design.chance)
            )
            self._errors[key] = error
        return rows

    def strengths(self, notes: list[str]) -> list[Strength]:
        """Fit the scores; methods whose score only the prior bounds are noted."""
        offered = {method for answer in self.answers for method in answer.methods}
        methods = [method for method in self.design.methods if method in offered]
        number = {method: i for i, method in enumerate(methods)}
        panels = [tuple(sorted(number[m] for m in answer.methods)) for answer in self.answers]
        kinds = sorted(set(panels))
        offers = [Offer(panel, self.design.choose) for panel in kinds]
        asked = self._tabulate(
            kinds, ((a.participant, p, 1) for a, p in zip(self.answers, panels, strict=True))
        )
        chosen = self._tabulate(
            methods, ((a.participant, a.methods[i], 1) for a in self.answers for i in a.chosen)
        )
        weights = np.vstack([np.ones(self.count), self._times])
        theta = fit(offers, weights @ asked, weights @ chosen)
        beats = np.zeros((len(methods), len(methods)))
        for answer in self.answers:
            won = [number[answer.methods[i]] for i in answer.chosen]
            lost = [number[m] for i, m in enumerate(answer.methods) if i not in answer.chosen]
            beats[np.ix_(won, lost)] += 1
        for method in find_unbounded(offers, beats):
            notes.append(f"{self.name}: only the prior bounds the score of {methods[method]}")
        return _rank_strengths(self.name, methods, theta[0], self._interval(theta[1:]))

    def positions(self) -> list[Position]:
        places = range(self.design.size)
        events = [(a.participant, i, int(i in a.chosen)) for a in self.answers for i in places]
        return [
            Position(self.name, place + 1, per_cent, low, high, self.design.chance)
            for place, _, _, per_cent, low, high, _ in self._estimate(places, events)
        ]

    def power(self) -> list[Power]:
        """Return the power of each target's share, once ``shares`` has been called."""
        if self.count < 2:
            return []
        return [
            describe_power(f"{target} ({self.name})", self.count, error)
            for (target, method), error in self._errors.items()
            if method in (target, ALL)
        ]


def widen_tails(count: int, level: float) -> tuple[float, float]:
    """Return quantiles of resampled means that hold the level for few participants too.

    Resampling n participants yields a spread that is too small by √((n−1)/n), and the tails of a
    normal distribution instead of Student's (Hesterberg 2015).
    """
    from scipy.special import ndtr, stdtrit

    if count < 2:
        return 0.0, 1.0
    tail = float(ndtr(sqrt(count / (count - 1)) * stdtrit(count - 1, (1 - level) / 2)))
    return tail, 1 - tail


def _list_events(design: Design, answer: Answer) -> list[tuple[int, tuple[str, str], int]]:
    """Return (participant, (target, method), 1 if chosen) for each share an answer counts in."""
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


def _list_keys(design: Design) -> list[tuple[str, str]]:
    """Return the (target, method) of each share, in the order of the report."""
    if design.kind == "choose3":
        return [(t, method) for t in design.targets for method in (t, *design.baselines)]
    return [(t, method) for t in design.targets for method in (*design.baselines, ALL)]


def _rank_strengths(
    group: str, methods: Sequence[str], theta: Array, interval: Array
) -> list[Strength]:
    """Return scores as rows, strongest first."""
    share = np.exp(theta - theta.max())
    share /= share.sum()
    return [
        Strength(
            group, methods[i], float(theta[i]), *_bounds_or_none(interval[:, i]), float(share[i])
        )
        for i in np.argsort(-theta, kind="stable").tolist()
    ]


def _bounds_or_none(interval: Array) -> tuple[float | None, float | None]:
    low, high = (None if np.isnan(value) else float(value) for value in interval)
    return low, high


def _list_judgements(
    study: Study, answers: list[Answer]
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return units and values of agreement; one sentence from two methods is one unit."""
    design = study.design
    units: list[tuple[int, int]] = []
    values: list[int] = []
    if design.kind == "head2head":
        pairs = {key: i for i, key in enumerate(_list_keys(design))}
        for answer in answers:
            (_, key, won), _ = _list_events(design, answer)
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


def _count_background(given: list[dict[str, int]]) -> dict[str, dict[str, int]]:
    result = {}
    for name, (_, options) in BACKGROUND.items():
        counts = Counter(one[name] for one in given if name in one)
        result[name] = {option: counts[i] for i, option in enumerate(options)}
        result[name]["no answer"] = len(given) - counts.total()
    return result


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
    found: dict[str, Any] = {}
    for points in DIFFERENCES:
        found[f"power_{points}"] = compute_power(points, error)
        found[f"needed_{points}"] = count_needed_participants(participants, error, points)
    return Power(what, participants, error, compute_detectable_difference(error), **found)
