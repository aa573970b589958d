"""All search methods by name, and their specs: ``"bm25(k1=1.2)"`` ↔ a method with its parameters.

Command line, page and Python read the same registry. ``method.py`` says what a method is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lexfield.errors import InputError, check
from lexfield.index.collection import Collection
from lexfield.index.query import Query
from lexfield.registry import Registry
from lexfield.search.bag_method import Count, Frequency
from lexfield.search.best import Best
from lexfield.search.bm25 import Bm25
from lexfield.search.edit import Edit
from lexfield.search.encoder import EncoderMethod
from lexfield.search.fitted import FittedMethod
from lexfield.search.fuse import Fuse
from lexfield.search.ideas import Ideas
from lexfield.search.late import Late
from lexfield.search.lm import Lm, Translation
from lexfield.search.mean import Mean
from lexfield.search.method import (
    Method,
    format_method,
    get_parameters,
    needs_vectors,
    uses_vectors,
)
from lexfield.search.overlap import Bow, Jaccard
from lexfield.search.setcover import SetCover
from lexfield.search.topic import Topic
from lexfield.search.wmd import Wmd
from lexfield.specs import format_value, parse_spec

DEFAULT = "best"
_OLD_SETCOVER = ("focus", "closeness", "candidates", "max_tokens", "copies", "threshold")
_OWN: tuple[type[Method], ...] = (
    Best, Ideas, SetCover, Mean, Wmd, Jaccard, Edit, Bow, Count, Frequency, Bm25, Lm, Translation,
    Topic, EncoderMethod, Late, FittedMethod, Fuse,
)  # fmt: skip
METHODS: Registry[type[Method]] = Registry(
    "search method", "lexfield.methods", {kind.name: kind for kind in _OWN}
)


def register(kind: type[Any]) -> type[Any]:
    """Add a search method of your own to those that can be searched by name.

    Return the class, so that this can decorate it. Raise InputError if it is not a method or
    lexfield has a method of that name.
    """
    name = getattr(kind, "name", None)
    named = isinstance(name, str) and name.isidentifier()
    check(named, "The name of a search method", "a word of letters, digits and _", name)
    check(callable(getattr(kind, "search", None)), str(name), "a class with search()", kind)
    METHODS.register(str(name), kind)
    _parse.cache_clear()
    _shorten.cache_clear()
    return kind


def parse(spec: str | Method) -> Method:
    """Return the method of a spec; a method is returned as it is."""
    if isinstance(spec, str):
        return _parse(spec)
    check(callable(getattr(spec, "search", None)), "method", "a name or a search method", spec)
    return spec


def shorten(spec: str | Method) -> str:
    """Return the shortest spec of a method."""
    return _shorten(spec) if isinstance(spec, str) else format_method(spec)


@lru_cache(1000)
def _shorten(text: str) -> str:
    return format_method(_parse(text))


@lru_cache(1000)
def _parse(text: str) -> Method:
    spec = parse_spec(text, "method")
    kind = METHODS.get(spec.name)
    defaults, values = get_parameters(kind), dict(spec.parameters)
    if spec.values and "methods" not in defaults:
        raise InputError(f"{spec.values[0]!r} in {text!r} is not parameter=value.")
    for key, value in values.items():
        if key not in defaults:
            raise InputError(f"{spec.name} has no parameter {key!r}.", _suggest(spec.name, key))
        if isinstance(defaults[key], str):  # where a word is expected, none and true are words too
            values[key] = format_value(value)
        elif kind not in _OWN:  # our own check more than the type
            _check_type(f"{key} of {spec.name}", value, defaults[key])
    if spec.values:
        values["methods"] = tuple(parse(inner) for inner in spec.values)
    return kind(**values)


def _check_type(name: str, value: object, default: object) -> None:
    """Raise InputError if a parameter does not have the type of its default."""
    if isinstance(default, bool):
        check(isinstance(value, bool), name, "true or false", value)
    elif isinstance(default, int):
        check(type(value) is int, name, "a whole number", value)
    elif isinstance(default, float):
        check(type(value) in (int, float), name, "a number", value)


def _suggest(name: str, key: str) -> str:
    """Name the parameters that a method has, and the methods that have the one it lacks."""
    others = [kind.name for kind in _OWN if key in get_parameters(kind)]
    hint = f"It has: {', '.join(get_parameters(METHODS.get(name))) or 'none'}."
    if others:
        hint += f" {key} is a parameter of {' and '.join(others)}."
    if name == "setcover" and key in _OLD_SETCOVER:
        fixed = getattr(Ideas, key, None)
        fate = "no longer a parameter" if fixed is None else f"always {fixed:g}"
        hint += f" setcover of version 0.1 is now the method ideas, where {key} is {fate}."
    return hint


def read_query(
    index: Collection,
    method: Method,
    text: str,
    *,
    algebra: bool = False,
    allow_unknown: bool = False,
) -> Query:
    """Read a text as a method's query: plain words, or sums of words and phrases as ``algebra``.

    Raise InputError if the method uses vectors and most words of the index have none.
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
    if uses_vectors(method):
        query.notes[:0] = index.coverage.require(allow_unknown or not needs_vectors(method))
        query.notes.extend(query.note_unknown() if needs_vectors(method) else [])
    elif read is None:
        query.notes.extend(query.note_missing())
    return query
