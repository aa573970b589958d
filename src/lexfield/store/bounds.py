"""Limits for input from outside, where a small file can need much memory: JSON, whose smallest
values take twenty times the memory of their text, and everything compressed."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

MOST_PARTS = 100_000
_GROWTH, _FREE = 100, 16 << 20  # text shrinks to a third, logs of equal lines to a hundredth
_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)


def bounded_json(text: str, most: int = MOST_PARTS) -> Any:
    """Return the value of JSON text. Raise ValueError if it is wrong or has over ``most`` parts.

    A part is a string, a comma or an opening bracket: every value has at least one.
    """
    if len(text) > most and next(islice(_PART.finditer(text), most, None), None):
        raise ValueError(f"more than {most:,} strings, commas and brackets")
    return json.loads(text)


def most_unpacked(packed: int) -> int:
    """Return how many bytes a file of ``packed`` bytes may unpack to without being suspicious."""
    return _GROWTH * packed + _FREE
