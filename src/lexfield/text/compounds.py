"""Words that a query writes together and the texts apart, or the other way round.

``iphone15`` may stand in texts as *iphone 15*, ``SQLTimeout`` as *sql timeout*, and *256 gb* as
``256gb``. Only words that no text has are read differently, and only as words that texts have.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from lexfield.text.normalise import Normalisation

_MOST_JOINED = 4  # words that are tried as one
_MOST_PARTS = 8  # of one word
_LISTED = 3  # words in a note


def read_compounds(
    words: Sequence[str], text: str, normalisation: Normalisation, held: Container[str]
) -> tuple[list[str], list[str]]:
    """Return the words of a text, those that are not held as held ones write them, and a note.

    Words that are held stay, whatever they are part of.
    """
    missing = [word not in held for word in words]
    if not any(missing) or not normalisation.is_default_tokenizer:
        return list(words), []
    written: Sequence[str] = replace(normalisation, lower=False).words(text)
    if len(written) != len(words):
        written = words
    read: list[str] = []
    changes: dict[str, str] = {}
    place = 0
    while place < len(words):
        if size := _count_joined(words, missing, place, held):
            run = words[place : place + size]
            read += [*(word for word in run if word in held), "".join(run)]
            changes[" ".join(run)] = "".join(run)
            place += size
            continue
        parts = _split(written[place], normalisation, held) if missing[place] else []
        read += parts or [words[place]]
        if parts:
            changes[words[place]] = " ".join(parts)
        place += 1
    return read, _note_changes(changes)


def _note_changes(changes: dict[str, str]) -> list[str]:
    shown = [f"{before!r} as {after!r}" for before, after in islice(changes.items(), _LISTED)]
    more = len(changes) - len(shown)
    return [f"read {', '.join(shown)}{f' and {more:,} more' if more else ''}"] if changes else []


def _count_joined(
    words: Sequence[str], missing: Sequence[bool], place: int, held: Container[str]
) -> int:
    """Return how many words from a place on are held as one: the most that are, or 0."""
    for size in range(min(_MOST_JOINED, len(words) - place), 1, -1):
        if any(missing[place : place + size]) and "".join(words[place : place + size]) in held:
            return size
    return 0


def _split(word: str, normalisation: Normalisation, held: Container[str]) -> list[str]:
    """Return the fewest held words that a word is made of, cut where its letters change to digits
    or its case changes; none if there are none. A single letter is no word."""
    pieces = [normalisation(piece) for piece in _cut(word)]
    if not 1 < len(pieces) <= _MOST_PARTS:
        return []
    best: list[list[str] | None] = [[]]  # of the first pieces, by their number
    for end in range(1, len(pieces) + 1):
        found: list[str] | None = None
        for start in range(end):
            before, part = best[start], "".join(pieces[start:end])
            is_word = part in held and (len(part) > 1 or part.isdigit())
            if before is not None and is_word and (found is None or len(before) + 1 < len(found)):
                found = [*before, part]
        best.append(found)
    return best[-1] or []


def _cut(word: str) -> list[str]:
    """Return a word in pieces: numbers, and letters up to a change of case, as *HTTP*, *Response*.

    A point or comma within a number belongs to it.
    """
    cuts = [0]
    for place in range(1, len(word)):
        before, own, after = word[place - 1], word[place], word[place + 1 : place + 2]
        is_other_kind = before.isalpha() != own.isalpha()
        is_capital = own.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if is_other_kind or is_capital:
            cuts.append(place)
    return [word[a:b] for a, b in pairwise([*cuts, len(word)])]
