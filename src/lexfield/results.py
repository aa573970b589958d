"""Results that read well: a table for people, dictionaries and data frames for programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, fields
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from lexfield.errors import need

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Row = TypeVar("Row")
JsonObject = dict[str, Any]  # a record, as JSON holds it
_SHOWN = 20


class Aside(str):
    """A note on how a result was computed, which the command line shows with --verbose only."""


def name_note(name: str, note: str) -> str:
    """Prefix a note with the name of its subject; an ``Aside`` stays an ``Aside``."""
    return type(note)(f"{name}{note}")


class Frames(ABC):
    """Adds conversions to data frames to a class that has ``to_dicts``."""

    @abstractmethod
    def to_dicts(self) -> list[JsonObject]:
        """Return one dictionary per row."""

    def records(self) -> list[JsonObject]:
        """Return one flat dictionary per row."""
        return self.to_dicts()

    def to_pandas(self) -> pd.DataFrame:
        frame: pd.DataFrame = need("pandas", "pandas").DataFrame(self.records())
        return frame

    def to_polars(self) -> pl.DataFrame:
        frame: pl.DataFrame = need("polars", "polars").DataFrame(self.records())
        return frame

    def to_arrow(self) -> pa.Table:
        table: pa.Table = need("pyarrow", "parquet").Table.from_pylist(self.records())
        return table


class Table(Frames, Sequence[Row], Generic[Row]):
    """Rows (dataclasses) with notes on how they were computed."""

    def __init__(self, rows: Sequence[Row], title: str = "", notes: Sequence[str] = ()) -> None:
        self._rows = list(rows)
        self.title = title
        self.notes = list(notes)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        return self._rows[index]

    def to_dicts(self) -> list[JsonObject]:
        return [asdict(row) for row in self._rows]  # type: ignore[call-overload]

    def __repr__(self) -> str:
        head = self.title or pluralise(len(self), "row")
        return "\n".join([head, *format_rows(self.to_dicts()), *self.notes])

    def _repr_html_(self) -> str:
        names = [field.name for field in fields(self._rows[0])] if self._rows else []  # type: ignore[arg-type]
        return html_table(self.to_dicts(), self.title, self.notes, names)


def html_table(
    records: Sequence[JsonObject],
    title: str = "",
    notes: Sequence[str] = (),
    names: Sequence[str] = (),
    shown: int = _SHOWN,
) -> str:
    """Return records as an HTML table for a notebook; all values are escaped."""
    columns = list(names or (records[0] if records else ()))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell(r[name]))}</td>" for name in columns) + "</tr>"
        for r in records[:shown]
    )
    more = len(records) - shown
    lines = [*([f"… and {more:,} more"] if more > 0 else []), *notes]
    below = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>{below}"


def cell(value: Any) -> str:
    """Return a value as text that is easy to read."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)


def pluralise(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 document``, ``2,000 documents``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def format_rows(records: Sequence[JsonObject], shown: int = _SHOWN) -> list[str]:
    """Return records as aligned lines below their names; numbers are aligned to the right."""
    if not records:
        return []
    names = list(records[0])
    cells = [[cell(record[name]) for name in names] for record in records[:shown]]
    widths = [max(len(line[i]) for line in [names, *cells]) for i in range(len(names))]
    right = [isinstance(records[0][name], int | float) for name in names]
    lines = [
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in [names, *cells]
    ]
    if len(records) > shown:
        lines.append(f"… and {len(records) - shown:,} more")
    return lines
