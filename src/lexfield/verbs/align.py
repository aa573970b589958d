"""``lexfield align``: sentences of two documents, or groups, that say the same thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.index.filter import allowed_rows
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search.align import align as align_rows
from lexfield.search.index import Index
from lexfield.text.fields import read_where
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import Where
from lexfield.verbs.results import Result

_Side = Annotated[
    str,
    Meta(min_length=1, max_length=20_000),
    Flags(metavar="ID|FIELD=VALUE"),
]


@dataclass(kw_only=True)
class AlignedSentence:
    """One sentence of a pair; ``sentence`` is its number in its document."""

    id: str
    document: str
    sentence: int
    metadata: dict[str, str]
    text: str


@dataclass(kw_only=True)
class AlignedPair:
    """Two sentences that say the same, and the cosine of their vectors."""

    similarity: float
    a: AlignedSentence
    b: AlignedSentence


@dataclass(repr=False)
class Alignment(Result[AlignedPair]):
    """Pairs of sentences, most similar first."""

    def lines(self) -> Iterator[str]:
        for row in self:
            for start, one in ((f"{row.similarity:.2f}", row.a), (" " * 4, row.b)):
                text = " ".join(one.text.split())
                yield f"{start}  {self.paint(one.id, 'bright_black')}  {text}"


@verb
def align(
    index: IndexInput,
    a: _Side,
    b: _Side,
    *,
    where: Where = (),
    k: Annotated[int, Meta(ge=1, le=200), Flags(("-k",)), Help("Number of pairs.")] = 8,
) -> Alignment:
    """Find the sentences in which two documents, or two groups, say the same thing.

    A and B are ids of documents, or conditions on metadata; --where applies to groups.

        lexfield align my.idx emma sense_and_sensibility
        lexfield align my.idx author=austen author=dickens -k 20
    """
    opened = open_index(index)
    rows = opened.rows("sentence")
    left, right = (_find_side(opened, rows, side, where) for side in (a, b))
    found = align_rows(rows, left, right, k)
    pairs = [
        AlignedPair(similarity=cosine, a=_describe(rows, one), b=_describe(rows, other))
        for one, other, cosine in found.pairs
    ]
    notes = [
        f"{name}: {count:,} sentences were compared"
        for name, count in zip("AB", found.compared, strict=True)
    ]
    return Alignment(pairs, notes=notes)


def _find_side(index: Index, rows: Rows, side: str, where: Where) -> NDArray[np.bool_]:
    """Return which sentences belong to a document, or to a group and pass the filter."""
    if side in index.documents:
        own: NDArray[np.bool_] = rows.documents == index.documents[side]
        return own if rows.live is None else own & rows.live
    if "=" not in side:
        raise InputError(
            f"The index has no document {side[:100]!r}.",
            "Give the id of a document, or a condition such as author=austen.",
        )
    allowed = allowed_rows(rows, read_where([side, *where]))
    if allowed is None or not allowed.any():
        raise InputError(f"No document has {side}.", "See `lexfield documents` for the metadata.")
    return allowed


def _describe(rows: Rows, row: int) -> AlignedSentence:
    about: JsonObject = rows.describe(row)
    return AlignedSentence(
        id=about["id"],
        document=about["document"],
        sentence=int(about["id"].rpartition("#")[2]),
        metadata=about["metadata"],
        text=rows.text(row),
    )
