"""How many hits as good as one are expected if nothing in a collection answers the query.

This is what BLAST calls the E-value (Karlin and Altschul 1990). Most rows do not answer a query, so
their scores show what chance does. A method scores a fixed sample of rows; where a part of the
score is known for all rows, half of them are the highest by it, each standing for itself. Above
the score that about 50 rows reach (one in fifty of a small collection) the expected number falls
exponentially:

    E(s) = n · exp(−(s − u) / scale)    n rows score at least u

The best tenth counts as if it scored no more than the lowest of it (a censored sample), so that a
few true answers do not look like chance. docs/decisions/0012-best.md has the calibration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.index.rows import Rows
from lexfield.results import JsonObject

SAMPLE = 2000  # rows
_OVER = 50  # rows above the score where the tail begins
_SHARE = 0.02  # or this share of a small collection
_FEWEST = 20  # scores that a tail is fitted to
_CENSORED = 0.1
_GOLDEN = (math.sqrt(5) - 1) / 2
LEAST = 0.01  # a tail that was fitted to a sample cannot tell rarer ones apart
Mask = NDArray[np.bool_] | None


@dataclass(frozen=True)
class Scorer:
    """How a method scores any rows for one query: NaN for a row that it would not return.

    ``known`` is a part of the score of every row, 0 for those that do not have it; or None.
    """

    score: Callable[[Array], NDArray[np.float64]]
    known: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> Scorer:
        """Return a scorer from the scores of all rows; -inf for those that are not returned."""
        found = scores > -np.inf
        return cls(np.where(found, scores, np.nan).__getitem__, np.where(found, scores, 0))


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


def draw(scorer: Scorer, rows: Rows, among: Mask, first: int = 0, total: int = 0) -> JsonObject:
    """Return, as JSON, what the rows of a part add to the sample of a collection.

    ``first`` is the number of the part's first row, of ``total``. All rows have a fixed order,
    ``_Order``; the sample is those that come first in it, and those with the highest known part.
    """
    known = np.zeros(len(rows)) if scorer.known is None else scorer.known
    others = np.ones(len(rows), bool) if among is None else among.copy()
    count = int(np.count_nonzero(others))
    found = np.flatnonzero(others & (known > 0))
    best = found[top_k(known[found], SAMPLE // 2)]
    others[best] = False
    order = _Order(total or len(rows))
    chosen = np.concatenate([best, order.list_first(others, first)])
    scores = scorer.score(chosen).tolist()
    return {
        "scores": [None if math.isnan(score) else score for score in scores],
        "known": known[chosen].tolist(),
        "places": order.find_places(chosen + first).tolist(),
        "numbers": (chosen + first).tolist(),
        "rows": count,
    }


class _Order:
    """An order of numbered rows in which those that come first are spread evenly over all.

    The row at a place is the place times a stride, modulo the number of rows: no list is needed.
    """

    def __init__(self, total: int) -> None:
        self._total = total = max(1, total)
        self._stride = max(1, round(total * _GOLDEN))
        while math.gcd(self._stride, total) > 1:
            self._stride += 1

    def find_places(self, numbers: Array) -> NDArray[np.int64]:
        places: NDArray[np.int64] = numbers * pow(self._stride, -1, self._total) % self._total
        return places

    def list_first(self, allowed: NDArray[np.bool_], first: int) -> NDArray[np.int64]:
        """Return the first ``SAMPLE`` allowed rows of a part, which begins with row ``first``."""
        found, start, size = np.empty(0, np.int64), 0, SAMPLE
        while start < self._total and len(found) < SAMPLE:
            places = np.arange(start, min(start + size, self._total))
            own = places * self._stride % self._total - first
            own = own[(own >= 0) & (own < len(allowed))]
            found = np.concatenate([found, own[allowed[own]]])
            start, size = start + size, 2 * size
        return found[:SAMPLE]


def join(parts: Sequence[JsonObject]) -> Sample:
    """Return the sample of a collection from what its parts have drawn."""
    scores, known, places, numbers = (
        np.concatenate([np.array(part[name], np.float64) for part in parts])
        for name in ("scores", "known", "places", "numbers")
    )
    rows = sum(part["rows"] for part in parts)
    best = top_k(np.where(known > 0, known, -np.inf), SAMPLE // 2, numbers)
    others = np.ones(len(scores), bool)
    others[best] = False
    rest = top_k(np.where(others, -places, -np.inf), SAMPLE - len(best))
    each = (rows - len(best)) / max(1, len(rest))
    weights = np.concatenate([np.ones(len(best)), np.full(len(rest), each)])
    scores = scores[np.concatenate([best, rest])]
    returned = ~np.isnan(scores)
    return Sample(scores[returned], weights[returned], rows)


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
            return max(LEAST, self.over * math.exp(-(score - self.start) / self.scale))
        return float(np.interp(-score, self.scores, self.counts)) if len(self.scores) else 0.0
