"""The query language for bags: sums and multiples of words and phrases (lecture notes, section 3).

A text is read as algebra only where that is asked for; by default its words are searched for as
they are.

    aristotle metaphysics             two words, each once
    3*aristotle + 2*metaphysics       3 ⊗ A ⊎ 2 ⊗ P
    "rules and representations"       an n-gram
    plato - 0.5*socrates              a negative weight

The + between terms is optional. A minus at the start of a term subtracts it; inside a word it is a
hyphen. There are no brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lexfield.errors import InputError, check
from lexfield.text.segment import split_words

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*\*")
_RUN = re.compile(r'[^\s"“”*+]+')  # a word with its punctuation
_QUOTES = {'"': '"', "“": "”", "”": "”"}
_LARGEST_WEIGHT = 1e9
_LONGEST = 400_000  # characters of a query
_SHOWN = 60  # characters of a query in an error


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A term of a query: its weight, its text as written, and whether it was quoted."""

    weight: float
    text: str
    quoted: bool


def parse_algebra(text: str) -> list[WeightedTerm]:
    """Return the terms of a query in order. Raise an error that points at the first fault."""
    check(len(text) <= _LONGEST, "A query", f"at most {_LONGEST:,} characters", text[:_SHOWN])
    return _Parser(text.replace("\0", " ")).terms()


class _Parser:
    """A recursive-descent parser: ``_at`` is the next character to read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def terms(self) -> list[WeightedTerm]:
        found: list[WeightedTerm] = []
        while True:
            self._skip()
            if self._at == len(self._text):
                return found
            sign = self._sign()
            weight, weighted = self._weight()
            start = self._at
            term = self._term(sign * weight)
            if split_words(term.text):
                found.append(term)
            elif sign < 0 or weighted or term.quoted:
                raise self._make_error("there is no word here", start)

    def _skip(self) -> None:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1

    def _sign(self) -> int:
        mark = self._text[self._at]
        if mark not in "+-":
            return 1
        self._at += 1
        self._skip()
        if self._text[self._at : self._at + 1] in ("+", "-", "", "(" * (mark == "-")):
            raise self._make_error(f"a word must follow {mark!r}", self._at)
        return -1 if mark == "-" else 1

    def _weight(self) -> tuple[float, bool]:
        weight, given = 1.0, False
        while match := _NUMBER.match(self._text, self._at):
            weight, given = weight * float(match[1]), True
            if weight > _LARGEST_WEIGHT:
                raise self._make_error(f"a weight can be at most {_LARGEST_WEIGHT:,.0f}", self._at)
            self._at = match.end()
            self._skip()
            if self._text[self._at : self._at + 1] in ("+", "-", "*", "(", ""):
                raise self._make_error("a word or a quoted phrase must follow '*'", self._at)
        return weight, given

    def _term(self, weight: float) -> WeightedTerm:
        start = self._at
        mark = self._text[start]
        if mark == "*":
            raise self._make_error("a number must come before '*'", start)
        if mark in _QUOTES:
            end = self._text.find(_QUOTES[mark], start + 1)
            if end < 0:
                raise self._make_error("this quote is not closed", start)
            self._at = end + 1
            return WeightedTerm(weight, self._text[start + 1 : end], True)
        match = _RUN.match(self._text, start)
        assert match  # what starts here is neither white space, a quote nor an operator
        self._at = match.end()
        return WeightedTerm(weight, match[0], False)

    def _make_error(self, what: str, at: int) -> InputError:
        first = max(0, at - _SHOWN // 2)
        line = "".join(c if c.isprintable() else " " for c in self._text[first : first + _SHOWN])
        return InputError(
            f"Character {at + 1} of the query: {what}.\n    {line}\n    {' ' * (at - first)}^",
            'As in: 3*aristotle + 2*metaphysics - "rules and representations"',
        )
