"""Bounds of what comes from outside, where a small file can ask for much memory: JSON, whose
smallest values take twenty times the memory of their text, and all that is packed."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

MOST_PARTS = 100_000
_GROWTH, _FREE = 100, 16 << 20  # text is packed to a third, logs of the same lines to a hundredth
_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)


def bounded_json(text: str, most: int = MOST_PARTS) -> Any:
    """The value of JSON text; a ``ValueError`` also where it has more than ``most`` parts.

    A part is a string, a comma or an opening bracket: each value brings at least one.
    """
    if len(text) > most and next(islice(_PART.finditer(text), most, None), None):
        raise ValueError(f"more than {most:,} strings, commas and brackets")
    return json.loads(text)


def most_unpacked(packed: int) -> int:
    """Bytes to which so many packed ones may grow; what grows more is made to do harm."""
    return _GROWTH * packed + _FREE
