"""Short specifications such as ``jm(0.5)``, ``pca(20)`` or ``fuse(mean, bm25(k1=1.2), by=rrf)``.

Search methods, measures, smoothing and reductions are written this way on the command line, in
requests and in Python.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lexfield.errors import InputError, check

_SPEC = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([-+.\w]+)\s*")
_LONGEST = 1000  # characters; specs can be nested
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Spec:
    """The parts of a spec. ``values`` have no name; they are texts and may be specs themselves."""

    name: str
    values: tuple[str, ...]
    parameters: dict[str, object]


def parse_spec(text: str, kind: str) -> Spec:
    """Return the parts of a spec. Raise InputError if it is malformed; ``kind`` is what it names,
    such as "method"."""
    check(len(text) <= _LONGEST, f"A {kind}", f"at most {_LONGEST:,} characters", text[:60])
    match = _SPEC.fullmatch(text)
    if not match:
        raise InputError(f"{text!r} is not a {kind}.", "Write a name, or name(parameter=value, …).")
    values: list[str] = []
    parameters: dict[str, object] = {}
    for part in split_list(match[2] or ""):
        pair = _PARAMETER.fullmatch(part)
        if not pair:
            values.append(part.strip())
        elif pair[1] in parameters:
            raise InputError(f"{pair[1]!r} is given twice in {text!r}.")
        else:
            parameters[pair[1]] = _read(pair[2])
    return Spec(match[1], tuple(values), parameters)


def format_spec(
    name: str,
    values: Sequence[str],
    parameters: Mapping[str, object],
    defaults: Mapping[str, object],
) -> str:
    """Return the shortest spec that is parsed as these parts: parameters with their default are
    left out."""
    parts = list(values)
    parts += [
        f"{key}={format_value(value)}"
        for key, value in parameters.items()
        if key not in defaults or value != defaults[key]
    ]
    return f"{name}({', '.join(parts)})" if parts else name


def format_value(value: object) -> str:
    """Return a value as it is written in a spec."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def split_list(inside: str) -> list[str]:
    """Split at the commas that are not inside inner brackets."""
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if inside.strip() else []


def _read(text: str) -> object:
    """Return what the text of a parameter means: a number, true, false, none, or the text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
