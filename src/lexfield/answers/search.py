"""Hits as records, and what the words of a query reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.answers.answer import Answer, Record
from lexfield.errors import check

if TYPE_CHECKING:
    from lexfield.index.ranking import Hit, Ranking
    from lexfield.search.index import Index

_WIDEST = 50  # words of a ball


def ranked(
    rankings: Sequence[Ranking],
    *,
    explain: bool = True,
    full: bool = False,
    by: str | None = None,
) -> Answer:
    """The hits of one or several rankings; ``by`` (query or method) tells them apart.

    Of a long text a hit has the best passages, and with ``full`` all of it.
    """
    records = [_record(hit, ranking, by, explain, full) for ranking in rankings for hit in ranking]
    notes = [
        f"{_name(ranking, by)}: {note}" if by else note
        for ranking in rankings
        for note in ranking.notes
    ]
    return Answer("search", records, notes)


def _record(hit: Hit, ranking: Ranking, by: str | None, explain: bool, full: bool) -> Record:
    record = {**hit.to_dict(explain, full)}
    record.setdefault("explanation", None)
    return {by: getattr(ranking, by), **record} if by else record


def _name(ranking: Ranking, by: str | None) -> str:
    return ranking.method if by == "method" else repr(ranking.query[:40])


def balls(index: Index, text: str, r: int = 10) -> Answer:
    """The neighbour ball of each word of a query: what set cover takes as an answer to it."""
    check(1 <= r <= _WIDEST, "r", f"between 1 and {_WIDEST}", r)
    query = index.query(text)
    lexicon = index.lexicon
    records: list[dict[str, Any]] = []
    columns = zip(query.words, query.ids.tolist(), query.vectors, query.known, strict=True)
    for word, row, vector, known in columns:
        near: list[Record] = []
        if known:
            ball = lexicon.ball(row, vector, r)
            ball = ball[lexicon.content[ball]]
            far = np.linalg.norm(lexicon.vectors[ball] - vector, axis=1)
            near = [
                {"word": lexicon.words[other], "distance": float(distance)}
                for other, distance in zip(ball.tolist(), far, strict=True)
                if other != row
            ]
        records.append({"word": word, "known": bool(known), "inside": row >= 0, "ball": near})
    return Answer("balls", records, [*query.notes, *query.lacking()])
