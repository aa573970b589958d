"""Which language a text is in: by its stopwords, letters and endings, or by its script.

Small and offline. A word speaks for every language of which it is a stopword or has a letter or an
ending; if these are n, for each with 1/n. The language with the largest sum wins if enough words
speak for it and no other comes close; otherwise it is unknown. ``benchmarks/languages.py`` compares
this with packages that do the same.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from lexfield.text.language_data import list_codes, name_language, read_language
from lexfield.text.normalise import NONE, find_stemmer
from lexfield.text.segment import split_words
from lexfield.text.stopwords import languages, stopwords
from lexfield.text.unspaced import SEGMENTED

UNKNOWN = "unknown"
FIELD = "language"  # of the metadata
_SAMPLE = 2400  # characters
_PLACES = 6  # of a text that are compared
_FEWEST = 10  # words; fewer say too little
_LEAST = 0.12  # minimum share of words that are evidence for the language
_DISTINCT = 3  # different ones: "io" twice would make a list of packages Italian
_MARGIN = 1.2  # times the sum of the next language
_SHORT, _SHORT_MARGIN = 12, 2.0  # in fewer words, "dog" and "at" would make a text Danish
_LONGEST_ENDING = 6
_SECOND = 0.2  # share of a text in a second language, unless it is a quotation
_MOST = 0.9  # share of a collection that is in its language, unless it is mixed
_SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "THAI": "th", "GREEK": "el",
    "HEBREW": "he", "GEORGIAN": "ka", "ARMENIAN": "hy", "TAMIL": "ta", "BENGALI": "bn",
}  # fmt: skip


def detect_text_language(text: str) -> str:
    """Return the code of the language of a text, from a sample of its middle, or unknown."""
    return detect_language(split_words(_take_middle(text).lower()))


def detect_parts(text: str, language: str) -> Counter[str]:
    """Return the sizes of the paragraphs in each language that is recognised, by its code.

    ``language`` is what ``detect_text_language`` returns, which looks at the same sample.
    """
    found: Counter[str] = Counter()
    parts = _take_middle(text).split("\n\n")
    for part in parts:
        code = language if len(parts) == 1 else detect_language(split_words(part.lower()))
        if code != UNKNOWN:
            found[code] += len(part)
    return found


def is_mixed(text: str, parts: Counter[str]) -> bool:
    """Is a good share of the paragraphs in the middle of a text (``parts``), or of some places in a
    long one, in another language than most of it?"""
    if len(parts) > 1 and parts.most_common(2)[1][1] >= _SECOND * parts.total():
        return True
    if len(text) < _SAMPLE:
        return False
    places = (len(text) * place // _PLACES for place in range(_PLACES))
    found = Counter(
        detect_language(split_words(text[start : start + _SAMPLE // _PLACES].lower()))
        for start in places
    )
    del found[UNKNOWN]
    return len(found) > 1 and found.most_common(2)[1][1] > 1


def detect_language(words: Sequence[str]) -> str:
    """Return the code of the language of a text, given by its words in lower case, or unknown."""
    counted, scripts = Counter(words), Counter[str]()
    for word in counted:
        if not word.isascii() and (script := _find_script(word)):
            scripts[script] += counted[word]
    if scripts.total() * 2 > len(words):
        return "ja" if scripts["ja"] * 10 > scripts.total() else scripts.most_common(1)[0][0]
    if len(words) < _FEWEST:
        return UNKNOWN
    sums, count, distinct = _weigh(counted)
    best, next_best = sorted(sums, key=sums.__getitem__, reverse=True)[:2]
    margin = _MARGIN if len(words) >= _SHORT else _SHORT_MARGIN
    is_enough = count[best] >= _LEAST * len(words) and distinct[best] >= _DISTINCT
    return best if is_enough and sums[best] >= margin * sums[next_best] else UNKNOWN


def weigh_languages(text: str) -> dict[str, float]:
    """Return the evidence that a text is in each language."""
    return _weigh(Counter(split_words(_take_middle(text).lower())))[0]


def _weigh(counted: Counter[str]) -> tuple[dict[str, float], dict[str, int], dict[str, int]]:
    """Return the sum of each language, and the number of words and of different words that speak
    for it."""
    sums = dict.fromkeys(list_codes(), 0.0)
    count, distinct = dict.fromkeys(sums, 0), dict.fromkeys(sums, 0)
    for word, times in counted.items():
        spoken = _find_languages(word)
        if spoken:
            share = times / len(spoken)
            for language in spoken:
                sums[language] += share
                count[language] += times
                distinct[language] += 1
    return sums, count, distinct


def _take_middle(text: str) -> str:
    start = max(0, (len(text) - _SAMPLE) // 2)
    return text[start : start + _SAMPLE]


def choose_language(counted: Counter[str]) -> tuple[str, list[str]]:
    """Return the language of a collection, from the sizes of its texts in each, and notes.

    It is the one that most is written in; English if none was recognised.
    """
    if not counted:
        return "en", []
    (language, size), *others = counted.most_common()
    name, notes = name_language(language).title(), []
    if others and size < _MOST * counted.total():
        shares = _list_shares(counted)
        notes.append(
            f"the texts are in several languages ({shares}); stopwords and stems are those of"
            f" {name} (to treat all as one: --language; to search one: --where {FIELD}=CODE)"
        )
    elif language != "en":
        notes.append(f"the texts are in {name} (if not: --language)")
    return language, notes + report_support(language)


def _list_shares(counted: Counter[str]) -> str:
    """Return the shares of languages, the largest first; those under one percent are counted."""
    sizes = counted.most_common()
    named = [(code, size) for code, size in sizes if size * 100 >= counted.total()]
    shares = ", ".join(f"{code} {size / counted.total():.0%}" for code, size in named)
    rest = len(sizes) - len(named)
    return f"{shares} and {rest} more" if rest else shares


def report_support(language: str) -> list[str]:
    """Return a note that names the resources missing for a language."""
    lacking = []
    if not stopwords(language):
        lacking.append("stopwords, so that all words count")
    if language not in SEGMENTED and language != "none" and find_stemmer(language) == NONE:
        lacking.append("stemmer, so that only the same form of a word matches")
    name = name_language(language).title()
    return [f"for {name} there is no {' and no '.join(lacking)}"] if lacking else []


@lru_cache(50_000)
def _find_languages(word: str) -> tuple[str, ...]:
    """Return the languages for which a word is evidence."""
    if found := _by_stopword().get(word):
        return found
    letters = _by_letter()
    if spoken := {code for letter in word if letter in letters for code in letters[letter]}:
        return tuple(sorted(spoken))
    endings = _by_ending()
    for size in range(min(_LONGEST_ENDING, len(word) - 2), 1, -1):
        if found := endings.get(word[-size:]):
            return found
    return ()


@cache
def _by_stopword() -> dict[str, tuple[str, ...]]:
    return _invert((code, stopwords(code)) for code in languages())


@cache
def _by_letter() -> dict[str, tuple[str, ...]]:
    return _invert((code, read_language(code).letters) for code in list_codes())


@cache
def _by_ending() -> dict[str, tuple[str, ...]]:
    return _invert((code, read_language(code).endings) for code in list_codes())


def _invert(features: Iterable[tuple[str, Iterable[str]]]) -> dict[str, tuple[str, ...]]:
    """Return the languages that have each feature."""
    found: dict[str, list[str]] = {}
    for code, own in features:
        for feature in own:
            found.setdefault(feature, []).append(code)
    return {feature: tuple(codes) for feature, codes in found.items()}


@lru_cache(50_000)
def _find_script(word: str) -> str:
    """Return the language of a script that is practically of one; empty for others."""
    name = unicodedata.name(word[0], "")
    return _SCRIPTS.get(name.partition(" ")[0], "")
