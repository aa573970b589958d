"""Set cover (Hare et al., Algorithm 1): rows that together cover the query's meaning.

What is to be covered are the balls of the query's words: the r nearest words of each among the
words of the index, stopwords out. The paper's own cover (``weights=none``): U is their union; k
times, take the row that maximises

    w(U ∩ s) / |s|^ρ

and remove what it covers from U, so that the next one covers something else. |s| is the number of
distinct words of the row, stopwords too. The default, ``weights=matches``, is in ``matches.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.cover_parts import GatheredRows, best_of_sets, describe_candidates
from lexfield.search.in_parts import Parts
from lexfield.search.matches import Balls, Matches, Weights, explain_pick, query_stopwords

WEIGHTS = ("matches", "none", "idf", "distance")


@dataclass(frozen=True, kw_only=True)
class SetCover:
    """
    r: words in a ball. penalty: ρ, how much length counts against a row.
    weights: what covering is worth. matches: the best match of each query word, by idf and
        closeness, with topic and form. The paper's union of balls with every word worth 1 (none),
        the idf of the query word it stands for (idf), or its cosine with that word (distance).
    own: the query's own words are to be covered too (the paper's text leaves them out of their
        balls, its code has them).
    threshold: balls of all words with at least this cosine, instead of r words.
    min_tokens, max_tokens: rows outside are not considered.
    copies: rows fewer than so many edits from the query are not given; 0 gives them all.
    exhausted: when everything is covered before k rows: "again" from the beginning, or "stop".
    focus, closeness, topic, form, candidates, beyond, repeat: of weights=matches, see
        ``matches.py``; setcover(beyond=0, repeat=true) is its most relevant and least varied form.
    """

    r: int = 10
    penalty: float = 0.5
    weights: str = "matches"
    own: bool = True
    threshold: float | None = None
    min_tokens: int = 5
    max_tokens: int | None = None
    copies: int = 4
    exhausted: str = "again"
    focus: float = 2.0
    closeness: float = 4.0
    topic: float = 0.25
    form: float = 2.0
    candidates: int = 400
    beyond: int = 6
    repeat: bool = False
    name = "setcover"

    def __post_init__(self) -> None:
        whole = "a whole number of at least 0"
        for name in ("r", "min_tokens", "copies", "candidates", "beyond"):
            value = getattr(self, name)
            check(isinstance(value, int) and 0 <= value <= 100_000, name, whole, value)
        for name in ("penalty", "focus", "closeness", "topic", "form"):
            value = getattr(self, name)
            number = isinstance(value, int | float) and 0 <= value <= 100
            check(number, name, "a number from 0 to 100", value)
        check(self.weights in WEIGHTS, "weights", f"one of {', '.join(WEIGHTS)}", self.weights)
        for name in ("own", "repeat"):
            value = getattr(self, name)
            check(value in (True, False), name, "true or false", value)
        cosine = self.threshold is None or -1 <= self.threshold <= 1
        check(cosine, "threshold", "none, or a cosine from -1 to 1", self.threshold)
        wide = self.max_tokens is None or self.max_tokens >= self.min_tokens
        check(wide, "max_tokens", "none, or at least min_tokens", self.max_tokens)
        check(self.exhausted in ("again", "stop"), "exhausted", "'again' or 'stop'", self.exhausted)

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        balls = self.balls(rows, query)
        eligible = self.eligible(rows, allowed)
        if self.weights == "matches":
            found = self._by_matches(rows, query, balls, eligible, k)
        else:
            found = self._by_union(rows, query, balls, eligible, k)
        if len(found.rows) < k and len(balls.words) and eligible.any():
            found.notes.append(f"only {len(found.rows)} rows cover anything of the query")
        return found

    def partial(
        self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None, hint: Any
    ) -> dict[str, Any]:
        """Return the rows of a part that could be among the ``k``, ascending."""
        balls, eligible = self.balls(rows, query), self.eligible(rows, allowed)
        copies = 0
        if self.weights == "matches":
            matches = Matches(rows, query, balls, eligible, self.penalty, self.matching(k))
            chosen, copies = matches.candidates, self.copies
        else:
            cover = Cover(rows, self.targets(rows, query, balls), eligible, self.penalty)
            chosen = best_of_sets(
                rows, query, cover.touched, cover.postings, self.penalty, self.copies, k
            )
        stopwords = sorted(query_stopwords(rows, query))
        words = np.unique(balls.words)
        return describe_candidates(rows, query, chosen, words, stopwords, copies)

    def merge(self, parts: Parts, query: Query, k: int) -> Found:
        """Choose among the candidates of all parts."""
        rows = GatheredRows(parts)
        found = self.search(rows, query, k, None)
        found.rows = rows.numbers[found.rows].tolist()
        return found

    def matching(self, k: int) -> Weights:
        """What the matches of ``k`` rows are worth."""
        candidates = max(self.candidates, 4 * k)
        return Weights(self.focus, self.closeness, self.topic, self.form, candidates, self.beyond)

    def _by_matches(
        self, rows: Rows, query: Query, balls: Balls, eligible: NDArray[np.bool_], k: int
    ) -> Found:
        cover = Matches(rows, query, balls, eligible, self.penalty, self.matching(k))
        picks: list[tuple[int, float]] = []  # candidate, gain
        paid: list[list[tuple[int, float]]] = []
        ends: list[int] = []  # rows after which everything was covered
        while len(picks) < k:
            place, gain, uncovered = cover.best()
            if place < 0:
                break
            if not uncovered and not cover.fresh:
                ends.append(len(picks))
                if self.exhausted == "stop":
                    break
                cover.restart()
                continue
            cover.drop(place)
            if not rows.is_copy(int(cover.candidates[place]), query.text, self.copies):
                picks.append((place, gain))
                paid.append(cover.take(place))
                if len(picks) == 1:
                    cover.pass_over()
                if not self.repeat:
                    cover.pass_over_words([entry for entry, _ in paid[-1]])
        chosen = [int(cover.candidates[place]) for place, _ in picks]

        def explain(number: int) -> Explanation:
            place = picks[number][0]
            matches = [
                (int(balls.places[entry]), int(balls.words[entry]), value)
                for entry, value in paid[number]
            ]
            reasons = explain_pick(cover, place, matches)
            met = {int(balls.places[entry]) for one in paid[: number + 1] for entry, _ in one}
            return Explanation(reasons, additive=True, facts=_uncovered(query, met))

        return Found(chosen, [gain for _, gain in picks], explain, _covered(query, ends))

    def _by_union(
        self, rows: Rows, query: Query, balls: Balls, eligible: NDArray[np.bool_], k: int
    ) -> Found:
        targets = self.targets(rows, query, balls)
        cover = Cover(rows, targets, eligible, self.penalty)
        found: list[int] = []
        scores: list[float] = []
        covered: list[list[int]] = []
        ends: list[int] = []  # rows after which everything was covered
        while len(found) < k:
            row, score = cover.best()
            if score <= 0:
                if cover.fresh:
                    break
                ends.append(len(found))
                if self.exhausted == "stop":
                    break
                cover.restart()
                continue
            cover.drop(row)
            if not rows.is_copy(row, query.text, self.copies):
                found.append(row)
                scores.append(score)
                covered.append(cover.take(row))

        def explain(place: int) -> Explanation:
            scale = float(rows.sizes[found[place]]) ** -self.penalty
            reasons = [
                Reason(
                    query.words[targets[word].place],
                    rows.lexicon.words[word],
                    targets[word].weight * scale,
                    targets[word].distance,
                )
                for word in covered[place]
            ]
            met = {targets[word].place for words in covered[: place + 1] for word in words}
            return Explanation(reasons, additive=True, facts=_uncovered(query, met))

        return Found(found, scores, explain, _covered(query, ends))

    def eligible(self, rows: Rows, allowed: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        least, most = self.min_tokens, self.max_tokens
        eligible = rows.cached(f"{least} to {most} tokens", lambda r: _between(r, least, most))
        return eligible if allowed is None else eligible & allowed

    def balls(self, rows: Rows, query: Query) -> Balls:
        """The ball of every word of the query, itself first, without stopwords."""
        lexicon = rows.lexicon
        places, words = [], []
        for place, (word, vector, known) in enumerate(
            zip(query.ids.tolist(), query.vectors, query.known, strict=True)
        ):
            ball = np.empty(0, np.int32)
            if known and self.threshold is None:
                ball = lexicon.ball(word, vector, self.r)
            elif known:
                ball = lexicon.ball_above(word, vector, self.threshold or 0.0)
            ball = ball[lexicon.content[ball]]
            if self.own and word >= 0:
                ball = np.append(np.int32(word), ball)
            places.append(np.full(len(ball), place))
            words.append(ball)
        all_places = np.concatenate([np.empty(0, np.int64), *places])
        all_words = np.concatenate([np.empty(0, np.int32), *words])
        own = query.vectors[all_places].astype(np.float64)
        others = lexicon.vectors[all_words].astype(np.float64)
        lengths = np.linalg.norm(own, axis=1) * np.linalg.norm(others, axis=1)
        cosines = np.einsum("ij,ij->i", own, others) / np.where(lengths > 0, lengths, 1)
        same = query.ids[all_places] == all_words  # a word matches itself, vector or not
        return Balls(
            all_places,
            all_words,
            np.where(same, 1.0, cosines),
            np.linalg.norm(own - others, axis=1),
        )

    def targets(self, rows: Rows, query: Query, balls: Balls) -> dict[int, Target]:
        """The union of the balls; a word in several stands for the query word nearest to it."""
        targets: dict[int, Target] = {}
        for place, word, cosine, distance in zip(
            balls.places.tolist(),
            balls.words.tolist(),
            balls.cosines.tolist(),
            balls.distances.tolist(),
            strict=True,
        ):
            if word not in targets or distance < targets[word].distance:
                weight = self._weight(rows, int(query.ids[place]), cosine)
                targets[word] = Target(place, distance, weight)
        return targets

    def _weight(self, rows: Rows, word: int, cosine: float) -> float:
        if self.weights == "none":
            return 1.0
        if self.weights == "distance":
            return max(cosine, 0.0)
        frequency = rows.statistics.holding[word] if word >= 0 else 0
        return float(np.log((1 + rows.statistics.rows) / (1 + frequency)))


def _between(rows: Rows, least: int, most: int | None) -> NDArray[np.bool_]:
    long: NDArray[np.bool_] = rows.lengths >= least
    return long if most is None else long & (rows.lengths <= most)


def _covered(query: Query, ends: list[int]) -> list[str]:
    if not ends or not query.known.any():
        return []
    what = "every word that has a vector" if query.unknown else "everything"
    again = f", and {len(ends) - 1} times more" if len(ends) > 1 else ""
    return [f"{what} was covered after {ends[0]} rows{again}"]


def _uncovered(query: Query, met: set[int]) -> dict[str, Any]:
    """The words whose meaning no row so far covers; a word without a vector has none to cover, even
    where a row holds the very same word."""
    words = zip(query.words, query.known, strict=True)
    return {
        "uncovered": [w for place, (w, known) in enumerate(words) if place not in met or not known]
    }


@dataclass(frozen=True, slots=True)
class Target:
    """A word to be covered: for which word of the query, how far from it, and what it is worth."""

    place: int
    distance: float
    weight: float


class Cover:
    """The greedy state: what every touched row would gain now."""

    def __init__(
        self,
        rows: Rows,
        targets: dict[int, Target],
        eligible: NDArray[np.bool_],
        penalty: float,
    ) -> None:
        self._rows = rows
        self._targets = targets
        self.postings = {word: rows.postings(word)[0] for word in targets}
        gains = self._all_gains(len(rows))
        self.touched = np.flatnonzero((gains > 0) & eligible)
        self._places = np.full(len(rows) + 1, -1, np.int32)
        self._places[self.touched] = np.arange(len(self.touched), dtype=np.int32)
        self._full = gains[self.touched]
        self._scale = rows.sizes[self.touched].astype(np.float64) ** -penalty
        self._dropped = np.zeros(len(self.touched), bool)
        self.restart()

    def _all_gains(self, length: int) -> NDArray[np.float64]:
        if not self._targets:
            return np.zeros(length)
        weights = [self._targets[word].weight for word in self.postings]
        lists = list(self.postings.values())
        spread = np.repeat(weights, [len(rows) for rows in lists])
        return np.bincount(np.concatenate(lists), spread, minlength=length).astype(np.float64)

    def restart(self) -> None:
        """Nothing is covered; rows that were dropped stay so."""
        self._open = set(self._targets)
        self._gains = self._full.copy()
        self.fresh = True

    def best(self) -> tuple[int, float]:
        """The row with the highest score now."""
        if not len(self.touched):
            return -1, 0.0
        scores = np.where(self._dropped, 0.0, self._gains * self._scale)
        place = int(np.argmax(scores))
        # Sums that should be zero may be off by rounding after many subtractions.
        return int(self.touched[place]), float(scores[place]) if scores[place] > 1e-9 else 0.0

    def drop(self, row: int) -> None:
        self._dropped[self._places[row]] = True

    def take(self, row: int) -> list[int]:
        """Cover what the row holds; gives the words newly covered."""
        newly = [word for word in self._rows.words_of(row).tolist() if word in self._open]
        for word in newly:
            places: NDArray[Any] = self._places[self.postings[word]]
            self._gains[places[places >= 0]] -= self._targets[word].weight
            self._open.remove(word)
        self.fresh = False
        return newly
