"""Strings as one block of bytes."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexfield.store.strings import StringArray


@given(st.lists(st.text(), max_size=6))
def test_strings_come_back(strings: list[str]) -> None:
    assert list(StringArray.pack(strings)) == strings


@given(st.lists(st.text(alphabet="ab\0é") | st.text(min_size=15), unique=True), st.randoms())
def test_rows_are_ordered_by_key_and_then_as_strings(strings: list[str], random: Random) -> None:
    packed = StringArray.pack(strings)
    keys = [random.randrange(-2, 2) for _ in strings]
    order = packed.ordered(np.array(keys, np.int64))
    expected = [string for _, string in sorted(zip(keys, strings, strict=True))]
    assert [strings[row] for row in order] == expected
    assert list(packed.take(order)) == expected


def test_long_strings_that_begin_alike_are_ordered() -> None:
    strings = ["x" * 20 + tail for tail in ("b", "a", "", "ab")] + ["x" * 16, "x" * 8]
    order = StringArray.pack(strings).ordered(np.zeros(6, np.int64))
    assert [strings[row] for row in order] == sorted(strings)
