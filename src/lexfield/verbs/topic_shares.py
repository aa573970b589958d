"""``lexfield topics shares``: where topics are found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from lexfield.index.filter import column_of, source_notes
from lexfield.index.topics import Topics, weigh_topics
from lexfield.index.trend import Group, count_groups, group_documents
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.documents import select_documents
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import By, Hits, Where
from lexfield.verbs.results import Result, hidden

_MOST = 1000  # values of a field


@dataclass(kw_only=True)
class TopicShare:
    """The share of a topic in the words of a document, or of the documents with a value."""

    topic: int
    value: str
    share: float
    words: int


@dataclass(repr=False)
class TopicShares(Result[TopicShare]):
    """Where each topic has the largest shares."""

    by: str | None
    names: dict[int, str] = hidden()

    def lines(self) -> Iterator[str]:
        last = None
        for row in self:
            if row.topic != last:
                yield self.paint(self.names[row.topic], "blue")
            last = row.topic
            yield f"  {row.share:.3f}  {row.value}"


@verb(command="topics shares")
def topic_shares(
    index: IndexInput,
    *,
    topic: Annotated[
        Sequence[Annotated[int, Meta(ge=0, le=10_000)]],
        Meta(max_length=100),
        Help("Number of a topic; repeat it for several. By default all."),
    ] = (),
    by: Annotated[
        By | None, Help("Field of the metadata, such as author; by default each document.")
    ] = None,
    where: Where = (),
    k: Annotated[Hits, Help("Documents or values shown per topic.")] = 15,
) -> TopicShares:
    """Show in which documents topics are found, or their shares over a field.

    A share is the topic's part of all words; the largest come first.

        lexfield topics shares my.idx --topic 3
        lexfield topics shares my.idx --by author --where 'year>=1850'
    """
    opened = open_index(index)
    rows = opened.rows("document")
    kept = Topics.open(opened.path)
    chosen, notes = select_documents(opened, where)
    wanted = list(topic) or list(range(kept.topics))
    sizes = rows.lengths.astype(np.float64)
    if by is None:
        ids = ((rows.describe(row)["id"], row) for row in chosen.tolist())
        groups = [Group(id, id, np.array([row])) for id, row in ids]
    else:
        groups = group_documents(column_of(rows, by), chosen, _MOST)
        notes += [note for note in source_notes(rows, by) if note not in notes]
    found = []
    for number, counts in weigh_topics(kept, rows, wanted).items():
        shares = [
            TopicShare(topic=number, value=one.label, share=count / total, words=int(total))
            for one, count, total in count_groups(counts, sizes, groups)
        ]
        found += sorted(shares, key=lambda one: -one.share)[:k]
    names = {number: kept.name(number) for number in wanted}
    return TopicShares(found, by=by, names=names, notes=notes)
