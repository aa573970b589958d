"""Which rows a search may return: by metadata, and without deleted documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.index.rows import Rows
from lexfield.text.fields import (
    Column,
    Condition,
    list_values,
    match_where,
    missing_note,
    note_source,
)


def allowed_rows(rows: Rows, where: Sequence[Condition]) -> NDArray[np.bool_] | None:
    """Return a mask over rows, or None when all are allowed."""
    if not where:
        return rows.live
    names = dict.fromkeys(name for name, _, _ in where)
    held = match_where([column_of(rows, name) for name in names], where)
    allowed = held[rows.documents]
    return allowed if rows.live is None else allowed & rows.live


def column_of(rows: Rows, name: str) -> Column:
    """Return a field of every document, deleted ones too; it is read once."""
    return rows.cached(f"field {name}", lambda rows: Column(name, rows.column(name)))


def where_notes(rows: Rows, where: Sequence[Condition]) -> list[str]:
    """Return notes on fields of other names, and on values that no document has."""
    missing, values = unmatched(rows, where)
    notes = [note for name in values for note in source_notes(rows, name)]
    return notes + [missing_note(name, part, values[name]) for name, part in missing]


def source_notes(rows: Rows, name: str) -> list[str]:
    """Return a note if a field is read from one of another name."""
    return note_source(name, rows.find_source(name))


def unmatched(
    rows: Rows, where: Sequence[Condition]
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return the parts of conditions that no document meets, and each field's frequent values."""
    missing: list[tuple[str, str]] = []
    known = {}
    for name, operator, value in where:
        column = column_of(rows, name)
        if rows.live is not None:
            documents = np.unique(rows.documents[rows.live]).tolist()
            column = Column(name, [column.values[number] for number in documents])
        missing += [(name, part) for part in column.unmatched(operator, value)]
        known[name] = list_values(column)
    return missing, known
