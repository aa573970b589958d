"""Error bars and p-values by resampling tokens, for any statistic of two rows of counts.

Interval: half of the tokens of each text are drawn without replacement, many times. The deviations
of these values from their mean have the spread of the value itself (the delete-half jackknife of
Shao and Wu 1989). Drawing with replacement, as the bootstrap does, would make points copies of
others, which ruins distances to neighbours.

p-value: the tokens of both texts are shuffled together and dealt out again; how often is the value
as large as the observed one?
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import InputError, check
from lexfield.progress import Progress

Statistic = Callable[[Array, Array], float]


@dataclass(frozen=True)
class Resampling:
    """What to find by resampling: an interval with this confidence, a p-value, or nothing."""

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
        statistic: Statistic,
        a: Array,
        b: Array,
        value: float,
        progress: Progress,
        *,
        has_interval: bool = True,
    ) -> tuple[tuple[float, float] | None, float | None]:
        """Return the interval and the p-value of an observed value, each None if not wanted.

        Raise InputError if the counts ``a`` or ``b`` are not whole numbers. Without
        ``has_interval`` there is no interval, whatever was asked for.
        """
        if self.interval is None and not self.p:
            return None, None
        if not all(np.array_equal(row, row.astype(np.int64)) for row in (a, b)):
            raise InputError("Bags with fractions cannot be resampled.", "Give whole counts.")
        a, b = a.astype(np.int64), b.astype(np.int64)
        rng = np.random.default_rng(self.seed)
        interval, p = None, None
        if self.interval is not None and has_interval:
            values = self._repeat(
                lambda: statistic(_draw_half(a, rng), _draw_half(b, rng)), progress
            )
            tail = (1 - self.interval) / 2
            low, high = np.quantile(values - values.mean(), [tail, 1 - tail])
            interval = (value + float(low), value + float(high))
        if self.p:
            values = self._repeat(lambda: statistic(*_deal(a, b, rng)), progress)
            p = (1 + int((values >= value).sum())) / (1 + self.resamples)
        return interval, p

    def _repeat(self, draw: Callable[[], float], progress: Progress) -> NDArray[np.float64]:
        values = np.empty(self.resamples)
        for number in range(self.resamples):
            values[number] = draw()
            progress(number + 1, self.resamples)
        return values


def _draw_half(counts: Array, rng: np.random.Generator) -> Array:
    half = int(counts.sum()) // 2
    return np.asarray(rng.multivariate_hypergeometric(counts, half, method="marginals"), np.int64)


def _deal(a: Array, b: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Shuffle the tokens of both texts together and deal them out again."""
    pooled, size = a + b, int(a.sum())
    first = np.asarray(rng.multivariate_hypergeometric(pooled, size, method="marginals"), np.int64)
    return first, pooled - first
