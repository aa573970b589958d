"""What a search method is, for those who write one.

A method is a small class with a ``name`` and ``search``; its parameters are those of its
constructor and attributes of the same name, as in a frozen dataclass:

    @dataclass(frozen=True)
    class Longest:
        words: int = 1
        name = "longest"

        def search(self, rows, query, k, among):
            lengths = np.where(rows.lengths >= self.words, rows.lengths, 0)
            if among is not None:
                lengths = np.where(among, lengths, 0)
            best = top_k(lengths, k)
            return Found(best.tolist(), lengths[best].tolist())

    lexfield.register(Longest)
    index.search("a storm", "longest(words=5)")

``rows`` are the sentences or documents of an index, ``query`` is the text with its words and their
vectors, ``among`` is a mask of the rows that may be returned, or None for all. The result is a
``Found``: row numbers and scores, best first, and optionally a function that explains each hit.

Optional attributes:

- ``uses_vectors = True``: the index must have vectors for most of its words, unless
  ``needs_vectors = False``: without them it searches in another way, and says so.
- ``read(index, text, algebra)`` returns the query, if it is not plain words.
- ``search_row(rows, row, k, among)`` finds rows like one of the index; by default its text is the
  query.
- ``is_fast = True``: many queries are searched one after another, as sending them to other
  processes would take longer.
- ``start_scoring(rows, query)`` returns how any rows are scored (``index/chance.py``), or None;
  hits then say how many as good are expected by chance.
- ``partial`` and ``merge``, if the best rows of every shard are not enough (``in_parts.py``).
"""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.index.chance import draw
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.specs import format_spec

Mask = NDArray[np.bool_]


class Method(Protocol):
    """A search method with its parameters."""

    name: Any

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        """Return the ``k`` best rows."""
        ...


@lru_cache(1000)
def get_parameters(kind: type[Method]) -> dict[str, object]:
    """Return the parameters of a class of methods with their defaults."""
    return {name: each.default for name, each in signature(kind).parameters.items()}


def uses_vectors(method: Method) -> bool:
    """Does a method compare words by their vectors?"""
    return bool(getattr(method, "uses_vectors", False))


def needs_vectors(method: Method) -> bool:
    """Is a method of no use without vectors?"""
    return uses_vectors(method) and bool(getattr(method, "needs_vectors", True))


def run(method: Method, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
    """Search. A method from outside may return anything, so what it found is checked.

    Rows that are not allowed are dropped, in case it has forgotten about ``among``.
    """
    found = method.search(rows, query, k, among)
    if type(method).__module__.startswith("lexfield."):
        return found
    check_found(method, found, len(rows))
    if among is None or among[found.rows].all():
        return found
    kept = [place for place, row in enumerate(found.rows) if among[row]]
    return Found(
        [found.rows[place] for place in kept],
        [found.scores[place] for place in kept],
        lambda place: found.explain(kept[place]),
        found.notes,
    )


def check_found(method: Method, found: object, count: int) -> None:
    """Raise InputError if this is not a ``Found`` of some of ``count`` rows."""
    what = f"The search method {method.name!r} returned"
    hint = "It must return Found(rows, scores): lists of row numbers and scores, best first."
    if not isinstance(found, Found):
        raise InputError(f"{what} {type(found).__name__} where a Found is expected.", hint)
    if isinstance(found.rows, np.ndarray) or isinstance(found.scores, np.ndarray):
        found.rows, found.scores = list(map(int, found.rows)), list(map(float, found.scores))
    if len(found.rows) != len(found.scores):
        counts = f"{len(found.rows):,} rows with {len(found.scores):,} scores"
        raise InputError(f"{what} {counts}.", hint)
    for row in found.rows:  # in plain Python: NumPy would take longer for a few rows
        if not isinstance(row, int | np.integer) or not 0 <= row < count:
            expected = f"a number from 0 to {count - 1:,} is expected"
            raise InputError(f"{what} the row {row!r}; {expected}.", hint)
    for score in found.scores:
        if not isinstance(score, int | float | np.number):
            raise InputError(f"{what} the score {score!r}; a number is expected.", hint)


def draw_sample(
    method: Method, rows: Rows, query: Query, among: Mask | None, first: int = 0, total: int = 0
) -> JsonObject | None:
    """Return what rows add to the sample of scores (``index/chance.py``); None if a method does
    not score any rows."""
    start = getattr(method, "start_scoring", None)
    scorer = start(rows, query) if start else None
    return None if scorer is None else draw(scorer, rows, among, first, total)


def format_method(method: Method) -> str:
    """Return the shortest spec that ``parse`` turns back into this method."""
    defaults = get_parameters(type(method))
    inner = [format_method(one) for one in getattr(method, "methods", ())]
    values = {name: getattr(method, name, default) for name, default in defaults.items()}
    values.pop("methods", None)
    return format_spec(str(method.name), inner, values, defaults)
