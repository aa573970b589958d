"""Strings as one block of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lexfield.store.strings import StringArray


@given(st.lists(st.text(), max_size=6))
def test_strings_come_back(strings: list[str]) -> None:
    assert list(StringArray.pack(strings)) == strings
