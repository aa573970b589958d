"""Sentences and words of large collections, by compiled loops.

They find exactly what the regular expressions of ``segment.py`` find, which say what a sentence and
a word are and are used for everything short. ``tests/text/test_scan.py`` compares the two.

Texts are UTF-16; one with characters beyond the basic plane is left to the expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.text.segment import (
    ALONE,
    BEFORE,
    BEFORE_WORD,
    CLOSERS,
    LONGEST_ABBREVIATION,
    OPENERS,
    STOPS,
    WIDE_CLOSERS,
    WIDE_STOPS,
    ends_sentence,
    find_spans,
    list_word_characters,
    read_rules,
)

_LARGEST = 1 << 23  # characters of a text whose sentences are all found at once
_LETTER, _DIGIT, _ALONE, _SPACE, _WORD, _LOWER = 1, 2, 4, 8, 16, 32
_STOP, _WIDE, _CLOSER, _WIDE_CLOSER, _OPENER, _BEFORE = 64, 128, 256, 512, 1024, 2048
_MARK, _POINT, _END, _LINE = 4096, 8192, 16384, 32768
_THIN = tuple(map(ord, " \xa0\u202f"))
_DASHES = tuple(map(ord, "«—-"))
_QUOTED_ON = tuple(map(ord, "とっ、，"))
_QUOTE_ENDS = tuple(map(ord, "」』"))
_APOSTROPHES = tuple(map(ord, "'’"))
_ELIDED = tuple(map(ord, "stnkm"))
_GUILLEMET, _FULL_STOP, _A, _Z, _LAST_ASCII = map(ord, "»." + "AZ\x7f")
_NO, _YES, _ASK = 0, 1, 2  # does a mark end a sentence?


def scan_spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield what ``find_spans`` does."""
    rules = read_rules(language)
    codes = encode(text) if not rules.unmarked and len(text) <= _LARGEST else None
    if codes is None:
        return find_spans(text, language)
    kinds = find_kinds()
    found = find_breaks(codes, kinds, _pack_abbreviations(language), rules.ordinals)
    ends = found[:, 4] == _YES
    for place in np.flatnonzero(found[:, 4] == _ASK).tolist():
        point, _, first, last, _ = found[place].tolist()
        ends[place] = ends_sentence(text, point, first, last, rules)
    starts, stops = strip_spans(codes, kinds, found[ends, 1]).T.tolist()
    return zip(starts, stops, strict=True)


@cache
def _pack_abbreviations(language: str) -> NDArray[np.uint64]:
    """Return the short words that decide whether a point ends a sentence, as ascending numbers."""
    rules = read_rules(language)
    packed = [
        int.from_bytes(word.encode(), "big")
        for word in {*rules.titles, *rules.before_number, *rules.abbreviations}
        if word.isascii() and len(word) <= LONGEST_ABBREVIATION
    ]
    return np.array(sorted(packed), np.uint64)


def encode(text: str) -> NDArray[np.uint16] | None:
    """Return the characters of a text; None if some are beyond the basic plane."""
    data = text.encode("utf-16-le")
    return np.frombuffer(data, "<u2") if len(data) == 2 * len(text) else None


@cache
def find_kinds() -> NDArray[np.uint16]:
    """Return for each character what it can be in a sentence and in a word."""
    every = "".join(map(chr, range(1 << 16)))
    kinds = np.zeros(1 << 16, np.uint16)

    def mark(kind: int, codes: Iterable[int]) -> None:
        kinds[np.fromiter(codes, np.int64)] |= kind

    def find(pattern: str) -> Iterable[int]:
        return (match.start() for match in re.finditer(pattern, every))

    letters, digits = list_word_characters()
    mark(_LETTER, letters)
    mark(_DIGIT, digits)
    mark(_ALONE, find(f"[{ALONE}]"))
    mark(_SPACE, find(r"\s"))
    mark(_WORD, find(r"\w"))
    mark(_LOWER, (code for code, character in enumerate(every) if character.islower()))
    for kind, characters in (
        (_STOP, STOPS), (_WIDE, WIDE_STOPS), (_CLOSER, CLOSERS), (_WIDE_CLOSER, WIDE_CLOSERS),
        (_OPENER, OPENERS), (_BEFORE, BEFORE_WORD), (_MARK, "'’"), (_POINT, ".,"), (_END, "\0"),
        (_LINE, "\n"),
    ):  # fmt: skip
        mark(kind, map(ord, characters))
    return kinds


@kernel
def find_breaks(codes: Array, kinds: Array, abbreviations: Array, has_ordinals: bool) -> Array:
    """Return where sentences may end: the mark, the place behind it and its closing quotes, the
    following word's start and end (-1 for none), and whether the sentence ends there.

    "Ask" is returned where a word of up to seven letters decides: one of the abbreviations, which
    are packed and ascending, an initial, or one with a point or a character that is not ASCII.
    """
    count = 0
    for code in codes:
        count += kinds[code] & (_STOP | _WIDE | _LINE) > 0
    found = np.empty((count, 5), np.int64)
    size, place, last = 0, 0, len(codes)
    while place < last:
        kind = kinds[codes[place]]
        if not kind & (_STOP | _WIDE | _LINE):
            place += 1
            continue
        start, end, verdict = -1, place + 1, _YES
        if kind & _WIDE:
            end = skip(codes, kinds, skip(codes, kinds, end, _WIDE), _WIDE_CLOSER)
            goes_on = codes[end - 1] in _QUOTE_ENDS and end < last and codes[end] in _QUOTED_ON
            if goes_on:
                place += 1
                continue
        elif kind & _LINE:
            while end < last and kinds[codes[end]] & _SPACE and not kinds[codes[end]] & _LINE:
                end += 1
            if end == last or not kinds[codes[end]] & _LINE:
                place += 1
                continue
        else:
            stops = skip(codes, kinds, end, _STOP)
            end = skip_guillemet(codes, kinds, skip(codes, kinds, stops, _CLOSER))
            start = find_next(codes, kinds, end)
            if start < 0:  # neither a word after white space nor the end: nor for later stops here
                place = stops
                continue
            if start < last:
                verdict = judge(codes, kinds, place, start, abbreviations, has_ordinals)
            else:
                start = -1
        found[size, 0], found[size, 1], found[size, 2] = place, end, start
        found[size, 3] = skip(codes, kinds, start, _WORD) if start >= 0 else start
        found[size, 4] = verdict
        size += 1
        place = end
    return found[:size]


