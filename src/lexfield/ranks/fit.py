"""How counts fall with rank, and whether their distribution is a power law.

Over ranks (Hare et al., Eq. 3): f(r) = c / (β + r)^α, by likelihood; Zipf's law is the case β = 0,
fitted as a straight line in logs. Counts are sorted, the largest first, which has rank 1.

Over counts: Clauset, Shalizi and Newman (2009), for whole numbers.

p(x) = x^−α / ζ(α, x_min) for x ≥ x_min. α maximises the likelihood; x_min is the count for which
the tail above it is nearest to the power law fitted to it (Kolmogorov–Smirnov), with at least
``SHORTEST`` counts in the tail. A bootstrap tests the fit: how often are counts drawn from the
fitted law, with those under x_min drawn from the data, farther from their own fit than ours are?

Alternatives are fitted to the same tail by likelihood, all for whole numbers, and compared by
Vuong's test, as in the powerlaw package (Alstott et al. 2014), with which a test compares them:

    lognormal            the probability of [x − ½, x + ½), given x > x_min − ½
    exponential          (1 − e^−λ) e^−λ(x − x_min)
    truncated power law  x^−α e^−λx / Σ_{y ≥ x_min} y^−α e^−λy

With α_r the exponent over ranks, α = 1 + 1/α_r: Zipf's slope of −1 is α = 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

FEWEST = 3  # a line through two points fits anything
STEEPEST = 20.0  # the largest α tried
SHORTEST = 10
RULE = (
    f"x_min has the least Kolmogorov–Smirnov distance among up to 60 log-spaced counts with at"
    f" least {SHORTEST} counts above; all distributions are of whole numbers"
)
_CANDIDATES = 60
_STEEPEST = 25.0
_SUMMED = 1000  # terms of a series summed one by one; the rest is an integral
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """A fitted curve or distribution.

    points: the number of ranks (or counts) it was fitted to.
    r2: for a curve over ranks, the share of the variance of log counts that it explains.
    distance: for a distribution of counts, the Kolmogorov–Smirnov distance.
    ratio, p: for an alternative to the power law, its normalised log-likelihood ratio (positive
        if the power law is likelier) and the chance of one as far from 0 if both fitted equally;
        for the power law itself, ``p`` is the chance of a distance as large if it were true.
    """

    name: str
    parameters: dict[str, float]
    points: int
    r2: float | None = None
    log_likelihood: float | None = None
    distance: float | None = None
    ratio: float | None = None
    p: float | None = None


def fit_line(counts: Counts) -> Fit:
    """Fit log count on log rank by least squares; the slope is the paper's −α."""
    x, y = np.log(np.arange(1, len(counts) + 1)), np.log(counts.astype(np.float64))
    across, up = x - x.mean(), y - y.mean()
    slope = float(across @ up / (across @ across))
    intercept = float(y.mean() - slope * x.mean())
    return Fit(
        "line",
        {"slope": slope, "intercept": intercept},
        len(counts),
        r2=_measure_r2(y, intercept + slope * x),
    )


