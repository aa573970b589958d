"""The similarity above which words count as related (Rekabsaz, Lupu and Hanbury 2016).

A word has few true synonyms: 1.6 on average in WordNet, with a deviation of 3.1. The threshold is
the similarity above which a word of the lexicon has 1.6 neighbours on average; the ends of the
interval correspond to a deviation more and a deviation fewer (but at least none).

With one model the expected number of neighbours above s is a count. With several models of the same
words a similarity is normally distributed, with the mean μ and the deviation σ over the models, and
the expected number is the sum of 1 − Φ((s − μ)/σ) over all other words.

Similarities of all pairs are computed in blocks and counted in bins (with several models also by
mean and deviation over the models), so memory does not grow with their number. A similarity is
known up to the width of its bin: see ``BINS``, ``MEANS``, ``ROOTS``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError, UnknownWordError
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.results import Frames, html_table
from lexfield.vectors.models import align_units
from lexfield.vectors.wordvectors import WordVectors

SYNONYMS, DEVIATION, TERMS = 1.6, 3.1, 147_306  # Rekabsaz et al., from WordNet
_GROUPS = 20  # parts of a sample, to estimate its error
BINS = 20_000  # of the similarities of one model: 0.0001 wide
MEANS = 4_000  # of means over models: 0.0005 wide
ROOTS = 512  # a deviation σ is in bin ⌊512·√σ⌋: at σ = 0.04 a bin is 2% of σ wide
DEVIATIONS = 640  # bins: σ up to 1.56; cosines deviate by √2 at most
_ROWS, _COLUMNS = 512, 4096  # words per block: 8 MB of products per model


@dataclass(frozen=True)
class NeighbourCurve:
    """Expected number of neighbours at the edges of similarity bins; linear in between."""

    edges: NDArray[np.float64]
    expected: NDArray[np.float64]

    def neighbours(self, similarity: float) -> float:
        """Return the expected number of neighbours above a similarity."""
        return float(np.interp(similarity, self.edges, self.expected))

    def similarity(self, neighbours: float) -> float:
        """Return the lowest similarity above which at most ``neighbours`` are expected."""
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

    error: the standard error due to sampling words; 0 without a sample.
    """

    threshold: float
    interval: tuple[float, float]
    synonyms: float
    deviation: float
    words: int
    error: float
    curve: NeighbourCurve
    models: tuple[ModelThreshold, ...]
    notes: tuple[str, ...] = ()

    def at(self, synonyms: float, deviation: float) -> tuple[float, tuple[float, float]]:
        """Return threshold and interval for another number of synonyms."""
        return _read(self.curve, synonyms, deviation)

    def to_dicts(self, step: float = 0.01) -> list[dict[str, float]]:
        """Return the curve from similarity 0 to 1."""
        values = np.arange(round(1 / step) + 1) * step
        return [
            {"similarity": round(value, 6), "neighbours": self.curve.neighbours(value)}
            for value in values.tolist()
        ]

    def _repr_html_(self) -> str:
        low, high = self.interval
        title = f"related from {self.threshold:.3f} on ({low:.3f} to {high:.3f})"
        return html_table(self.to_dicts(0.1), title, self.notes)


