"""Set cover over a collection in parts: what a part sends, and the rows that all parts sent.

Greedy choice over all rows picks the same rows as over any part of them that holds every pick.

- ``ideas``: the choice is among the rows with the highest sums of matches, which are found again
  among the candidates of all parts.
- ``setcover``: what a row gains depends only on which target words it holds. Of the rows that
  hold the same, the one with the highest |s|^-ρ is first, and the next one comes only when that was
  taken; so the best k for every distinct set of words are enough.

So a part sends a few numbers and the query's own words for each row, no vectors and no texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search.in_parts import Entries, Parts


def describe_candidates(
    rows: Rows, query: Query, chosen: Array, words: Array, stopwords: list[int], copies: int
) -> JsonObject:
    """Return what a choice among rows looks at, as JSON.

    ``words`` and ``stopwords`` are those that can be covered; a row fewer than ``copies`` edits
    from the query is a copy.
    """
    products, lengths = rows.dots(chosen, query.mean())
    return {
        "rows": chosen.tolist(),
        "sizes": rows.sizes[chosen].tolist(),
        "set_sizes": rows.set_sizes[chosen].tolist(),
        "lengths": rows.lengths[chosen].tolist(),
        "products": products.tolist(),
        "norms": lengths.tolist(),
        "copies": [rows.is_copy(row, query.text, copies) for row in chosen.tolist()],
        "held": _held(rows, chosen, words, stopwords),
    }


def _held(rows: Rows, chosen: Array, words: Array, stopwords: list[int]) -> list[list[int]]:
    """Return which of the words and stopwords each chosen row holds."""
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


def best_of_sets(
    rows: Rows,
    query: Query,
    touched: Array,
    postings: Mapping[int, Array],
    penalty: float,
    copies: int,
    k: int,
) -> Array:
    """Return, of the rows that hold the same target words, the best ``k`` that are no copies."""
    if not len(touched):
        return touched
    bits = np.zeros((len(touched), len(postings)), bool)
    place = np.full(len(rows), -1, np.int64)
    place[touched] = np.arange(len(touched))
    for number, own in enumerate(postings.values()):
        at = place[own]
        bits[at[at >= 0], number] = True
    sets = np.unique(np.packbits(bits, axis=1), axis=0, return_inverse=True)[1].ravel()
    scale = rows.sizes[touched].astype(np.float64) ** -penalty
    order = np.lexsort((touched, -scale, sets))
    chosen: list[int] = []
    current, count = -1, 0
    for number in order.tolist():
        if sets[number] != current:
            current, count = int(sets[number]), 0
        row = int(touched[number])
        if count < k and not rows.is_copy(row, query.text, copies):
            chosen.append(row)
            count += 1
    return np.array(sorted(chosen), np.int64)


class GatheredRows(Rows):
    """The candidates that all parts sent for one query, in order, to run the choice over."""

    def __init__(self, parts: Parts) -> None:
        super().__init__([], parts.lexicon, parts.unit, np.empty(0, bool), parts.statistics)
        self._fetch = parts.entries
        self.numbers = np.concatenate(
            [
                np.array(part["rows"], np.int64) + first
                for part, first in zip(parts.answers, parts.firsts, strict=True)
            ]
        )

        def join(name: str, kind: Any) -> Array:
            return np.concatenate([np.array(part[name], kind) for part in parts.answers])

        self.sizes = join("sizes", np.int32)
        self.set_sizes = join("set_sizes", np.int32)
        self.lengths = join("lengths", np.int32)
        self._products, self._norms = join("products", np.float64), join("norms", np.float64)
        self._copies = join("copies", bool)
        self._held = [words for part in parts.answers for words in part["held"]]
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
