"""Histograms of the similarities of all pairs of words.

With several models, pairs are also counted by the mean and the deviation over the models. Products
are computed in blocks on all cores and only counts are kept, so memory does not grow with the
number of pairs. A similarity is known up to the width of its bin: see ``BINS``, ``MEANS``,
``ROOTS``.
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
from lexfield.progress import Progress, silent

BINS = 20_000  # of the similarities of one model: 0.0001 wide
MEANS = 4_000  # of means over models: 0.0005 wide
ROOTS = 512  # a deviation σ is in bin ⌊512·√σ⌋: at σ = 0.04 a bin is 2% of σ wide
DEVIATIONS = 640  # bins: σ up to 1.56; cosines deviate by √2 at most
_ROWS, _COLUMNS = 512, 4096  # words per block: 8 MB of products per model


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
