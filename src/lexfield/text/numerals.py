"""Numbers in a text, in digits or in English words: 3, 1,000, twenty-one, 2 million, third."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh
twelfth""".split()
_VALUES = {word: value for value, word in enumerate(_SMALL)}
_VALUES |= {word: 10 * tens for tens, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
_SCALES |= {"dozen": 12, "trillion": 10**12}
_ORDINAL = {word: f"{value}th" for value, word in enumerate(_ORDINALS, 1)}
_GROUPS = {True: re.compile(r"\d{1,3}(,\d{3})+"), False: re.compile(r"\d{1,3}([.,]\d{3})+")}
_ENDING = re.compile(r"(\d+)(?:st|nd|rd|th)")

# What is equal for equal numbers, and the places of its first and last word.
Numeral = tuple[str, int, int]


def find_numerals(words: Sequence[str], english: bool) -> list[Numeral]:
    """Return the numbers among words in lower case, in order."""
    found: list[Numeral] = []
    place = 0
    while place < len(words):
        value, last = _read_number(words, place, english)
        if value is not None:
            found.append((f"{value:.12g}", place, last))
        elif any(map(str.isdecimal, words[place])):  # A380, 3rd, 1990s
            ending = _ENDING.fullmatch(words[place]) if english else None
            found.append((f"{ending[1]}th" if ending else words[place], place, place))
        elif english and words[place] in _ORDINAL:
            found.append((_ORDINAL[words[place]], place, place))
        place = last + 1
    return found


def _read_number(words: Sequence[str], place: int, english: bool) -> tuple[float | None, int]:
    """Return the number that begins at a place, or None, and the place of its last word."""
    value = _read_digits(words[place], english)
    is_open = False  # may a smaller number be added? twenty-one, two hundred and five
    if value is None and english:
        value = _VALUES.get(words[place])
        is_open = words[place] in _TENS
    if value is None or not english:
        return value, place
    total, last = float(value), place
    least = 10  # numbers below are added
    while last + 1 < len(words):
        word = words[last + 1]
        if word in _SCALES:
            total, last = _multiply(total, _SCALES[word]), last + 1
            is_open, least = True, min(_SCALES[word], 100)
            continue
        skip = 1 + (word == "and" and least == 100)
        more = _VALUES.get(words[last + skip]) if last + skip < len(words) else None
        if not is_open or more is None or not 0 < more < least:
            break
        total, last = total + more, last + skip
        is_open, least = words[last] in _TENS, 10
    return total, last


def _multiply(total: float, scale: int) -> float:
    """Return a number times a scale, which applies to its last thousands: 2,000 + 5 hundred."""
    rest = total % 1000 if scale == 100 and total >= 1000 else total
    return total - rest + rest * scale


def _read_digits(word: str, english: bool) -> float | None:
    """Return the value of digits; a comma groups thousands, or is a decimal comma."""
    if _GROUPS[english].fullmatch(word):
        word = word.replace(",", "").replace("." if not english else ",", "")
    try:
        return float(word.replace(",", ".")) if word[0].isdecimal() else None
    except ValueError:
        return None
