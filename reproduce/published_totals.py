"""The published totals of the questionnaire of Hare et al., as shares and strengths.

``choose-3-results.json`` and ``head-to-head-results.json`` hold sums over all students. Who
answered what was not published, so intervals treat answers as independent. They are too narrow,
since the answers of one student are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import ReadError
from lexfield.study.analyse import compute_detectable_difference
from lexfield.study.build import parse_count, read_json
from lexfield.study.design import PAPER_BASELINES as BASELINES
from lexfield.study.design import PAPER_TARGETS as TARGETS
from lexfield.study.design import Design
from lexfield.study.strengths import Offer, fit

Array = NDArray[np.float64]
_GROUPS = {"preference": "helpful", "variety": "varied"}
_PANELS = {"unweighted": "set_cover", "weighted": "weighted_set_cover"}


@dataclass(frozen=True)
class Total:
    """Answers to one kind of question: how often asked, and how often each method was chosen."""

    group: str
    asked: int
    chosen: dict[str, int]


@dataclass(frozen=True)
class Totals:
    participants: int
    totals: tuple[Total, ...]

    @property
    def answers(self) -> int:
        return sum(total.asked for total in self.totals)


def read_totals(path: str | Path, kind: str) -> Totals:
    """Read the sums over all students of one questionnaire."""
    value = read_json(path)
    try:
        if kind == "choose3":
            totals = [_read_panel(value, *panel) for panel in _PANELS.items()]
        else:
            totals = [
                Total(name, won + lost, {target: won, baseline: lost})
                for group, name in _GROUPS.items()
                for target in TARGETS
                for baseline in BASELINES
                for won, lost in [_read_duel(value[target], group, baseline)]
            ]
        return Totals(parse_count(value["num_responses"]), tuple(totals))
    except (KeyError, TypeError) as error:
        raise ReadError(
            f"{path} does not hold the totals of a {kind} questionnaire: {error} is missing."
        ) from error


def _read_panel(value: Mapping[str, Any], weighting: str, target: str) -> Total:
    chosen = {
        method: parse_count(value[method][f"included_count_{weighting}"])
        for method in (target, *BASELINES)
    }
    return Total("useful", parse_count(value[f"num_answered_{weighting}"]), chosen)


def _read_duel(target: Mapping[str, Any], group: str, baseline: str) -> tuple[int, int]:
    won, lost = (target[name][group][baseline] for name in ("wins", "losses"))
    return parse_count(won), parse_count(lost)


def wilson(chosen: int, asked: int, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of Wilson (1927) for a share of independent answers, in per cent."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, z2 = chosen / asked, z * z
    centre = (share + z2 / (2 * asked)) / (1 + z2 / asked)
    half = z * sqrt(share * (1 - share) / asked + z2 / (4 * asked * asked)) / (1 + z2 / asked)
    return 100 * (centre - half), 100 * (centre + half)


def published_shares(totals: Totals, design: Design, level: float = 0.95) -> list[dict[str, Any]]:
    """Return rows with the keys of the shares of ``lexfield study analyse``."""
    rows = []
    for group in design.groups:
        for target in design.targets:
            some = [t for t in totals.totals if t.group == group and target in t.chosen]
            for method, chosen, asked in _count(design, target, some):
                low, high = wilson(chosen, asked, level)
                share = chosen / asked
                error = 100 * sqrt(share * (1 - share) / asked)
                rows.append(
                    {
                        "group": group,
                        "target": target,
                        "method": method,
                        "chosen": chosen,
                        "asked": asked,
                        "per_cent": 100 * chosen / asked,
                        "low": low,
                        "high": high,
                        "chance": design.chance,
                        "detectable": compute_detectable_difference(error),
                    }
                )
    return rows


def _count(design: Design, target: str, totals: Sequence[Total]) -> list[tuple[str, int, int]]:
    """(method, chosen, asked): in head-to-head how often the target won against each, and all."""
    totals = [total for total in totals if total.asked]
    if design.kind == "choose3":
        return [(m, n, total.asked) for total in totals for m, n in total.chosen.items()]
    rows = [
        (next(m for m in total.chosen if m != target), total.chosen[target], total.asked)
        for total in totals
    ]
    together = ("all", sum(row[1] for row in rows), sum(row[2] for row in rows))
    return [*rows, together] if rows else []


def add_published(
    rows: Sequence[dict[str, Any]], published: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return shares with the published share and the difference beside each."""
    keys = ("group", "target", "method")
    theirs = {tuple(row[key] for key in keys): row["per_cent"] for row in published}
    result = []
    for row in rows:
        other = theirs.get(tuple(row[key] for key in keys))
        difference = None if other is None else row["per_cent"] - other
        result.append({**row, "published": other, "difference": difference})
    return result


def published_strengths(
    totals: Totals, design: Design, draws: int = 2_000, level: float = 0.95, seed: int = 0
) -> list[dict[str, Any]]:
    """Return the scores of each group, with intervals from totals redrawn by the fitted model."""
    methods = list(design.methods)
    rows = []
    for group in design.groups:
        some = [total for total in totals.totals if total.group == group and total.asked]
        if not some:
            continue
        offers = [
            Offer(tuple(sorted(methods.index(m) for m in total.chosen)), design.choose)
            for total in some
        ]
        asked = np.array([[total.asked for total in some]], float)
        chosen = np.zeros((1, len(methods)))
        for total in some:
            for method, count in total.chosen.items():
                chosen[0, methods.index(method)] += count
        theta = fit(offers, asked, chosen)[0]
        again = fit(
            offers, np.repeat(asked, draws, 0), redraw(offers, asked[0], theta, draws, seed)
        )
        low, high = np.quantile(again, ((1 - level) / 2, (1 + level) / 2), axis=0)
        rows += [
            {
                "group": group,
                "method": methods[i],
                "score": float(theta[i]),
                "low": float(low[i]),
                "high": float(high[i]),
            }
            for i in np.argsort(-theta, kind="stable").tolist()
        ]
    return rows


def redraw(offers: Sequence[Offer], asked: Array, theta: Array, draws: int, seed: int) -> Array:
    """Return how often each method is chosen when the model answers, ``draws`` times over."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros((draws, len(theta)))
    for offer, count in zip(offers, asked, strict=True):
        table = offer.subsets(len(theta))
        weights = np.exp(table @ theta - (table @ theta).max())
        chosen += rng.multinomial(int(count), weights / weights.sum(), draws) @ table
    return chosen
