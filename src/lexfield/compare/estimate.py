"""The divergence of two texts and its error bars: never a bare number, and no number if the
estimate is impossible.

The k-nearest-neighbour estimators are not bounded as the divergences are that they estimate. Where
their bias is larger than the difference of two texts, as it is with word vectors of hundreds of
dimensions, they fall below 0 or exceed the largest possible value. Such an estimate is neither
shown as a number nor used to rank anything: its value is NaN, and a note says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.compare.options import ComparisonOptions
from lexfield.errors import InputError, check
from lexfield.explain import Explanation
from lexfield.plottable import Plottable
from lexfield.progress import Progress
from lexfield.results import JsonObject, html_table

_WORDS = 15  # shown in a notebook
_ROUNDING = 1e-9
_DRIFT = 0.25  # of the interval: about a standard error
_MOST_DIMENSIONS = 3  # in which the bias of neighbours falls as fast as 1/n, or nearly
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

    @cached_property
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


def drop_impossible(values: ArrayLike, options: ComparisonOptions) -> NDArray[np.float64]:
    """Return the values, in nats, with NaN for estimates outside the range of the measure. Counts
    are not estimated, so their values stay as they are."""
    raw = np.asarray(values, np.float64)
    if options.compares_counts:
        return raw
    most = options.definition.most
    inside = (raw >= -_ROUNDING) & (raw <= most + _ROUNDING)
    return np.where(inside, np.clip(raw, 0.0, most), np.nan)


def note_no_value(raw: float, options: ComparisonOptions) -> str:
    """Say why a comparison has no value."""
    if options.compares_counts:
        return f"no value: {options.measure} could not be computed for these texts"
    why = "is negative" if raw < 0 else f"of {raw:.4g} nats is too large"
    return (
        f"no value: the estimate {why}, but {options.measure} is {options.definition.range}."
        f" The estimator's error is larger than what it measures. {INSTEAD}"
    )


def note_pairs_without_value(
    matrices: dict[int, NDArray[np.float64]], options: ComparisonOptions
) -> str:
    """Say how many of all pairs have no value; nothing if all have one."""
    missing = sum(int(np.isnan(matrix).sum()) for matrix in matrices.values())
    total = sum(matrix.size - len(matrix) for matrix in matrices.values())
    if not missing:
        return ""
    measure = options.measure
    why = f"their estimate is not {options.definition.range}, as {measure} is. {INSTEAD}"
    if options.compares_counts:
        why = f"{measure} could not be computed for them"
    return f"{missing:,} of {total:,} pairs have no value: {why}"


def check_rankable(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix. Raise InputError if a pair has no value, as nothing can be ranked then."""
    missing = int(np.isnan(matrix).sum())
    if missing:
        raise InputError(
            f"{missing:,} of {matrix.size:,} divergences have no value, because their estimates are"
            " impossible or could not be computed: no label, ranking or map can be made of them.",
            f"{INSTEAD} On the command line: --estimator spread, or --space categorical.",
        )
    return matrix


class ErrorBars(NamedTuple):
    """interval, p: None if they are not known. halved: the mean value of halves of the texts."""

    interval: tuple[float, float] | None = None
    p: float | None = None
    halved: float = math.nan

    def note_bias(self, value: float, scale: float, dimensions: int) -> list[str]:
        """Say so if the value is biased, which no interval around it allows for.

        A bias that changes by d from half of the texts to the whole still has at least d to go, as
        long as it falls no faster than 1/n. In clouds of many dimensions it hardly falls at all.
        """
        if self.interval is None:
            return []
        low, high = self.interval
        if dimensions > _MOST_DIMENSIONS:
            return [
                f"the interval allows for sampling alone: in {dimensions} dimensions, estimates"
                " from nearest neighbours are biased, too"
            ]
        if abs(self.halved - value) <= _DRIFT * (high - low):
            return []
        return [
            "the interval is for texts of this length: halves of them differ by"
            f" {self.halved * scale:.4f} on average, so the divergence of what they were drawn from"
            " may lie outside"
        ]


@dataclass(frozen=True)
class Resampling:
    """Error bars by resampling tokens: an interval with this confidence, a p-value, or neither.

    Interval: half of the tokens of each text are drawn without replacement, many times. The
    deviations of these values from their mean have the spread of the value itself (the delete-half
    jackknife of Shao and Wu 1989). Drawing with replacement, as the bootstrap does, would make
    points copies of others, which ruins distances to neighbours.

    In short texts the deviations can lead out of the range of the measure, such as below 0. The
    interval then ends at the bound. No divergence lies beyond it, so the confidence is the same.

    p-value: the tokens of both texts are shuffled together and dealt out again; how often is the
    value as large as the observed one?
    """

    interval: float | None = None
    p: bool = False
    resamples: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        interval = self.interval
        check(interval is None or 0 < interval < 1, "interval", "between 0 and 1", interval)
        check(self.resamples >= 20, "resamples", "at least 20", self.resamples)
        check(self.seed >= 0, "seed", "at least 0", self.seed)

    def run(
        self,
        statistic: Callable[[Array, Array], float],
        a: Array,
        b: Array,
        value: float,
        bounds: tuple[float, float] | None,
        progress: Progress,
    ) -> ErrorBars:
        """Return the interval of an observed value, within ``bounds``, and its p-value: each None
        if it is not wanted, or if the statistic of some resample is NaN. Without bounds, as for an
        impossible value, there is no interval.

        Raise InputError if the counts ``a`` or ``b`` are not whole numbers.
        """
        if self.interval is None and not self.p:
            return ErrorBars()
        if not all(np.array_equal(row, row.astype(np.int64)) for row in (a, b)):
            raise InputError("Bags with fractions cannot be resampled.", "Give whole counts.")
        a, b = a.astype(np.int64), b.astype(np.int64)
        rng = np.random.default_rng(self.seed)
        interval, p, halved = None, None, math.nan
        if self.interval is not None and bounds is not None:
            values = self._repeat(lambda: statistic(_halve(a, rng), _halve(b, rng)), progress)
            tail = (1 - self.interval) / 2
            halved = float(values.mean())
            ends = value + np.quantile(values - halved, [tail, 1 - tail])
            low, high = np.clip(ends, *bounds).tolist()
            interval = None if math.isnan(low) else (low, high)
        if self.p:
            pooled, size = a + b, int(a.sum())

            def deal() -> float:
                first = _draw(pooled, size, rng)
                return statistic(first, pooled - first)

            values = self._repeat(deal, progress)
            if not np.isnan([value, *values]).any():
                p = (1 + int((values >= value).sum())) / (1 + self.resamples)
        return ErrorBars(interval, p, halved)

    def _repeat(self, draw: Callable[[], float], progress: Progress) -> NDArray[np.float64]:
        values = np.empty(self.resamples)
        for number in range(self.resamples):
            values[number] = draw()
            progress(number + 1, self.resamples)
        return values


def _draw(counts: Array, size: int, rng: np.random.Generator) -> Array:
    """Draw so many tokens without replacement."""
    return np.asarray(rng.multivariate_hypergeometric(counts, size, method="marginals"), np.int64)


def _halve(counts: Array, rng: np.random.Generator) -> Array:
    return _draw(counts, int(counts.sum()) // 2, rng)