def fit_mandelbrot(counts: Counts) -> Fit:
    """Fit c / (β + r)^α by likelihood, with each token one draw of a rank.

    With p(r) = (β + r)^−α / Z the log-likelihood is −α Σ n_r log(β + r) − N log Z. Least squares
    would weight each of the many rare words like the most frequent one.
    """
    from scipy.optimize import minimize

    ranks = np.arange(1, len(counts) + 1, dtype=np.float64)
    total = float(counts.sum())
    shares = counts / total

    def loss(point: Floats) -> tuple[float, Floats]:
        alpha, shifted = point[0], np.exp(point[1])  # 1 + β, which keeps β above −1
        places = ranks + (shifted - 1)
        logs = np.log(places)
        weights = np.exp(-alpha * (logs - logs[0]))
        z = weights.sum()
        gap = shares - weights / z
        value = alpha * (shares @ (logs - logs[0])) + np.log(z)
        return float(value), np.array([gap @ logs, alpha * (gap @ (1 / places)) * shifted])

    bounds = [(0.0, STEEPEST), (np.log(1e-3), np.log(10.0 * len(counts)))]
    starts = [np.array([1.0, np.log(shifted)]) for shifted in (1.0, 3.7)]
    best = min(
        (minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B") for start in starts),
        key=lambda result: float(result.fun),
    )
    alpha, beta = float(best.x[0]), float(np.exp(best.x[1])) - 1
    logs = np.log(beta + ranks)
    scale = float(np.log(total) - np.log(np.exp(-alpha * logs).sum()))
    fitted = scale - alpha * logs
    return Fit(
        "mandelbrot",
        {"alpha": alpha, "beta": beta, "c": float(np.exp(scale))},
        len(counts),
        r2=_measure_r2(np.log(counts.astype(np.float64)), fitted),
        log_likelihood=float(total * (shares @ (fitted - np.log(total)))),
    )


def _measure_r2(y: Floats, fitted: Floats) -> float:
    residuals, centred = y - fitted, y - y.mean()
    return float(1 - (residuals @ residuals) / (centred @ centred)) if centred.any() else 0.0


@dataclass(frozen=True)
class PowerLaw:
    """A power law from ``xmin`` on."""

    alpha: float
    xmin: int
    distance: float
    points: int


@dataclass(frozen=True)
class _Candidates:
    """The tails of a sample that a power law can be fitted to.

    values, times: distinct counts, ascending, and how many words have each. above: words from each
    value on. starts: places of the values at which a tail may begin.
    """

    values: Counts
    times: Counts
    above: Counts
    starts: Counts

    def fit(self, starts: Counts) -> Floats:
        """Return the exponents of the tails that begin at these places."""
        logs = np.cumsum((self.times * np.log(self.values))[::-1])[::-1] / self.above
        return _fit_alphas(logs[starts], self.values[starts].astype(np.float64))

    def measure(self, start: int, alpha: float) -> float:
        """Return the distance of a tail from its law."""
        return _ks_distance(self.values[start:], self.times[start:], alpha)

    def are_farther(self, tail: PowerLaw) -> bool:
        """Are all tails at least as far from their laws as another sample's tail from its own?

        One is enough to say no; the one with the same ``xmin`` is the most likely.
        """
        same = self.starts[[np.abs(self.values[self.starts] - tail.xmin).argmin()]]
        return all(
            self.measure(start, alpha) >= tail.distance
            for starts in (same, self.starts)
            for start, alpha in zip(starts, self.fit(starts), strict=True)
        )


def _list_candidates(counts: Counts) -> _Candidates | None:
    """Return the possible tails; None if there are too few counts, or all are equal."""
    values, times = np.unique(counts, return_counts=True)
    above = np.cumsum(times[::-1])[::-1]
    usable = np.flatnonzero((above >= SHORTEST) & (values < values[-1]))
    if not len(usable):
        return None
    if len(usable) > _CANDIDATES:
        wanted = np.geomspace(values[usable[0]], values[usable[-1]], _CANDIDATES)
        usable = np.unique(np.searchsorted(values, wanted))
        usable = usable[(above[usable] >= SHORTEST) & (values[usable] < values[-1])]
    return _Candidates(values, times, above, usable)


def fit_tail(counts: Counts) -> PowerLaw | None:
    """Fit the power law; return None if there are too few counts, or all are equal."""
    tails = _list_candidates(counts)
    if tails is None:
        return None
    alphas = tails.fit(tails.starts)
    distances = [tails.measure(*one) for one in zip(tails.starts, alphas, strict=True)]
    best = int(np.argmin(distances))
    start = tails.starts[best]
    xmin, points = int(tails.values[start]), int(tails.above[start])
    return PowerLaw(float(alphas[best]), xmin, distances[best], points)


def _fit_alphas(logs: Floats, xmin: Floats) -> Floats:
    """Minimise α·mean(log x) + log ζ(α, x_min) by golden sections, for many tails at once."""
    from scipy.special import zeta

    golden = (np.sqrt(5) - 1) / 2
    low, high = np.full(len(logs), 1.0 + 1e-6), np.full(len(logs), _STEEPEST)

    def loss(alpha: Floats) -> Floats:
        value: Floats = alpha * logs + np.log(zeta(alpha, xmin))
        return value

    for _ in range(60):
        width = golden * (high - low)
        left, right = high - width, low + width
        better = loss(left) < loss(right)
        high, low = np.where(better, right, high), np.where(better, low, left)
    middle: Floats = (low + high) / 2
    return middle


def _ks_distance(values: Counts, times: Counts, alpha: float) -> float:
    """Return the largest gap between the distribution functions, at the counts and before them."""
    from scipy.special import zeta

    total = zeta(alpha, float(values[0]))
    seen = np.cumsum(times) / times.sum()
    at = 1 - zeta(alpha, values + 1.0) / total
    before = 1 - zeta(alpha, values[1:].astype(np.float64)) / total
    return float(max(np.abs(seen - at).max(), np.abs(seen[:-1] - before).max(initial=0.0)))


def bootstrap(counts: Counts, tail: PowerLaw, draws: int, rng: np.random.Generator) -> float:
    """Return the bootstrap's p value: under 0.1 the power law is implausible."""
    body = counts[counts < tail.xmin]
    farther = 0
    for _ in range(draws):
        size = int(rng.binomial(len(counts), tail.points / len(counts)))
        drawn = draw_counts(tail, size, rng)
        if len(body):
            drawn = np.concatenate([drawn, rng.choice(body, len(counts) - size)])
        tails = _list_candidates(drawn)
        farther += tails is not None and tails.are_farther(tail)
    return farther / draws


def draw_counts(tail: PowerLaw, n: int, rng: np.random.Generator) -> Counts:
    """Draw counts from the law: the first 1,000 values exactly, by the table of the distribution
    function, larger ones from the continuous law, rounded."""
    from scipy.special import zeta

    chances = rng.random(n)
    table = np.arange(tail.xmin, tail.xmin + 1000, dtype=np.float64)
    over = zeta(tail.alpha, table + 1) / zeta(tail.alpha, float(tail.xmin))  # P(X > x)
    places = np.searchsorted(-over, -chances, "left")
    drawn = tail.xmin + places
    far = places == len(table)
    stretch = (over[-1] / np.maximum(chances[far], 1e-300)) ** (1 / (tail.alpha - 1))
    drawn[far] = np.minimum((table[-1] + 0.5) * stretch + 0.5, 2.0**52).astype(np.int64)
    return drawn.astype(np.int64)


def fit_distributions(counts: Counts, *, draws: int, seed: int) -> tuple[dict[str, Fit], list[str]]:
    """Return the power law and its alternatives, and notes; no fits if there are too few counts."""
    from scipy.special import zeta

    tail = fit_tail(counts)
    if tail is None:
        return {}, [f"no distribution is fitted: fewer than {SHORTEST} counts, or all are equal"]
    values, times = np.unique(counts[counts >= tail.xmin], return_counts=True)
    x = values.astype(np.float64)
    law = -tail.alpha * np.log(x) - float(np.log(zeta(tail.alpha, float(tail.xmin))))
    p = bootstrap(counts, tail, draws, np.random.default_rng(seed)) if draws else None
    sigma = (tail.alpha - 1) / np.sqrt(tail.points)
    fits = {
        "power_law": Fit(
            "power_law",
            {"alpha": tail.alpha, "xmin": tail.xmin, "sigma": float(sigma)},
            tail.points,
            log_likelihood=float(times @ law),
            distance=tail.distance,
            p=p,
        )
    }
    notes = []
    for name, fit in ALTERNATIVES.items():
        with np.errstate(all="ignore"):  # a fit that does not converge is reported below
            parameters, logs = fit(x, times)
            fits[name] = _compare(name, parameters, law, logs, times)
        if fits[name].ratio is None:
            notes.append(f"{name} could not be fitted to {tail.points:,} counts")
    if tail.alpha > _STEEPEST - 0.01:
        notes.append(f"the power law's exponent stopped at the bound of {_STEEPEST:g}")
    return fits, notes


def _compare(
    name: str, parameters: dict[str, float], law: Floats, logs: Floats, times: Counts
) -> Fit:
    """Compare the log-likelihoods of an alternative with those of the power law.

    Vuong's test; where the power law is a special case, Wilks's.
    """
    from scipy.special import chdtrc, erfc

    n = int(times.sum())
    gaps = law - logs
    total = float(times @ gaps)
    spread = float(np.sqrt(times @ (gaps - total / n) ** 2))
    nested = name == "truncated_power_law"
    p = chdtrc(1, abs(2 * total)) if nested else erfc(abs(total) / (np.sqrt(2) * spread))
    figures = [float(times @ logs), total / spread if spread else np.nan, float(p)]
    if not np.isfinite([*figures, *parameters.values()]).all():
        return Fit(name, {}, n)
    return Fit(name, parameters, n, log_likelihood=figures[0], ratio=figures[1], p=figures[2])


def _fit_lognormal(x: Floats, times: Counts) -> tuple[dict[str, float], Floats]:
    from scipy.special import log_ndtr

    below, above = np.log(x - 0.5), np.log(x + 0.5)

    def logs(mu: float, sigma: float) -> Floats:
        low, high = log_ndtr((mu - below) / sigma), log_ndtr((mu - above) / sigma)
        value: Floats = low + np.log1p(-np.exp(high - low)) - low[0]
        return value

    mean = np.average(np.log(x), weights=times)
    deviation = np.sqrt(np.average((np.log(x) - mean) ** 2, weights=times))
    mu, sigma = _maximise(logs, times, (mean, deviation), ((None, None), (1e-9, None)))
    return {"mu": mu, "sigma": sigma}, logs(mu, sigma)


def _fit_exponential(x: Floats, times: Counts) -> tuple[dict[str, float], Floats]:
    rate = float(np.log1p(1 / (np.average(x, weights=times) - x[0])))
    return {"lambda": rate}, np.log(-np.expm1(-rate)) - rate * (x - x[0])


def _fit_truncated(x: Floats, times: Counts) -> tuple[dict[str, float], Floats]:
    mean, mean_log = (np.average(v, weights=times) for v in (x, np.log(x / x[0])))

    def logs(alpha: float, log_rate: float) -> Floats:
        rate = np.exp(log_rate)
        value: Floats = -alpha * np.log(x) - rate * x - _log_lerch(alpha, rate, x[0])
        return value

    start = (min(1 + 1 / mean_log, _STEEPEST), -np.log(mean))
    alpha, log_rate = _maximise(logs, times, start, ((0, _STEEPEST), (-30, 5)))
    return {"alpha": alpha, "lambda": float(np.exp(log_rate))}, logs(alpha, log_rate)


ALTERNATIVES: dict[str, Callable[[Floats, Counts], tuple[dict[str, float], Floats]]] = {
    "lognormal": _fit_lognormal,
    "exponential": _fit_exponential,
    "truncated_power_law": _fit_truncated,
}


def _log_lerch(alpha: float, rate: float, start: float) -> float:
    """Return log Σ_{y ≥ start} y^−α e^−λy: the first terms, then Euler and Maclaurin's formula.

    The integral is over t = log(y / end), up to where e^−λy vanishes.
    """

    def term(y: Floats) -> Floats:
        value: Floats = np.exp(-alpha * np.log(y / start) - rate * (y - start))
        return value

    end = start + _SUMMED
    nodes, weights = _quadrature_rule()
    reach = np.log1p(750 / (rate * end)) / 2
    y = end * np.exp(reach * (nodes + 1))
    first = term(start + np.arange(_SUMMED + 1.0))
    total = first[:-1].sum() + first[-1] * (0.5 + (alpha / end + rate) / 12)
    total += reach * (weights @ (term(y) * y))
    return float(np.log(total) - alpha * np.log(start) - rate * start)


@cache
def _quadrature_rule() -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss and Legendre on [−1, 1]."""
    return np.polynomial.legendre.leggauss(300)


def _maximise(
    logs: Callable[..., Floats],
    times: Counts,
    start: tuple[float, float],
    bounds: tuple[tuple[float | None, float | None], ...],
) -> tuple[float, float]:
    from scipy.optimize import minimize

    def loss(point: Floats) -> float:
        value = -float(times @ logs(*point))
        return value if np.isfinite(value) else 1e300

    found = minimize(loss, start, method="Nelder-Mead", bounds=bounds, tol=1e-4)
    return float(found.x[0]), float(found.x[1])
