"""Slow, obvious versions of every method, over plain Python data."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.search.index import Index
from lexfield.text.segment import split_words
from lexfield.text.stopwords import stopwords


@dataclass
class Plain:
    """An index as lists and dictionaries."""

    texts: list[str]
    vectors: dict[str, NDArray[np.float64]]

    @classmethod
    def of(cls, index: Index, unit: str = "sentence") -> Plain:
        rows, lexicon = index.rows(unit), index.lexicon
        vectors = {
            word: lexicon.vectors[i].astype(np.float64)
            for i, word in enumerate(lexicon.words)
            if lexicon.known[i]
        }
        return cls([rows.text(row) for row in range(len(rows))], vectors)

    def tokens(self, text: str) -> list[str]:
        return split_words(text.lower())

    def content(self, text: str) -> list[str]:
        return [token for token in self.tokens(text) if token not in stopwords("en")]

    def vector(self, text: str) -> NDArray[np.float64] | None:
        """The sum of the words' vectors, each times 1e-3 / (1e-3 + its share here), of length 1."""
        every = [token for one in self.texts for token in self.tokens(one)]
        counts = Counter(every)
        sums = [
            self.vectors[w] * 1e-3 / (1e-3 + counts[w] / len(every))
            for w in self.content(text)
            if w in self.vectors
        ]
        total = np.sum(sums, axis=0) if sums else np.zeros(1)
        most = sum(float(np.linalg.norm(one)) for one in sums)
        length = float(np.linalg.norm(total))
        return total / length if length > 1e-4 * most else None


def jaccard(plain: Plain, query: str) -> dict[int, float]:
    mine = set(plain.content(query))
    scores = {}
    for row, text in enumerate(plain.texts):
        theirs = set(plain.content(text))
        if mine & theirs:
            scores[row] = len(mine & theirs) / len(mine | theirs)
    return scores


def bow(plain: Plain, query: str) -> dict[int, float]:
    mine = Counter(plain.content(query))
    scores = {}
    for row, text in enumerate(plain.texts):
        theirs = Counter(plain.content(text))
        if set(mine) & set(theirs):
            scores[row] = -sum(
                abs(mine[w] / mine.total() - theirs[w] / theirs.total()) for w in {*mine, *theirs}
            )
    return scores


def mean(plain: Plain, query: str) -> dict[int, float]:
    mine = plain.vector(query)
    if mine is None:
        return {}
    found = {row: plain.vector(text) for row, text in enumerate(plain.texts)}
    return {row: float(mine @ theirs) for row, theirs in found.items() if theirs is not None}


def plain_mean(plain: Plain, query: str) -> dict[int, float]:
    def average(text: str) -> NDArray[np.float64] | None:
        known = [plain.vectors[w] for w in plain.content(text) if w in plain.vectors]
        return np.mean(known, axis=0) if known else None

    mine = average(query)
    scores: dict[int, float] = {}
    for row, text in enumerate(plain.texts):
        theirs = average(text)
        if mine is not None and theirs is not None:
            scores[row] = -float(np.linalg.norm(mine - theirs))
    return scores


