"""What a search answers, and the shape that every answer has, as the API describes them."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

R = TypeVar("R")
Metadata = dict[str, str]


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Answer(Reply, Generic[R]):
    """What ``--json`` prints: records, notes, and figures of the verb beside them."""

    schema_: str = Field(alias="schema")
    results: list[R]
    notes: list[str]


class AnyAnswer(Answer[dict[str, object]]):
    """The answer of whichever verb it was."""

    model_config = ConfigDict(extra="allow")


class Reason(Reply):
    query: str
    match: str
    contribution: float
    distance: float | None = None
    probability: float | None = None


class Explanation(BaseModel):
    """Where it is additive, contributions sum to the score. A method may add facts of its own."""

    model_config = ConfigDict(extra="allow")

    reasons: list[Reason]
    additive: bool


class Highlight(Reply):
    """Characters of a passage that answer a word of the query; weight 1 is the strongest."""

    start: int
    end: int
    query: str
    weight: float


class Passage(Reply):
    """``position``: its first character in the document; ``sentence``: its first sentence."""

    text: str
    position: int
    sentence: int
    highlights: list[Highlight]


class Hit(Reply):
    """``method`` where several were asked for, ``query`` where several texts were.

    ``text`` is an ``excerpt``, the passages that answer best, where the whole is long.
    """

    method: str | None = None
    query: str | None = None
    rank: int
    id: str
    score: float
    text: str
    excerpt: bool
    passages: list[Passage]
    source: str
    document: str
    position: int
    metadata: Metadata
    explanation: Explanation | None


class BallWord(Reply):
    word: str
    distance: float


class Ball(Reply):
    """``known``: the word has a vector; ``inside``: the index has the word."""

    word: str
    known: bool
    inside: bool
    ball: list[BallWord]


class Line(Reply):
    """A word in its context."""

    document: str
    sentence: int
    left: str
    match: str
    right: str


class Concordance(Answer[Line]):
    """``totals``: how many places each text holds, shown or not."""

    totals: dict[str, int]
