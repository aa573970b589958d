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
    are left out.
    """
    joined = [text, "\n".join(author), "\n".join(other)]
    words = np.array([max(len(one.split()), 1) for one in joined])
    found: dict[str, Clue] = {}
    room = dict(_SHOWN)
    for feature in sorted(features, key=lambda one: (one.name == "char", -one.high)):
        kind = "char" if feature.name == "char" else "word"
        (counts,) = count_features(joined, str(feature))
        columns = {type: column for column, type in enumerate(counts.types)}
        rates = counts.matrix.toarray() * (1000 / words)[:, None]
        for one in find_telling_words(counts, ["text", "author", "other"], 0, "author", "other"):
            if room[kind] == 0 or one.part <= 0:
                break
            if one.word not in found and (kind == "word" or _says_more(one.word, found)):
                room[kind] -= 1
                here, first, second = rates[:, columns[one.word]].round(4).tolist()
                place = find_place(text, one.word, feature)
                found[one.word] = Clue(str(feature), one.word, here, first, second, place)
    return list(found.values())


def _says_more(type: str, found: Iterable[str]) -> bool:
    """Is a character n-gram long enough to be recognised, and neither part of a type that was found
    nor such a type with more around it?"""
    letters = type.strip()
    others = [one.strip() for one in found if len(one.strip()) >= _READABLE]
    return len(letters) >= _READABLE and not any(letters in o or o in letters for o in others)


def find_place(text: str, type: str, feature: Feature) -> str:
    """Return the first place of a type in a text, with what stands around it; empty if it is only
    found in another form, as parts of speech are."""
    text = " ".join(to_typewriter(text).split())
    match = re.search(_make_pattern(type, feature), text, re.IGNORECASE)
    if match is None:
        return ""
    low, high = max(0, match.start() - _AROUND), match.end() + _AROUND
    before, after = text[low : match.start()], text[match.end() : high]
    if low:
        before = "…" + before.partition(" ")[2]
    if high < len(text):
        after = after.rpartition(" ")[0] + "…"
    return f"{before}[{match[0]}]{after}"


def _make_pattern(type: str, feature: Feature) -> str:
    if feature.name == "char" and feature.across:
        return re.escape(type)
    if feature.name == "char":
        start, end = (r"(?<!\S)", r"(?!\S)")
        return (start * type.startswith(" ")) + re.escape(type.strip()) + (end * type.endswith(" "))
    body = r"\s*".join(map(re.escape, type.split(" ")))
    start, end = (r"(?<!\w)" * type[0].isalnum(), r"(?!\w)" * type[-1].isalnum())
    return start + body + end
