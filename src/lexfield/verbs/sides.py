"""Two collections that are compared, and conditions that choose a group of documents for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypedDict

from lexfield.errors import shorten
from lexfield.verbs.declare import Default, Help
from lexfield.verbs.input import name_briefly, name_source
from lexfield.verbs.options import Where

_LONGEST = 80  # characters of a name


class SideOptions(TypedDict, total=False):
    """Which documents of A and of B are compared."""

    a_where: Annotated[Where, Default(()), Help("Only these documents of A, as with --where.")]
    b_where: Annotated[Where, Default(()), Help("Only these documents of B, as with --where.")]


def name_side(source: object, where: Iterable[str], *, brief: bool = False) -> str:
    """Return what to call one of two collections: its conditions, if it has its own."""
    if where:  # a mapping has become a list at the boundary
        return shorten(", ".join(where), _LONGEST)
    return name_briefly(source) if brief else name_source(source)


def add_where(options: Mapping[str, Any], where: Iterable[str]) -> Any:
    """Return the options for reading one side: conditions of its own join those of both."""
    return {**options, "where": [*options.get("where", ()), *where]} if where else options
