"""What each word adds to the vector of a text.

Smooth inverse frequency (Arora, Liang and Ma, ICLR 2017): with p(w) the share of w among the words
of a language and c the direction of the text that is expected of it,

    weight(w) = a / (a + p(w)),   x = Σ_w count(w) weight(w) v(w),   vector = (x − (x·c) c) / |…|

    c ∝ Σ_w p(w) weight(w) v(w)

Both belong to a set of vectors, not to a collection, so that the vector of a text never changes. A
set that does not bring weights is usually sorted by frequency, and p follows from the ranks r by
the law of Zipf and Mandelbrot, p(r) ∝ 1 / (r + 2.7).

For the set of the package they were learned from what a sentence encoder says of many texts
(``LearnedContributions``): a linear map of a word's vector predicts the direction of what it adds.
The most frequent words have a code each of what the map misses: a byte stands for eight
neighbouring numbers of its column's table. Directions have length 1 and are multiplied by the
word's weight, stored in steps of a sixteenth of an octave. ``scripts/make_text_vectors.py`` learns
all this, and ``scripts/tune_text_vectors.py`` improves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.threads import single_thread
from lexfield.vectors.nearest import unit_rows

SMOOTHING = 1e-3  # a
_SHIFT = 2.7
_FEWEST = 1000  # words of a set that says something about frequency
_FIRST = 100  # words that are short if the frequent ones come first
_SHORT = 0.75  # of the mean length
_SORTED = 0.9  # share of neighbours in alphabetical order
_MOST = 50_000  # words that the common direction is computed from
STEPS = 16  # of learned weights, per octave


def weigh(frequencies: Array) -> NDArray[np.float32]:
    """Return the weight of each word from its share of all words."""
    weights: NDArray[np.float32] = (SMOOTHING / (SMOOTHING + frequencies)).astype(np.float32)
    return weights


def estimate_frequencies(words: Sequence[str]) -> NDArray[np.float64] | None:
    """Return each word's share of all words by its rank; None if words are in another order."""
    if not is_by_frequency(words):
        return None
    parts: NDArray[np.float64] = 1 / (np.arange(1, len(words) + 1) + _SHIFT)
    return np.asarray(parts / parts.sum())


def is_by_frequency(words: Sequence[str]) -> bool:
    """Do the frequent words come first? They are short, and not in the order of the alphabet."""
    if len(words) < _FEWEST:
        return False
    first = list(islice(words, _FEWEST))
    ascending = sum(a < b for a, b in pairwise(first)) / (len(first) - 1)
    length = sum(map(len, words)) / len(words)
    is_short = sum(map(len, first[:_FIRST])) / _FIRST < _SHORT * length
    return is_short and 1 - _SORTED < ascending < _SORTED


def find_common(frequencies: Array, matrix: Array) -> NDArray[np.float32]:
    """Return the direction of the expected text, of length 1; zero for a small set.

    It is found from the words that come first.
    """
    if len(matrix) < _FEWEST:
        return np.zeros(matrix.shape[1], np.float32)
    p = frequencies[:_MOST]
    with single_thread():  # the same bytes at any number of threads
        expected = (p * weigh(p)).astype(np.float32) @ matrix[:_MOST].astype(np.float32, copy=False)
    return (expected / (float(np.linalg.norm(expected)) or 1.0)).astype(np.float32)


def weigh_vectors(vectors: Array, frequencies: Array, common: Array) -> NDArray[np.float32]:
    """Return what words add to the vector of a text, from their shares of all words."""
    weights = weigh(frequencies)
    return np.asarray(weights[:, None] * remove_common(vectors, common), np.float32)


def remove_common(vectors: Array, common: Array) -> Array:
    """Return vectors without their part along the common direction."""
    without: Array = vectors - (vectors @ common)[..., None] * common
    return without


@dataclass(frozen=True)
class LearnedContributions:
    """The map, the codes of the first words, tables that decode them, and weights of all words."""

    map: NDArray[np.float16]
    codes: NDArray[np.uint8]  # words × columns
    tables: NDArray[np.float16]  # columns × 256 × dims / columns
    weights: NDArray[np.uint8]  # −16 log2

    @property
    def dims(self) -> int:
        return int(self.map.shape[1])

    @cached_property
    def _map(self) -> NDArray[np.float64]:
        return self.map.astype(np.float64)

    @cached_property
    def _tables(self) -> NDArray[np.float32]:
        return self.tables.astype(np.float32)

    def take(self, rows: Array, vectors: Array) -> NDArray[np.float16]:
        """Return the contributions of words, given by their rows and vectors.

        In double precision, so that the order of sums, which differs between processors, hardly
        ever changes what is rounded to half precision.
        """
        if not len(rows):
            return np.empty((0, self.dims), np.float16)
        with single_thread():  # the same bytes at any number of threads
            directions = vectors.astype(np.float64) @ self._map
        coded = rows < len(self.codes)
        missed = self._tables[np.arange(len(self.tables)), self.codes[rows[coded]]]
        directions[coded] += missed.reshape(-1, self.dims)
        weights = np.exp2(self.weights[rows].astype(np.float32) / -STEPS)
        return (weights[:, None] * unit_rows(directions)).astype(np.float16)
