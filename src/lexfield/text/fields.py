"""Fields of metadata: what kind of values they hold, and conditions on them.

    author=Austen        one value
    author=Austen,Eliot  one of several; repeating author=… adds more
    id="Poe, 1845",emma  values with commas, in quotes
    level!=high          any other value
    year>=1850           a number or a date; also > < <=
    year=1850..1900      a range, with both ends
    language=de          a language with all its regions, such as de-AT

Where documents have no year but a date, year is the year of that date: of the field date, or of the
only one that holds dates. The case of names of fields does not matter if only one fits.

A value that a document has as it is written, with its commas or dots, is taken as it is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check, list_fields, list_names, shorten, suggest
from lexfield.text.dates import parse_date
from lexfield.text.document import Document
from lexfield.text.language import FIELD
from lexfield.text.language_data import find_code

Where = str | Sequence[str] | Mapping[str, str | Sequence[str]]
Condition = tuple[str, str, str]  # field, operator, value
Kind = Literal["values", "number", "date"]
_CONDITION = re.compile(r"\s*([^=<>!]+?)\s*(!=|>=|<=|==|=>|=<|=|>|<)\s*(.*?)\s*", re.S)
_SAME = {"==": "=", "=>": ">=", "=<": "<="}  # as others write them
_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|\Z)', re.S)  # of a list, as in CSV
_THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d*)?")
_HINT = (
    "Write field=value, field=low..high, or one of != < <= > >=; for several conditions, repeat"
    " --where."
)
_YEAR, _OWN = "year", ("id", "words")  # what every document has without metadata
_TYPED = 0.9  # share of the values of a field that make it one of numbers or of dates
_MOST_VALUES = 1000  # of a field that a note is chosen from
_MOST_LISTED = 10  # of these, in a note


def read_where(where: Where | None) -> list[Condition]:
    """Return conditions, from one, from a list of them, or from a mapping of fields to values."""
    if not where:
        return []
    if isinstance(where, Mapping):
        every = [(name, [v] if isinstance(v, str) else list(v)) for name, v in where.items()]
        return [(name, "=", str(value)) for name, values in every for value in values]
    conditions = []
    is_list = isinstance(where, Iterable) and all(isinstance(one, str) for one in where)
    check(is_list, "where", 'conditions such as "year>=1850", or a mapping', where)
    for condition in [where] if isinstance(where, str) else where:
        found = _CONDITION.fullmatch(condition)
        if found is None:
            raise InputError(f"{condition!r} is not a condition.", _HINT)
        conditions.append((found[1], _SAME.get(found[2], found[2]), found[3]))
    return conditions


class Column:
    """A field of all documents; empty where a document has none."""

    def __init__(self, name: str, values: Sequence[str]) -> None:
        self.name, self.values = name, values

    @cached_property
    def distinct(self) -> Counter[str]:
        return Counter(value for value in self.values if value)

    @cached_property
    def _read(self) -> tuple[Kind, dict[str, tuple[float, float]]]:
        readers: dict[Kind, dict[str, tuple[float, float]]] = {
            "number": _read_all(parse_number, self.distinct),
            "date": _read_all(parse_date, self.distinct),
        }
        for kind, found in readers.items():
            if found and len(found) >= _TYPED * len(self.distinct):
                return kind, found
        return "values", {}

    @property
    def kind(self) -> Kind:
        """Numbers or dates, if nearly all values are; else plain values."""
        return self._read[0]

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """The least and the largest number of each document: the days of a month, for a date.

        NaN where its value is none. There are no bounds of plain values.
        """
        known, none = self._read[1], (math.nan, math.nan)
        bounds = [known.get(value, none) for value in self.values]
        return np.array(bounds, np.float64).reshape(-1, 2)

    def show(self, number: float) -> str:
        """Return a number, or a day as a date."""
        return date.fromordinal(int(number)).isoformat() if self.kind == "date" else f"{number:g}"

    @property
    def range(self) -> str:
        """The least and the largest value, if there are several numbers or dates; else empty."""
        if self.kind == "values":
            return ""
        ends = self.show(np.nanmin(self.bounds)), self.show(np.nanmax(self.bounds))
        return " to ".join(ends) if ends[0] != ends[1] else ""

    def turn(self, part: str) -> str:
        """Return a range whose ends are in the wrong order, such as =9..1, the right way round."""
        low, dots, high = part.lstrip("=").partition("..")
        first, last = self._parse(low.strip()), self._parse(high.strip())
        is_wrong = dots and first is not None and last is not None and first[0] > last[1]
        return f"={high.strip()}..{low.strip()}" if is_wrong else ""

    def match(self, operator: str, value: str) -> NDArray[np.bool_]:
        """Return which documents meet a condition. Raise InputError if it cannot be understood."""
        if operator == "!=":
            return ~self.match("=", value)
        if operator != "=":
            return self._compare(operator, value)
        wanted = self._split(value)
        if self.name == FIELD:
            codes = {find_code(one) for one in wanted if "-" not in one} - {""}
            wanted |= {one for one in self.distinct if find_code(one) in codes}
        found = np.array([one in wanted for one in self.values], bool)
        for one in wanted if self.kind != "values" else ():
            low, dots, high = one.partition("..")
            if dots and one not in self.distinct:
                inside = np.ones(len(found), bool)
                for bound, sign in ((low, ">="), (high, "<=")):
                    inside &= self._compare(sign, bound) if bound.strip() else self._is_known
                found |= inside
            elif (parsed := self._parse(one)) is not None:  # 1850.0, or a year of dates
                found |= (self.bounds[:, 0] >= parsed[0]) & (self.bounds[:, 1] <= parsed[1])
        return found

    def unmatched(self, operator: str, value: str) -> list[str]:
        """Return the parts of a condition that no document meets, as they are written.

        Of a value that is excluded, these are the parts that no document has.
        """
        if operator in ("=", "!="):
            parts = sorted(self._split(value) - set(self.distinct))
            missing = [f"={part}" for part in parts if not self.match("=", part).any()]
            if missing or operator == "=":
                return missing
        return [] if self.match(operator, value).any() else [f"{operator}{value}"]

    @property
    def _is_known(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.bounds[:, 0])

    def _split(self, value: str) -> set[str]:
        """Return the values of a list; a value that some document has is not split."""
        if value in self.distinct or not {",", '"'} & set(value):
            return {value}
        found = (quoted.replace('""', '"') or plain for quoted, plain in _PART.findall(value))
        return {part for part in found if part}

    def _parse(self, value: str) -> tuple[float, float] | None:
        if self.kind == "values":
            return None
        return parse_number(value) if self.kind == "number" else parse_date(value)

    def _compare(self, operator: str, value: str) -> NDArray[np.bool_]:
        if not self.distinct:  # in a part of a collection
            return np.zeros(len(self.values), bool)
        asked = f"{self.name}{operator}{value}"
        if self.kind == "values":
            names = list_names([one for one, _ in self.distinct.most_common(5)])
            raise InputError(
                f"{asked} needs numbers or dates; {self.name} has values such as {names}.",
                f"Write {self.name}=value.",
            )
        parsed = self._parse(value)
        if parsed is None:
            what = "a number" if self.kind == "number" else "a date"
            known = self.range or list_names(self.distinct)
            raise InputError(f"{asked} needs {what}; {self.name} has {known}.", _HINT)
        low, high = parsed
        least = self.bounds[:, 0]  # comparisons with NaN are false
        match operator:
            case ">=":
                return least >= low
            case ">":
                return least > high
            case "<=":
                return least <= high
            case _:
                return least < low


def parse_number(text: str) -> tuple[float, float] | None:
    """Return a number twice, or None if the text is none; ``1,234.5`` and ``-3e2`` are."""
    try:
        number = float(text.replace(",", "") if _THOUSANDS.fullmatch(text) else text)
    except ValueError:
        return None
    return (number, number) if math.isfinite(number) else None


def find_source(name: str, fields: Collection[str], records: Iterable[Mapping[str, str]]) -> str:
    """Return the field that a name stands for; empty if there is none.

    That is the field of this name, whatever its case, or for a year the one that holds dates.
    Raise InputError if several do.
    """
    if name in fields or name in _OWN:
        return name if name in fields else ""
    same = [field for field in fields if field.casefold() == name.casefold()]
    if len(same) == 1 or name.casefold() != _YEAR:
        return same[0] if len(same) == 1 else ""
    if "date" in fields:
        return "date"
    dates = [field for field in sorted(fields) if _holds_dates(field, records)]
    if len(dates) > 1:
        raise InputError(
            f"No document has metadata {name!r}, and several fields hold dates:"
            f" {list_names(dates)}.",
            "Name one of them instead.",
        )
    return dates[0] if dates else ""


def _holds_dates(field: str, records: Iterable[Mapping[str, str]]) -> bool:
    some = islice(filter(None, (record.get(field) for record in records)), _MOST_VALUES)
    return Column(field, list(some)).kind == "date"


def unknown_field(name: str, fields: Collection[str]) -> InputError:
    """Return the error for a field that no document has."""
    hint = f"{suggest(name, fields)} {list_fields(fields)}".strip()
    return InputError(f"No document has metadata {name!r}.", hint)


def note_source(name: str, source: str) -> list[str]:
    """Return a note if a field is read from one of another name; a year from a date needs none."""
    if source in ("", name) or (name == _YEAR and source == "date"):
        return []
    return [f"{name} is taken from {source}"]


def _is_year(name: str, source: str) -> bool:
    return name.casefold() == _YEAR != source.casefold()


def read_column(name: str, source: str, records: Iterable[Mapping[str, str]]) -> list[str]:
    """Return a field of every record from its source, empty where it has none."""
    values = (record.get(source, "") for record in records)
    if not _is_year(name, source):
        return list(values)
    days = map(parse_date, values)
    return [str(date.fromordinal(day[0]).year) if day else "" for day in days]


def fill_field(name: str, documents: Sequence[Document]) -> tuple[Sequence[Document], list[str]]:
    """Return documents that have a field, read from one of another name if need be, and a note."""
    records = [document.metadata for document in documents]
    source = find_source(name, {field for record in records for field in record}, records)
    if source in ("", name):
        return documents, []
    filled = [
        replace(document, metadata={**document.metadata, name: value})
        for document, value in zip(documents, read_column(name, source, records), strict=True)
    ]
    return filled, note_source(name, source)


def match_where(columns: Iterable[Column], conditions: Sequence[Condition]) -> NDArray[np.bool_]:
    """Return which documents meet all conditions; several with = on one field are alternatives."""
    known = {column.name: column for column in columns}
    masks: dict[object, NDArray[np.bool_]] = {}
    for name, operator, value in conditions:
        mask = known[name].match(operator, value)
        key = name if operator == "=" else (name, operator, value)
        masks[key] = masks[key] | mask if key in masks else mask
    return np.asarray(np.logical_and.reduce(list(masks.values())), bool)


def choose_documents(
    ids: Sequence[str], records: Sequence[Mapping[str, str]], where: Sequence[Condition]
) -> tuple[list[int], list[str]]:
    """Return the rows of the documents that meet all conditions, and notes.

    Raise InputError if no document has a field, or none meets the conditions.
    """
    fields = {name for record in records for name in record}
    columns: dict[str, Column] = {}
    notes: list[str] = []
    for name in dict.fromkeys(name for name, _, _ in where):
        source = find_source(name, fields, records)
        if not source and name != "id":
            raise unknown_field(name, fields)
        is_id = name == "id" and name not in fields
        columns[name] = Column(name, ids if is_id else read_column(name, source, records))
        notes += note_source(name, source)
    chosen: list[int] = np.flatnonzero(match_where(columns.values(), where)).tolist()
    missing = [
        missing_note(name, part, list_values(columns[name]))
        for name, operator, value in where
        for part in columns[name].unmatched(operator, value)
    ]
    if not chosen:
        asked = " and ".join("".join(condition) for condition in where)
        hint = "Some documents meet each of the conditions, but none meets all."
        if missing:
            hint = missing[0].partition("; ")[2]
        raise InputError(f"No document has {shorten(asked, 200)}.", hint[:1].upper() + hint[1:])
    return chosen, notes + missing


def missing_note(name: str, part: str, values: Sequence[str]) -> str:
    """Return a note that no document meets a condition, and what the field holds."""
    asked, known = f"no document has {name}{part}", list_names(values, _MOST_LISTED)
    column = Column(name, values)
    if right := column.turn(part):
        return f"{asked}; write {name}{right}; the values are {column.range or known}"
    is_value = part.startswith("=") and ".." not in part and len(values) <= _MOST_LISTED
    if column.range and not (is_value and column.kind == "number"):
        return f"{asked}; write a {column.kind} in the range of {name}: {column.range}"
    close = suggest(part.lstrip("="), values) if part.startswith("=") else ""
    if close:
        return f"{asked}; d{close[1:]} The values are {known}"
    return f"{asked}; the values are {known}"


def list_values(column: Column) -> list[str]:
    """Return the most frequent values of a field; of numbers and dates also the first and last."""
    found = [value for value, _ in column.distinct.most_common(_MOST_VALUES)]
    if column.kind != "values":
        order = column.bounds[:, 0]
        ends = (column.values[int(end)] for end in (np.nanargmin(order), np.nanargmax(order)))
        found = list(dict.fromkeys((*found, *ends)))
    return found


def _read_all(
    parse: Callable[[str], tuple[float, float] | None], values: Iterable[str]
) -> dict[str, tuple[float, float]]:
    found = ((value, parse(value)) for value in values)
    return {value: bounds for value, bounds in found if bounds is not None}
