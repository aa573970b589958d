"""The words that several sets of vectors share, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.vectors.wordvectors import WordVectors


def shared_units(
    models: Sequence[WordVectors],
) -> tuple[Sequence[str], list[NDArray[np.float32]], list[str]]:
    """Words that all sets know, in the order of the first; their unit vectors in each; notes."""
    first, *others = models
    if not others:
        return first.words, [first.unit], []
    words = [word for word in first.words if all(word in other for other in others)]
    if not words:
        raise InputError(
            f"The {len(models)} sets of vectors have no word in common.",
            "Give models of the same words.",
        )
    most = max(map(len, models))
    left = most - len(words)
    notes = [f"{left:,} of {most:,} words are not in all sets and are left out"] if left else []
    units = [model.unit[[model.row(word) for word in words]] for model in models]
    return words, units, notes
