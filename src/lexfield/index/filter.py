"""Which rows a search may return: by metadata, and without deleted documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, list_names
from lexfield.index.rows import Rows

Where = str | Sequence[str] | Mapping[str, str | Sequence[str]]
Conditions = Mapping[str, str | Sequence[str]]
_MOST_VALUES = 1000  # of a field that a note is chosen from


def allowed_rows(rows: Rows, where: Conditions | None) -> NDArray[np.bool_] | None:
    """Return a mask over rows, or None when all are allowed."""
    if not where:
        return rows.live
    allowed = np.ones(len(rows.documents), bool) if rows.live is None else rows.live.copy()
    for name, values in where.items():
        wanted = {values} if isinstance(values, str) else set(map(str, values))
        held = np.array([value in wanted for value in rows.column(name)], bool)
        allowed &= held[rows.documents]
    return allowed


def where_notes(rows: Rows, where: Conditions | None) -> list[str]:
    """Return notes that name values that no document has, and those that there are."""
    if not where:
        return []
    missing, values = unmatched(rows, where)
    return [missing_note(name, value, values[name]) for name, value in missing]


def unmatched(rows: Rows, where: Conditions) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return the conditions that no document meets, and each field's most frequent values."""
    live = rows.documents if rows.live is None else rows.documents[rows.live]
    numbers = np.unique(live).tolist()
    missing, known = [], {}
    for name, values in where.items():
        column = rows.column(name)
        counts = Counter(column[number] for number in numbers)
        wanted = [values] if isinstance(values, str) else list(map(str, values))
        missing += [(name, value) for value in wanted if value not in counts]
        known[name] = [value for value, _ in counts.most_common(_MOST_VALUES) if value]
    return missing, known


def missing_note(name: str, value: str, values: Sequence[str]) -> str:
    return f"no document has {name}={value}; the values are {list_names(values, 10)}"


def read_where(where: Where | None) -> Conditions | None:
    """Return conditions by field, from ``"field=value"``, a list of such, or a mapping.

    ``["level=college", "level=high"]`` becomes ``{"level": ["college", "high"]}``.
    """
    if not where:
        return None
    if isinstance(where, Mapping):
        return dict(where)
    conditions: dict[str, list[str]] = {}
    for condition in [where] if isinstance(where, str) else where:
        name, equals, value = condition.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{condition!r} is not a condition.", "Write field=value.")
        conditions.setdefault(name.strip(), []).append(value.strip())
    return conditions
