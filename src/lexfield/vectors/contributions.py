"""What words add to the vectors of texts, learned from what a sentence encoder says of many texts.

The most frequent words have a code each: a byte stands for four neighbouring numbers of the table
of its column. The others follow from their vectors by a linear map. Directions have length 1 and are
multiplied by the word's weight. ``scripts/make_text_vectors.py`` learns them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.vectors.nearest import unit_rows


@dataclass(frozen=True)
class LearnedContributions:
    """Codes of the first words, tables that decode them, the map of vectors, and all weights."""

    codes: NDArray[np.uint8]  # words × dims / 4
    tables: NDArray[np.float16]  # dims / 4 × 256 × 4
    map: NDArray[np.float16]
    weights: NDArray[np.float16]

    @property
    def dims(self) -> int:
        return int(self.map.shape[1])

    def take(self, rows: Array, vectors: Array) -> NDArray[np.float16]:
        """Return the contributions of words, given by their rows and vectors."""
        coded = rows < len(self.codes)
        directions = np.empty((len(rows), self.dims), np.float32)
        columns = np.arange(len(self.tables))
        chosen = self.tables[columns, self.codes[rows[coded]]]
        directions[coded] = chosen.reshape(-1, self.dims)
        directions[~coded] = vectors[~coded] @ self.map.astype(np.float32)
        weights = self.weights[rows].astype(np.float32)
        return (weights[:, None] * unit_rows(directions)).astype(np.float16)
