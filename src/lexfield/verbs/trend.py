"""``lexfield trend``: words, phrases and topics over time, over any field, or along one text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from lexfield.errors import InputError
from lexfield.index.filter import column_of, source_notes
from lexfield.index.reading import find_text
from lexfield.index.rows import Rows
from lexfield.index.topics import Topics, weigh_topics
from lexfield.index.trend import (
    Group,
    count_groups,
    count_phrases,
    find_interval,
    group_documents,
    split_document,
)
from lexfield.plots.figure import Picture
from lexfield.plots.trend import draw_trend
from lexfield.results import format_rows
from lexfield.search.index import Index
from lexfield.text.spelling import note_words
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.documents import select_documents
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import By, Where
from lexfield.verbs.results import Result, hidden, save_picture

_PER = 10_000  # words; a share is printed as a rate


@dataclass(kw_only=True)
class TrendPoint:
    """How often something occurs in one group of documents, or in one part of a document.

    ``value`` is a number, a date, a plain value, or a place in the document from 0 to 1. ``total``
    counts all words; ``low`` and ``high`` are a 95 % interval of the share.
    """

    series: str
    value: float | str
    label: str
    count: float
    total: int
    share: float
    low: float
    high: float
    where: list[str] | UnsetType = UNSET  # the documents that were counted
    id: str | UnsetType = UNSET  # the first sentence of a part


@dataclass(repr=False)
class Trend(Result[TrendPoint]):
    """Counts of words or topics in order of a field, or along one document."""

    by: str | None
    kind: str
    document: str | None = hidden(default=None)

    def lines(self) -> Iterator[str]:
        name = self.by or "part"
        rows = [
            {
                "series": one.series,
                name: one.label,
                "count": round(one.count, 1) if one.count % 1 else int(one.count),
                "words": one.total,
                f"per {_PER:,}": round(_PER * one.share, 2),
                "from": round(_PER * one.low, 2),
                "to": round(_PER * one.high, 2),
            }
            for one in self
        ]
        yield from format_rows(rows, shown=len(rows))

    def plot(self, path: str | Path | None = None) -> Path | Picture:
        """Draw the shares as lines with their intervals: png, svg or pdf."""
        about = self.by or f"place in {self.document}"
        return save_picture(draw_trend(self.to_dicts(), about, self.kind), path)


@verb
def trend(
    index: IndexInput,
    query: Annotated[
        Sequence[Annotated[str, Meta(min_length=1, max_length=1000)]],
        Meta(max_length=20),
        Flags(metavar="[QUERY]..."),
        Help("A word, a phrase, or several joined by +; each query is a series."),
    ] = (),
    *,
    by: Annotated[By | None, Help("Field of the metadata, such as year.")] = None,
    document: Annotated[
        str | None,
        Meta(max_length=2000),
        Flags(metavar="ID"),
        Help("Follow the words through this document instead."),
    ] = None,
    topic: Annotated[
        Sequence[Annotated[int, Meta(ge=0, le=10_000)]],
        Meta(max_length=20),
        Help("Number of a topic from `lexfield topics show`; repeat it for several."),
    ] = (),
    bins: Annotated[
        int, Meta(ge=1, le=1000), Help("Approximate maximum number of groups or parts.")
    ] = 30,
    where: Where = (),
) -> Trend:
    """See how often words, phrases or topics occur over a field such as the year.

    Each group of documents has the count, its share of all words and a 95% interval. Numbers and
    dates are binned if there are many. With --document, or if the index has only one, a text is
    followed part by part.

        lexfield trend my.idx storm "steam engine" --by year
        lexfield trend my.idx "ship + boat" --by author --where genre=fiction
        lexfield trend my.idx whale --document moby-dick --bins 20 --plot whale.png
        lexfield trend my.idx --topic 3 --topic 5 --by year
    """
    if not query and not topic:
        raise InputError("Give a word, a phrase or --topic NUMBER.", "As in trend(index, 'storm').")
    opened = open_index(index)
    document = _choose_document(opened, by, document)
    unit = "document" if document is None else "sentence"
    rows = opened.rows(unit)
    sizes = rows.lengths.astype(np.float64)
    series = {one: count_phrases(rows, one) for one in query}
    if topic:
        kept = Topics.open(opened.path)
        series |= {kept.name(n): own for n, own in weigh_topics(kept, rows, topic).items()}
    groups, kind, notes = _make_groups(opened, rows, by, document, bins, where)
    found = [
        _make_point(name, *one)
        for name, counts in series.items()
        for one in count_groups(counts, sizes, groups)
    ]
    notes += [f"{name!r} does not occur" for name in query if not series[name].any()]
    notes += note_words(
        [w for one in query for w in opened.normalisation.words(one)], opened.lexicon
    )
    return Trend(found, by=by, kind=kind, document=document, notes=notes)


def _choose_document(index: Index, by: str | None, document: str | None) -> str | None:
    """Return the document to follow, if any: the one that is named, or the only one."""
    if by is None and document is None and len(index.documents) == 1:
        (document,) = index.documents
    if (by is None) == (document is None):
        raise InputError("Give either --by FIELD or --document ID.", "As in --by year.")
    return document


def _make_groups(
    index: Index, rows: Rows, by: str | None, document: str | None, bins: int, where: Where
) -> tuple[list[Group], str, list[str]]:
    """Return the groups, what their values are, and notes."""
    if document is not None:
        find_text(index.segments, index.documents, document)  # raises if there is none
        number = index.documents[document]
        ends = np.searchsorted(rows.documents, [number, number + 1])
        return split_document(rows, np.arange(*ends), bins), "part", []
    chosen, notes = select_documents(index, where)
    column = column_of(rows, str(by))
    notes += [note for note in source_notes(rows, str(by)) if note not in notes]
    groups = group_documents(column, chosen, bins)
    left = len(chosen) - sum(len(one.rows) for one in groups)
    if left:
        notes.append(f"documents without {by}, or with a rarer value: {left:,} of {len(chosen):,}")
    return groups, column.kind, notes


def _make_point(series: str, group: Group, count: float, total: float) -> TrendPoint:
    low, high = find_interval(count, total)
    return TrendPoint(
        series=series,
        value=group.value,
        label=group.label,
        count=count,
        total=int(total),
        share=count / total,
        low=low,
        high=high,
        where=list(group.where) or UNSET,
        id=group.id or UNSET,
    )
