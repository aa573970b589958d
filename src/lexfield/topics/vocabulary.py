"""Which words a topic model is told of: the filters of Krstovski et al., section 3.2.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Words that are too rare, too frequent, too short or numbers say little of a topic.

    min_count, max_count: occurrences in all documents. max_share: of the documents.
    min_length: characters. (The paper's: 1,000 and 350,000 occurrences in 1.6 million patents, at
    least four characters, no numbers.)
    """

    min_count: int = 5
    max_count: int | None = None
    max_share: float = 0.5
    min_length: int = 4

    def __post_init__(self) -> None:
        check(self.min_count >= 1, "min_count", "at least 1", self.min_count)
        check(0 < self.max_share <= 1, "max_share", "over 0 and up to 1", self.max_share)
        check(self.min_length >= 1, "min_length", "at least 1", self.min_length)
        if self.max_count is not None:
            check(
                self.max_count >= self.min_count,
                "max_count",
                f"at least min_count, {self.min_count}",
                self.max_count,
            )

    def kept(self, counts: csr_matrix, words: Sequence[str]) -> NDArray[np.int64]:
        """Columns of a matrix of counts (documents × words) that pass."""
        occurrences = np.asarray(counts.sum(axis=0)).ravel()
        documents = np.bincount(counts.indices, minlength=len(words))
        well: NDArray[Any] = (occurrences >= self.min_count) & (
            documents <= self.max_share * counts.shape[0]
        )
        if self.max_count is not None:
            well &= occurrences <= self.max_count
        named = [
            len(word) >= self.min_length and any(letter.isalpha() for letter in word)
            for word in words
        ]
        return np.flatnonzero(well & np.array(named, bool))
