"""The query language: what it reads, and where it says a fault is."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.bags.algebra import parse_algebra
from lexfield.errors import InputError
from lexfield.text.segment import split_words


def read(text: str) -> list[tuple[float, str, bool]]:
    return [(term.weight, term.text, term.quoted) for term in parse_algebra(text)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("  ... ", []),
        ("aristotle metaphysics", [(1, "aristotle", False), (1, "metaphysics", False)]),
        ("3*aristotle + 2*metaphysics", [(3, "aristotle", False), (2, "metaphysics", False)]),
        ("3 * aristotle+2*metaphysics", [(3, "aristotle", False), (2, "metaphysics", False)]),
        ('"rules and representations"', [(1, "rules and representations", True)]),
        ('2*"a b" - c', [(2, "a b", True), (-1, "c", False)]),
        ("a - 0.5*b -c -.25*d", [(1, "a", False), (-0.5, "b", False), (-1, "c", False),
                                 (-0.25, "d", False)]),
        ("+a", [(1, "a", False)]),
        ("2*3*a", [(6, "a", False)]),
        ("0*a", [(0, "a", False)]),
        ("3 ships", [(1, "3", False), (1, "ships", False)]),
        ("well-known, don't!", [(1, "well-known,", False), (1, "don't!", False)]),
        ("“so quoted” (here)", [(1, "so quoted", True), (1, "(here)", False)]),
        ("a\0b", [(1, "a", False), (1, "b", False)]),
    ],
)  # fmt: skip
def test_read(text: str, terms: list[tuple[float, str, bool]]) -> None:
    assert read(text) == terms


@pytest.mark.parametrize(
    ("text", "character", "what"),
    [
        ("3*", 3, "must follow '*'"),
        ("**", 1, "a number must come before '*'"),
        ("3**a", 3, "must follow '*'"),
        ("3*-a", 3, "must follow '*'"),
        ("a*2", 2, "a number must come before '*'"),
        ("*a", 1, "a number must come before '*'"),
        ('a "b c', 3, "this quote is not closed"),
        ("a +", 4, "a word must follow '+'"),
        ("a + + b", 5, "a word must follow '+'"),
        ("a -", 4, "a word must follow '-'"),
        ("--a", 2, "a word must follow '-'"),
        ("2*(a + b)", 3, "must follow '*'"),
        ("a - (b + c)", 5, "must follow '-'"),
        ("a - !!", 5, "there is no word here"),
        ('a ""', 3, "there is no word here"),
        ("9999999999*a", 1, "at most 1,000,000,000"),
    ],
)
def test_faults_point_at_the_character(text: str, character: int, what: str) -> None:
    with pytest.raises(InputError) as fault:
        parse_algebra(text)
    first, shown, caret = fault.value.message.splitlines()
    assert first.startswith(f"Character {character} of the query: ")
    assert what in first
    assert shown.strip() == text
    assert caret.index("^") - 4 == character - 1


def test_a_long_query_is_shown_around_its_fault() -> None:
    with pytest.raises(InputError) as fault:
        parse_algebra("word " * 1000 + "3* " + "+ word" * 1000)
    first, shown, caret = fault.value.message.splitlines()
    assert first.startswith("Character 5,004"[:11])
    assert len(shown) <= 64
    assert shown[caret.index("^")] == "+"


@given(st.text(alphabet='ab 3.*+-"“”!\n', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        terms = parse_algebra(text)
    except InputError as error:
        assert error.message.startswith("Character ")
        return
    assert Counter(w for t in terms for w in split_words(t.text)) <= Counter(split_words(text))
    assert all(split_words(term.text) for term in terms)
