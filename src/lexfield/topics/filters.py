"""Which words a topic model is fitted to: the filters of Krstovski et al., section 3.2.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Leave out words that say little about topics: rare, frequent or short words, and numbers.

    min_count, max_count: occurrences in all documents. max_share: of the documents.
    min_length: characters. (The paper has 1,000 and 350,000 occurrences in 1.6 million patents, at
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
            expected = f"at least min_count, {self.min_count}"
            check(self.max_count >= self.min_count, "max_count", expected, self.max_count)

    def select(self, counts: csr_matrix, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the columns of counts (documents × words) that pass."""
        occurrences = np.asarray(counts.sum(axis=0)).ravel()
        documents = np.bincount(counts.indices, minlength=len(words))
        passes = (occurrences >= self.min_count) & (documents <= self.max_share * counts.shape[0])
        if self.max_count is not None:
            passes &= occurrences <= self.max_count
        is_word = [
            len(word) >= self.min_length and any(letter.isalpha() for letter in word)
            for word in words
        ]
        return np.flatnonzero(passes & np.array(is_word, bool))
