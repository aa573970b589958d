"""Test sets of text reuse with known truth, and plagdet, the measure of the PAN competitions.

Passages of 1 to 20 sentences are planted into two unrelated books: as they are, edited, reworded
(a passage of the King James Bible in one book, of the World English Bible in the other) or with
their sentences in another order. Books and books of the Bible are divided into a part to develop on
and a part to measure on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from harness import jsonl

from lexfield.text.segment import sentence_spans, word_spans

HOST = 20_000  # words of a book that passages are planted into
PLANTED = 5  # passages per pair of books
LONGEST = 20  # sentences
SUBSTITUTED, REMOVED, ADDED = 0.2, 0.05, 0.05  # shares of the words of an edited passage
BIBLE_DEV = ("Genesis", "Exodus", "1 Samuel", "Job", "Ruth", "Jonah", "Amos", "Ecclesiastes")
KINDS = ("verbatim", "edited", "reworded", "reordered")
Span = tuple[int, int]


@dataclass(frozen=True)
class Case:
    """Two texts and the spans of the passages planted into them."""

    a: str
    b: str
    truth: list[tuple[Span, Span]]


def read_books(data: Path, develop: bool) -> dict[str, str]:
    """Return every other book, by name."""
    paths = sorted((data / "books79/txt").glob("*.txt"))
    if not paths:
        raise FileNotFoundError(2, "no such folder", str(data / "books79/txt"))
    return {path.stem: path.read_text("utf-8") for path in paths[0 if develop else 1 :: 2]}


def read_verses(data: Path, develop: bool) -> list[tuple[str, str, str]]:
    """Return the verses of some books of the Bible: book, King James and World English version."""
    kjv, web = (
        {one["id"]: one for one in jsonl(data / f"bible/{version}-old-testament.jsonl.gz")}
        for version in ("kjv", "web")
    )
    return [
        (one["book"], one["text"], web[id]["text"])
        for id, one in kjv.items()
        if (one["book"] in BIBLE_DEV) == develop and id in web
    ]


def make_cases(data: Path, kind: str, develop: bool, count: int, seed: int = 0) -> list[Case]:
    """Return pairs of texts with passages of one kind."""
    random = np.random.default_rng([seed, KINDS.index(kind), develop])
    books = read_books(data, develop)
    long = [name for name, text in books.items() if len(text) > 8 * HOST]
    verses = read_verses(data, develop)
    cases = []
    for _ in range(count):
        first, second, third = random.choice(long, 3, replace=False)
        passages: list[tuple[str, str]] = []
        while len(passages) < PLANTED:
            made = _make_passage(kind, books[third], verses, random)
            if not any(_share(made[0], other) for other, _ in passages):
                passages.append(made)
        a, left = _plant(_cut(books[first], random), [p for p, _ in passages], random)
        b, right = _plant(_cut(books[second], random), [q for _, q in passages], random)
        cases.append(Case(a, b, list(zip(left, right, strict=True))))
    return cases


def _share(one: str, other: str) -> bool:
    """Do two passages overlap? Then one sentence of the first is in the other, or the reverse."""
    pairs = ((one, other), (other, one))
    return any(x[a:b] in y for x, y in pairs for a, b in sentence_spans(x) if b - a > 20)


def _cut(text: str, random: np.random.Generator) -> list[str]:
    """Return the sentences of about HOST words from the middle of a book."""
    spans = sentence_spans(text)
    sentences = [text[a:b] for a, b in spans]
    sizes = np.cumsum([len(s.split()) for s in sentences])
    start = int(random.integers(0, max(1, np.searchsorted(sizes, sizes[-1] - HOST))))
    end = int(np.searchsorted(sizes, sizes[start] + HOST))
    return sentences[start:end]


def _make_passage(
    kind: str, book: str, verses: Sequence[tuple[str, str, str]], random: np.random.Generator
) -> tuple[str, str]:
    length = int(random.integers(1, LONGEST + 1))
    if kind == "reworded":
        while True:
            start = int(random.integers(0, len(verses) - length))
            chosen = verses[start : start + length]
            if len({name for name, _, _ in chosen}) == 1:
                return " ".join(v[1] for v in chosen), " ".join(v[2] for v in chosen)
    spans = sentence_spans(book)
    while True:
        start = int(random.integers(len(spans) // 20, len(spans) - length))
        sentences = [book[a:b] for a, b in spans[start : start + length]]
        if sum(len(s.split()) for s in sentences) >= 12:  # words
            break
    other = sentences
    if kind == "edited":
        other = [_edit(sentence, book, random) for sentence in sentences]
    if kind == "reordered":
        other = [sentences[i] for i in random.permutation(length)]
    return " ".join(sentences), " ".join(other)


def _edit(sentence: str, book: str, random: np.random.Generator) -> str:
    """Return a sentence with some words replaced, removed and added, drawn from its book."""
    vocabulary = book[50_000:150_000].split()
    parts, at = [], 0
    for a, b in word_spans(sentence):
        parts.append(sentence[at:a])
        at = b
        drawn = random.random()
        word = str(random.choice(vocabulary))
        if drawn < SUBSTITUTED:
            parts.append(word)
        elif drawn < SUBSTITUTED + ADDED:
            parts.append(f"{sentence[a:b]} {word}")
        elif drawn >= SUBSTITUTED + ADDED + REMOVED:
            parts.append(sentence[a:b])
    return "".join(parts) + sentence[at:]


def _plant(
    sentences: list[str], passages: list[str], random: np.random.Generator
) -> tuple[str, list[Span]]:
    """Return the text with the passages at random places between sentences, and their spans."""
    places = random.choice(len(sentences), len(passages), replace=False)
    at = dict(zip(places.tolist(), range(len(passages)), strict=True))
    text, spans = "", [(0, 0)] * len(passages)
    pieces: list[str] = []
    length = 0
    for number, sentence in enumerate(sentences):
        if number in at:
            passage = passages[at[number]]
            spans[at[number]] = (length, length + len(passage))
            pieces.append(passage)
            length += len(passage) + 1
        pieces.append(sentence)
        length += len(sentence) + 1
    text = " ".join(pieces)
    return text, spans


def _overlap(x: Span, y: Span) -> int:
    return max(0, min(x[1], y[1]) - max(x[0], y[0]))


def _cover(case: tuple[Span, Span], others: Sequence[tuple[Span, Span]]) -> float:
    """Return the share of the characters of a case, on both sides, that others cover."""
    near = [o for o in others if _overlap(case[0], o[0]) and _overlap(case[1], o[1])]
    covered = total = 0
    for side in range(2):
        start, end = case[side]
        marks = np.zeros(end - start, bool)
        for one in near:
            marks[max(0, one[side][0] - start) : max(0, one[side][1] - start)] = True
        covered += int(marks.sum())
        total += end - start
    return covered / total


def plagdet(
    cases: Sequence[Sequence[tuple[Span, Span]]], found: Sequence[Sequence[tuple[Span, Span]]]
) -> dict[str, float]:
    """Return plagdet and its parts: macro-averaged precision and recall of characters, granularity
    (Potthast et al. 2010). Both arguments have a list per pair of texts."""
    recall = [_cover(s, r) for truth, r in zip(cases, found, strict=True) for s in truth]
    precision = [_cover(r, truth) for truth, rs in zip(cases, found, strict=True) for r in rs]
    pieces = [
        sum(1 for r in rs if _overlap(s[0], r[0]) and _overlap(s[1], r[1]))
        for truth, rs in zip(cases, found, strict=True)
        for s in truth
    ]
    hit = [n for n in pieces if n]
    granularity = sum(hit) / len(hit) if hit else 1.0
    p = sum(precision) / len(precision) if precision else 0.0
    r = sum(recall) / len(recall) if recall else 0.0
    f = 2 * p * r / (p + r) if p + r else 0.0
    score = f / math.log2(1 + granularity)
    return {"plagdet": score, "precision": p, "recall": r, "granularity": granularity}