@kernel
def skip(codes: Array, kinds: Array, place: int, kind: int) -> int:
    """Return the first place from here on with a character of another kind."""
    while place < len(codes) and kinds[codes[place]] & kind:
        place += 1
    return place


@kernel
def skip_guillemet(codes: Array, kinds: Array, place: int) -> int:
    """Return the place behind a closing guillemet with a space before it, as in French."""
    last = len(codes)
    is_one = place + 1 < last and codes[place] in _THIN and codes[place + 1] == _GUILLEMET
    if is_one and (place + 2 == last or kinds[codes[place + 2]] & _SPACE):
        return place + 2
    return place


@kernel
def find_next(codes: Array, kinds: Array, place: int) -> int:
    """Return where the next word begins, after white space and quotes; the end of the text if only
    white space is left, and -1 if something else stands between."""
    last = len(codes)
    start = skip(codes, kinds, place, _SPACE)
    if start == last:
        return last
    if start == place:
        return -1
    is_short = start + 2 < last and codes[start] in _APOSTROPHES and codes[start + 1] in _ELIDED
    if is_short and kinds[codes[start + 2]] & _SPACE:  # 's in Dutch
        word = skip_openers(codes, kinds, start + 3)
        if word < last and kinds[codes[word]] & _WORD:
            return word
    word = skip_openers(codes, kinds, start)
    return word if word < last and kinds[codes[word]] & _WORD else -1


@kernel
def skip_openers(codes: Array, kinds: Array, place: int) -> int:
    """Return the place behind opening quotes and dashes, after which a space may follow."""
    while place < len(codes):
        is_spaced = codes[place] in _THIN and codes[place - 1] in _DASHES
        if not is_spaced and not kinds[codes[place]] & _OPENER:
            break
        place += 1
    return place


@kernel
def judge(
    codes: Array, kinds: Array, point: int, start: int, abbreviations: Array, has_ordinals: bool
) -> int:
    """Return whether a mark before a word ends a sentence, as ``ends_sentence`` would."""
    if kinds[codes[start]] & _LOWER:
        return _NO
    if codes[point] != _FULL_STOP or kinds[codes[point + 1]] & _STOP:
        return _YES
    first, end = max(0, point - BEFORE), point
    while end > first and kinds[codes[end - 1]] & _SPACE:
        end -= 1
    begin = end
    while begin > first and not kinds[codes[begin - 1]] & _SPACE:
        begin -= 1
    while begin < end and kinds[codes[begin]] & _BEFORE:
        begin += 1
    if end == begin or end - begin > LONGEST_ABBREVIATION:
        return _YES
    packed = np.uint64(0)
    digits = 0
    for place in range(begin, end):
        code = np.uint64(codes[place])
        if code > _LAST_ASCII or code == _FULL_STOP:
            return _ASK
        digits += kinds[code] & _DIGIT > 0
        packed = packed * np.uint64(256) + (code + np.uint64(32) if _A <= code <= _Z else code)
    if end - begin == 1 or (has_ordinals and digits == end - begin):
        return _ASK
    number = np.searchsorted(abbreviations, packed)
    return _ASK if number < len(abbreviations) and abbreviations[number] == packed else _YES


@kernel
def strip_spans(codes: Array, kinds: Array, ends: Array) -> Array:
    """Return the start and end of each sentence without the white space around it, and leave out
    those that are nothing else. ``ends`` are ascending; the last sentence ends with the text."""
    spans = np.empty((len(ends) + 1, 2), np.int64)
    size = begin = 0
    for number in range(len(ends) + 1):
        end = ends[number] if number < len(ends) else len(codes)
        first, last = begin, end
        while first < last and kinds[codes[first]] & _SPACE:
            first += 1
        while last > first and kinds[codes[last - 1]] & _SPACE:
            last -= 1
        if last > first:
            spans[size, 0], spans[size, 1] = first, last
            size += 1
        begin = end
    return spans[:size]


@kernel
def find_word_end(codes: Array, kinds: Array, place: int) -> int:
    """Return the end of the word that begins at a place, or the place if none does.

    A break and a character that is a word of its own are words.
    """
    kind, last = kinds[codes[place]], len(codes)
    if not kind & (_LETTER | _DIGIT):
        return place + 1 if kind & (_ALONE | _END) else place
    end = place + 1
    while True:
        end = skip(codes, kinds, end, _LETTER | _DIGIT)
        if end + 1 >= last:
            return end
        kind, before, after = kinds[codes[end]], kinds[codes[end - 1]], kinds[codes[end + 1]]
        is_joined = kind & _MARK and before & _LETTER and after & _LETTER
        if not is_joined and not (kind & _POINT and before & _DIGIT and after & _DIGIT):
            return end
        end += 2
