"""Sentences and words of any script, in time linear in the text.

Words follow the word boundaries of Unicode Annex 29 in outline: runs of letters, digits and marks,
joined by an apostrophe between letters ("don't") and by a point or comma between digits ("3.14").
Han characters and kana are words of their own; there is no dictionary.

Sentences end at ``. ! ? …`` and their relatives in other scripts, with closing quotes and brackets,
where what follows looks like a start; a point after an abbreviation or an initial does not end one.
Abbreviations, ordinals and usual first words are those of the language (``data/languages``).
A blank line always ends one. In Thai, which has no such mark, a line or a clause is one.
``benchmarks/segmentation.py`` compares this with other segmenters. In large collections compiled
loops find the same sentences and words (``scan.py``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, islice

from lexfield.text.language_data import Language, read_language
from lexfield.text.stopwords import stopwords

STOPS = ".!?…‽؟۔।॥։።"
WIDE_STOPS = "。！？｡"  # these need no white space after them
CLOSERS = "\"'”’»›«‹)]}"
WIDE_CLOSERS = "」』”’）》"
OPENERS = "\"'“‘„‚«‹»›([{¿¡—-"
BEFORE_WORD = "\"'“‘([{-—"  # what may stand before an abbreviation
ALONE = "⺀-⿟々-〇぀-ゟ㐀-䶿一-鿿\uf900-\ufaff"  # ranges of characters that are words of their own
JOINER = 0x200D  # counts as a letter
LONGEST_ABBREVIATION = 7
BEFORE = 24  # characters before a point in which an abbreviation is looked for
_BREAK = re.compile(
    # One leading character set lets the matcher skip through text at C speed.
    rf"[{STOPS}{WIDE_STOPS}\n](?:"
    # After a quotation in Japanese, the sentence continues with と or a comma.
    rf"(?<=[{WIDE_STOPS}])[{WIDE_STOPS}]*+[{WIDE_CLOSERS}]*+(?:(?<![」』])|(?![とっ、，]))"
    rf"|(?<=[{STOPS}])[{STOPS}]*[{re.escape(CLOSERS)}]*(?:[ \xa0\u202f]»(?=\s|\Z))?"
    # What may stand before the next word: 's in Dutch; quotes and dashes, also with a space.
    rf"(?=\s+(?:['’][stnkm]\s)?(?:[{re.escape(OPENERS)}]|(?<=[«—-])[ \xa0\u202f])*(?P<next>\w+)"
    r"|\s*\Z)"
    r"|(?<=\n)[^\S\n]*(?=\n))"
)
_GAP = re.compile(  # lines, and spaces between letters: not at numbers and signs of repetition
    r"\s*\n\s*|(?<=[\u0e01-\u0e2e\u0e30-\u0e45\u0e47-\u0e4e])\s+(?=[\u0e01-\u0e2e\u0e40-\u0e44])"
)
_CLAUSE = 60  # characters of a line that are not cut
_BATCH = 4096  # sentences that are normalised at a time
_LONGEST_ORDINAL = 2


def sentence_spans(text: str, language: str = "en") -> list[tuple[int, int]]:
    """Return the start and end of each sentence, without the white space around it."""
    return list(find_spans(text, language))


def find_spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield what ``sentence_spans`` returns."""
    rules = read_rules(language)
    return _unmarked_spans(text) if rules.unmarked else _match_spans(text, rules)


def _match_spans(text: str, rules: Language) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _BREAK.finditer(text):
        following = match["next"]
        if following is None or ends_sentence(text, match.start(), *match.span("next"), rules):
            end = match.end()
            if body := text[start:end].lstrip():
                yield end - len(body), end - len(body) + len(body.rstrip())
            start = end
    if body := text[start:].lstrip():
        yield len(text) - len(body), len(text) - len(body) + len(body.rstrip())


