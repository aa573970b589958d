"""More like this: a row of the index is the query, and is not returned itself."""

from __future__ import annotations

import numpy as np

from lexfield.errors import InputError
from lexfield.index.collection import Collection
from lexfield.index.filter import Where, allowed_rows, read_where, where_notes
from lexfield.index.query import LONGEST_QUERY
from lexfield.index.ranking import Ranking
from lexfield.index.rows import Rows
from lexfield.search.method import Method, check_k, format_method
from lexfield.search.registry import read_query

_SAMPLE = 5_000  # words of a document that is too long to be a query


def search_similar(
    index: Collection,
    identity: str,
    method: Method,
    k: int,
    *,
    where: Where | None = None,
    allow_unknown: bool = False,
) -> Ranking:
    """Return the rows nearest to the document (or the sentence ``document#number``) of this id.

    A method with ``search_row`` compares the row itself; others search for its text.
    """
    check_k(k)
    where = read_where(where)
    unit, row = locate(index, identity)
    rows = index.rows(unit)
    allowed = allowed_rows(rows, where)
    among = np.ones(len(rows), bool) if allowed is None else allowed.copy()
    among[row] = False
    k = min(int(k), len(rows))
    search_row = getattr(method, "search_row", None)
    if search_row is not None:
        found = search_row(rows, row, k, among)
    else:
        text, notes = _sample_text(index, rows, row, identity)
        query = read_query(index, method, text, allow_unknown=allow_unknown)
        found = method.search(rows, query, k, among)
        found.notes[:0] = [*notes, *query.notes]
        found.words = query.wanted
    found.notes[:0] = where_notes(rows, where)
    return Ranking(found, rows, format_method(method), identity)


def _sample_text(index: Collection, rows: Rows, row: int, identity: str) -> tuple[str, list[str]]:
    """Return a row's text, or evenly spaced sentences of one too long for a query; and notes."""
    length = int(rows.lengths[row])
    if length <= LONGEST_QUERY or rows.unit == "sentence":
        return rows.text(row), []
    sentences = index.rows("sentence")
    own = np.flatnonzero(sentences.documents == row)
    chosen = own[:: -(-length // _SAMPLE)].tolist()
    words = int(sentences.lengths[chosen].sum())
    note = f"{identity} has {length:,} words; {words:,} of evenly spaced sentences are the query"
    return " ".join(sentences.text(one) for one in chosen), [note]


def locate(index: Collection, identity: str) -> tuple[str, int]:
    """Return the unit and the row of an id. Raise InputError if the index does not hold it."""
    number = index.documents.get(identity)
    if number is not None:
        return "document", number
    document, mark, sentence = identity.rpartition("#")
    number = index.documents.get(document) if mark and sentence.isdigit() else None
    if number is not None:
        rows = np.flatnonzero(index.rows("sentence").documents == number)
        if int(sentence) < len(rows):
            return "sentence", int(rows[int(sentence)])
    raise InputError(
        f"The index holds no document or sentence {identity!r}.",
        "Ids are shown with every hit of a search.",
    )
