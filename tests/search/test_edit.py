"""The vector kernel counts the edits that rapidfuzz counts, and a search finds the fewest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from lexfield.search import edit
from lexfield.search.index import Index
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


@pytest.mark.parametrize("size", [1, 25, 63, 64, 65, 200])
def test_rows_that_are_much_longer_than_the_pattern(size: int) -> None:
    random = np.random.default_rng(size)
    text = "".join(random.choice(list("abcd"), size))
    lengths = (0, 60, 130, 1000, 4096, 5001, 5001)
    rows = ["".join(random.choice(list("abcde"), n)) for n in lengths] + ["x" * 3000 + text]
    exact = [Levenshtein.distance(text, row) for row in rows]
    assert measured(text, rows) == exact
    for limit in (900, 3000):
        for got, expected in zip(measured(text, rows, limit), exact, strict=True):
            assert got == expected or min(got, expected) > limit


def test_a_row_of_a_million_symbols_is_measured_in_seconds() -> None:
    """Its band has a million diagonals, of which only those in the table are kept."""
    text, row = "a boat in a storm", "word " * 200_000
    assert measured(text, [row]) == [Levenshtein.distance(text, row)]


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


@pytest.mark.parametrize("by", ["character", "word"])
@pytest.mark.parametrize("part", [1, 7, 1000])
def test_blocks_of_any_size_have_the_nearest_rows(
    by: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit, "_PART", part)
    random = np.random.default_rng(part)
    words = ["storm", "a", "the", "sea", "harbour", "é", "quiet", "s" * 300]
    drawn = (random.choice(words, int(random.integers(1, 30))) for _ in range(60))
    rows = [" ".join(some) for some in drawn]
    index = Index([*rows, *rows[:5]], language="en")
    for text in [rows[0], "the quiet harbour", "a storm " * 20, "zebra"]:
        pieces = text.split() if by == "word" else text
        expected = sorted(
            (Levenshtein.distance(pieces, row.split() if by == "word" else row), number)
            for number, row in enumerate([*rows, *rows[:5]])
        )
        found = index.search(text, f"edit(by={by})", 9)
        assert [*zip((-score for score in found.scores), found.rows, strict=True)] == expected[:9]
