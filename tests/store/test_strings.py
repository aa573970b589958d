"""Strings as one block of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lexfield.store.strings import StringArray


@given(st.lists(st.text(), max_size=6))
def test_strings_come_back_and_their_characters_are_counted(strings: list[str]) -> None:
    packed = StringArray.pack(strings)
    assert list(packed) == strings
    bounds = packed.offsets.tolist()
    for number, text in enumerate(strings):
        assert packed.characters(bounds[number], bounds[number + 1]) == len(text)
