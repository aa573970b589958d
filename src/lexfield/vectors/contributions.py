"""What words add to the vectors of texts, learned from what a sentence encoder says of many texts.

A linear map of a word's vector predicts the direction of what it adds. The most frequent words have
a code each of what the map misses: a byte stands for eight neighbouring numbers of its column's
table. Directions have length 1 and are multiplied by the word's weight, stored in steps of a
sixteenth of an octave. ``scripts/make_text_vectors.py`` learns all this.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.threads import single_thread
from lexfield.vectors.nearest import unit_rows

STEPS = 16  # of weights, per octave


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
    def _map(self) -> NDArray[np.float32]:
        return self.map.astype(np.float32)

    def take(self, rows: Array, vectors: Array) -> NDArray[np.float16]:
        """Return the contributions of words, given by their rows and vectors."""
        with single_thread():  # the same bytes at any number of threads
            directions = vectors.astype(np.float32) @ self._map
        coded = rows < len(self.codes)
        missed = self.tables[np.arange(len(self.tables)), self.codes[rows[coded]]]
        directions[coded] += missed.reshape(-1, self.dims)
        weights = np.exp2(self.weights[rows].astype(np.float32) / -STEPS)
        return (weights[:, None] * unit_rows(directions)).astype(np.float16)
