"""What ``setcover`` and ``ideas`` share: the words to be covered, and greedy choice of rows.

The ball of a query word is the r nearest words among the words of the index, without stopwords.
Both methods choose one row after another, the one that gains most now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexfield.arrays import Array
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.cover_parts import GatheredRows
from lexfield.search.in_parts import Parts
from lexfield.search.method import Mask


@dataclass(frozen=True)
class Balls:
    """Entry e is the word ``words[e]``, which covers the query word ``places[e]``."""

    places: Array
    words: Array
    cosines: Array
    distances: Array


class Cover:
    """The state of a greedy choice among candidates: what each would gain now."""

    candidates: Array  # rows, ascending
    is_fresh: bool  # nothing has been covered yet

    def find_best(self) -> tuple[int, float, bool]:
        """Return the place of the best candidate (-1 for none), its gain, and whether anything is
        left to cover."""
        raise NotImplementedError

    def drop(self, place: int) -> None:
        """Never choose this candidate again."""
        raise NotImplementedError

    def take(self, place: int) -> list[tuple[int, float]]:
        """Cover what a candidate holds. Return the entries of balls and what each gained."""
        raise NotImplementedError

    def restart(self) -> None:
        """Cover nothing; candidates that were dropped stay dropped."""
        raise NotImplementedError

    def explain(self, place: int, gains: list[tuple[int, float]]) -> list[Reason]:
        """Return the reasons for a candidate, given what ``take`` returned."""
        raise NotImplementedError


class CoverMethod:
    """The base of ``setcover`` and ``ideas``."""

    r: int
    own = True
    min_tokens: int
    exhausted = "again"
    copies = 4  # rows with fewer edits than this from the query repeat it and are not returned
    uses_vectors = True

    def start(self, rows: Rows, query: Query, balls: Balls, eligible: Mask, k: int) -> Cover:
        """Return the state before the first of ``k`` rows is chosen."""
        raise NotImplementedError

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        balls, eligible = self.find_balls(rows, query), self.find_eligible(rows, among)
        cover = self.start(rows, query, balls, eligible, k)
        places: list[int] = []
        scores: list[float] = []
        gains: list[list[tuple[int, float]]] = []
        ends: list[int] = []  # rows after which every word was covered
        while len(places) < k:
            place, score, is_open = cover.find_best()
            if place < 0:
                break
            if not is_open and not cover.is_fresh:
                ends.append(len(places))
                if self.exhausted == "stop":
                    break
                cover.restart()
                continue
            cover.drop(place)
            if not rows.is_copy(int(cover.candidates[place]), query.text, self.copies):
                places.append(place)
                scores.append(score)
                gains.append(cover.take(place))

        def explain(number: int) -> Explanation:
            covered = {
                int(balls.places[entry]) for some in gains[: number + 1] for entry, _ in some
            }
            facts = {"uncovered": _list_uncovered(query, covered)}
            return Explanation(cover.explain(places[number], gains[number]), True, facts)

        notes = _describe_ends(query, ends)
        if len(places) < k and len(balls.words) and eligible.any():
            notes.append(f"only {len(places)} rows cover anything of the query")
        return Found(cover.candidates[places].tolist(), scores, explain, notes)

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

    def find_balls(self, rows: Rows, query: Query) -> Balls:
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
        return Balls(places, words, np.where(same, 1.0, cosines), distances)


def _describe_ends(query: Query, ends: list[int]) -> list[str]:
    if not ends or not query.known.any():
        return []
    what = "every word of the query" + (" that has a vector" if query.unknown else "")
    again = f"; later rows cover them again, {len(ends) - 1} times" if len(ends) > 1 else ""
    rows = "the first row covers" if ends[0] == 1 else f"the first {ends[0]} rows cover"
    return [f"{rows} {what}{again}"]


def _list_uncovered(query: Query, covered: set[int]) -> list[str]:
    """Return the words whose meaning no row so far covers. A word without a vector has no meaning
    to cover, even if a row holds the same word."""
    words = enumerate(zip(query.words, query.known, strict=True))
    return [word for place, (word, known) in words if place not in covered or not known]
