from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.store.bounds import bounded_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def parts(value: Any) -> int:
    """Strings, commas and opening brackets of a value, counted where they are known."""
    if isinstance(value, str):
        return 1
    if isinstance(value, list | dict):
        keys = len(value) if isinstance(value, dict) else 0
        inner = value.values() if isinstance(value, dict) else value
        return 1 + keys + max(len(value) - 1, 0) + sum(map(parts, inner))
    return 0


@given(VALUES, st.booleans())
def test_the_parts_of_json_are_counted_outside_its_strings(value: Any, ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii) + " " * 100
    most = parts(value)
    assert bounded_json(text, most) == value
    if most:
        with pytest.raises(ValueError, match="more than"):
            bounded_json(text, most - 1)


@pytest.mark.parametrize("text", ["[],", '"a",', '{"a":0},', '"\\"'])
def test_many_small_values_are_refused_in_linear_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match="more than"):
        bounded_json("[" + text * 1_000_000 + "0]")
    assert time.process_time() - start < 5


def test_a_long_text_is_one_part() -> None:
    text = json.dumps({"text": 'a, [b] {c} "d" ' * 100_000})
    assert len(bounded_json(text)["text"]) == 1_500_000
