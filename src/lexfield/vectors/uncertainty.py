"""How much models of one corpus disagree, by similarity (Rekabsaz, Lupu and Hanbury 2016).

    ϱ(s) = mean of |sim_M(x, y) − sim_P(x, y)|  over the pairs with  s < sim_M(x, y) ≤ s + ε

M and P are two models, here every ordered pair; x is one of 100 representative words and y any
other word of the lexicon. The paper uses the words of Schnabel et al., which cover all frequencies.
By default ours are spread evenly over the logarithm of the rank by frequency, since a vector set
lists its words by falling frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.vectors.models import Models

_WORDS = 10  # representative words per block


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Mean difference of two models over pairs in a step that starts at ``similarity``."""

    similarity: float
    uncertainty: float
    pairs: int


def uncertainty(
    models: Models,
    words: int | Sequence[str] = 100,
    *,
    step: float = 0.05,
    progress: Progress = silent,
) -> Table[Uncertainty]:
    """Return the curve ϱ(s); steps without a pair are left out.

    ``words``: the representative words, or how many to choose. ``step`` is ε.
    """
    if len(models) < 2:
        raise InputError("Uncertainty needs at least two models. Got one.", "Train several models.")
    check(0.001 <= step <= 1, "step", "between 0.001 and 1", step)
    rows = _find_rows(models, words)
    starts = range(0, len(rows), _WORDS)
    bins = int(np.ceil(2 / step))

    def compare_block(start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        own = rows[start : start + _WORDS]
        cosines = np.array([model.unit[own] @ model.unit.T for model in models], np.float64)
        other = np.ones(cosines.shape[1:], bool)
        other[np.arange(len(own)), own] = False
        return _bin_differences(cosines[:, other], step, bins)

    counts, sums = np.zeros(bins, np.int64), np.zeros(bins)
    for count, total in map_blocks(compare_block, starts, progress=progress):
        counts += count
        sums += total
    found = [
        Uncertainty(round(-1 + step * place, 6), float(sums[place] / counts[place]), count)
        for place, count in enumerate(counts.tolist())
        if count
    ]
    title = f"uncertainty of {len(models)} models of {models.dims} dimensions, {len(rows)} words"
    return Table(found, title, models.notes)


def choose_representative(size: int, count: int) -> NDArray[np.int64]:
    """Return rows spread evenly over the logarithm of the rank; all if there are no more."""
    if count >= size:
        return np.arange(size)
    rows = np.geomspace(1, size, count).astype(np.int64) - 1
    for place in range(1, count):  # the first ranks are close together: take the next free one
        rows[place] = max(rows[place], rows[place - 1] + 1)
    return rows


def _find_rows(models: Models, words: int | Sequence[str]) -> NDArray[np.int64]:
    if isinstance(words, int):
        check(words >= 1, "words", "at least 1", words)
        return choose_representative(len(models.words), words)
    known = [models[0].row(word) for word in words]
    if missing := [word for word, row in zip(words, known, strict=True) if row < 0]:
        raise InputError(f"The models lack {list_names(map(repr, missing))}.")
    check(len(known) >= 1, "words", "at least one", words)
    return np.array(known)


def _bin_differences(
    cosines: NDArray[np.float64], step: float, bins: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the number of pairs and the sum of differences per step of similarity."""
    counts, sums = np.zeros(bins, np.int64), np.zeros(bins)
    for first in range(len(cosines)):
        place = np.clip(np.ceil((cosines[first] + 1) / step).astype(np.int64) - 1, 0, bins - 1)
        for second in range(len(cosines)):
            if first != second:
                difference = np.abs(cosines[first] - cosines[second])
                counts += np.bincount(place, minlength=bins)
                sums += np.bincount(place, difference, minlength=bins)
    return counts, sums
