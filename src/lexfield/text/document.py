"""A document: one text with an id, where it came from, and what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """One text. ``source`` names the file (and line) it was read from; metadata are strings."""

    id: str
    text: str
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
