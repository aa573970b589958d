"""The registry: ``"setcover(r=10, penalty=0.5)"`` ↔ a method with its parameters.

A method is a frozen dataclass whose fields are its parameters, with

    search(rows, query, k, allowed) → Found

and, where its queries are weighted n-grams, ``read(index, text, algebra) → Query``. Command line,
page and Python read the same registry.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import fields, replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.index.collection import Collection
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows

METHODS = {
    "setcover": "SetCover",
    "mean": "Mean",
    "wmd": "Wmd",
    "jaccard": "Jaccard",
    "edit": "Edit",
    "bow": "Bow",
    "count": "Count",
    "frequency": "Frequency",
    "bm25": "Bm25",
    "lm": "Lm",
    "translation": "Translation",
    "topic": "Topic",
    "fuse": "Fuse",
}


_WITHOUT_VECTORS = ("bow", "count", "edit", "frequency", "jaccard", "lm", "topic")


class Method(Protocol):
    name: Any

    def search(
        self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None
    ) -> Found: ...


_SPEC = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_LONGEST = 1000  # characters of a spec; specs can stand in each other
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([-+.\w]+)\s*")


def parse(spec: str | Method) -> Method:
    """A method from its spec; a method is given back as it is."""
    return _parsed(spec) if isinstance(spec, str) else spec


@lru_cache(1000)
def _parsed(spec: str) -> Method:
    check(len(spec) <= _LONGEST, "A method", f"at most {_LONGEST:,} characters", spec[:60])
    match = _SPEC.fullmatch(spec)
    if not match:
        raise InputError(f"{spec!r} is not a method.", "Write a name, or name(parameter=value, …).")
    name, inside = match.groups()
    kind = _class(name)
    allowed = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    for part in _split(inside or ""):
        pair = _PARAMETER.fullmatch(part)
        if not pair and "methods" in allowed:
            values["methods"] = (*values.get("methods", ()), parse(part))
            continue
        if not pair:
            raise InputError(f"{part.strip()!r} in {spec!r} is not parameter=value.")
        if pair[1] not in allowed:
            known = ", ".join(allowed) or "none"
            raise InputError(f"{name} has no parameter {pair[1]!r}.", f"It has: {known}.")
        if pair[1] in values:
            raise InputError(f"{pair[1]!r} is given twice in {spec!r}.")
        values[pair[1]] = _value(pair[2], allowed[pair[1]].default)
    made: Method = kind(**values)
    return made


def uses_vectors(method: Any) -> bool:
    """Does a method, or one of those that it fuses, compare words by their vectors?"""
    if inner := getattr(method, "methods", ()):
        return any(map(uses_vectors, inner))
    return bool(getattr(method, "extends", method.name not in _WITHOUT_VECTORS))


def read_query(
    index: Collection, method: Any, text: str, *, algebra: bool = False, allow_unknown: bool = False
) -> Query:
    """Read a text as a method's query: plain words, or sums of words and phrases as ``algebra``.

    Raise ``InputError`` if the method goes by vectors that most words of the index lack.
    """
    check(isinstance(text, str), "text", "a string", text)
    check(algebra in (True, False), "algebra", "True or False", algebra)
    read = getattr(method, "read", None)
    if algebra and read is None:
        raise InputError(
            f"{method.name} does not read sums of words.",
            "Algebra is for count, frequency, bm25, lm and translation; leave it out for others.",
        )
    query: Query = read(index, text, algebra) if read else index.query(text)
    if not uses_vectors(method):
        return query if read else replace(query, notes=[*query.notes, *query.missing()])
    low = index.coverage.require(allow_unknown)
    return replace(query, notes=[*low, *query.notes, *query.lacking()])


def spec_of(method: Method) -> str:
    """The shortest spec that ``parse`` turns back into this method."""
    return _spec(method)  # type: ignore[arg-type]


@lru_cache(1000)
def _spec(method: Method) -> str:
    given = [spec_of(inner) for inner in getattr(method, "methods", ())]
    given += [
        f"{field.name}={_text(getattr(method, field.name))}"
        for field in fields(method)  # type: ignore[arg-type]
        if getattr(method, field.name) != field.default and field.name != "methods"
    ]
    return f"{method.name}({', '.join(given)})" if given else str(method.name)


def _split(inside: str) -> list[str]:
    """Cut at commas that are in no inner brackets."""
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if inside.strip() else []


def _class(name: str) -> Any:
    if name not in METHODS:
        close = difflib.get_close_matches(name, METHODS, 1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise InputError(f"There is no method {name!r}.", f"{hint}There are: {', '.join(METHODS)}.")
    return getattr(import_module(f"lexfield.search.{name}"), METHODS[name])


def _value(text: str, default: Any) -> Any:
    """What a parameter's text means; where words are expected ``none`` is a word too."""
    if isinstance(default, str):
        return text
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
