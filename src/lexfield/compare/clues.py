"""Evidence in a text for one author against another: rates and an example in context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lexfield.compare.labels import find_telling_words
from lexfield.compare.style import Feature, count_features, to_typewriter

_SHOWN = {"word": 10, "char": 5}  # clues of a kind
_READABLE = 3  # letters of a character n-gram that a reader recognises
_AROUND = 40  # characters of context on each side
Span = tuple[int, int]


@dataclass(frozen=True)
class Clue:
    """A word or n-gram, how often it occurs per 1,000 words in the text, in the texts of the author
    and in those of the next author, and a place in the text."""

    feature: str
    type: str
    text_rate: float
    author_rate: float
    next_rate: float
    context: str


def find_clues(
    text: str, author: Sequence[str], other: Sequence[str], features: Sequence[Feature]
) -> list[Clue]:
    """Return the types that speak most for the author rather than the other, strongest first.

    Each type weighs p ln(q/r): p its share of the text, q and r its smoothed shares of the texts of
    the two authors. Words come before character n-grams, of which parts of what is listed already
    are left out. Of n-grams that overlap in the text and are as frequent there, which are one piece
    of evidence, the first is listed, or a longer one that holds it.
    """
    joined = [text, "\n".join(author), "\n".join(other)]
    words = np.array([max(len(one.split()), 1) for one in joined])
    found: list[tuple[Clue, Span]] = []
    room, plain = dict(_SHOWN), to_one_line(text)
    for feature in sorted(features, key=lambda one: (one.name == "char", -one.high)):
        kind = "char" if feature.name == "char" else "word"
        (counts,) = count_features(joined, str(feature))
        columns = {type: column for column, type in enumerate(counts.types)}
        rates = counts.matrix.toarray() * (1000 / words)[:, None]
        for one in find_telling_words(counts, ["text", "author", "other"], 0, "author", "other"):
            if room[kind] == 0 or one.part <= 0:
                break
            types = [clue.type for clue, _ in found]
            if one.word in types or (kind == "char" and not _says_more(one.word, types)):
                continue
            here, first, second = rates[:, columns[one.word]].round(4).tolist()
            span = find_span(plain, one.word, feature)
            clue = Clue(str(feature), one.word, here, first, second, show_place(plain, span))
            same = _find_same(found, here, span)
            if not same:
                room[kind] -= 1
                found.append((clue, span))
            elif kind == "word" and _holds(span, found[same[0]][1]):
                found[same[0]] = clue, span
                room[kind] += len(same) - 1
                found = [pair for place, pair in enumerate(found) if place not in same[1:]]
    return [clue for clue, _ in found]


def _find_same(found: Sequence[tuple[Clue, Span]], rate: float, span: Span) -> list[int]:
    """Return the places of clues that are as frequent in the text and overlap a span."""
    start, end = span
    return [
        place
        for place, (clue, (first, last)) in enumerate(found)
        if clue.text_rate == rate and first < end and start < last
    ]


def _holds(span: Span, other: Span) -> bool:
    return span != other and span[0] <= other[0] and other[1] <= span[1]


def _says_more(type: str, found: Iterable[str]) -> bool:
    """Is a character n-gram long enough to be recognised, and neither part of a type that was found
    nor such a type with more around it?"""
    letters = type.strip()
    others = [one.strip() for one in found if len(one.strip()) >= _READABLE]
    return len(letters) >= _READABLE and not any(letters in o or o in letters for o in others)


def find_place(text: str, type: str, feature: Feature) -> str:
    """Return the first place of a type in a text, with what stands around it; empty if it is only
    found in another form, as parts of speech are."""
    plain = to_one_line(text)
    return show_place(plain, find_span(plain, type, feature))


def to_one_line(text: str) -> str:
    return " ".join(to_typewriter(text).split())


def find_span(text: str, type: str, feature: Feature) -> Span:
    """Return where a type first begins and ends in a text of one line; (0, 0) if nowhere."""
    match = re.search(_make_pattern(type, feature), text, re.IGNORECASE)
    return match.span() if match else (0, 0)


def show_place(text: str, span: Span) -> str:
    """Return a span of a text in brackets, with what stands around it; empty for an empty span."""
    start, end = span
    if start == end:
        return ""
    low, high = max(0, start - _AROUND), end + _AROUND
    before, after = text[low:start], text[end:high]
    if low:
        before = "…" + before.partition(" ")[2]
    if high < len(text):
        after = after.rpartition(" ")[0] + "…"
    return f"{before}[{text[start:end]}]{after}"


def _make_pattern(type: str, feature: Feature) -> str:
    if feature.name == "char" and feature.across:
        return re.escape(type)
    if feature.name == "char":
        start, end = (r"(?<!\S)", r"(?!\S)")
        return (start * type.startswith(" ")) + re.escape(type.strip()) + (end * type.endswith(" "))
    body = r"\s*".join(map(re.escape, type.split(" ")))
    start, end = (r"(?<!\w)" * type[0].isalnum(), r"(?!\w)" * type[-1].isalnum())
    return start + body + end
