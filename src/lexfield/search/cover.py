"""What ``setcover`` and ``ideas`` share: the words to be covered, and greedy choice of rows.

The ball of a query word is the r nearest words among the words of the index, without stopwords.
Both methods choose one row after another, the one that gains most now.

Where a collection is searched in parts, greedy choice over all rows picks the same rows as over any
subset that holds every pick.

- ``ideas``: the choice is among the rows with the highest sums of matches, which are found again
  among the candidates of all parts.
- ``setcover``: what a row gains depends only on which target words it holds. Of the rows that
  hold the same, the one with the highest |s|^-ρ is first, and the next one comes only when that was
  taken; so the best k for every distinct set of words are enough.

So a part sends a few numbers and the query's own words for each row, no vectors and no texts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.results import JsonObject, pluralise
from lexfield.search.in_parts import Entries, Parts
from lexfield.search.method import Mask


@dataclass(frozen=True)
class BallEntries:
    """Entry e is the word ``words[e]``, which covers the query word ``places[e]``."""

    places: Array
    words: Array
    cosines: Array
    distances: Array


class Cover(Protocol):
    """The state of a greedy choice: what each row would gain now."""

    is_fresh: bool  # nothing has been covered yet

    def find_best(self) -> tuple[int, float, bool]:
        """Return the best row (-1 for none), its gain, and whether anything is left to cover."""

    def drop(self, row: int) -> None:
        """Never choose this row again."""

    def take(self, row: int) -> list[tuple[int, float]]:
        """Cover what a row holds. Return the ball entries it covers and the gain of each."""

    def restart(self) -> None:
        """Cover nothing; rows that were dropped stay dropped."""

    def explain(self, row: int, gains: list[tuple[int, float]]) -> list[Reason]:
        """Return the reasons for a row, given what ``take`` returned."""


class CoverMethod(ABC):
    """The base of ``setcover`` and ``ideas``."""

    r: int
    own = True
    min_tokens: int
    exhausted = "again"
    copies = 4  # rows with fewer edits than this from the query repeat it and are not returned
    uses_vectors = True

    @abstractmethod
    def start(self, rows: Rows, query: Query, balls: BallEntries, eligible: Mask, k: int) -> Cover:
        """Return the state before the first of ``k`` rows is chosen."""

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        balls, eligible = self.find_balls(rows, query), self.find_eligible(rows, among)
        cover = self.start(rows, query, balls, eligible, k)
        chosen: list[int] = []
        scores: list[float] = []
        gains: list[list[tuple[int, float]]] = []
        ends: list[int] = []  # rows after which every word was covered
        while len(chosen) < k:
            row, score, is_open = cover.find_best()
            if row < 0:
                break
            if not is_open and not cover.is_fresh:
                ends.append(len(chosen))
                if self.exhausted == "stop":
                    break
                cover.restart()
                continue
            cover.drop(row)
            if not rows.is_copy(row, query.text, self.copies):
                chosen.append(row)
                scores.append(score)
                gains.append(cover.take(row))

        def explain(number: int) -> Explanation:
            covered = {
                int(balls.places[entry]) for some in gains[: number + 1] for entry, _ in some
            }
            facts = {"uncovered": _list_uncovered(query, covered)}
            return Explanation(cover.explain(chosen[number], gains[number]), True, facts)

        notes = _describe_ends(query, ends)
        if len(chosen) < k and len(balls.words) and eligible.any():
            covering = pluralise(len(chosen), "row covers", "rows cover")
            notes.append(f"only {covering} any part of the query")
        return Found(chosen, scores, explain, notes)

    def merge(self, parts: Parts, query: Query, k: int) -> Found:
        """Choose among the candidates of all parts."""
        rows = GatheredRows(parts)
        found = self.search(rows, query, k, None)
        found.rows = rows.numbers[found.rows].tolist()
        return found

    def find_eligible(self, rows: Rows, among: Mask | None) -> Mask:
        """Return the rows that are long enough."""
        least = self.min_tokens
        eligible: Mask = rows.cached(f"at least {least} tokens", lambda r: r.lengths >= least)
        return eligible if among is None else eligible & among

    def find_balls(self, rows: Rows, query: Query) -> BallEntries:
        """Return the ball of every query word, the word itself first, without stopwords."""
        lexicon = rows.lexicon
        balls = []
        for word, vector, known in zip(query.ids.tolist(), query.vectors, query.known, strict=True):
            ball = lexicon.ball(word, vector, self.r) if known else np.empty(0, np.int32)
            ball = ball[lexicon.content[ball]]
            balls.append(np.append(np.int32(word), ball) if self.own and word >= 0 else ball)
        sizes = np.array([len(ball) for ball in balls], np.int64)
        places = np.repeat(np.arange(len(balls)), sizes)
        words = np.concatenate([np.empty(0, np.int32), *balls])
        own = query.vectors[places].astype(np.float64)
        others = lexicon.vectors[words].astype(np.float64)
        lengths = np.linalg.norm(own, axis=1) * np.linalg.norm(others, axis=1)
        cosines = np.einsum("ij,ij->i", own, others) / np.where(lengths > 0, lengths, 1)
        same = query.ids[places] == words  # a word covers itself even if it has no vector
        distances = np.linalg.norm(own - others, axis=1)
        return BallEntries(places, words, np.where(same, 1.0, cosines), distances)


def _describe_ends(query: Query, ends: list[int]) -> list[str]:
    if not ends or not query.known.any():
        return []
    what = "every word of the query" + (" that has a vector" if query.unknown else "")
    times = pluralise(len(ends) - 1, "time")
    again = f"; later rows cover them again, {times}" if len(ends) > 1 else ""
    rows = "the first row covers" if ends[0] == 1 else f"the first {ends[0]} rows cover"
    return [f"{rows} {what}{again}"]


def _list_uncovered(query: Query, covered: set[int]) -> list[str]:
    """Return the words whose meaning no row so far covers. A word without a vector has no meaning
    to cover, even if a row holds the same word."""
    words = enumerate(zip(query.words, query.known, strict=True))
    return [word for place, (word, known) in words if place not in covered or not known]


def describe_candidates(
    rows: Rows, query: Query, chosen: Array, words: Array, stopwords: list[int], copies: int
) -> JsonObject:
    """Return what a choice among rows looks at, as JSON.

    ``words`` and ``stopwords`` are those that can be covered; a row fewer than ``copies`` edits
    from the query is a copy.
    """
    products, lengths = rows.dots(chosen, query.vector())
    return {
        "rows": chosen.tolist(),
        "sizes": rows.sizes[chosen].tolist(),
        "set_sizes": rows.set_sizes[chosen].tolist(),
        "lengths": rows.lengths[chosen].tolist(),
        "products": products.tolist(),
        "norms": lengths.tolist(),
        "copies": [rows.is_copy(row, query.text, copies) for row in chosen.tolist()],
        "held": _list_held(rows, chosen, words, stopwords),
    }


def _list_held(rows: Rows, chosen: Array, words: Array, stopwords: list[int]) -> list[list[int]]:
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
    """Return, of rows that hold the same target words, the best ``k`` that are not copies."""
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
        self._list_held = [words for part in parts.answers for words in part["held"]]
        self._holding: dict[int, list[int]] = {}
        for row, words in enumerate(self._list_held):
            for word in words:
                self._holding.setdefault(word, []).append(row)

    def __len__(self) -> int:
        return len(self.numbers)

    def dots(self, chosen: Array, vector: NDArray[np.float32]) -> tuple[Array, Array]:
        return self._products[chosen].copy(), self._norms[chosen].copy()

    def postings(self, word: int) -> tuple[Array, Array]:
        rows = np.array(self._holding.get(word, []), np.int32)
        return rows, np.ones(len(rows), np.int32)

    def words_of(self, row: int) -> Array:
        return np.array(sorted(self._list_held[row]), np.int32)

    def all_words_of(self, row: int) -> Array:
        return self.words_of(row)

    def tokens_of(self, chosen: Array) -> tuple[Array, Array]:
        held = [self._list_held[row] for row in chosen.tolist()]
        places = np.repeat(np.arange(len(held)), [len(words) for words in held])
        return places, np.array([word for words in held for word in words], np.int32)

    def is_copy(self, row: int, text: str, edits: int) -> bool:
        return bool(self._copies[row])

    def entries(self, row: int) -> Entries:
        return self._fetch(int(self.numbers[row]))
