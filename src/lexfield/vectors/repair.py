"""Words that a vector set lacks, mended the way Hare et al. do before they are given up.

In order: as written; in lower case; without marks at its ends; with 1 read as l; split at
``- _ . / : '`` into parts of which at least one is known. The vector of a split word is the mean of
its known parts'.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum

_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_SPLIT = re.compile(r"[-_./:'’]")


class How(IntEnum):
    """How a word got its vector."""

    UNKNOWN = 0
    EXACT = 1
    LOWER = 2
    TRIMMED = 3
    SPLIT = 4
    COMPOSED = 5  # from parts of the word, by a set that can (fastText) or an encoder


def repair(word: str, row: Callable[[str], int]) -> tuple[How, list[int]]:
    """How a word is found, and the rows whose mean is its vector; ``row`` gives -1 for none."""
    if (found := row(word)) >= 0:
        return How.EXACT, [found]
    lower = word.lower()
    if (found := row(lower)) >= 0:
        return How.LOWER, [found]
    trimmed = _ENDS.sub("", lower)
    for form in (trimmed, trimmed.replace("1", "l")):
        if (found := row(form)) >= 0:
            return How.TRIMMED, [found]
    parts = _SPLIT.split(trimmed)
    known = [found for part in parts if part and (found := row(part)) >= 0]
    return (How.SPLIT, known) if len(parts) > 1 and known else (How.UNKNOWN, [])
