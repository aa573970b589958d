"""How often the words of a query meet in a row by chance.

A row scores what its words add, and a rest, such as the meaning of the whole. If nothing answers
the query, its words fall on rows independently of one another, each on as many rows as hold it,
and the rest is what rows have that hold none of them. A row with a word also has more of the rest,
on average: that counts as part of what the word adds. So the score of a row is a sum of independent
numbers, whose distribution is found by convolution on a grid:

    E(s) = n · P(R + Σ_g V_g ≥ s)     V_g = 0 for the n − n_g rows without the word g

A word that few rows hold is then no wonder, however high its rows score above all others; several
such words in one row are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BINS = 512
_FREE = 100  # rows without any of the words that are enough to know the rest
_TINY = 1e-300
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Word:
    """A word of a query: how many rows hold it, and of some of them what it adds to the score, and
    the rest of the score."""

    rows: int
    values: Floats
    rests: Floats


@dataclass(frozen=True)
class Rests:
    """The scores of a sample of rows without what words add; ``free`` rows hold none of them."""

    values: Floats
    weights: Floats
    free: NDArray[np.bool_]

    def choose(self) -> tuple[Floats, Floats]:
        """Return the rests of free rows and their weights; those of all if too few are free."""
        kept = self.free if np.count_nonzero(self.free) >= _FREE else np.ones_like(self.free)
        return self.values[kept], self.weights[kept]


@dataclass(frozen=True)
class Surprise:
    """Minus the logarithm of E(s) on a grid of scores."""

    grid: Floats
    values: Floats

    def __call__(self, scores: Floats) -> Floats:
        return np.asarray(np.interp(scores, self.grid, self.values), np.float64)


def find_surprise(
    words: Sequence[Word],
    rests: tuple[Floats, Floats],
    survive: Callable[[Floats], Floats],
    highest: float,
    most: float,
    rows: int,
) -> Surprise:
    """Return the surprise of scores up to ``highest``, of ``rows`` rows.

    ``survive`` returns how many rows have at least such a rest; a copy of the query has ``most``.
    """
    usual = float(np.average(rests[0], weights=rests[1]))
    lowest = float(rests[0].min())
    step = max(highest - lowest, 1e-9) / (_BINS - 2)
    numbers = np.arange(_BINS + 1, dtype=np.float64)
    edges = lowest + step * (numbers - 0.5)
    reached = survive(edges)
    density = -np.diff(reached)
    density[-1] += reached[-1]
    density /= reached[0]
    for word, values in zip(words, _add_rests(words, usual, most), strict=True):
        share = word.rows / rows
        kernel = _spread(values / step) * share
        kernel[0] += 1 - share
        sums = np.convolve(density, kernel)
        density = sums[:_BINS]
        density[-1] += sums[_BINS:].sum()
    over = rows * np.cumsum(density[::-1])[::-1]
    grid = lowest + step * numbers[1:]  # a value between two bins counts in the lower
    return Surprise(grid, -np.log(np.maximum(over, _TINY)))


def _add_rests(words: Sequence[Word], usual: float, most: float) -> list[Floats]:
    """Return what each word adds in some of its rows, with what these have more of the rest.

    This is half their own and half the mean of all, as their own also varies without the word. All
    words together bring no more than a copy of the query has: a row may hold all of them.
    """
    means = np.array([word.rests.mean() for word in words])
    gains = np.maximum(means - usual, 0)
    scales = (gains > 0) * min(1.0, max(0.0, most - usual) / max(float(gains.sum()), _TINY))
    return [
        word.values + scale * ((word.rests + mean) / 2 - usual)
        for word, mean, scale in zip(words, means.tolist(), scales.tolist(), strict=True)
    ]


def _spread(places: Floats) -> Floats:
    """Return the distribution of places on a grid: one between two of its points is shared."""
    places = np.clip(places, 0, _BINS - 2)
    below = places.astype(np.int64)
    above = places - below
    size = int(below.max()) + 2
    counts = np.bincount(below, 1 - above, size) + np.bincount(below + 1, above, size)
    return np.asarray(counts / len(places))
