"""How many hits as good as one are expected if nothing in a collection answers the query.

This is what BLAST calls the E-value (Karlin and Altschul 1990). Most rows do not answer a query, so
their scores show what chance does. A method scores a fixed sample of rows; where a part of the
score is known for all rows, half of them are the highest by it, each standing for itself. Above
the score that about 50 rows reach (one in fifty of a small collection) the expected number falls:

    E(s) = n · (1 + (x(s) − x(u)) / (m · scale))^−m    n rows score at least u

This is an exponential law whose scale is known from m scores only (its predictive distribution, a
Lomax law), so that what the fit gets wrong by chance makes fewer small chances. x(s) is the score
itself; or, where a method adds up words, how surprising it would be if words fell on rows
independently (``coincidence.py``). Words that belong together make the scale more than 1. Near the
score of a copy, which no chance reaches, E falls to nothing.
The best tenth counts as if it scored no more than the lowest of it (a censored sample), so that a
few true answers do not look like chance. docs/decisions/0012-best.md has the calibration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.index.coincidence import Rests, Surprise, Word, find_surprise
from lexfield.index.rows import Rows
from lexfield.results import JsonObject

SAMPLE = 2000  # rows
_OVER = 50  # rows above the score where the tail begins
_SHARE = 0.02  # or this share of a small collection
_FEWEST = 20  # scores that a tail is fitted to
_CENSORED = 0.1
_GOLDEN = (math.sqrt(5) - 1) / 2
_HOLDERS = 32  # rows of each word that are looked at
_PRIOR = 20.0  # rows that speak for independent words
_BEND = 0.12
_COPY = 1e-9  # a share that stands for no difference
LEAST = 0.01  # a tail that was fitted to a sample cannot tell rarer ones apart
Mask = NDArray[np.bool_] | None
Axis = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Scorer:
    """How a method scores any rows for one query: NaN for a row that it would not return.

    ``known`` is a part of the score of every row, 0 for those that do not have it; or None.
    ``words`` are the rows that hold each word, ascending, and what it adds to their scores;
    ``most`` is what a copy of the query would score besides. ``copy`` is its whole score, 0 if that
    is not known.
    """

    score: Callable[[Array], NDArray[np.float64]]
    known: NDArray[np.float64] | None = None
    words: Sequence[tuple[Array, Array]] = ()
    most: float = 0.0
    copy: float = 0.0

    @classmethod
    def of(cls, cosines: NDArray[np.float64]) -> Scorer:
        """Return a scorer from the cosines of all rows; -inf for those that are not returned."""
        found = cosines > -np.inf
        known = np.where(found, cosines, 0)
        return cls(np.where(found, cosines, np.nan).__getitem__, known, copy=1.0)


@dataclass(frozen=True)
class ScoreSample:
    """Scores of some rows, how many rows each stands for, and the number of all rows."""

    scores: NDArray[np.float64]
    weights: NDArray[np.float64]
    rows: int
    words: Sequence[Word] = ()
    rests: Rests | None = None
    most: float = 0.0
    copy: float = 0.0

    @classmethod
    def of(cls, scores: Array, rows: int) -> ScoreSample:
        """Return a sample whose scores each stand for as many rows."""
        return cls(scores, np.full(len(scores), rows / max(1, len(scores))), rows)


def draw(scorer: Scorer, rows: Rows, among: Mask, first: int = 0, total: int = 0) -> JsonObject:
    """Return, as JSON, what the rows of a part add to the sample of a collection.

    ``first`` is the number of the part's first row, of ``total``. All rows have a fixed order,
    ``_Order``; the sample is those that come first in it, those with the highest known part, and of
    each word the first that hold it.
    """
    known = np.zeros(len(rows)) if scorer.known is None else scorer.known
    others = np.ones(len(rows), bool) if among is None else among.copy()
    count = int(np.count_nonzero(others))
    found = np.flatnonzero(others & (known > 0))
    best = found[top_k(known[found], SAMPLE // 2)]
    others[best] = False
    order = _Order(total or len(rows))
    chosen = np.concatenate([best, order.list_first(others, first)])
    words = [_list_holders(*word, among, order, first) for word in scorer.words]
    every = np.unique(np.concatenate([chosen, *(word["numbers"] for word in words)]))
    scores, added, free = scorer.score(every), np.zeros(len(rows)), np.ones(len(rows), bool)
    for own, values in scorer.words:
        added[own] += values
        free[own] = False
    rests = scores - added[every]
    for word in words:
        own_rests = rests[np.searchsorted(every, word.pop("numbers"))]
        returned = ~np.isnan(own_rests)  # a row whose sum is 0, as of "sea - ship", has no score
        word["rests"] = own_rests[returned].tolist()
        for name in ("places", "values"):
            word[name] = word[name][returned].tolist()
    places = np.searchsorted(every, chosen)
    return {
        "scores": [None if math.isnan(score) else score for score in scores[places].tolist()],
        "rests": [None if math.isnan(rest) else rest for rest in rests[places].tolist()],
        "free": free[chosen].tolist(),
        "known": known[chosen].tolist(),
        "places": order.find_places(chosen + first).tolist(),
        "numbers": (chosen + first).tolist(),
        "rows": count,
        "words": words,
        "most": scorer.most,
        "copy": scorer.copy,
    }


def _list_holders(own: Array, values: Array, among: Mask, order: _Order, first: int) -> JsonObject:
    """Return how many rows hold a word, and those of them that come first in the order."""
    kept = np.arange(len(own)) if among is None else np.flatnonzero(among[own])
    places = order.find_places(own[kept].astype(np.int64) + first)
    early = np.argsort(places)[:_HOLDERS]
    return {
        "rows": len(kept),
        "places": places[early],
        "values": values[kept[early]],
        "numbers": own[kept[early]],
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


def join(parts: Sequence[JsonObject]) -> ScoreSample:
    """Return the sample of a collection from what its parts have drawn."""
    scores, rests, free, known, places, numbers = (
        np.concatenate([np.array(part[name], np.float64) for part in parts])
        for name in ("scores", "rests", "free", "known", "places", "numbers")
    )
    rows = sum(part["rows"] for part in parts)
    best = top_k(np.where(known > 0, known, -np.inf), SAMPLE // 2, numbers)
    others = np.ones(len(scores), bool)
    others[best] = False
    rest = top_k(np.where(others, -places, -np.inf), SAMPLE - len(best))
    each = (rows - len(best)) / max(1, len(rest))
    weights = np.concatenate([np.ones(len(best)), np.full(len(rest), each)])
    chosen = np.concatenate([best, rest])
    returned = ~np.isnan(scores[chosen])
    chosen, weights = chosen[returned], weights[returned]
    return ScoreSample(
        scores[chosen],
        weights,
        rows,
        [_join_word(word) for word in zip(*(part["words"] for part in parts), strict=True)],
        Rests(rests[chosen], weights, free[chosen] > 0),
        parts[0]["most"],
        parts[0]["copy"],
    )


def _join_word(parts: Sequence[JsonObject]) -> Word:
    places, values, rests = (
        np.concatenate([np.array(part[name], np.float64) for part in parts])
        for name in ("places", "values", "rests")
    )
    early = np.argsort(places)[:_HOLDERS]
    return Word(sum(part["rows"] for part in parts), values[early], rests[early])


@dataclass(frozen=True)
class Tail:
    """The expected number of rows by score: counted up to ``start``, above it by a law that was
    fitted to ``support`` scores."""

    scores: NDArray[np.float64]  # ascending negatives, for interpolation
    counts: NDArray[np.float64]
    start: float
    over: float
    scale: float
    support: float
    rows: int
    axis: Axis
    bend: Axis

    @classmethod
    def fit(cls, sample: ScoreSample) -> Tail:
        order = np.argsort(-sample.scores, kind="stable")
        scores, weights = sample.scores[order], sample.weights[order]
        counts = np.cumsum(weights)
        surprise = _find_surprise(sample)
        axis: Axis = surprise or np.asarray
        bend = partial(_bend, sample.copy, 1.0 if surprise else _BEND * sample.copy)
        wanted = min(_OVER, _SHARE * sample.rows)
        size = max(_FEWEST, int(np.searchsorted(counts, wanted)))
        size = min(size, len(scores) // 2)
        if size < _FEWEST // 2:  # too few to say more than how many there are
            start = -math.inf if surprise else math.inf
            return cls(-scores, counts, start, 1.0, 1.0, _PRIOR, sample.rows, axis, bend)
        start, above = float(scores[size]), weights[:size]
        places = [axis(some) + bend(some) for some in (scores[:size], np.array(start))]
        excess, over = places[0] - places[1], float(above.sum())
        last = int(np.searchsorted(np.cumsum(above), _CENSORED * over))
        capped = np.minimum(excess, excess[last])
        total, below = float(above @ capped), float(above[last:].sum())
        support = float(size - last)
        if surprise:
            scale = max((total + _PRIOR) / (below + _PRIOR), 1.0)
            support += _PRIOR
        else:
            scale = max(total / max(below, 1e-12), 1e-12)
        return cls(-scores, counts, start, over, scale, support, sample.rows, axis, bend)

    def expect(self, score: float) -> float:
        """Return how many rows are expected to score at least this by chance."""
        if score > self.start:
            return max(LEAST, float(self.count(np.array(score))))
        return float(np.interp(-score, self.scores, self.counts)) if len(self.scores) else 0.0

    def count(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many rows are expected to score at least as much, however rare that is."""
        counted = np.interp(-scores, self.scores, self.counts, left=0.0)
        if self.start == math.inf:
            return np.asarray(counted)
        start = np.array(self.start)
        bases = (self.axis(start), self.bend(start)) if self.start > -math.inf else (0.0, 0.0)
        bent = self.bend(scores) - bases[1]
        both = np.maximum(self.axis(scores) - bases[0] + bent, 0)
        bent = np.clip(bent, 0, both)
        excess = both - bent
        fallen = (1 + excess / (self.support * self.scale)) ** -self.support
        fallen *= np.exp(-bent / self.scale)
        return np.where(scores > self.start, self.over * fallen, counted)


def _bend(copy: float, weight: float, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what is added to the places of scores near that of a copy, if that is known.

    Up to about 0.7 of it this is not felt.
    """
    if not copy:
        return np.zeros_like(scores)
    share = np.clip(scores / copy, 0, 1)
    return np.asarray(-weight * np.log(np.maximum(1 - share**8, _COPY)))


def _find_surprise(sample: ScoreSample) -> Surprise | None:
    words = [word for word in sample.words if len(word.values)]
    if not words or sample.rests is None or not len(sample.scores):
        return None
    rests = sample.rests.choose()
    survive = Tail.fit(ScoreSample(*rests, round(rests[1].sum()))).count
    highest = max(float(sample.scores.max()), sample.most)
    return find_surprise(words, rests, survive, highest, sample.most, sample.rows)
