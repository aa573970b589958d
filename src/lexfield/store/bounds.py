"""Limits for input from outside, where a small file can need much memory: JSON, whose smallest
values take twenty times the memory of their text, and everything compressed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

MOST_PARTS = 100_000
_GROWTH, _FREE = 100, 16 << 20  # text shrinks to a third, logs of equal lines to a hundredth
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_PART = re.compile(rf"{_STRING}|[\[{{,]", re.DOTALL)
_MARK = re.compile(rf"{_STRING}|[\[\]{{}},]", re.DOTALL)


def bounded_json(text: str, most: int = MOST_PARTS) -> Any:
    """Return the value of JSON text. Raise ValueError if it is wrong or has over ``most`` parts.

    A part is a string, a comma or an opening bracket: every value has at least one.
    """
    if len(text) > most and next(islice(_PART.finditer(text), most, None), None):
        raise ValueError(f"more than {most:,} strings, commas and brackets")
    return json.loads(text)


def split_list(text: str) -> Iterator[str]:
    """Yield the text of each value of a JSON list, so that only one is in memory as objects.

    Raise ValueError if the list does not end, or if there is more text after it.
    """
    depth, start = 0, text.index("[") + 1
    for mark in _MARK.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark[0], 0)
        if (depth == 1 and mark[0] == ",") or depth == 0:
            value = text[start : mark.start()]
            if depth or value.strip() or text[start - 1] == ",":  # an empty list has no value
                yield value
            start = mark.end()
        if depth == 0:
            break
    if depth:
        raise ValueError("the list is not closed")
    if text[start:].strip():
        raise ValueError("there is more after the list")


def most_unpacked(packed: int) -> int:
    """Return how many bytes a file of ``packed`` bytes may unpack to without being suspicious."""
    return _GROWTH * packed + _FREE
