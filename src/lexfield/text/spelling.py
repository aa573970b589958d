"""Other spellings of a word: with or without accents, and what may have been meant by it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

_MOST = 500_000  # words that are looked through
_SHORTEST, _LONG = 4, 8  # letters of a word that may be misspelt, and of one with two mistakes
_Spellings = dict[str, list[tuple[int, str]]]  # counts and words, by the folded word


class Words(Protocol):
    """The words of texts, and how often each occurs."""

    @property
    def words(self) -> Sequence[str]: ...

    @property
    def counts(self) -> Any: ...


def fold(word: str) -> str:
    """Return a word in lower case without accents: ``Natásha`` as ``natasha``."""
    if word.isascii():
        return word.casefold()
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def note_words(words: Iterable[str], vocabulary: Words) -> list[str]:
    """Return a note for each word that is more often spelled with or without accents.

    A vocabulary that is too large to be looked through has no notes.
    """
    if len(vocabulary.words) > _MOST:
        return []
    known = _known.get(vocabulary)
    if known is None:
        written = list(vocabulary.words)
        accented = {fold(word) for word in written if not word.isascii()}
        known = _known[vocabulary] = _list_spellings(accented, written, vocabulary.counts)
    wanted = {word: fold(word) for word in words}
    rare = {plain for word, plain in wanted.items() if not word.isascii() and plain not in known}
    if rare:
        known = {**known, **_list_spellings(rare, vocabulary.words, vocabulary.counts)}
    notes = []
    for word, plain in wanted.items():
        own = max((count for count, other in known.get(plain, ()) if other == word), default=0)
        others = sorted((one for one in known.get(plain, ()) if one[0] > own), reverse=True)[:3]
        if others:
            shown = ", ".join(f"{other!r} ({_times(count)})" for count, other in others)
            notes.append(f"{word!r} differs only by accents from {shown}")
    return notes


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def note_misspelt(words: Iterable[str], vocabulary: Words) -> list[str]:
    """Return a note on the words of a vocabulary that may have been meant by others.

    These are one change away (a letter added, left out or replaced, or two swapped), two for words
    of eight letters or more; of equally close ones, the most frequent. A vocabulary that is too
    large to be looked through has no notes.
    """
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    if len(vocabulary.words) > _MOST:
        return []
    found = []
    for word in words:
        if len(word) >= _SHORTEST and word.isalpha():
            most = 2 if len(word) >= _LONG else 1
            close = extract(
                word, vocabulary.words, scorer=OSA.distance, score_cutoff=most, limit=None
            )
            near = [(edits, -int(vocabulary.counts[place]), other) for other, edits, place in close]
            if near:
                found.append(f"{min(near)[2]!r} for {word!r}")
    return [f"did you mean {', '.join(found)}?"] if found else []


def _list_spellings(folded: set[str], words: Iterable[str], counts: Sequence[int]) -> _Spellings:
    """Return all spellings of some folded words, with their counts."""
    found: _Spellings = {}
    for place, word in enumerate(words):
        if (plain := word if word.isascii() else fold(word)) in folded:
            found.setdefault(plain, []).append((int(counts[place]), word))
    return found


# Of each vocabulary in use, the words that are spelled with accents somewhere.
_known: WeakKeyDictionary[Words, _Spellings] = WeakKeyDictionary()
