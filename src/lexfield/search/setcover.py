"""Set cover (Hare et al., Algorithm 1): sentences that together cover the query's meaning.

U is the union of the balls of the query's words: the r nearest words of each among the words of the
index. Then k times: take the row that maximises

    w(U ∩ s) / |s|^ρ

and remove what it covers from U, so that the next one covers something else. |s| is the number of
distinct words of the row, stopwords too; U holds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.search.query import Query
from lexfield.search.ranking import Found
from lexfield.search.rows import Rows

WEIGHTS = ("none", "idf", "distance")


@dataclass(frozen=True, kw_only=True)
class SetCover:
    """
    r: words in a ball. penalty: ρ, how much length counts against a row.
    weights: what covering a word is worth: none (1), idf (of the query word it stands for),
        distance (its cosine with that word).
    own: the query's own words are to be covered too (the paper's text leaves them out of their
        balls, its code has them).
    threshold: balls of all words with at least this cosine, instead of r words.
    min_tokens, max_tokens: rows outside are not considered.
    copies: rows fewer than so many edits from the query are not given; 0 gives them all.
    exhausted: when U is empty before k rows: "again" with a fresh U, or "stop".
    """

    r: int = 10
    penalty: float = 0.5
    weights: str = "none"
    own: bool = True
    threshold: float | None = None
    min_tokens: int = 5
    max_tokens: int | None = None
    copies: int = 4
    exhausted: str = "again"
    name = "setcover"

    def __post_init__(self) -> None:
        whole = "a whole number of at least 0"
        check(
            isinstance(self.r, int) and 0 <= self.r <= 10_000, "r", f"{whole}, up to 10000", self.r
        )
        check(0 <= self.penalty <= 10, "penalty", "a number from 0 to 10", self.penalty)
        check(self.weights in WEIGHTS, "weights", f"one of {', '.join(WEIGHTS)}", self.weights)
        check(self.own in (True, False), "own", "true or false", self.own)
        check(
            self.threshold is None or -1 <= self.threshold <= 1,
            "threshold",
            "a cosine from -1 to 1",
            self.threshold,
        )
        check(
            isinstance(self.min_tokens, int) and self.min_tokens >= 0,
            "min_tokens",
            whole,
            self.min_tokens,
        )
        check(
            self.max_tokens is None or self.max_tokens >= self.min_tokens,
            "max_tokens",
            "none, or at least min_tokens",
            self.max_tokens,
        )
        check(isinstance(self.copies, int) and self.copies >= 0, "copies", whole, self.copies)
        check(self.exhausted in ("again", "stop"), "exhausted", "'again' or 'stop'", self.exhausted)

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        balls = self._balls(rows, query)
        cover = _Cover(rows, balls, self._eligible(rows, allowed), self.penalty)
        found: list[int] = []
        scores: list[float] = []
        covered: list[list[int]] = []
        notes: list[str] = []
        while len(found) < k:
            row, score = cover.best()
            if score <= 0:
                if not found or self.exhausted == "stop" or cover.fresh:
                    break
                notes.append(f"everything was covered after {len(found)} rows; began again")
                cover.restart()
                continue
            cover.drop(row)
            if self.copies and _is_copy(query.text, rows.text(row), self.copies):
                continue
            found.append(row)
            scores.append(score)
            covered.append(cover.take(row))
        if len(found) < k and balls:
            notes.append(f"only {len(found)} rows cover anything of the query")
        return Found(
            found,
            scores,
            lambda place: self._explain(rows, query, balls, found, covered, place),
            notes,
        )

    def _eligible(self, rows: Rows, allowed: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        eligible = rows.lengths >= self.min_tokens
        if self.max_tokens is not None:
            eligible &= rows.lengths <= self.max_tokens
        return eligible if allowed is None else eligible & allowed

    def _balls(self, rows: Rows, query: Query) -> dict[int, _Target]:
        """What is to be covered, and for which word of the query."""
        lexicon = rows.lexicon
        targets: dict[int, _Target] = {}
        for place, (word, vector, known) in enumerate(
            zip(query.ids.tolist(), query.vectors, query.known, strict=True)
        ):
            if self.own and word >= 0:
                targets[word] = _Target(place, 0.0, self._weight(rows, word, 1.0))
            if not known:
                continue
            ball = (
                lexicon.ball(word, vector, self.r)
                if self.threshold is None
                else lexicon.ball_above(word, vector, self.threshold)
            )
            ball = ball[lexicon.content[ball]]
            others = lexicon.vectors[ball].astype(np.float64)
            distances = np.linalg.norm(others - vector, axis=1)
            lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(vector)
            cosines = others @ vector.astype(np.float64) / np.where(lengths == 0, 1, lengths)
            for other, distance, cosine in zip(
                ball.tolist(), distances.tolist(), cosines.tolist(), strict=True
            ):
                if other not in targets or distance < targets[other].distance:
                    weight = self._weight(rows, word, max(cosine, 0.0))
                    targets[other] = _Target(place, distance, weight)
        return targets

    def _weight(self, rows: Rows, word: int, cosine: float) -> float:
        if self.weights == "none":
            return 1.0
        if self.weights == "distance":
            return cosine
        frequency = rows.frequencies[word] if word >= 0 else 0
        return float(np.log((1 + len(rows)) / (1 + frequency)))

    def _explain(
        self,
        rows: Rows,
        query: Query,
        balls: dict[int, _Target],
        found: list[int],
        covered: list[list[int]],
        place: int,
    ) -> Explanation:
        scale = float(rows.sizes[found[place]]) ** -self.penalty
        words = rows.lexicon.words
        reasons = [
            Reason(
                query.words[balls[word].place],
                words[word],
                balls[word].weight * scale,
                balls[word].distance,
            )
            for word in covered[place]
        ]
        met = {balls[word].place for words_ in covered[: place + 1] for word in words_}
        open_words = [word for number, word in enumerate(query.words) if number not in met]
        return Explanation(reasons, additive=True, facts={"uncovered": open_words})


@dataclass(frozen=True, slots=True)
class _Target:
    """A word to be covered: for which word of the query, how far from it, and what it is worth."""

    place: int
    distance: float
    weight: float


class _Cover:
    """The greedy state: what every touched row would gain now."""

    def __init__(
        self,
        rows: Rows,
        targets: dict[int, _Target],
        eligible: NDArray[np.bool_],
        penalty: float,
    ) -> None:
        self._rows = rows
        self._targets = targets
        self._postings = {word: rows.postings(word)[0] for word in targets}
        gains = self._all_gains(len(rows))
        self._touched = np.flatnonzero((gains > 0) & eligible)
        self._places = np.full(len(rows) + 1, -1, np.int32)
        self._places[self._touched] = np.arange(len(self._touched), dtype=np.int32)
        self._full = gains[self._touched]
        self._scale = rows.sizes[self._touched].astype(np.float64) ** -penalty
        self._dropped = np.zeros(len(self._touched), bool)
        self.restart()

    def _all_gains(self, length: int) -> NDArray[np.float64]:
        if not self._targets:
            return np.zeros(length)
        weights = [self._targets[word].weight for word in self._postings]
        lists = list(self._postings.values())
        spread = np.repeat(weights, [len(rows) for rows in lists])
        return np.bincount(np.concatenate(lists), spread, minlength=length).astype(np.float64)

    def restart(self) -> None:
        """Nothing is covered; rows that were dropped stay so."""
        self._open = set(self._targets)
        self._gains = self._full.copy()
        self.fresh = True

    def best(self) -> tuple[int, float]:
        """The row with the highest score now."""
        if not len(self._touched):
            return -1, 0.0
        scores = np.where(self._dropped, 0.0, self._gains * self._scale)
        place = int(np.argmax(scores))
        # Sums that should be zero may be off by rounding after many subtractions.
        return int(self._touched[place]), float(scores[place]) if scores[place] > 1e-9 else 0.0

    def drop(self, row: int) -> None:
        self._dropped[self._places[row]] = True

    def take(self, row: int) -> list[int]:
        """Cover what the row holds; gives the words newly covered."""
        newly = [word for word in self._rows.entries(row)[0].tolist() if word in self._open]
        for word in newly:
            places: NDArray[Any] = self._places[self._postings[word]]
            self._gains[places[places >= 0]] -= self._targets[word].weight
            self._open.remove(word)
        self.fresh = False
        return newly


def _is_copy(query: str, text: str, limit: int) -> bool:
    from rapidfuzz.distance import Levenshtein

    return bool(Levenshtein.distance(query, text, score_cutoff=limit - 1) < limit)
