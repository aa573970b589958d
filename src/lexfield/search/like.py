"""More like this: a row of the index as the query, and not among the answers."""

from __future__ import annotations

import numpy as np

from lexfield.errors import InputError, check
from lexfield.explain import no_reasons
from lexfield.index.collection import Collection
from lexfield.index.filter import Where, allowed_rows, read_where, where_notes
from lexfield.index.query import LONGEST_QUERY
from lexfield.index.ranking import Found, Ranking
from lexfield.index.rows import Rows
from lexfield.search.methods import Method, read_query, spec_of
from lexfield.search.topic import Topic, mixture_of

_SAMPLE = 5_000  # words of a document that is too long to be a query


def like(
    index: Collection,
    identity: str,
    method: Method,
    k: int,
    *,
    where: Where | None = None,
    allow_unknown: bool = False,
) -> Ranking:
    """The rows nearest to the document (or the sentence ``document#number``) of this id.

    By topics the row's own mixture is the query, however long the document; other methods are
    asked with its text.
    """
    check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
    where = read_where(where)
    unit, row = locate(index, identity)
    rows = index.rows(unit)
    allowed = allowed_rows(rows, where)
    allowed = np.ones(len(rows), bool) if allowed is None else allowed.copy()
    allowed[row] = False
    k = min(int(k), len(rows))
    if isinstance(method, Topic):
        mixture = mixture_of(rows, row)
        if mixture is None:
            note = f"no word of {identity} is known to the topic model"
            found = Found([], [], no_reasons, [note])
        else:
            found = method.near(rows, mixture, k, allowed)
    else:
        text, sampled = _sample(index, rows, row, identity)
        query = read_query(index, method, text, allow_unknown=allow_unknown)
        found = method.search(rows, query, k, allowed)
        found.notes[:0] = [*sampled, *query.notes]
        found.words = query.wanted
    found.notes[:0] = where_notes(rows, where)
    return Ranking(found, rows, spec_of(method), identity)


def _sample(index: Collection, rows: Rows, row: int, identity: str) -> tuple[str, list[str]]:
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
    """The unit and the row of an id."""
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
