"""What a verb returns: rows, figures about them, and notes; for people, programs and notebooks.

A result is a dataclass. Its field ``results`` holds the rows (dataclasses too); every other field
is a figure that stands beside them in JSON, unless it is :func:`hidden`. The JSON schema is derived
from the same types. A result with a method ``plot(path=None)`` gets ``--plot FILE``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

import msgspec
from msgspec import UNSET

from lexfield.errors import LexfieldError
from lexfield.plots.figure import Picture
from lexfield.results import Aside, Frames, JsonObject, format_rows, html_table, name_note
from lexfield.store.provenance import Provenance

Row = TypeVar("Row")
Detail = TypeVar("Detail")
Paint = Callable[[str, str], str]
HIDDEN = {"hidden": True}
_NOTES = 10  # that are listed
_FEW = 3  # notes of a kind
_VARIABLE = re.compile(r"(?<=: ).*|\d[\d,.]*|'[^']*'|\"[^\"]*\"")


def plain(text: str, colour: str) -> str:
    """Return the text without colour: the default way to paint."""
    return text


def hidden(**options: Any) -> Any:
    """Return a dataclass field that Python code can use but that no output shows."""
    return field(metadata=HIDDEN, kw_only=True, **options)


@dataclass(repr=False)
class Result(Frames, Generic[Row]):
    """Rows with notes on how they were computed; subclasses add figures and a text rendering."""

    results: Sequence[Row]
    notes: list[str] = field(default_factory=list, kw_only=True)
    paint: Paint = field(default=plain, kw_only=True, metadata=HIDDEN)  # colours for a terminal

    def __init_subclass__(cls) -> None:
        """Leave unset fields out of what the rows of this result print."""
        super().__init_subclass__()
        for base in cls.__dict__.get("__orig_bases__", ()):
            for row in get_args(base)[:1]:
                if is_dataclass(row) and any(one.default is UNSET for one in fields(row)):
                    row.__repr__ = _print_row  # type: ignore[method-assign]

    @property
    def is_data(self) -> bool:
        """Are the lines for programs, to be printed byte for byte?"""
        return False

    @property
    def legend(self) -> str:
        """What the numbers mean, for people at a terminal."""
        return ""

    @property
    def failure(self) -> LexfieldError | None:
        """The error that the command line reports after the result, such as damage."""
        return None

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, place: int) -> Row:
        return self.results[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.results)

    def to_dicts(self) -> list[JsonObject]:
        """Return one dictionary per row, as JSON has it."""
        return [to_builtins(row) for row in self.results]

    def figures(self) -> JsonObject:
        """Return what stands beside the rows."""
        shown = {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if one.name not in ("results", "notes") and not one.metadata.get("hidden")
        }
        return {name: to_builtins(value) for name, value in shown.items() if value is not UNSET}

    def lines(self) -> Iterable[str]:
        """Return the result as text for people."""
        rows = self.to_dicts()
        return format_rows(rows, shown=len(rows))

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return html_table(self.to_dicts(), notes=self.notes)


@dataclass(repr=False)
class ReadThrough(Result[Row], Generic[Row, Detail]):
    """A result that also has the attributes of what the library returned: ``zipf(text).slope``.

    ``details`` are the library's own results, one per collection of texts. Only if there is exactly
    one, its attributes can be read directly.
    """

    details: list[Detail] = field(kw_only=True, metadata=HIDDEN)

    def __getattr__(self, name: str) -> Any:
        details = self.__dict__.get("details", ())
        if len(details) == 1 and not name.startswith("__"):
            return getattr(details[0], name)
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if len(details) > 1 and hasattr(details[0], name):
            message = f"There are {len(details)} results: read .details[0].{name}, and so on."
        raise AttributeError(message)


def gather_notes(named: Iterable[tuple[str, str]], subjects: str = "queries") -> list[str]:
    """Return the notes of many queries, each given with the name of its query; asides come last.

    If more than three differ only in words in question and numbers, one stands for all of them.
    """
    kinds: dict[tuple[type, str], list[tuple[str, str]]] = {}
    for name, note in named:
        kinds.setdefault((type(note), _VARIABLE.sub("#", note)), []).append((name, note))
    notes: list[str] = []
    for (kind, _), alike in kinds.items():
        if len(alike) > _FEW:
            name, note = alike[0]
            notes.append(kind(f"{len(alike):,} {subjects}, such as {name}: {note}"))
        else:
            notes += [name_note(f"{name}: " if name else "", note) for name, note in alike]
    asides = [note for note in notes if isinstance(note, Aside)]
    main = [note for note in notes if not isinstance(note, Aside)]
    return [*cap_notes(main), *cap_notes(asides)]


def cap_notes(notes: Sequence[str], what: str = "notes", most: int = _NOTES) -> list[str]:
    """Return the first notes, and how many more there are."""
    if len(notes) <= most + 1:
        return list(notes)
    return [*notes[:most], type(notes[-1])(f"… and {len(notes) - most:,} more {what}")]


def save_picture(picture: Picture, path: str | Path | None) -> Path | Picture:
    """Write a picture and return its path; without a path, return the picture itself."""
    return picture if path is None else picture.save(path)


def to_builtins(value: object) -> Any:
    """Return a value as JSON could hold it: dataclasses become dictionaries, tuples lists."""
    return msgspec.to_builtins(value, enc_hook=_unpack)


def encode_body(command: str, result: Result[Any], provenance: Provenance) -> bytes:
    """Return the JSON object that ``--json`` prints and the server sends; NaN becomes null."""
    body = {
        "schema": f"lexfield.{command.replace(' ', '.')}/1",
        **result.figures(),
        "results": result.to_dicts(),
        "notes": [str(note) for note in result.notes],  # msgspec takes no subclass of str
        "provenance": provenance,
    }
    return msgspec.json.encode(body, enc_hook=_unpack)


def encode_csv(result: Result[Any]) -> str:
    """Return the records under a header; nested values are JSON."""
    rows = result.records()
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    if rows:
        writer.writeheader()
    for row in rows:
        writer.writerow({name: _flatten(value) for name, value in row.items()})
    return out.getvalue()


def _print_row(row: Any) -> str:
    """Return the fields of a row that have a value, as a dataclass prints them."""
    values = {one.name: getattr(row, one.name) for one in fields(row)}
    known = [f"{name}={value!r}" for name, value in values.items() if value is not UNSET]
    return f"{type(row).__name__}({', '.join(known)})"


def _flatten(value: object) -> object:
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def _unpack(value: Any) -> Any:
    """Return NumPy's numbers and arrays as Python's own."""
    return value.tolist()
