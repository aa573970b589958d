"""``lexfield balls``"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from lexfield.search.index import Index
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.results import Paint, Result, plain


@dataclass(kw_only=True)
class BallWord:
    """A word that counts as an answer, and the distance of its vector."""

    word: str
    distance: float


@dataclass(kw_only=True)
class Ball:
    """A word of the query; ``known``: it has a vector, ``inside``: the index contains it."""

    word: str
    known: bool
    inside: bool
    ball: list[BallWord]


@dataclass(repr=False)
class Balls(Result[Ball]):
    """The neighbourhood of each word of a query."""

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        width = max((len(row.word) for row in self), default=0)
        for row in self:
            words = ", ".join(f"{one.word} {one.distance:.2f}" for one in row.ball)
            yield f"{paint(row.word.ljust(width), 'green')}  {words or '–'}"


@verb
def balls(
    index: IndexInput,
    query: Annotated[str, Meta(max_length=20_000), Flags(metavar="TEXT", dash="text")],
    *,
    r: Annotated[int, Meta(ge=1, le=50), Flags(("-r",)), Help("Number of words in a ball.")] = 10,
) -> Balls:
    """Show which words count as answers to each word of a query.

    The set-cover search lets every word of a query be answered by itself or by the nearest words of
    the index: its ball. Words are shown with the distance of their vectors.

        lexfield balls my.idx "a storm at sea"
        lexfield balls my.idx "a storm at sea" -r 20 --json
    """
    opened = open_index(index)
    asked = opened.query(query)
    columns = zip(asked.words, asked.ids.tolist(), asked.vectors, asked.known, strict=True)
    rows = [
        Ball(
            word=word,
            known=bool(known),
            inside=row >= 0,
            ball=_list_ball(opened, row, vector, r) if known else [],
        )
        for word, row, vector, known in columns
    ]
    return Balls(rows, notes=[*asked.notes, *asked.note_unknown()])


def _list_ball(index: Index, row: int, vector: np.ndarray, r: int) -> list[BallWord]:
    """Return the content words of a ball, except the word itself."""
    lexicon = index.lexicon
    ball = lexicon.ball(row, vector, r)
    ball = ball[lexicon.content[ball]]
    distances = np.linalg.norm(lexicon.vectors[ball] - vector, axis=1)
    return [
        BallWord(word=lexicon.words[other], distance=float(distance))
        for other, distance in zip(ball.tolist(), distances, strict=True)
        if other != row
    ]
