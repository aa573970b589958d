"""The vector kernel counts the edits that rapidfuzz counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from lexfield.search.myers import Pattern, count_edits
from lexfield.store.strings import StringArray

NO_LIMIT = 2**31 - 2
texts = st.text(st.sampled_from("abc Ä€😀漢"), max_size=200)


def measured(text: str, rows: list[str], limit: int = NO_LIMIT) -> list[int]:
    packed = StringArray.pack(rows)
    lengths = np.array([len(row) for row in rows], np.int32)
    pattern = Pattern.of([ord(character) for character in text])
    starts, ends = packed.offsets[:-1], packed.offsets[1:]
    found: list[int] = count_edits(
        pattern, pattern.table(128), packed.data, starts, ends, lengths, limit
    ).tolist()
    return found


@given(texts.filter(len), st.lists(texts, min_size=1, max_size=70))
def test_texts_of_any_script_have_the_distances_of_rapidfuzz(text: str, rows: list[str]) -> None:
    assert measured(text, rows) == [Levenshtein.distance(text, row) for row in rows]


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 129, 500])
def test_every_width_of_pattern_and_row(size: int) -> None:
    random = np.random.default_rng(size)
    text = "".join(random.choice(list("abcd"), size))
    rows = ["".join(random.choice(list("abcde"), n)) for n in (0, 1, 63, 64, 65, 127, 128, 700)]
    assert measured(text, rows) == [Levenshtein.distance(text, row) for row in rows]


@given(texts.filter(len), st.lists(texts, min_size=1, max_size=5), st.integers(0, 60))
def test_a_limit_only_changes_what_lies_over_it(text: str, rows: list[str], limit: int) -> None:
    for got, row in zip(measured(text, rows, limit), rows, strict=True):
        expected = Levenshtein.distance(text, row)
        assert got == expected or min(got, expected) > limit


@given(st.lists(st.integers(0, 9), min_size=1, max_size=90), st.lists(st.integers(0, 6)))
def test_numbers_are_compared_through_a_table(text: list[int], row: list[int]) -> None:
    pattern = Pattern.of(text)
    data, starts = np.array([*row, 0], np.int32), np.array([0])
    lengths = np.array([len(row)], np.int32)
    got = count_edits(pattern, pattern.table(7), data, starts, lengths, lengths, NO_LIMIT)
    assert got.tolist() == [Levenshtein.distance(text, row)]
