"""Error bars and p-values by resampling tokens, for any statistic of two rows of counts.

Interval: half of the tokens of each text are drawn without replacement, many times. The deviations
of these values from their mean have the spread of the value itself (the delete-half jackknife of
Shao and Wu 1989), and drawing without replacement makes no point a copy of another, as the
bootstrap would, which ruins distances to neighbours.

p-value: the tokens of both texts are shuffled together and dealt out again; how often is the value
as large as the one that was seen?
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.progress import Progress, silent

Row = NDArray[np.int64]
Statistic = Callable[[Row, Row], float]


def interval(
    statistic: Statistic,
    value: float,
    a: Row,
    b: Row,
    *,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[float, float]:
    values = np.empty(resamples)
    for number in range(resamples):
        values[number] = statistic(
            _draw(a, int(a.sum()) // 2, rng), _draw(b, int(b.sum()) // 2, rng)
        )
        progress(number + 1, resamples)
    tail = (1 - confidence) / 2
    low, high = np.quantile(values - values.mean(), [tail, 1 - tail])
    return value + float(low), value + float(high)


def p_value(
    statistic: Statistic,
    value: float,
    a: Row,
    b: Row,
    *,
    resamples: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> float:
    pooled, size = a + b, int(a.sum())
    as_large = 0
    for number in range(resamples):
        first = _draw(pooled, size, rng)
        as_large += statistic(first, pooled - first) >= value
        progress(number + 1, resamples)
    return (1 + as_large) / (1 + resamples)


def _draw(counts: Row, size: int, rng: np.random.Generator) -> Row:
    drawn: Any = rng.multivariate_hypergeometric(counts, size, method="marginals")
    return np.asarray(drawn, np.int64)
