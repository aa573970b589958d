"""The fields of a record: which one is meant, and its value as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

ID_FIELDS = ("id", "_id", "doc_id", "docno", "key", "issue id", "issue key")
Record = Mapping[str, object]


def find_field(names: Sequence[str], record: Record) -> tuple[str, ...]:
    """Return the first of some names that a record has, as it is written there."""
    found = {name.lower(): name for name in reversed([*record])}
    return next(((found[name],) for name in names if name in found), ())


def put_title(title: str, text: str) -> str:
    """Return a text that begins with its title, as a sentence of its own; never twice."""
    wanted = " ".join(title.split()).casefold().rstrip(" .")
    start = " ".join(text.lstrip()[: 2 * len(title) + 100].split()).casefold()
    if not wanted or (start.startswith(wanted) and not start[len(wanted) :][:1].isalnum()):
        return text
    return f"{title}\n\n{text}" if text else title


def to_string(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
