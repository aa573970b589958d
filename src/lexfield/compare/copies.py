"""Texts that are the same but for a heading, some names, upper case, or what surrounds them.

Two texts are copies if one has at least half of the other's sequences of five words, by which
Broder (1997) measures containment; the case of letters and punctuation do not count. Sequences that
more than ``_COMMON`` of the texts have are ignored: they belong to a licence or a form letter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from lexfield.progress import Progress, begin_stage, silent

_WORDS = 5
_SHARE = 0.5
_COMMON = 20
_WORD = re.compile(r"[^\W_]+")
Keys = NDArray[np.uint64]


class Sequences:
    """The sequences of words of known texts, each text being hashed once."""

    def __init__(self, known: Sequence[str], progress: Progress = silent) -> None:
        self._numbers: dict[str, int] = defaultdict(count().__next__)
        self._found = []
        begin_stage(progress, "looking for copies")
        for done, text in enumerate(known):
            progress(done, len(known))
            self._found.append(_hash_sequences(text, self._numbers))
        self._sizes = np.array([len(keys) for keys in self._found], np.int64)
        every = np.concatenate([*self._found, np.empty(0, np.uint64)])
        order = np.argsort(every, kind="stable")
        self._every = every[order]
        self._owners = np.repeat(np.arange(len(self._found)), self._sizes)[order]

    def find_copies(self, asked: Sequence[str] | None = None) -> list[tuple[int, ...]]:
        """Return the known texts that each text in question is a copy of, the most alike first; by
        default, of each known text, itself first."""
        copies = []
        hashed = (_hash_sequences(text, self._numbers) for text in asked or ())
        for row, keys in enumerate(self._found if asked is None else hashed):
            shared = _count_shared(keys, self._every, self._owners, len(self._found))
            share = shared / np.maximum(np.minimum(self._sizes, len(keys)), 1)
            if asked is None:
                share[row] = np.inf
            near = np.flatnonzero(share >= _SHARE)
            copies.append(tuple(near[np.argsort(-share[near], kind="stable")].tolist()))
        return copies


def find_copies(known: Sequence[str], asked: Sequence[str] | None = None) -> list[tuple[int, ...]]:
    """Return the known texts that each text in question is a copy of, the most alike first; by
    default, of each known text, itself first."""
    return Sequences(known).find_copies(asked)


def _hash_sequences(text: str, numbers: dict[str, int]) -> Keys:
    """Return the distinct sequences of words as numbers; of a very short text, the only one."""
    words = _WORD.findall(text.casefold())
    mixed = _mix(np.fromiter(map(numbers.__getitem__, words), np.uint64, len(words)))
    length = min(_WORDS, len(mixed))
    if not length:
        return np.empty(0, np.uint64)
    keys = np.zeros(len(mixed) - length + 1, np.uint64)
    for place in range(length):
        keys = _mix(keys + mixed[place : place + len(keys)])
    keys.sort()  # several times faster than np.unique
    return np.asarray(keys[np.append(True, keys[1:] != keys[:-1])])


def _mix(values: Keys) -> Keys:
    """Return well spread numbers (splitmix64, Steele et al. 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))


def _count_shared(
    keys: Keys, every: Keys, owners: NDArray[np.int64], texts: int
) -> NDArray[np.int64]:
    """Return how many of the sequences each known text has."""
    first, last = np.searchsorted(every, keys), np.searchsorted(every, keys, "right")
    times = np.where(last - first > _COMMON, 0, last - first)
    starts = np.repeat(first - np.append(0, np.cumsum(times)[:-1]), times)
    return np.bincount(owners[starts + np.arange(times.sum())], minlength=texts)
