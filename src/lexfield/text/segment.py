"""Sentences and words, in time linear in the text, for any script.

Words follow the word boundaries of Unicode Annex 29 in outline: runs of letters, digits and marks,
joined by an apostrophe between letters ("don't") and by a point or comma between digits ("3.14").
Han characters and kana are words of their own; there is no dictionary.

Sentences end at ``. ! ? …`` and their relatives in other scripts, with closing quotes and brackets,
where what follows looks like a start; a point after an abbreviation or an initial does not end one.
A blank line always does. ``benchmarks/segmentation.py`` measures this beside other segmenters.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice

# Before a name or a number; a sentence practically never ends with one of these.
_TITLES = frozenset(
    """adm atty brig capt cf cmdr col comdr cpl det dr eg ens fr gen gov hon ie insp lt maj messrs
    mlle mme mr mrs ms msgr mt op pfc prof pvt rep reps rev sen sens sgt supt viz vs""".split()
)
# Abbreviations that may end a sentence, but only where the next word is a usual first word.
_ABBREVIATIONS = frozenset(
    """adj adv al apr art assn aug ave bldg blvd bros ca ch chap co corp dec dept dist ed eds eqn
    esp est et feb fig figs ft ibid inc jan jas jr ltd mar md mts nov oct ph pl pp pt rd ref res
    sec sep sept ser sr st stat ste univ vol vols wm""".split()
)
_BEFORE_NUMBER = frozenset("no nos p par".split())
_STARTERS = frozenset(
    """a after all although an and another as at because before but by each even every for from he
    her here his how however i if in instead is it its many moreover most my no nor not now of on
    once one or our perhaps she since so some still such that the their then there therefore these
    they this those though thus to under we what when where whether which while who why with yet
    you your""".split()
)

_STOPS = ".!?…‽؟۔।॥։።"
_WIDE_STOPS = "。！？｡"  # these need no white space after them
_BREAK = re.compile(
    # One leading character set lets the matcher skip through text at C speed.
    rf"[{_STOPS}{_WIDE_STOPS}\n](?:"
    rf"(?<=[{_WIDE_STOPS}])[{_WIDE_STOPS}]*[」』”’）》]*"
    rf"|(?<=[{_STOPS}])[{_STOPS}]*[\"'”’»›)\]}}]*"
    r"(?=\s+[\"'“‘„‚«‹(\[{¿¡—-]*(?P<next>\w+)|\s*\Z)"
    r"|(?<=\n)[^\S\n]*(?=\n))"
)


_TOGETHER = 4096  # sentences that are normalised at a time


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence; the white space around it belongs to none."""
    return list(_spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _breaks(text):
        if body := text[start:end].lstrip():
            first = end - len(body)
            yield first, first + len(body.rstrip())
        start = end


def _breaks(text: str) -> Iterator[int]:
    """Where sentences end, and the end of the text."""
    for match in _BREAK.finditer(text):
        if match["next"] is None or _ends(text, match):
            yield match.end()
    yield len(text)


def _ends(text: str, match: re.Match[str]) -> bool:
    """Does this mark, with white space and a word after it, end a sentence?"""
    following: str = match["next"]
    if following[0].islower():
        return False
    point = match.start()
    if text[point] != "." or text[point + 1] in _STOPS:
        return True
    before = text[max(0, point - 24) : point].split()
    word = before[-1].lstrip("\"'“‘([{-—") if before else ""
    if len(word) > 7 or not word:
        return True
    lower = word.lower()
    if lower in _TITLES:
        return False
    if lower in _BEFORE_NUMBER and word != "P":
        return not following[0].isdigit()
    if lower in _ABBREVIATIONS or "." in word or (len(word) == 1 and word.isalpha()):
        end = match.end("next")
        initial = len(following) == 1 and text[end : end + 1] == "."
        return following.lower() in _STARTERS and not initial
    return True


# A break between sentences, as a word of its own in ``words`` of what ``marked`` gives.
BREAK = "\0"

_WORD = (
    # Possessive: a word is never tried shorter, so no memory is spent on the way back.
    # The mark comes before the look at what precedes it: most words end right here.
    r"[{letters}{digits}]++"
    r"(?:(?:{mark}(?<=[{letters}]{mark})(?=[{letters}])|[.,](?<=[{digits}][.,])(?=[{digits}]))"
    r"[{letters}{digits}]++)*+"
)
_ASCII = _WORD.format(letters="A-Za-z", digits="0-9", mark="'")


def words(text: str) -> list[str]:
    """The words of a text, as written, in order."""
    return _pattern(text).findall(text)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of ``words(text)``."""
    return [match.span() for match in _pattern(text).finditer(text)]


def marked(text: str, normalise: Callable[[str], str]) -> tuple[array[int], str]:
    """Starts and ends of a text's sentences by turns, and its normalised sentences with ``BREAK``
    after each.

    One pass of one pattern over many sentences is several times quicker than a call for each; over
    all at once it would take many times the text's memory where they are short.
    """
    text = text.replace(BREAK, " ")
    bounds: array[int] = array("q")
    parts = []
    spans = _spans(text)
    while some := list(islice(spans, _TOGETHER)):
        bounds.extend(chain.from_iterable(some))
        parts.append(normalise("".join([text[a:b] + BREAK for a, b in some])))
    return bounds, "".join(parts)


def pieces(text: str, size: int = 1 << 18) -> Iterator[str]:
    """A marked text in parts of some size; no word is cut."""
    start = 0
    while start < len(text):
        end = start + size
        if end < len(text):
            end = 1 + max(text.rfind(mark, start, end) for mark in (BREAK, " "))
        if end <= start:  # one word, or none
            end = len(text)
        yield text[start:end]
        start = end


def _pattern(text: str) -> re.Pattern[str]:
    return _ascii_pattern() if text.isascii() else _unicode_pattern()


@cache
def _ascii_pattern() -> re.Pattern[str]:
    return re.compile(f"{_ASCII}|{BREAK}")


@cache
def _unicode_pattern() -> re.Pattern[str]:
    """The same over all scripts: letters with their marks, which ``\\w`` alone would cut off.

    Beyond the basic plane the scripts are taken as one range of letters: listed one by one they
    would make every match six times slower.
    """
    alone = re.compile("[⺀-⿟々-〇぀-ゟ㐀-䶿一-鿿豈-﫿𠀀-\U0003ffff]")
    kinds: dict[str, list[int]] = {"letter": [], "digit": []}
    for code in range(0x10000):
        category = unicodedata.category(chr(code))
        if (category[0] in "LM" and not alone.match(chr(code))) or category in ("Nl", "No"):
            kinds["letter"].append(code)
        elif category == "Nd":
            kinds["digit"].append(code)
    word = _WORD.format(
        letters=character_ranges(kinds["letter"]) + "\u200d\U00010000-\U0001efff",
        digits=character_ranges(kinds["digit"]),
        mark="['’]",
    )
    return re.compile(f"{word}|{alone.pattern}|{BREAK}")


def character_ranges(codes: list[int]) -> str:
    """Ascending character codes as ranges inside a regular expression's class."""
    ranges, first = [], codes[0]
    for code, following in zip(codes, [*codes[1:], -1], strict=True):
        if following != code + 1:
            ranges.append(f"{chr(first)}-{chr(code)}")
            first = following
    return "".join(ranges)
