"""The similarity above which words count as related (Rekabsaz, Lupu and Hanbury 2016).

A word has few true synonyms: 1.6 on average in WordNet, with a deviation of 3.1. The threshold is
the similarity above which a word of the lexicon has as many neighbours on average; the interval has
a deviation more and a deviation fewer (and not fewer than none).

With one model the expected number of neighbours above s is a count. With several models of the same
words a similarity is normally distributed, with the mean μ and the deviation σ of what the models
say, and the expected number is the sum of 1 − Φ((s − μ)/σ) over all other words.

Every pair of words is looked at once, in blocks: memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.results import Frames, html_table
from lexfield.vectors.shared import shared_units
from lexfield.vectors.tally import ROOTS, Tally, tally_all, tally_groups
from lexfield.vectors.wordvectors import WordVectors

SYNONYMS, DEVIATION, TERMS = 1.6, 3.1, 147_306  # Rekabsaz et al., from WordNet
_GROUPS = 20  # of a sample, to measure its error

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Expected neighbours at the edges of bins of similarity; linear between them."""

    edges: Floats
    expected: Floats

    def neighbours(self, similarity: float) -> float:
        """Expected number of neighbours above a similarity."""
        return float(np.interp(similarity, self.edges, self.expected))

    def similarity(self, neighbours: float) -> float:
        """The lowest similarity above which at most so many are expected."""
        place = int(np.argmax(self.expected <= neighbours))
        if place == 0:
            return float(self.edges[-1] if self.expected[0] > neighbours else self.edges[0])
        high, low = self.expected[place - 1], self.expected[place]
        share = (high - neighbours) / (high - low)
        return float(self.edges[place - 1] + share * (self.edges[place] - self.edges[place - 1]))


@dataclass(frozen=True)
class ModelThreshold:
    """The threshold of one model alone."""

    name: str
    dims: int
    threshold: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Threshold(Frames, Plottable):
    """A threshold with its interval, and the curve it was read from.

    error: standard error that comes from looking at a sample of words; 0 where all were looked at.
    """

    threshold: float
    interval: tuple[float, float]
    synonyms: float
    deviation: float
    words: int
    error: float
    curve: Curve
    models: tuple[ModelThreshold, ...]
    notes: tuple[str, ...] = ()

    def at(self, synonyms: float, deviation: float) -> tuple[float, tuple[float, float]]:
        """Threshold and interval for another number of synonyms."""
        return _read(self.curve, synonyms, deviation)

    def to_dicts(self, step: float = 0.01) -> list[dict[str, Any]]:
        """The curve from similarity 0 to 1."""
        values = np.arange(round(1 / step) + 1) * step
        return [
            {"similarity": round(value, 6), "neighbours": self.curve.neighbours(value)}
            for value in values.tolist()
        ]

    def records(self) -> list[dict[str, Any]]:
        return self.to_dicts()

    def _repr_html_(self) -> str:
        low, high = self.interval
        title = f"related from {self.threshold:.3f} on ({low:.3f} to {high:.3f})"
        return html_table(self.to_dicts(0.1), title, self.notes)


