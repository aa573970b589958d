"""Shares and strengths from published totals, beside which a study's own can stand."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.study.design import Design
from lexfield.study.paper import Total, Totals
from lexfield.study.power import binomial_error, power_of
from lexfield.study.strengths import Offer, fit

Array = NDArray[np.float64]


def wilson(chosen: int, asked: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's (1927) interval of a share of independent answers, in per cent."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, z2 = chosen / asked, z * z
    centre = (share + z2 / (2 * asked)) / (1 + z2 / asked)
    half = z * sqrt(share * (1 - share) / asked + z2 / (4 * asked * asked)) / (1 + z2 / asked)
    return 100 * (centre - half), 100 * (centre + half)


def published_shares(totals: Totals, design: Design, level: float = 0.95) -> list[dict[str, Any]]:
    """Rows with the keys of ``analyse``'s shares."""
    chance = 100 * design.choose / design.size
    rows = []
    for group in design.groups:
        for target in design.targets:
            some = [t for t in totals.totals if t.group == group and target in t.chosen]
            for method, chosen, asked in _counts(design, target, some):
                low, high = wilson(chosen, asked, level)
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
                        "chance": chance,
                        "detectable": power_of(
                            method, totals.participants, binomial_error(chosen / asked, asked)
                        ).detectable,
                    }
                )
    return rows


def _counts(design: Design, target: str, totals: Sequence[Total]) -> list[tuple[str, int, int]]:
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


def published_strengths(
    totals: Totals, design: Design, draws: int = 2_000, level: float = 0.95, seed: int = 0
) -> list[dict[str, Any]]:
    """Scores of each group, with intervals from totals drawn anew by the fitted model."""
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
    """How often each method is chosen when the model answers, ``draws`` times over."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros((draws, len(theta)))
    for offer, count in zip(offers, asked, strict=True):
        table = offer.subsets(len(theta))
        weights = np.exp(table @ theta - (table @ theta).max())
        chosen += rng.multinomial(int(count), weights / weights.sum(), draws) @ table
    return chosen
