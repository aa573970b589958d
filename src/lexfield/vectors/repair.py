"""How a word that a set of vectors lacks is repaired.

Hare et al. do so before they give up on it. In order: as written; in lower case; without marks at
its ends; with 1 read as l; split at ``- _ . / : '`` into parts of which at least one is known. The
vector of a split word is the mean of the vectors of its known parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum

_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_SPLIT = re.compile(r"[-_./:'’]")


class WordMatch(IntEnum):
    """How the vector of a word was found."""

    UNKNOWN = 0
    EXACT = 1
    LOWER = 2
    TRIMMED = 3
    SPLIT = 4
    COMPOSED = 5  # from parts of the word, by fastText or an encoder


def repair(word: str, find_row: Callable[[str], int]) -> tuple[WordMatch, list[int]]:
    """Return how a word was found, and the rows whose mean is its vector.

    ``find_row`` returns -1 for a word that is not in the set.
    """
    if (row := find_row(word)) >= 0:
        return WordMatch.EXACT, [row]
    lower = word.lower()
    if (row := find_row(lower)) >= 0:
        return WordMatch.LOWER, [row]
    trimmed = _ENDS.sub("", lower)
    for form in (trimmed, trimmed.replace("1", "l")):
        if (row := find_row(form)) >= 0:
            return WordMatch.TRIMMED, [row]
    parts = _SPLIT.split(trimmed)
    known = [row for part in parts if part and (row := find_row(part)) >= 0]
    return (WordMatch.SPLIT, known) if len(parts) > 1 and known else (WordMatch.UNKNOWN, [])