def threshold(
    vectors: WordVectors | Sequence[WordVectors],
    synonyms: float = SYNONYMS,
    deviation: float = DEVIATION,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Threshold:
    """The similarity above which a word has ``synonyms`` neighbours on average.

    ``vectors``: one set, or several models of the same words; what not all of them know is left
    out. ``synonyms`` and ``deviation`` are English; give those of another language by hand.
    ``sample``: look at the neighbours of only so many words, drawn at random with ``seed``; every
    word of the lexicon is still compared with each, and ``error`` says what the drawing costs.
    """
    models = [vectors] if isinstance(vectors, WordVectors) else list(vectors)
    check(len(models) >= 1, "vectors", "at least one set", len(models))
    check(synonyms > 0 and np.isfinite(synonyms), "synonyms", "above 0", synonyms)
    check(deviation >= 0 and np.isfinite(deviation), "deviation", "at least 0", deviation)
    check(sample is None or sample >= 2 * _GROUPS, "sample", f"at least {2 * _GROUPS}", sample)
    check(seed >= 0, "seed", "at least 0", seed)
    words, units, notes = shared_units(models)
    size = len(words)
    if size - 1 <= synonyms:
        raise InputError(
            f"{size} words are too few: none can have more than {synonyms:g} neighbours.",
            "Take a set with more words, or a smaller number of synonyms.",
        )
    if sample is None or sample >= size:
        whole, parts = tally_all(units, progress=progress), []
    else:
        drawn = np.random.default_rng(seed).permutation(size)[:sample]
        parts = tally_groups(units, np.array_split(drawn, _GROUPS), progress=progress)
        whole = _sum(parts)
    curve = _curve(whole)
    value, interval = _read(curve, synonyms, deviation)
    singles = [_read(_counted(counts, whole.rows), synonyms, deviation) for counts in whole.single]
    return Threshold(
        threshold=value,
        interval=interval,
        synonyms=synonyms,
        deviation=deviation,
        words=size,
        error=_error(parts, size, synonyms),
        curve=curve,
        models=tuple(
            ModelThreshold(model.name, model.dims, *found)
            for model, found in zip(models, singles, strict=True)
        ),
        notes=tuple(notes),
    )


def _read(curve: Curve, synonyms: float, deviation: float) -> tuple[float, tuple[float, float]]:
    low = curve.similarity(synonyms + deviation)
    high = curve.similarity(max(0.0, synonyms - deviation))
    return curve.similarity(synonyms), (low, high)


def _curve(counted: Tally) -> Curve:
    if len(counted.joint):
        return _normal(counted.joint, counted.rows)
    return _counted(counted.single[0], counted.rows)


def _counted(counts: NDArray[np.int64], rows: int) -> Curve:
    """Similarities as they are: how many lie above each edge."""
    above = np.append(np.cumsum(counts[::-1])[::-1], 0)
    return Curve(np.linspace(-1, 1, len(above)), above / rows)


def _normal(counts: NDArray[np.int64], rows: int) -> Curve:
    """Similarities as normal distributions: the sum of 1 − Φ((s − μ)/σ), a convolution for each σ.

    μ and σ are taken as the middles of their bins.
    """
    from scipy.signal import fftconvolve
    from scipy.special import ndtr

    means = counts.shape[1]
    edges = np.linspace(-1, 1, means + 1)
    # the distance from the middle of a bin of means to every edge, below and above
    apart = (np.arange(-means, means + 1) + 0.5) * (2 / means)
    expected = np.zeros(means + 1)
    for row in np.flatnonzero(counts.any(axis=1)).tolist():
        deviation = ((row + 0.5) / ROOTS) ** 2
        share = ndtr(-apart / deviation)
        whole = fftconvolve(counts[row].astype(np.float64), share)
        expected += whole[means - 1 : 2 * means]
    return Curve(edges, np.maximum.accumulate(np.maximum(expected, 0)[::-1])[::-1] / rows)


def _sum(parts: Sequence[Tally]) -> Tally:
    single = np.sum([part.single for part in parts], axis=0)
    joint = np.sum([part.joint for part in parts], axis=0)
    return Tally(single, joint, sum(part.rows for part in parts))


def _error(parts: Sequence[Tally], size: int, synonyms: float) -> float:
    """The jackknife's standard error: the threshold without each group in turn."""
    if not parts:
        return 0.0
    whole = _sum(parts)
    left = [
        Tally(whole.single - part.single, whole.joint - part.joint, whole.rows - part.rows)
        for part in parts
    ]
    values = np.array([_curve(one).similarity(synonyms) for one in left])
    unseen = 1 - whole.rows / size
    return float(np.sqrt((len(parts) - 1) * values.var() * unseen))
