"""Which rows may be found: those of documents that live and have the metadata asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, list_names
from lexfield.search.rows import Rows


def allowed_rows(
    rows: Rows, where: Mapping[str, str | Sequence[str]] | None
) -> NDArray[np.bool_] | None:
    """A mask over rows, or None when all are allowed."""
    if not where:
        return rows.live
    allowed = np.ones(len(rows.documents), bool) if rows.live is None else rows.live.copy()
    for name, values in where.items():
        wanted = {values} if isinstance(values, str) else set(map(str, values))
        column = rows.columns.get(name)
        if column is None and rows.whole is not None and rows.whole.part:
            column = [""] * len(rows.segments[0].corpus.ids)  # others may have it
        if column is None:
            known = list_names(rows.columns)
            raise InputError(f"No document has metadata {name!r}.", f"There are: {known}.")
        allowed &= np.array([value in wanted for value in column], bool)[rows.documents]
    return allowed


def parse_where(conditions: Sequence[str]) -> dict[str, list[str]]:
    """``["level=college", "level=high"]`` → ``{"level": ["college", "high"]}``."""
    where: dict[str, list[str]] = {}
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{condition!r} is not a condition.", "Write field=value.")
        where.setdefault(name.strip(), []).append(value.strip())
    return where
