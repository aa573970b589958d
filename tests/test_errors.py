"""Errors name options as Python spells them; the command line has its own spelling."""

from __future__ import annotations

import pytest

from lexfield.errors import InputError


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("Name its field: --text-field NAME.", "Name its field: text_field."),
        ("Read it with --format parquet.", "Read it with format='parquet'."),
        ("Leave out short rows with --min-words 5, or raise --threshold: short sentences",
         "Leave out short rows with min_words=5, or raise threshold: short sentences"),
        ("Use --replace (in Python: replace=True).", "Use replace=True."),
        ("Run lexfield topics fit x --topics 50", "Run lexfield topics fit x --topics 50"),
        ("'--help' is not a word.", "'--help' is not a word."),
        ("a well--known text", "a well--known text"),
    ],
)  # fmt: skip
def test_options_are_spelled_for_the_reader(typed: str, named: str) -> None:
    error = InputError(typed, typed)
    assert error.typed == (typed, typed)
    assert error.message == error.hint == named
