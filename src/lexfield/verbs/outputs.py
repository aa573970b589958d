"""Make sure that no output file overwrites an input."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lexfield.errors import InputError
from lexfield.text.readers import map_suffixes

_LONGEST = 1000  # characters of a path; what is longer is a text


def check_outputs(given: Sequence[tuple[str, object]]) -> None:
    """Raise InputError if a file to be written is one of the texts to be read.

    ``given`` are arguments with their kinds; those of the kind ``"target"`` are written.
    """
    sources = [path for kind, value in given if kind != "target" for path in _list_paths(value)]
    for target in _list_paths([value for kind, value in given if kind == "target"]):
        if not os.path.isfile(target):
            continue
        for source in sources:
            if os.path.exists(source) and _is_read(target.resolve(), source.resolve()):
                raise InputError(
                    f"{target} is one of the inputs and would be overwritten.",
                    "Nothing was written. Name another file.",
                )


def _is_read(target: Path, source: Path) -> bool:
    """Is a file the source, or would it be read from the folder that is?"""
    return target == source or (
        source.is_dir() and target.is_relative_to(source) and target.suffix in map_suffixes()
    )


def _list_paths(value: object) -> Iterator[Path]:
    if isinstance(value, str | Path):
        if len(str(value)) <= _LONGEST and "\n" not in str(value) and "\0" not in str(value):
            yield Path(value)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _list_paths(one)
