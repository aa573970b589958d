"""Set cover over shards: each gives the rows that could be chosen, and what the choice looks at.

Greedy choice over all rows picks the same rows as over any part of them that holds every pick.

- ``ideas``: the choice is among the rows with the highest sums of matches; of those of all shards
  together these are found again.
- ``setcover``: what a row gains depends on which target words it holds, and on nothing else.
  Of the rows that hold the same, the one with the highest |s|^-ρ is first, the next one comes only
  when that was taken; so the best k for every distinct set of words are enough, and k rounds over
  the shards cost one.

So a shard sends a few numbers and the query's own words for each row, no vectors and no texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.search.cover import CoverMethod
from lexfield.search.ideas import find_stopwords
from lexfield.search.lexicon import Lexicon
from lexfield.search.query import Query
from lexfield.search.rows import Rows
from lexfield.search.setcover import UnionCover
from lexfield.search.whole import Whole

Array = NDArray[Any]
Entries = tuple[Array, Array, Array]


def gather(
    method: CoverMethod, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None
) -> dict[str, Any]:
    """What a shard sends: its rows that could be among the ``k``, ascending."""
    balls, eligible = method.find_balls(rows, query), method.find_eligible(rows, allowed)
    words = np.unique(balls.words)
    cover = method.start(rows, query, balls, eligible, k)
    if isinstance(cover, UnionCover):
        chosen = _best_of_sets(method, rows, query, cover, k)
        copies = [False] * len(chosen)
    else:
        chosen = cover.candidates
        copies = [rows.is_copy(row, query.text, method.copies) for row in chosen.tolist()]
    products, lengths = rows.dots(chosen, query.mean())
    return {
        "rows": chosen.tolist(),
        "sizes": rows.sizes[chosen].tolist(),
        "set_sizes": rows.set_sizes[chosen].tolist(),
        "lengths": rows.lengths[chosen].tolist(),
        "products": products.tolist(),
        "norms": lengths.tolist(),
        "copies": copies,
        "held": _held(rows, chosen, words, sorted(find_stopwords(rows, query))),
    }


def _held(rows: Rows, chosen: Array, words: Array, stopwords: list[int]) -> list[list[int]]:
    """Which of the words and stopwords each chosen row holds."""
    held: list[list[int]] = [[] for _ in chosen]
    place = np.full(len(rows), -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    sizes, row = rows.postings_of(words)
    inside = place[row] >= 0
    for number, word in zip(
        place[row[inside]].tolist(), np.repeat(words, sizes)[inside].tolist(), strict=True
    ):
        held[number].append(word)
    if stopwords:
        where, what = rows.tokens_of(chosen)
        keep = np.isin(what, stopwords)
        pairs = np.unique(np.column_stack([where[keep], what[keep]]), axis=0)
        for number, word in pairs.tolist():
            held[number].append(word)
    return held


def _best_of_sets(
    method: CoverMethod, rows: Rows, query: Query, cover: UnionCover, k: int
) -> Array:
    """Of the rows that hold the same target words the best ``k`` that are no copies."""
    touched = cover.candidates
    if not len(touched):
        return touched
    bits = np.zeros((len(touched), len(cover.postings)), bool)
    place = np.full(len(rows), -1, np.int64)
    place[touched] = np.arange(len(touched))
    for number, own in enumerate(cover.postings.values()):
        at = place[own]
        bits[at[at >= 0], number] = True
    sets = np.unique(np.packbits(bits, axis=1), axis=0, return_inverse=True)[1].ravel()
    scale = cover.scale
    order = np.lexsort((touched, -scale, sets))
    chosen: list[int] = []
    current, count = -1, 0
    for number in order.tolist():
        if sets[number] != current:
            current, count = int(sets[number]), 0
        row = int(touched[number])
        if count < k and not rows.is_copy(row, query.text, method.copies):
            chosen.append(row)
            count += 1
    return np.array(sorted(chosen), np.int64)


class GatheredRows(Rows):
    """The rows that all shards gave for one query, in order: to run the choice over."""

    def __init__(
        self,
        parts: Sequence[dict[str, Any]],
        firsts: Sequence[int],
        unit: str,
        lexicon: Lexicon,
        whole: Whole,
        entries: Callable[[int], Entries],
    ) -> None:
        self.lexicon, self.whole, self.unit = lexicon, whole, unit
        self._fetch = entries
        self._cache = {}
        self.numbers = np.concatenate(
            [
                np.array(part["rows"], np.int64) + first
                for part, first in zip(parts, firsts, strict=True)
            ]
        )

        def joined(name: str, kind: Any) -> Array:
            return np.concatenate([np.array(part[name], kind) for part in parts])

        self.__dict__["sizes"] = joined("sizes", np.int32)
        self.__dict__["set_sizes"] = joined("set_sizes", np.int32)
        self.__dict__["lengths"] = joined("lengths", np.int32)
        self._products, self._norms = joined("products", np.float64), joined("norms", np.float64)
        self._copies = joined("copies", bool)
        self._held = [words for part in parts for words in part["held"]]
        self._holding: dict[int, list[int]] = {}
        for row, words in enumerate(self._held):
            for word in words:
                self._holding.setdefault(word, []).append(row)

    def __len__(self) -> int:
        return len(self.numbers)

    def dots(self, chosen: Array, vector: NDArray[np.float32]) -> tuple[Array, Array]:
        return self._products[chosen].copy(), self._norms[chosen].copy()

    def postings_of(self, words: Array) -> tuple[Array, Array]:
        lists = [self._holding.get(word, []) for word in words.tolist()]
        sizes = np.array([len(rows) for rows in lists], np.int64)
        return sizes, np.array([row for rows in lists for row in rows], np.int32)

    def postings(self, word: int) -> tuple[Array, Array]:
        rows = np.array(self._holding.get(word, []), np.int32)
        return rows, np.ones(len(rows), np.int32)

    def words_of(self, row: int) -> Array:
        return np.array(sorted(self._held[row]), np.int32)

    def all_words_of(self, row: int) -> Array:
        return self.words_of(row)

    def tokens_of(self, chosen: Array) -> tuple[Array, Array]:
        held = [self._held[row] for row in chosen.tolist()]
        places = np.repeat(np.arange(len(held)), [len(words) for words in held])
        return places, np.array([word for words in held for word in words], np.int32)

    def is_copy(self, row: int, text: str, edits: int) -> bool:
        return bool(self._copies[row])

    def entries(self, row: int) -> Entries:
        return self._fetch(int(self.numbers[row]))
