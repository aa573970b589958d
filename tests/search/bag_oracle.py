"""The bag methods as their formulas are written, over lists of sentences of words."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from lexfield.search.index import Index
from lexfield.vectors.wordvectors import WordVectors

Row = list[list[str]]  # sentences of terms
Terms = list[tuple[float, tuple[str, ...]]]
Vectors = dict[str, NDArray[np.float64]]

WORDS = [f"{a}{b}" for a in "bcd" for b in "xyz"] + ["the", "of", "qq"]
rng = np.random.default_rng(5)
VECTORS = WordVectors(
    [*WORDS[:-1], "zz"], rng.standard_normal((len(WORDS), 3)).astype(np.float32), name="random"
)


def counted(index: Index, query: str, method: str = "count") -> dict[str, float]:
    """Return the scores of documents by id."""
    found = index.search(query, method, 10, unit="document", algebra=True)
    return {hit.id: hit.score for hit in found}


def grams(row: Row, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(s[i : i + n]) for s in row for i in range(len(s) - n + 1))


def touched(rows: list[Row], terms: Terms) -> list[int]:
    return [
        number
        for number, row in enumerate(rows)
        if any(weight > 0 and grams(row, len(g))[g] for weight, g in terms)
    ]


def count(rows: list[Row], terms: Terms) -> dict[int, float]:
    return {
        d: sum(weight * grams(rows[d], len(g))[g] for weight, g in terms)
        for d in touched(rows, terms)
    }


def frequency(rows: list[Row], terms: Terms) -> dict[int, float]:
    scores = {}
    for d in touched(rows, terms):
        bags = {n: grams(rows[d], n) for n in range(1, 5)}
        scores[d] = sum(
            weight * bags[len(g)][g] / max(1, bags[len(g)].total()) for weight, g in terms
        )
    return scores


def bm25(rows: list[Row], terms: Terms, k1: float = 1.5, b: float = 0.75) -> dict[int, float]:
    lengths = [sum(map(len, row)) for row in rows]
    scores = {}
    for d in touched(rows, terms):
        scores[d] = 0.0
        for weight, g in terms:
            holding = sum(grams(row, len(g))[g] > 0 for row in rows)
            idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
            c = grams(rows[d], len(g))[g]
            norm = k1 * (1 - b + b * lengths[d] / (sum(lengths) / len(rows)))
            scores[d] += weight * idf * c / (c + norm)
    return scores


def default_mu(rows: list[Row]) -> float:
    """Five times the mean number of words of a row."""
    return 5 * sum(len(sentence) for row in rows for sentence in row) / len(rows)


def lm(rows: list[Row], terms: Terms, mu: float | None = None) -> dict[int, float]:
    mu = mu or default_mu(rows)
    scores = {}
    for d in touched(rows, terms):
        scores[d] = 0.0
        for weight, g in terms:
            bags = [grams(row, len(g)) for row in rows]
            share = sum(bag[g] for bag in bags) / max(1, sum(bag.total() for bag in bags))
            if share:
                p = (bags[d][g] + mu * share) / (bags[d].total() + mu)
                scores[d] += weight * math.log(p / share)
    return scores


def similarity(vectors: Vectors, a: str, b: str) -> float:
    if a == b:
        return 1.0
    if a not in vectors or b not in vectors:
        return 0.0
    x, y = vectors[a], vectors[b]
    return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))


def relatives(
    vectors: Vectors, lexicon: set[str], word: str, threshold: float, top: int | None
) -> dict[str, float]:
    """The related words of the index and their cosines; ``lexicon`` is without stopwords."""
    found = {w: similarity(vectors, word, w) for w in lexicon if w != word}
    found = {w: s for w, s in found.items() if w in vectors and word in vectors and s > 0}
    if top is None:
        return {w: s for w, s in found.items() if s >= threshold}
    return dict(sorted(found.items(), key=lambda item: -item[1])[:top])


def translation_table(
    vectors: Vectors, lexicon: set[str], word: str, threshold: float, top: int | None
) -> dict[str, float]:
    """P_T(word | t) of all t."""
    own = relatives(vectors, lexicon, word, threshold, top)
    table = {word: 1 / (1 + sum(own.values()))} if word in lexicon else {}
    for t, s in own.items():
        others = relatives(vectors, lexicon, t, threshold, top)
        table[t] = s / (1 + sum(others.values()) + (0.0 if word in others else s))
    return table


def translation(
    rows: list[Row], terms: Terms, vectors: Vectors, lexicon: set[str],
    threshold: float = 0.7, top: int | None = None, mu: float | None = None,
) -> dict[int, float]:  # fmt: skip
    mu = mu or default_mu(rows)
    bags = [grams(row, 1) for row in rows]
    total = sum(bag.total() for bag in bags)
    tables = {g: translation_table(vectors, lexicon, g[0], threshold, top) for _, g in terms}
    scores = {}
    for d, bag in enumerate(bags):
        if not any(w > 0 and any(bag[t,] for t in tables[g]) for w, g in terms):
            continue
        scores[d] = 0.0
        for weight, g in terms:
            share = sum(p * sum(other[t,] for other in bags) / total for t, p in tables[g].items())
            if share:
                c = sum(p * bag[t,] for t, p in tables[g].items())
                scores[d] += weight * math.log((c + mu * share) / (bag.total() + mu) / share)
    return scores


def extended(
    rows: list[Row], terms: Terms, vectors: Vectors, lexicon: set[str],
    threshold: float = 0.7, top: int | None = None, k1: float = 1.5, b: float = 0.75,
    joint: bool = False,
) -> dict[int, float]:  # fmt: skip
    bags = [grams(row, 1) for row in rows]
    mean = sum(bag.total() for bag in bags) / len(bags)
    groups = {}
    for _, g in terms:
        groups[g] = relatives(vectors, lexicon, g[0], threshold, top)
        if g[0] in lexicon:
            groups[g][g[0]] = 1.0
    scores = {}
    for d, bag in enumerate(bags):
        if not any(w > 0 and any(bag[t,] for t in groups[g]) for w, g in terms):
            continue
        scores[d] = 0.0
        for weight, g in terms:
            own = 0 if joint else sum(other[g] > 0 for other in bags)
            holding = own or sum(any(other[t,] for t in groups[g]) for other in bags)
            if holding:
                idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
                c = sum(s * bag[t,] for t, s in groups[g].items())
                scores[d] += weight * idf * c / (c + k1 * (1 - b + b * bag.total() / mean))
    return scores
