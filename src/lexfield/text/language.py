"""Which language a text is in: by its stopwords, or by its script. Small and offline.

A word that is a stopword of n languages speaks for each of them with 1/n. The language with the
largest sum wins if enough words are its stopwords and no other comes close; else it is unknown.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache

from lexfield.text.stopwords import languages, stopwords

UNKNOWN = "unknown"
_FEWEST = 10  # words that say something
_LEAST = 0.12  # share of the words that are stopwords of the language
_MARGIN = 1.1  # times the sum of the next language
_SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "THAI": "th", "GREEK": "el",
    "HEBREW": "he", "GEORGIAN": "ka", "ARMENIAN": "hy", "TAMIL": "ta", "BENGALI": "bn",
}  # fmt: skip


def detect_language(words: Sequence[str]) -> str:
    """Return the code of the language of a text, given by its words in lower case, or unknown."""
    if len(words) < _FEWEST:
        return UNKNOWN
    scripts = Counter(_script_language(word[:1]) for word in words)
    del scripts[""]
    if scripts.total() * 2 > len(words):
        return "ja" if scripts["ja"] * 10 > scripts.total() else scripts.most_common(1)[0][0]
    sums, known = Counter[str](), _profiles()
    for word in words:
        spoken = known.get(word, ())
        for language in spoken:
            sums[language] += 1 / len(spoken)  # type: ignore[assignment]
    (best, first), (_, second) = [*sums.most_common(2), ("", 0), ("", 0)][:2]
    share = sum(best in known.get(word, ()) for word in words) / len(words)
    return best if share >= _LEAST and first >= _MARGIN * second else UNKNOWN


@cache
def _profiles() -> dict[str, tuple[str, ...]]:
    """The languages that each stopword belongs to."""
    found: dict[str, list[str]] = {}
    for language in languages():
        for word in stopwords(language):
            found.setdefault(word, []).append(language)
    return {word: tuple(own) for word, own in found.items()}


@lru_cache(10_000)
def _script_language(letter: str) -> str:
    """Return the language of a script that is practically of one; empty for others."""
    name = unicodedata.name(letter, "") if letter else ""
    return _SCRIPTS.get(name.partition(" ")[0], "")
