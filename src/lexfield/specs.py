"""Short specifications such as ``jm(0.5)``, ``pca(20)`` or ``bm25(k1=1.5)``: a name and values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lexfield.errors import InputError, check

_SPEC = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([-+.\w]+)\s*")
_LONGEST = 1000  # characters; specs can be nested


@dataclass(frozen=True)
class Spec:
    """The parts of a spec, as text. ``values`` have no name, and may be specs themselves."""

    name: str
    values: tuple[str, ...]
    parameters: dict[str, str]


def parse_spec(text: str, kind: str) -> Spec:
    """Return the parts of a spec. Raise InputError if it is malformed; ``kind`` is what it names,
    such as "method"."""
    check(len(text) <= _LONGEST, f"A {kind}", f"at most {_LONGEST:,} characters", text[:60])
    match = _SPEC.fullmatch(text)
    if not match:
        raise InputError(f"{text!r} is not a {kind}.", "Write a name, or name(parameter=value, …).")
    values, parameters = [], {}
    for part in _split(match[2] or ""):
        pair = _PARAMETER.fullmatch(part)
        if not pair:
            values.append(part.strip())
        elif pair[1] in parameters:
            raise InputError(f"{pair[1]!r} is given twice in {text!r}.")
        else:
            parameters[pair[1]] = pair[2]
    return Spec(match[1], tuple(values), parameters)


def _split(inside: str) -> list[str]:
    """Split at the commas that are not inside inner brackets."""
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if inside.strip() else []


def read_value(text: str) -> bool | int | float | str | None:
    """Return what the text of a parameter means: a number, true, false, none, or the text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