def threshold(
    vectors: WordVectors | Iterable[WordVectors],
    synonyms: float = SYNONYMS,
    deviation: float = DEVIATION,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Threshold:
    """Return the similarity above which a word has ``synonyms`` neighbours on average.

    ``vectors``: one set, or several models of the same words; words that one of them lacks are left
    out. The defaults of ``synonyms`` and ``deviation`` are those of English.
    ``sample``: count the neighbours of only this many words, drawn at random with ``seed``. Each is
    still compared with the whole lexicon; ``error`` estimates the sampling error.
    """
    models = [vectors] if isinstance(vectors, WordVectors) else list(vectors)
    words, units, notes = align_units(models)
    size = len(words)
    if size - 1 <= synonyms:
        raise InputError(
            f"{size} words are too few: none can have more than {synonyms:g} neighbours.",
            "Choose a set with more words, or a smaller number of synonyms.",
        )
    if sample is None or sample >= size:
        total, parts = tally_all(units, progress=progress), []
    else:
        drawn = np.random.default_rng(seed).permutation(size)[:sample]
        parts = tally_groups(units, np.array_split(drawn, _GROUPS), progress=progress)
        total = add_tallies(parts, len(units))
    curve = _build_curve(total)
    value, interval = _read(curve, synonyms, deviation)
    singles = [_count_above(counts, total.rows) for counts in total.single]
    return Threshold(
        threshold=value,
        interval=interval,
        synonyms=synonyms,
        deviation=deviation,
        words=size,
        error=_estimate_error(parts, total, size, synonyms),
        curve=curve,
        models=tuple(
            ModelThreshold(model.name, model.dims, *_read(single, synonyms, deviation))
            for model, single in zip(models, singles, strict=True)
        ),
        notes=tuple(notes),
    )


def word_curve(vectors: WordVectors | Iterable[WordVectors], word: str) -> NeighbourCurve:
    """Return the expected number of neighbours of one word above every similarity."""
    models = [vectors] if isinstance(vectors, WordVectors) else list(vectors)
    words, units, _ = align_units(models)
    if word not in words:
        raise UnknownWordError(f"The vectors have no word {word!r}.", "Choose another word.")
    return _build_curve(_tally(units, np.array([list(words).index(word)]), half=False))


def read_threshold(cosines: Array, rows: int) -> float:
    """Return the threshold from the highest cosines of ``rows`` words with all others.

    All that are at least as high as the threshold must be among them.
    """
    bins = np.clip(((cosines + 1.0) * (0.5 * BINS)).astype(np.int64), 0, BINS - 1)
    return _count_above(np.bincount(bins, minlength=BINS), rows).similarity(SYNONYMS)


def _read(
    curve: NeighbourCurve, synonyms: float, deviation: float
) -> tuple[float, tuple[float, float]]:
    low = curve.similarity(synonyms + deviation)
    high = curve.similarity(max(0.0, synonyms - deviation))
    return curve.similarity(synonyms), (low, high)


def _build_curve(counted: Tally) -> NeighbourCurve:
    if len(counted.joint):
        return _sum_normals(counted.joint, counted.rows)
    return _count_above(counted.single[0], counted.rows)


def _count_above(counts: NDArray[np.int64], rows: int) -> NeighbourCurve:
    """Return the number of similarities above each edge, per word."""
    above = np.append(np.cumsum(counts[::-1])[::-1], 0)
    return NeighbourCurve(np.linspace(-1, 1, len(above)), above / rows)


def _sum_normals(counts: NDArray[np.int64], rows: int) -> NeighbourCurve:
    """Return the sum of 1 − Φ((s − μ)/σ) per word: a convolution for each σ.

    μ and σ are the middles of their bins.
    """
    from scipy.signal import fftconvolve
    from scipy.special import ndtr

    means = counts.shape[1]
    edges = np.linspace(-1, 1, means + 1)
    # The distance from the middle of a bin of means to every edge, below and above.
    offsets = (np.arange(-means, means + 1) + 0.5) * (2 / means)
    expected = np.zeros(means + 1)
    for row in np.flatnonzero(counts.any(axis=1)).tolist():
        deviation = ((row + 0.5) / ROOTS) ** 2
        share = ndtr(-offsets / deviation)
        convolved = fftconvolve(counts[row].astype(np.float64), share)
        expected += convolved[means - 1 : 2 * means]
    return NeighbourCurve(edges, np.maximum.accumulate(np.maximum(expected, 0)[::-1])[::-1] / rows)


def _estimate_error(parts: Sequence[Tally], total: Tally, size: int, synonyms: float) -> float:
    """Return the jackknife standard error: the threshold without each group in turn."""
    if not parts:
        return 0.0
    without = [
        Tally(total.single - part.single, total.joint - part.joint, total.rows - part.rows)
        for part in parts
    ]
    values = np.array([_build_curve(tally).similarity(synonyms) for tally in without])
    unseen = 1 - total.rows / size
    return float(np.sqrt((len(parts) - 1) * values.var() * unseen))


@dataclass(frozen=True)
class Tally:
    """Counts of similarities of words to all other words.

    single: per model and bin of similarity, from −1 to 1.
    joint: per bin of deviation and bin of mean; empty with one model.
    rows: the number of words whose neighbours were counted.
    """

    single: NDArray[np.int64]
    joint: NDArray[np.int64]
    rows: int


def tally_all(units: Sequence[NDArray[np.float32]], *, progress: Progress = silent) -> Tally:
    """Count all pairs of rows; ``units`` has a matrix per model, with rows of unit length."""
    size = len(units[0])

    def tally_strip(start: int) -> Tally:
        return _tally(units, np.arange(start, min(start + _ROWS, size)), half=True)

    strips = map_blocks(tally_strip, range(0, size, _ROWS), progress=progress)
    half = add_tallies(strips, len(units))
    return Tally(2 * half.single, 2 * half.joint, size)  # each pair makes two words neighbours


def tally_groups(
    units: Sequence[NDArray[np.float32]],
    groups: Sequence[NDArray[np.int64]],
    *,
    progress: Progress = silent,
) -> list[Tally]:
    """Count the pairs of each group of rows with all other rows."""

    def tally_group(rows: NDArray[np.int64]) -> Tally:
        parts = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
        return add_tallies((_tally(units, part, half=False) for part in parts), len(units))

    return list(map_blocks(tally_group, groups, progress=progress))


def add_tallies(parts: Iterable[Tally], models: int) -> Tally:
    single, joint = _empty(models)
    rows = 0
    for part in parts:
        single += part.single
        joint += part.joint
        rows += part.rows
    return Tally(single, joint, rows)


def _empty(models: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    single = np.zeros((models, BINS), np.int64)
    return single, np.zeros((DEVIATIONS if models > 1 else 0, MEANS), np.int64)


def _tally(units: Sequence[NDArray[np.float32]], rows: NDArray[np.int64], *, half: bool) -> Tally:
    """Count pairs of some rows with the rows after each (``half``) or with all others."""
    single, joint = _empty(len(units))
    left = [unit[rows] for unit in units]
    for start in range(int(rows[0]) if half else 0, len(units[0]), _COLUMNS):
        scores = np.stack(
            [own @ unit[start : start + _COLUMNS].T for own, unit in zip(left, units, strict=True)]
        )
        for model, counts in enumerate(single):
            _count(scores[model], rows - start, half, counts)
        if len(joint):
            _count_joint(scores, rows - start, half, joint)
    return Tally(single, joint, len(rows))


@kernel
def _count(scores: Array, own: Array, half: bool, counts: Array) -> None:
    """Add similarities to bins; ``own[i]`` is the column of row i itself."""
    last = len(counts) - 1
    scale = 0.5 * len(counts)
    for i in range(scores.shape[0]):
        for j in range(max(0, own[i] + 1) if half else 0, scores.shape[1]):
            if j != own[i]:
                counts[min(max(int((scores[i, j] + 1.0) * scale), 0), last)] += 1


@kernel
def _count_joint(scores: Array, own: Array, half: bool, counts: Array) -> None:
    """Add pairs to bins of mean and (sample) deviation over the models."""
    models = scores.shape[0]
    last_deviation, last_mean = counts.shape[0] - 1, counts.shape[1] - 1
    scale = 0.5 * counts.shape[1]
    for i in range(scores.shape[1]):
        for j in range(max(0, own[i] + 1) if half else 0, scores.shape[2]):
            if j == own[i]:
                continue
            mean = 0.0
            for m in range(models):
                mean += scores[m, i, j]
            mean /= models
            squares = 0.0
            for m in range(models):
                squares += (scores[m, i, j] - mean) ** 2
            deviation = sqrt(squares / (models - 1))
            row = min(int(sqrt(deviation) * ROOTS), last_deviation)
            counts[row, min(max(int((mean + 1.0) * scale), 0), last_mean)] += 1
