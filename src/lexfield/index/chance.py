"""How many hits as good as one are expected if nothing in a collection answers the query.

This is what BLAST calls the E-value (Karlin and Altschul 1990). Most rows do not answer a query, so
their scores show what chance does. A method scores a fixed sample of rows; where it knows which
rows score highest by one part, it adds these, each standing for itself. Above the score that about
50 rows reach (one in fifty of a small collection) the expected number falls exponentially:

    E(s) = n · exp(−(s − u) / scale)    n rows score at least u

The best tenth counts as if it scored no more than the lowest of it (a censored sample), so that a
few true answers do not look like chance. docs/decisions/0012-best.md has the calibration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.index.rows import Rows

SAMPLE = 2000  # rows
_OVER = 50  # rows above the score where the tail begins
_SHARE = 0.02  # or this share of a small collection
_FEWEST = 20  # scores that a tail is fitted to
_CENSORED = 0.1


@dataclass(frozen=True)
class Sample:
    """Scores of some rows, how many rows each stands for, and the number of all rows."""

    scores: NDArray[np.float64]
    weights: NDArray[np.float64]
    rows: int

    @classmethod
    def of(cls, scores: Array, rows: int) -> Sample:
        """Return a sample whose scores each stand for as many rows."""
        return cls(scores, np.full(len(scores), rows / max(1, len(scores))), rows)


@dataclass(frozen=True)
class Tail:
    """The expected number of rows by score: counted up to ``start``, exponential above."""

    scores: NDArray[np.float64]  # ascending negatives, for interpolation
    counts: NDArray[np.float64]
    start: float
    over: float
    scale: float
    rows: int

    @classmethod
    def fit(cls, sample: Sample) -> Tail:
        order = np.argsort(-sample.scores, kind="stable")
        scores, weights = sample.scores[order], sample.weights[order]
        counts = np.cumsum(weights)
        wanted = min(_OVER, _SHARE * sample.rows)
        size = max(_FEWEST, int(np.searchsorted(counts, wanted)))
        if size >= len(scores):  # too few to say more than how many there are
            return cls(-scores, counts, math.inf, 0.0, 1.0, sample.rows)
        start, above = float(scores[size]), weights[:size]
        excess, over = scores[:size] - start, float(above.sum())
        last = int(np.searchsorted(np.cumsum(above), _CENSORED * over))
        capped = np.minimum(excess, excess[last])
        scale = float(above @ capped) / max(float(above[last:].sum()), 1e-12)
        return cls(-scores, counts, start, over, max(scale, 1e-12), sample.rows)

    def expect(self, score: float) -> float:
        """Return how many rows are expected to score at least this by chance."""
        if score > self.start:
            return self.over * math.exp(-(score - self.start) / self.scale)
        return float(np.interp(-score, self.scores, self.counts)) if len(self.scores) else 0.0


def draw_rows(rows: Rows, among: NDArray[np.bool_] | None, count: int = SAMPLE) -> Array:
    """Return rows of a sample that is the same for every query, of those that may be returned."""
    order = rows.cached("drawn", lambda own: np.random.default_rng(0).permutation(len(own)))
    if among is not None:
        order = order[among[order]]
    chosen: Array = order[:count]
    return chosen


def count_rows(rows: Rows, among: NDArray[np.bool_] | None) -> int:
    return len(rows) if among is None else int(among.sum())
