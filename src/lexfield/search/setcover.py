"""Set cover (Hare et al., Algorithm 1): rows that together cover the words near the query's words.

U is the union of the balls of the query's words. k times, take the row s that maximises

    w(U ∩ s) / |s|^ρ

and remove what it covers from U, so that the next row covers something else. |s| is the number of
distinct words of the row, including stopwords.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexfield.arrays import Array
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search.cover import BallEntries, Cover, CoverMethod, best_of_sets, describe_candidates
from lexfield.search.method import Mask

WEIGHTS = ("none", "idf", "distance")


@dataclass(frozen=True, kw_only=True)
class SetCover(CoverMethod):
    """
    r: number of words in a ball.
    penalty: ρ, how much the length of a row counts against it.
    own: the query's own words are in U too (the paper's text leaves them out, its code does not).
    weights: what covering a word is worth: 1 (none, as in the paper), the idf of the query word it
        stands for (idf), or its cosine with that word (distance).
    exhausted: what to do when U is empty before k rows are found: begin again with a full U
        ("again") or "stop".
    min_tokens: rows with fewer tokens are left out.
    """

    r: int = 10
    penalty: float = 0.5
    own: bool = True
    weights: str = "none"
    exhausted: str = "again"
    min_tokens: int = 5
    name = "setcover"

    def __post_init__(self) -> None:
        check_count("r", self.r)
        check_count("min_tokens", self.min_tokens)
        check_weight("penalty", self.penalty)
        expected = f"one of {', '.join(WEIGHTS)}"
        if self.weights == "matches":
            expected += " (the weights of 0.1 named matches are the method ideas)"
        check(self.weights in WEIGHTS, "weights", expected, self.weights)
        check(self.own in (True, False), "own", "true or false", self.own)
        check(self.exhausted in ("again", "stop"), "exhausted", "'again' or 'stop'", self.exhausted)

    def start(
        self, rows: Rows, query: Query, balls: BallEntries, eligible: Mask, k: int
    ) -> UnionCover:
        if self.weights == "none":
            values = np.ones(len(balls.words))
        elif self.weights == "distance":
            values = np.maximum(balls.cosines, 0)
        else:
            ids = query.ids[balls.places]
            frequencies = np.where(ids >= 0, rows.statistics.holding[np.maximum(ids, 0)], 0)
            values = np.log((1 + rows.statistics.rows) / (1 + frequencies))
        return UnionCover(rows, query, balls, values, eligible, self.penalty)

    def partial(
        self, rows: Rows, query: Query, k: int, among: Mask | None, hint: None
    ) -> JsonObject:
        """Return what is needed of the rows of a part that could be among the ``k``."""
        balls, eligible = self.find_balls(rows, query), self.find_eligible(rows, among)
        cover = self.start(rows, query, balls, eligible, k)
        chosen = best_of_sets(
            rows, query, cover.candidates, cover.postings, self.penalty, self.copies, k
        )
        return describe_candidates(rows, query, chosen, np.unique(balls.words), [], 0)


def check_count(name: str, value: object) -> None:
    ok = isinstance(value, int) and 0 <= value <= 100_000
    check(ok, name, "a whole number of at least 0", value)


def check_weight(name: str, value: object) -> None:
    ok = isinstance(value, int | float) and 0 <= value <= 100
    check(ok, name, "a number from 0 to 100", value)


class UnionCover(Cover):
    """U, and what every row that holds any of its words would gain now."""

    def __init__(
        self,
        rows: Rows,
        query: Query,
        balls: BallEntries,
        values: Array,
        eligible: Mask,
        penalty: float,
    ) -> None:
        self._rows, self._query, self._balls, self._values = rows, query, balls, values
        self._penalty = penalty
        self._entries = _find_nearest_entries(balls)
        self.postings = {word: rows.postings(word)[0] for word in self._entries}
        lists = [np.empty(0, np.int32), *self.postings.values()]
        sizes, held = [len(one) for one in lists], np.concatenate(lists)
        order = np.argsort(held, kind="stable")  # quick, because every list is ascending
        is_new = np.diff(held[order], prepend=-1) > 0
        numbers, union = np.cumsum(is_new) - 1, held[order[is_new]]
        spread = np.repeat(values[list(self._entries.values())], sizes[1:])
        gains = np.bincount(numbers, spread[order])
        chosen = (gains > 0) & eligible[union]
        self.candidates, self._full = union[chosen], gains[chosen]
        self._places = np.empty(len(held), np.int64)  # of the rows of all lists; -1 if not chosen
        self._places[order] = np.where(chosen, np.cumsum(chosen) - 1, -1)[numbers]
        self._ends = dict(zip(self._entries, np.cumsum(sizes[1:]).tolist(), strict=True))
        self._scale = rows.sizes[self.candidates].astype(np.float64) ** -penalty
        self._dropped = np.zeros(len(self.candidates), bool)
        self.restart()

    def restart(self) -> None:
        self._uncovered = set(self._entries)
        self._gains = self._full.copy()
        self.is_fresh = True

    def find_best(self) -> tuple[int, float, bool]:
        if not len(self.candidates):
            return -1, 0.0, False
        scores = np.where(self._dropped, 0.0, self._gains * self._scale)
        place = int(np.argmax(scores))
        if scores[place] > 1e-9:  # sums that should be zero may be off by rounding
            return place, float(scores[place]), True
        return -1 if self.is_fresh else place, 0.0, False

    def drop(self, place: int) -> None:
        self._dropped[place] = True

    def take(self, place: int) -> list[tuple[int, float]]:
        gains = []
        row = int(self.candidates[place])
        scale = float(self._rows.sizes[row]) ** -self._penalty
        for word in self._rows.words_of(row).tolist():
            if word in self._uncovered:
                entry = self._entries[word]
                end = self._ends[word]
                held = self._places[end - len(self.postings[word]) : end]
                self._gains[held[held >= 0]] -= self._values[entry]
                self._uncovered.remove(word)
                gains.append((entry, float(self._values[entry]) * scale))
        self.is_fresh = False
        return gains

    def explain(self, place: int, gains: list[tuple[int, float]]) -> list[Reason]:
        balls, names = self._balls, self._rows.lexicon.words
        return [
            Reason(
                self._query.words[balls.places[entry]],
                names[balls.words[entry]],
                gain,
                float(balls.distances[entry]),
            )
            for entry, gain in gains
        ]


def _find_nearest_entries(balls: BallEntries) -> dict[int, int]:
    """Return the words of U. A word of several balls stands for the query word nearest to it."""
    entries: dict[int, int] = {}
    distances = balls.distances.tolist()
    for entry, word in enumerate(balls.words.tolist()):
        if word not in entries or distances[entry] < distances[entries[word]]:
            entries[word] = entry
    return entries
