"""JSON from outside. Its smallest values take twenty times the memory of their text, so their
number is bounded before they are made."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

MOST_PARTS = 100_000
_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)


def bounded_json(text: str, most: int = MOST_PARTS) -> Any:
    """The value of JSON text; a ``ValueError`` also where it has more than ``most`` parts.

    A part is a string, a comma or an opening bracket: each value brings at least one.
    """
    if len(text) > most and next(islice(_PART.finditer(text), most, None), None):
        raise ValueError(f"more than {most:,} strings, commas and brackets")
    return json.loads(text)
