"""Short texts that name a thing and its parameters: ``bm25(k1=1.2)``, ``fuse(mean, lm, how=rrf)``.

Search methods, smoothing and other choices are written this way on the command line, in requests
and in Python.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from lexfield.errors import InputError, check

UNNAMED = ""  # the key of arguments without a name
_LONGEST = 1000  # characters; specs can be nested
_SPEC = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([-+.\w]+)\s*")
_WORDS: dict[str, object] = {"true": True, "false": False, "none": None}


def parse_spec(text: str) -> tuple[str, dict[str, object]]:
    """Return the name and the parameters of a spec.

    Values are numbers, booleans, None or words. Arguments without a name, such as other specs, are
    a list of texts under ``UNNAMED``. Raise InputError if the text is no spec.

    >>> parse_spec("fuse(mean, bm25(k1=2), how=rrf)")
    ('fuse', {'': ['mean', 'bm25(k1=2)'], 'how': 'rrf'})
    """
    check(len(text) <= _LONGEST, "A spec", f"at most {_LONGEST:,} characters", text[:60])
    match = _SPEC.fullmatch(text)
    if not match:
        raise InputError(
            f"{text!r} cannot be understood.", "Write a name, or name(parameter=value, …)."
        )
    name, inside = match.groups()
    values: dict[str, object] = {}
    unnamed: list[str] = []
    for part in _split(inside or ""):
        pair = _PARAMETER.fullmatch(part)
        if not pair:
            unnamed.append(part.strip())
        elif pair[1] in values:
            raise InputError(f"{pair[1]!r} is given twice in {text!r}.")
        else:
            values[pair[1]] = _read(pair[2])
    return name, {UNNAMED: unnamed, **values} if unnamed else values


def format_spec(name: str, values: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Return the shortest spec that is parsed as this name and these values.

    >>> format_spec("bm25", {"k1": 1.2, "b": 0.75, "extend": True}, {"k1": 1.5, "b": 0.75})
    'bm25(k1=1.2, extend=true)'
    """
    parts = [str(part) for part in cast(list[object], values.get(UNNAMED, []))]
    parts += [
        f"{key}={format_value(value)}"
        for key, value in values.items()
        if key != UNNAMED and (key not in defaults or value != defaults[key])
    ]
    return f"{name}({', '.join(parts)})" if parts else name


def format_value(value: object) -> str:
    """Return a value as it is written in a spec."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def _read(text: str) -> object:
    """Return what the text of a parameter means."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


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
