"""Is the distribution of counts a power law? Clauset, Shalizi and Newman (2009), for whole numbers.

p(x) = x^−α / ζ(α, x_min) for x ≥ x_min. α has the largest likelihood; x_min is the count for which
the tail above it and the power law fitted to it are nearest (Kolmogorov–Smirnov), the tail holding
at least ``SHORTEST`` counts. How good the fit is tells the bootstrap: how often counts drawn from
the fitted law, the part under x_min from the data, lie farther from their own fit than ours do.
Alternatives are fitted to the same tail and compared by the ``powerlaw`` package (Vuong's test).

With α_r the exponent over ranks, α = 1 + 1/α_r: Zipf's slope of −1 is α = 2.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.ranks.fit import Counts, Fit

SHORTEST = 10
RULE = (
    f"x_min has the least Kolmogorov–Smirnov distance among up to 60 log-spaced counts with at"
    f" least {SHORTEST} counts above; all distributions are of whole numbers"
)
ALTERNATIVES = ("lognormal", "exponential", "truncated_power_law")
_CANDIDATES = 60
_STEEPEST = 25.0


@dataclass(frozen=True)
class Tail:
    """A power law from ``xmin`` on."""

    alpha: float
    xmin: int
    distance: float
    points: int


def tail(counts: Counts) -> Tail | None:
    """The power law's tail; None where there are too few counts, or all are equal."""
    values, times = np.unique(counts, return_counts=True)
    above = np.cumsum(times[::-1])[::-1]
    usable = np.flatnonzero((above >= SHORTEST) & (values < values[-1]))
    if not len(usable):
        return None
    if len(usable) > _CANDIDATES:
        wanted = np.geomspace(values[usable[0]], values[usable[-1]], _CANDIDATES)
        usable = np.unique(np.searchsorted(values, wanted))
        usable = usable[(above[usable] >= SHORTEST) & (values[usable] < values[-1])]
    logs = np.cumsum((times * np.log(values))[::-1])[::-1] / above
    alphas = _likeliest(logs[usable], values[usable].astype(np.float64))
    distances = [
        _distance(values[i:], times[i:], alpha) for i, alpha in zip(usable, alphas, strict=True)
    ]
    best = int(np.argmin(distances))
    start = usable[best]
    return Tail(float(alphas[best]), int(values[start]), distances[best], int(above[start]))


def _likeliest(logs: NDArray[np.float64], xmin: NDArray[np.float64]) -> NDArray[np.float64]:
    """α that minimises α·mean(log x) + log ζ(α, x_min), by golden sections, for many tails."""
    from scipy.special import zeta

    golden = (np.sqrt(5) - 1) / 2
    low, high = np.full(len(logs), 1.0 + 1e-6), np.full(len(logs), _STEEPEST)

    def loss(alpha: NDArray[np.float64]) -> NDArray[np.float64]:
        value: NDArray[np.float64] = alpha * logs + np.log(zeta(alpha, xmin))
        return value

    for _ in range(60):
        width = golden * (high - low)
        left, right = high - width, low + width
        better = loss(left) < loss(right)
        high, low = np.where(better, right, high), np.where(better, low, left)
    middle: NDArray[np.float64] = (low + high) / 2
    return middle


def _distance(values: NDArray[np.int64], times: NDArray[np.int64], alpha: float) -> float:
    """Largest gap between the two distribution functions, at the counts and just before them."""
    from scipy.special import zeta

    whole = zeta(alpha, float(values[0]))
    seen = np.cumsum(times) / times.sum()
    at = 1 - zeta(alpha, values + 1.0) / whole
    before = 1 - zeta(alpha, values[1:].astype(np.float64)) / whole
    return float(max(np.abs(seen - at).max(), np.abs(seen[:-1] - before).max(initial=0.0)))


def goodness(counts: Counts, found: Tail, draws: int, rng: np.random.Generator) -> float:
    """The bootstrap's p-value: under 0.1 the power law is implausible."""
    body = counts[counts < found.xmin]
    farther = 0
    for _ in range(draws):
        long = int(rng.binomial(len(counts), found.points / len(counts)))
        drawn = draw(found, long, rng)
        if len(body):
            drawn = np.concatenate([drawn, rng.choice(body, len(counts) - long)])
        again = tail(drawn)
        farther += again is not None and again.distance >= found.distance
    return farther / draws


def draw(found: Tail, n: int, rng: np.random.Generator) -> Counts:
    """Counts from the law: the continuous one rounded, near enough for any x_min above a few, and
    below 1,000 exactly by the table of its distribution function."""
    from scipy.special import zeta

    chances = rng.random(n)
    table = np.arange(found.xmin, found.xmin + 1000, dtype=np.float64)
    over = zeta(found.alpha, table + 1) / zeta(found.alpha, float(found.xmin))  # P(X > x)
    places = np.searchsorted(-over, -chances, "left")
    drawn = found.xmin + places
    far = places == len(table)
    start = table[-1] + 1
    stretch = (over[-1] / np.maximum(chances[far], 1e-300)) ** (1 / (found.alpha - 1))
    drawn[far] = np.minimum((start - 0.5) * stretch + 0.5, 2.0**52).astype(np.int64)
    return drawn.astype(np.int64)


def distributions(counts: Counts, *, draws: int, seed: int) -> tuple[dict[str, Fit], list[str]]:
    """The power law and its alternatives, and notes; nothing where there are too few counts."""
    found = tail(counts)
    if found is None:
        return {}, [f"no distribution is fitted: fewer than {SHORTEST} counts, or all are equal"]
    notes = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import powerlaw

        with np.errstate(all="ignore"):
            peer = powerlaw.Fit(
                counts, discrete=True, xmin=found.xmin, estimate_discrete=False, verbose=False
            )
            sigma = (found.alpha - 1) / np.sqrt(found.points)
            p = goodness(counts, found, draws, np.random.default_rng(seed)) if draws else None
            fits = {
                "power_law": Fit(
                    "power_law",
                    {"alpha": found.alpha, "xmin": found.xmin, "sigma": float(sigma)},
                    found.points,
                    log_likelihood=float(peer.power_law.loglikelihood),
                    distance=found.distance,
                    p=p,
                )
            }
            for name in ALTERNATIVES:
                fit = _alternative(peer, name, found.points)
                fits[name] = fit
                if fit.ratio is None:
                    notes.append(f"{name} could not be fitted to {found.points:,} counts")
    if found.alpha > _STEEPEST - 0.01:
        notes.append(f"the power law's exponent stopped at the bound of {_STEEPEST:g}")
    return fits, notes


def _alternative(peer: Any, name: str, points: int) -> Fit:
    """One alternative on the same tail; without figures where its fit does not converge."""
    try:
        fitted = getattr(peer, name)
        ratio, p = peer.distribution_compare("power_law", name, normalized_ratio=True)
        parameters = {key.lower(): float(getattr(fitted, key)) for key in fitted.parameter_names}
        figures = (float(fitted.loglikelihood), float(ratio), float(p))
    except (ArithmeticError, ValueError):
        return Fit(name, {}, points)
    if not np.isfinite([*figures, *parameters.values()]).all():
        return Fit(name, {}, points)
    return Fit(name, parameters, points, log_likelihood=figures[0], ratio=figures[1], p=figures[2])
