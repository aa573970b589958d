"""A table of metadata beside the texts, joined to them by id or by the name of their file."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from lexfield.errors import ReadError, list_names
from lexfield.text.readers import Item
from lexfield.text.records import ID_FIELDS, find_field, to_string

_FILE_FIELDS = ("file", "filename", "file_name", "path")


class MetadataTable:
    """Records by id or file name, and which of them were used.

    A path, such as ``letters/1821/a.txt``, also stands for its ends ``1821/a.txt`` and ``a.txt``,
    unless another path ends alike. If no name is the same, one that differs only in case or in how
    accents are stored (macOS takes them apart) is, unless there are several.
    """

    def __init__(self, items: Iterable[Item] = (), where: str = "") -> None:
        self._records: dict[str, Mapping[str, str]] = {}
        self._repeated: list[str] = []
        self._matched: set[str] = set()
        self._unmatched: list[str] = []
        for item in items:
            number, record = item if isinstance(item, tuple) else (0, {})
            fields = find_field((*ID_FIELDS, *_FILE_FIELDS), record)
            if not fields:
                raise ReadError(
                    f"{where}:{number}: no column names the texts;"
                    f" there are {list_names(map(repr, record)) or 'none'}.",
                    "Call the column with file names 'file', or the one with ids 'id'.",
                )
            key = to_string(record[fields[0]]).strip()
            self._repeated += [key] * (key in self._records)
            self._records[key] = {
                name: to_string(value) for name, value in record.items() if name not in fields
            }
        self._ends = _list_ends(self._records)
        self._alike: dict[str, str] = {}  # empty if several are
        for name, key in [*zip(self._records, self._records, strict=True), *self._ends.items()]:
            other = self._alike.setdefault(_simplify(name), key)
            self._alike[_simplify(name)] = key if other == key else ""

    @property
    def fields(self) -> set[str]:
        """The columns that hold metadata."""
        return {name for record in self._records.values() for name in record}

    def has_value(self, field: str) -> bool:
        """Has any record a value of this field?"""
        return any(record.get(field) for record in self._records.values())

    def find(self, id: str, file: str) -> Mapping[str, str]:
        """Return the record of a text with this id, whose file, if it is one, has this name."""
        if not self._records:
            return {}
        names = [name for full in (id, file) if full for name in (full, os.path.basename(full))]
        key = next((name for name in names if name in self._records), None)
        key = key or next((self._ends[name] for name in names if self._ends.get(name)), None)
        alike = (self._alike.get(_simplify(name)) for name in names)
        key = key or next(filter(None, alike), None)
        if key is None:
            self._unmatched.append(id)
            return {}
        self._matched.add(key)
        return self._records[key]

    def forget(self) -> None:
        """Forget which records were used."""
        self._matched.clear()
        self._unmatched.clear()

    def report(self) -> list[str]:
        """Return notes on records and texts that were not joined."""
        lacking = [key for key in self._records if key not in self._matched]
        return [
            f"metadata: {what}: {len(keys):,} ({list_names(keys, 3)})"
            for what, keys in (
                ("records that match no text", lacking),
                ("texts without a record", self._unmatched),
                ("ids with several records, of which the last is used", self._repeated),
            )
            if keys
        ]


def _simplify(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _list_ends(keys: Iterable[str]) -> dict[str, str]:
    """Return the key that has each end of a path; empty if several have it."""
    ends: dict[str, str] = {}
    for key in keys:
        parts: Sequence[str] = PurePosixPath(key.replace("\\", "/")).parts
        for start in range(1, len(parts)):
            end = "/".join(parts[start:])
            ends[end] = "" if end in ends else key
        if len(parts) == 1 and parts[0] != key:  # ./a.txt
            ends.setdefault(parts[0], key)
    return ends
