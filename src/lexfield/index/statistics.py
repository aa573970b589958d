"""What search methods ask about the collection as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Key = tuple[str | int, ...]  # what is counted, such as ("gram", "at", "sea")


@dataclass
class Statistics:
    """Counts over all rows of a collection that were not deleted.

    Rows that are a part of a larger collection carry the statistics of all of it, so that their
    scores are those that they have there.
    """

    rows: int
    tokens: int
    holding: NDArray[np.int64]  # rows that hold each word of the lexicon
    fields: frozenset[str] = frozenset()  # metadata that only other parts of the collection have

    def count(self, key: Key, holding: int, total: int) -> tuple[int, int]:
        """Return how many rows of the collection hold something, and how often in all.

        ``holding`` and ``total`` are the same counts in the rows that ask.
        """
        return holding, total
