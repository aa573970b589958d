"""``lexfield documents`` and ``lexfield facets``: what a collection holds, by its metadata."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from lexfield.errors import InputError, list_fields, suggest
from lexfield.index.filter import allowed_rows, column_of, source_notes, where_notes
from lexfield.index.rows import Rows
from lexfield.results import format_rows
from lexfield.search.index import Index
from lexfield.text.fields import Column, Kind, read_where
from lexfield.text.fields import Where as Conditions
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import Hits, Where
from lexfield.verbs.results import Result

_VALUES = 50  # of a field, the most frequent
_LINE = 100  # characters of the values of a field


def select_documents(index: Index, where: Conditions | None) -> tuple[NDArray[np.int64], list[str]]:
    """Return the numbers of the documents that meet conditions, and notes."""
    rows, conditions = index.rows("document"), read_where(where)
    allowed = allowed_rows(rows, conditions)
    chosen = np.arange(len(rows)) if allowed is None else np.flatnonzero(allowed)
    return chosen, where_notes(rows, conditions)


@dataclass(kw_only=True)
class DocumentRow:
    """A document of an index, without its text."""

    id: str
    tokens: int
    metadata: dict[str, str]


@dataclass(repr=False)
class Documents(Result[DocumentRow]):
    """Documents of an index; ``total`` is how many there are, listed or not."""

    total: int
    start: int

    def lines(self) -> Iterable[str]:
        rows = [
            {
                "id": row.id,
                "tokens": row.tokens,
                "metadata": ", ".join(
                    f"{name}={value}" for name, value in row.metadata.items() if value
                ),
            }
            for row in self.results
        ]
        return format_rows(rows, shown=len(rows))


@verb
def documents(
    index: IndexInput,
    *,
    containing: Annotated[
        str | None,
        Meta(max_length=1000),
        Flags(metavar="TEXT", old="query"),
        Help("List only documents whose id or metadata contains this text."),
    ] = None,
    where: Where = (),
    sort: Annotated[
        str | None,
        Meta(min_length=1, max_length=100),
        Flags(metavar="FIELD"),
        Help("Sort by a metadata field, by id or by words; -FIELD sorts from the largest down."),
    ] = None,
    start: Annotated[
        int, Meta(ge=0, le=10**9), Help("Skip the first documents, to see the next ones.")
    ] = 0,
    k: Annotated[Hits, Help("Number of documents listed.")] = 2000,
) -> Documents:
    """List the documents of an index, with their lengths and metadata.

    lexfield documents my.idx
    lexfield documents my.idx --containing march --csv
    lexfield documents my.idx --where 'year>=1850' --where author=Austen,Eliot --sort -year
    """
    opened = open_index(index)
    rows = opened.rows("document")
    chosen, notes = select_documents(opened, where)
    order = chosen
    if sort is not None:
        is_falling = sort.startswith("-") and sort not in rows.fields
        name = sort[1:] if is_falling else sort
        order = _sort(rows, chosen, name, is_falling)
        notes += [note for note in source_notes(rows, name) if note not in notes]
    part = (containing or "").casefold()
    found = []
    for number in order.tolist():
        about = rows.describe(number)
        if not part or part in " ".join([about["id"], *about["metadata"].values()]).casefold():
            found.append((number, about))
    shown = [
        DocumentRow(id=about["id"], tokens=int(rows.lengths[number]), metadata=about["metadata"])
        for number, about in found[start : start + k]
    ]
    if found[start + k :]:
        first = f"the first {k:,}" if not start else f"{start + 1:,} to {start + k:,}"
        notes.append(f"{first} of {len(found):,} documents")
    if not found and not notes:
        notes.append(
            "the index is empty"
            if containing is None
            else f"no id or metadata contains {containing!r}"
        )
    return Documents(shown, total=len(found), start=start, notes=notes)


def _sort(rows: Rows, chosen: NDArray[np.int64], name: str, is_falling: bool) -> NDArray[np.int64]:
    """Return documents in order of a field; those without a value come last."""
    if rows.find_source(name):
        column = column_of(rows, name)
        if column.kind == "values":
            keys = _rank([column.values[number].casefold() for number in chosen.tolist()])
            keys[[not column.values[number] for number in chosen.tolist()]] = np.nan
        else:
            keys = column.bounds[chosen, 0].copy()
    elif name == "words":
        keys = rows.lengths[chosen].astype(np.float64)
    elif name == "id":
        keys = _rank([rows.describe(number)["id"] for number in chosen.tolist()])
    else:
        known = [*rows.fields, "words", "id"]
        hint = f"{suggest(name, known)} {list_fields(known)}".strip()
        raise InputError(f"Documents cannot be sorted by {name!r}.", hint)
    return chosen[np.argsort(-keys if is_falling else keys, kind="stable")]  # NaN comes last


def _rank(names: list[str]) -> NDArray[np.float64]:
    """Return the place of each name in the alphabet."""
    return np.unique(names, return_inverse=True)[1].astype(np.float64)


@dataclass(kw_only=True)
class FacetValue:
    """A value of a field, and how many documents have it."""

    value: str
    count: int


@dataclass(kw_only=True)
class Facet:
    """A field of the metadata: its most frequent values, and the range of numbers or dates."""

    field: str
    kind: Kind
    values: list[FacetValue]
    distinct: int
    missing: int
    low: float | str | None
    high: float | str | None


@dataclass(repr=False)
class Facets(Result[Facet]):
    """The fields of a collection, or of the documents that meet conditions."""

    documents: int

    def lines(self) -> Iterable[str]:
        for facet in self:
            shown = ", ".join(f"{one.value} {one.count:,}" for one in facet.values)
            if facet.kind != "values":
                ends = (facet.low, facet.high)
                shown = " to ".join(
                    f"{end:g}" if isinstance(end, float) else str(end) for end in ends
                )
            missing = f" ({facet.missing:,} without)" if facet.missing else ""
            more = "…" if len(shown) > _LINE else ""
            yield f"{facet.field:<11} {shown[:_LINE]}{more}{missing}"


@verb
def facets(index: IndexInput, *, where: Where = ()) -> Facets:
    """List the metadata fields of an index, their values, and how many documents have each.

    Only documents that match --where are counted. For fields with numbers or dates, the range is
    shown too.

        lexfield facets my.idx
        lexfield facets my.idx --where 'year>=1850' --json
    """
    opened = open_index(index)
    rows = opened.rows("document")
    chosen, notes = select_documents(opened, where)
    found = [_describe(column_of(rows, name), chosen) for name in rows.fields]
    if not rows.fields:
        notes.append("the documents have no metadata")
    return Facets(found, documents=len(chosen), notes=notes)


def _describe(column: Column, chosen: NDArray[np.int64]) -> Facet:
    kept = Column(column.name, [column.values[number] for number in chosen.tolist()])
    ends: list[float | str] = []
    missing = len(chosen) - kept.distinct.total()
    if column.kind != "values":
        known = column.bounds[chosen]
        known = known[~np.isnan(known[:, 0])]
        missing = len(chosen) - len(known)
        if len(known):
            low, high = float(known[:, 0].min()), float(known[:, 1].max())
            is_number = column.kind == "number"
            ends = [low, high] if is_number else [column.show(low), column.show(high)]
    ranked = sorted(kept.distinct.items(), key=lambda one: (-one[1], one[0]))
    return Facet(
        field=column.name,
        kind=column.kind,
        values=[FacetValue(value=value, count=count) for value, count in ranked[:_VALUES]],
        distinct=len(kept.distinct),
        missing=missing,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
    )
