"""Set cover (Hare et al., Algorithm 1): rows that together cover the words near the query's words.

U is the union of the balls of the query's words. k times, take the row s that maximises

    w(U ∩ s) / |s|^ρ

and remove what it covers from U, so that the next row covers something else. |s| is the number of
distinct words of the row, including stopwords.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.errors import check
from lexfield.explain import Reason
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search.cover import BallEntries, Cover, CoverMethod, best_of_sets, describe_candidates
from lexfield.search.method import Mask
from lexfield.search.word_sums import find_highest_sums, find_scales

WEIGHTS = ("none", "idf", "distance")
_POOL = 512  # rows that are looked at for each choice
_ROUNDING = 1e-12  # more than the order of a sum changes, as a share
_NOTHING = 1e-9  # sums of words that are worth nothing may be off by rounding


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
        return UnionCover(rows, query, balls, values, eligible, float(self.penalty))

    def partial(
        self, rows: Rows, query: Query, k: int, among: Mask | None, hint: None
    ) -> JsonObject:
        """Return what is needed of the rows of a part that could be among the ``k``."""
        balls, eligible = self.find_balls(rows, query), self.find_eligible(rows, among)
        words = np.unique(balls.words)
        postings = {word: rows.postings(word)[0] for word in words.tolist()}
        held = np.unique(np.concatenate([np.empty(0, np.int32), *postings.values()]))
        touched = held[eligible[held]]
        chosen = best_of_sets(rows, query, touched, postings, self.penalty, self.copies, k)
        return describe_candidates(rows, query, chosen, words, [], 0)


def check_count(name: str, value: object) -> None:
    ok = isinstance(value, int) and 0 <= value <= 100_000
    check(ok, name, "a whole number of at least 0", value)


def check_weight(name: str, value: object) -> None:
    ok = isinstance(value, int | float) and 0 <= value <= 100
    check(ok, name, "a number from 0 to 100", value)


class UnionCover(Cover):
    """U, and a pool of the rows that gained most when it was filled.

    Gains only fall as words are covered. So the best row is in the pool as long as it gains more
    than any other row did then; otherwise the pool is filled again.
    """

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
        self._eligible, self._penalty = eligible, penalty
        self._scales = find_scales(rows, penalty)
        self._entries = _find_nearest_entries(balls)
        self._dropped: list[int] = []
        self.restart()

    def restart(self) -> None:
        self._uncovered = set(self._entries)
        self.is_fresh = True
        self._fill()

    def _fill(self) -> None:
        """Find the rows that gain most now, and the words of U that they hold."""
        words = sorted(self._uncovered)  # sums are added in this order everywhere
        values = self._values[[self._entries[word] for word in words]]
        count = _POOL + len(self._dropped)
        best, gains = find_highest_sums(
            self._rows, np.array(words, np.int64), values, self._penalty, self._eligible, count
        )
        self._others = float(gains[-1]) if len(best) == count else 0.0  # gained at most
        self._is_filled = True
        self._pool = np.setdiff1d(best, self._dropped)
        places, held = self._rows.tokens_of(self._pool)
        numbers = np.full(len(self._rows.lexicon), -1, np.int64)
        numbers[words] = np.arange(len(words))
        numbers = numbers[held]
        inside = numbers >= 0
        pairs = np.unique(places[inside] * max(1, len(words)) + numbers[inside])
        self._places, numbers = np.divmod(pairs, max(1, len(words)))
        self._held = np.array(words, np.int64)[numbers]
        self._gains = values[numbers]  # of each pair; 0 once its word is covered
        self._scale = self._scales[self._rows.sizes[self._pool]]

    def find_best(self) -> tuple[int, float, bool]:
        while True:
            totals = np.bincount(self._places, self._gains, minlength=len(self._pool))
            sums: NDArray[np.float64] = totals * self._scale
            place = int(np.argmax(sums)) if len(sums) else -1
            best = float(sums[place]) if len(sums) else 0.0
            if self._is_filled or best > self._others * (1 + _ROUNDING):
                break
            self._fill()
        if best > _NOTHING:
            return int(self._pool[place]), best, True
        return -1 if self.is_fresh else 0, 0.0, False

    def drop(self, row: int) -> None:
        self._dropped.append(row)
        self._gains[self._places == np.searchsorted(self._pool, row)] = 0

    def take(self, row: int) -> list[tuple[int, float]]:
        scale = float(self._rows.sizes[row]) ** -self._penalty
        covered = [word for word in self._rows.words_of(row).tolist() if word in self._uncovered]
        self._uncovered.difference_update(covered)
        self._gains[np.isin(self._held, covered)] = 0
        self.is_fresh = self._is_filled = False
        entries = [self._entries[word] for word in covered]
        return [(entry, float(self._values[entry]) * scale) for entry in entries]

    def explain(self, row: int, gains: list[tuple[int, float]]) -> list[Reason]:
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
