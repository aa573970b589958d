"""Which rows of counts are pieces of known texts, known texts, and texts to score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Layout:
    """Which rows of counts are what; pieces of known texts come first.

    owners: the known text of each piece. labels: the author of each known text, as a number.
    texts, asked: the rows of the known texts and of the texts to score; one row can be several.
    left_out: for each text to score, the known texts that do not count for it.
    """

    owners: NDArray[np.int64]
    labels: NDArray[np.int64]
    texts: NDArray[np.int64]
    asked: NDArray[np.int64]
    left_out: Sequence[tuple[int, ...]]

    @property
    def pieces(self) -> slice:
        return slice(0, len(self.owners))

    @property
    def authors(self) -> int:
        return int(self.labels.max()) + 1

    @cached_property
    def groups(self) -> dict[tuple[int, ...], NDArray[np.int64]]:
        """The rows of the texts to score for which the same known texts do not count."""
        rows: dict[tuple[int, ...], list[int]] = {}
        for row, left in enumerate(self.left_out):
            rows.setdefault(left, []).append(row)
        return {left: np.array(mine, np.int64) for left, mine in rows.items()}

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """Texts to score × known texts: does it not count?"""
        found = np.zeros((len(self.left_out), len(self.labels)), bool)
        for left, rows in self.groups.items():
            found[rows[:, None], list(left)] = True
        return found

    def find_empty(self) -> NDArray[np.bool_]:
        """Return texts to score × authors: is no known text of the author left?"""
        is_theirs = np.eye(self.authors, dtype=np.int64)[self.labels]
        return np.asarray(~self.hidden @ is_theirs == 0)
