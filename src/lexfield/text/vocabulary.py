"""The distinct words of a corpus: id ↔ word ↔ count, most frequent first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexfield.store.strings import StringArray


class Vocabulary:
    """Words by id. Ids are ordered by falling count, then alphabetically, whatever the order of the
    texts."""

    def __init__(self, words: StringArray, counts: NDArray[np.int64]) -> None:
        self.words = words
        self.counts = counts

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def id(self, word: str) -> int:
        """Return the id of a word, or -1 if it does not occur."""
        return self._ids.get(word, -1)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self):,} words, {int(self.counts.sum()):,} tokens>"
