"""Options of comparing and of reading, for pairs and label."""

from __future__ import annotations

from typing import Any


def apart(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of comparing and of reading."""
    names = ("text_fields", "id_field", "metadata", "encoding", "format", "keep_gutenberg")
    reading = {name: options.pop(name) for name in names}
    return options, reading