def _unmarked_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of a text whose sentences end without a mark, and the clauses of long ones.

    Words have no spaces between them there: a space ends a clause.
    """
    start = 0
    gaps = ((gap[0], *gap.span()) for gap in _GAP.finditer(text))
    for gap, end, following in chain(gaps, [("\n", len(text), len(text))]):
        if "\n" not in gap and end - start < _CLAUSE:
            continue
        if body := text[start:end].strip():
            first = text.index(body, start)
            yield first, first + len(body)
        start = following


@cache
def read_rules(language: str) -> Language:
    """Return the abbreviations of a language; those of English if there are none."""
    rules = read_language(language)
    if not rules.titles:
        return replace(read_language("en"), unmarked=rules.unmarked)
    return rules if rules.starters else replace(rules, starters=stopwords(language))


def ends_sentence(text: str, point: int, first: int, last: int, rules: Language) -> bool:
    """Return whether a mark ends a sentence, given where the word after it begins and ends.

    A point does not end one after a title or an initial, nor after an abbreviation or an ordinal
    unless a usual first word follows.
    """
    following = text[first:last]
    if following[0].islower():
        return False
    if text[point] != "." or text[point + 1] in STOPS:
        return True
    before = text[max(0, point - BEFORE) : point].rsplit(None, 1)
    word = before[-1].lstrip(BEFORE_WORD) if before else ""
    if len(word) > LONGEST_ABBREVIATION or not word:
        return True
    lower = word.lower()
    if lower in rules.titles:
        return False
    if lower in rules.before_number and word != "P":
        return not following[0].isdigit()
    if rules.ordinals and len(word) <= _LONGEST_ORDINAL and word.isdigit():
        return following.lower() in rules.starters
    if lower in rules.abbreviations or "." in word or (len(word) == 1 and word.isalpha()):
        is_initial = len(following) == 1 and text[last : last + 1] == "."
        return following.lower() in rules.starters and not is_initial
    return True


_MARK = r"[^\w\s]"  # a punctuation mark or symbol
# A break between sentences: a word of its own in ``split_words(mark_sentences(…))``.
BREAK = "\0"

_WORD = (
    # Possessive: a word is never tried shorter, so no memory is spent on the way back.
    # The mark comes before the look at what precedes it: most words end right here.
    r"[{letters}{digits}]++"
    r"(?:(?:{mark}(?<=[{letters}]{mark})(?=[{letters}])|[.,](?<=[{digits}][.,])(?=[{digits}]))"
    r"[{letters}{digits}]++)*+"
)
_ASCII = _WORD.format(letters="A-Za-z", digits="0-9", mark="'")


def split_words(text: str) -> list[str]:
    """Return the words of a text, as written, in order."""
    return _pattern(text).findall(text)


def split_tokens(text: str) -> list[str]:
    """Return the words and the punctuation marks of a text, as written, in order."""
    return (_ascii_pattern(True) if text.isascii() else _unicode_pattern(True)).findall(text)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each word of ``split_words(text)``."""
    return [match.span() for match in _pattern(text).finditer(text)]


def mark_sentences(
    text: str,
    normalise: Callable[[str], str],
    language: str = "en",
    find: Callable[[str, str], Iterator[tuple[int, int]]] = find_spans,
) -> Iterator[tuple[Iterator[int], str]]:
    """Yield the starts and ends of some sentences of a text in turn, and these sentences normalised
    with ``BREAK`` after each.

    Normalising many sentences at once is several times faster than one at a time; all at once would
    take many times the memory of the text if sentences are short.

    find: returns the spans of sentences, as ``find_spans`` does.
    """
    text = text.replace(BREAK, " ")
    spans = find(text, language)
    while batch := list(islice(spans, _BATCH)):
        yield chain.from_iterable(batch), normalise("".join([text[a:b] + BREAK for a, b in batch]))


def split_pieces(text: str, size: int = 1 << 18) -> Iterator[str]:
    """Yield a marked text in pieces of about ``size`` characters without splitting a word."""
    start = 0
    while start < len(text):
        end = start + size
        if end < len(text):
            end = 1 + max(text.rfind(mark, start, end) for mark in (BREAK, " "))
        if end <= start:  # one long word, or none
            end = len(text)
        yield text[start:end]
        start = end


def _pattern(text: str) -> re.Pattern[str]:
    return _ascii_pattern() if text.isascii() else _unicode_pattern()


@cache
def _ascii_pattern(marks: bool = False) -> re.Pattern[str]:
    return re.compile(f"{_ASCII}|{_MARK if marks else BREAK}")


@cache
def _unicode_pattern(marks: bool = False) -> re.Pattern[str]:
    """Return the same for all scripts: letters with their marks, which ``\\w`` would cut off.

    Characters beyond the basic plane are one range of letters: listed one by one they would make
    every match six times slower.
    """
    alone = re.compile(f"[{ALONE}𠀀-\U0003ffff]")
    letters, digits = list_word_characters()
    word = _WORD.format(
        letters=character_ranges(letters) + "\U00010000-\U0001efff",
        digits=character_ranges(digits),
        mark="['’]",
    )
    return re.compile(f"{word}|{alone.pattern}|{_MARK if marks else BREAK}")


@cache
def list_word_characters() -> tuple[list[int], list[int]]:
    """Return the codes of letters, with the marks on them, and of digits in the basic plane."""
    characters = [chr(code) for code in range(1 << 16)]
    alone = set(re.findall(f"[{ALONE}]", "".join(characters)))
    letters, digits = [], []
    for code, (character, category) in enumerate(
        zip(characters, map(unicodedata.category, characters), strict=True)
    ):
        if category in ("Nl", "No") or (category[0] in "LM" and character not in alone):
            letters.append(code)
        elif category == "Nd":
            digits.append(code)
    return [*letters, JOINER], digits


def character_ranges(codes: list[int]) -> str:
    """Return ascending character codes as ranges for a character class."""
    ranges, first = [], codes[0]
    for code, following in zip(codes, [*codes[1:], -1], strict=True):
        if following != code + 1:
            ranges.append(f"{chr(first)}-{chr(code)}")
            first = following
    return "".join(ranges)