def wmd(plain: Plain, query: str) -> dict[int, float]:
    """Transport between uniform copies of the words: an assignment problem, solved by scipy."""
    from scipy.optimize import linear_sum_assignment

    mine = [w for w in plain.content(query) if w in plain.vectors]
    scores = {}
    for row, text in enumerate(plain.texts):
        theirs = [w for w in plain.content(text) if w in plain.vectors]
        if not mine or not theirs:
            continue
        size = math.lcm(len(mine), len(theirs))
        left = list(itertools.chain.from_iterable([w] * (size // len(mine)) for w in mine))
        right = list(itertools.chain.from_iterable([w] * (size // len(theirs)) for w in theirs))
        costs = np.array(
            [[np.linalg.norm(plain.vectors[a] - plain.vectors[b]) for b in right] for a in left]
        )
        scores[row] = -float(costs[linear_sum_assignment(costs)].sum() / size)
    return scores


def edits(a: list[str] | str, b: list[str] | str) -> int:
    """The textbook table."""
    line = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, line = line, [i]
        for j, y in enumerate(b, 1):
            line.append(min(before[j] + 1, line[j - 1] + 1, before[j - 1] + (x != y)))
    return line[-1]


def edit(plain: Plain, query: str) -> dict[int, float]:
    if not plain.tokens(query):
        return {}
    return {row: -float(edits(query, text)) for row, text in enumerate(plain.texts)}


def edit_by_word(plain: Plain, query: str) -> dict[int, float]:
    mine = plain.tokens(query)
    if not mine:
        return {}
    return {row: -float(edits(mine, plain.tokens(t))) for row, t in enumerate(plain.texts)}


def set_cover(
    plain: Plain, query: str, k: int, r: int, penalty: float, shortest: int, own: bool
) -> list[tuple[int, float]]:
    """Algorithm 1, a loop over all sentences in each round; begins again when all is covered."""
    excluded = stopwords("en")
    vocabulary = {word for text in plain.texts for word in plain.tokens(text)}
    full: set[str] = set()
    for word in plain.content(query):
        if own and word in vocabulary:
            full.add(word)
        if word in plain.vectors:
            others = sorted(
                (float(np.linalg.norm(plain.vectors[word] - plain.vectors[w])), w)
                for w in vocabulary
                if w != word and w in plain.vectors
            )
            full |= {w for _, w in others[:r]}
    full -= excluded
    left = {
        row: set(plain.tokens(text))
        for row, text in enumerate(plain.texts)
        if len(plain.tokens(text)) >= shortest
    }
    uncovered = set(full)
    picks: list[tuple[int, float]] = []
    while len(picks) < k and left:
        scores = {row: len(uncovered & s) / len(s) ** penalty for row, s in left.items()}
        row = max(scores, key=lambda r: (scores[r], -r))
        if not scores[row]:
            if uncovered == full:
                break
            uncovered = set(full)
            continue
        picks.append((row, scores[row]))
        uncovered -= left.pop(row)
    return picks


class MatchCover:
    """The default cover by its definition: F of a set of rows, and greedy choice by F itself."""

    def __init__(self, plain: Plain, query: str, r: int, topic: float, form: float) -> None:
        self.plain, self.topic, self.form = plain, topic, form
        self.excluded = stopwords("en")
        self.tokens = [plain.tokens(text) for text in plain.texts]
        self.query = plain.tokens(query)
        self.content = list(dict.fromkeys(w for w in self.query if w not in self.excluded))
        vocabulary = {word for tokens in self.tokens for word in tokens}
        self.balls: dict[str, dict[str, float]] = {}
        for word in self.content:
            ball = {word: 1.0} if word in vocabulary else {}
            if word in plain.vectors:
                near = sorted(
                    (float(np.linalg.norm(plain.vectors[word] - plain.vectors[w])), w)
                    for w in vocabulary
                    if w != word and w in plain.vectors
                )
                for _, other in near[:r]:
                    if other not in self.excluded:
                        ball[other] = (
                            max(0.0, cosine(plain.vectors[word], plain.vectors[other])) ** 4
                        )
            self.balls[word] = ball
        weights = {word: self.idf(word) ** 2 for word in self.content}
        total = max(sum(weights.values()), 1e-12)
        self.worth = {word: weight / total for word, weight in weights.items()}

    def idf(self, word: str) -> float:
        rows = sum(word in tokens for tokens in self.tokens)
        return math.log((1 + len(self.tokens)) / max(rows, 1))

    def match(self, row: int, word: str) -> tuple[str, float]:
        """The word of a row that answers a query word best, and its value."""
        scale = len(set(self.tokens[row])) ** -0.5
        found = [
            (self.worth[word] * h * scale, other)
            for other, h in self.balls[word].items()
            if other in self.tokens[row]
        ]
        value, other = max(found, default=(0.0, ""))
        return other, value

    def modular(self, row: int) -> float:
        def vector(tokens: list[str]) -> NDArray[np.float64]:
            found = self.plain.vector(" ".join(tokens))
            return np.zeros(4) if found is None else found

        tokens = set(self.tokens[row])
        whole = sum(self.idf(w) for w in set(self.query) if any(w in t for t in self.tokens))
        whole += sum(self.idf(w) for w in self.content if not any(w in t for t in self.tokens))
        shared = sum(self.idf(w) for w in set(self.query) & tokens & self.excluded)
        scale = len(tokens) ** -0.5
        form = shared / whole * scale if whole else 0.0
        return (
            self.topic * max(0.0, cosine(vector(self.query), vector(self.tokens[row])))
            + self.form * form
        )

    def value(self, rows: list[int]) -> float:
        """F."""
        paid: dict[tuple[str, str], float] = {}
        for row in rows:
            for word in self.content:
                other, value = self.match(row, word)
                paid[word, other] = max(paid.get((word, other), 0.0), value)
        return sum(paid.values()) + sum(self.modular(row) for row in rows)

    def touched(self, shortest: int) -> list[int]:
        return [
            row
            for row, tokens in enumerate(self.tokens)
            if len(tokens) >= shortest and any(self.match(row, w)[1] > 0 for w in self.content)
        ]


def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0.0
