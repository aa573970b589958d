"""Tables of other packages as lists of dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lexfield.errors import InputError
from lexfield.results import JsonObject


def is_table(value: object) -> bool:
    """Is this a table of pandas, polars or Arrow, or a list of dictionaries?"""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(row, Mapping) for row in value)
    return hasattr(value, "columns") and not isinstance(value, type)


def records_of(frame: Any) -> list[JsonObject]:
    """Return one dictionary per row; missing values are None. No data frame package is imported."""
    if hasattr(frame, "to_dicts"):  # polars, and lexfield's own tables
        rows = frame.to_dicts()
    elif hasattr(frame, "to_pylist"):  # Arrow
        rows = frame.to_pylist()
    elif hasattr(frame, "to_dict") and hasattr(frame, "columns"):  # pandas
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    elif isinstance(frame, Iterable) and not isinstance(frame, str | bytes | Mapping):
        rows = list(frame)
    else:
        rows = None
    if rows is None or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            f"A {type(frame).__name__} is not a table of texts.",
            "Give a pandas, polars or Arrow table, or a list of dictionaries.",
        )
    return [{str(name): value for name, value in row.items()} for row in rows]
