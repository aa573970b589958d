"""The registry: ``"setcover(r=10, penalty=0.5)"`` ↔ a method with its parameters.

A method is a frozen dataclass whose fields are its parameters, with

    search(rows, query, k, allowed) → Found

and, where its queries are weighted n-grams, ``read(index, text, algebra) → Query``. Command line,
page and Python read the same registry.
"""

from __future__ import annotations

import difflib
from dataclasses import fields, replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.search.query import Query
from lexfield.search.ranking import Found
from lexfield.search.rows import Rows
from lexfield.specs import parse_spec, read_value

if TYPE_CHECKING:
    from lexfield.search.index import Index

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


def parse(spec: str | Method) -> Method:
    """A method from its spec; a method is given back as it is."""
    return _parsed(spec) if isinstance(spec, str) else spec


@lru_cache(1000)
def _parsed(text: str) -> Method:
    spec = parse_spec(text, "method")
    kind = _class(spec.name)
    allowed = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    if spec.values and "methods" not in allowed:
        raise InputError(f"{spec.values[0]!r} in {text!r} is not parameter=value.")
    if spec.values:
        values["methods"] = tuple(map(parse, spec.values))
    for name, value in spec.parameters.items():
        if name not in allowed:
            known = ", ".join(allowed) or "none"
            raise InputError(f"{spec.name} has no parameter {name!r}.", f"It has: {known}.")
        is_word = isinstance(allowed[name].default, str)  # then ``none`` is a word too
        values[name] = value if is_word else read_value(value)
    made: Method = kind(**values)
    return made


def uses_vectors(method: Any) -> bool:
    """Does a method, or one of those that it fuses, compare words by their vectors?"""
    if inner := getattr(method, "methods", ()):
        return any(map(uses_vectors, inner))
    return bool(getattr(method, "extends", method.name not in _WITHOUT_VECTORS))


def read_query(
    index: Index, method: Any, text: str, *, algebra: bool = False, allow_unknown: bool = False
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


def _class(name: str) -> Any:
    if name not in METHODS:
        close = difflib.get_close_matches(name, METHODS, 1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise InputError(f"There is no method {name!r}.", f"{hint}There are: {', '.join(METHODS)}.")
    return getattr(import_module(f"lexfield.search.{name}"), METHODS[name])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
