"""``lexfield inspire`` and ``lexfield balls``: suggestions, and words that count as answers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta

from lexfield.errors import InputError
from lexfield.explain import Reason, is_sum
from lexfield.search.index import Index
from lexfield.text.segment import sentence_spans
from lexfield.text.stopwords import stopwords
from lexfield.verbs.declare import Flags, Help, Input, verb
from lexfield.verbs.input import IndexInput, Source, join_texts, open_index, read_documents
from lexfield.verbs.options import AllowUnknown, Hits, Method
from lexfield.verbs.results import Result

_ANSWERED = 3  # words of the draft named per suggestion


@dataclass(kw_only=True)
class Suggestion:
    """A sentence, how its own text went on, and the words of the draft that it takes up.

    ``words`` are the reasons in plain words.
    """

    text: str
    went_on: str
    id: str
    score: float
    takes_up: list[str]
    words: str


@dataclass(repr=False)
class Suggestions(Result[Suggestion]):
    """Sentences to continue from; ``asked`` is the end of the draft."""

    asked: str
    method: str

    def lines(self) -> Iterator[str]:
        yield f"after: {' '.join(self.asked.split())}"
        for number, row in enumerate(self, 1):
            yield f"{number:>3}. {self.paint(row.text, 'green')}"
            if row.went_on:
                yield f"     went on: {row.went_on}"
            yield f"     takes up: {row.words or '—'}  [{row.id}]"


@verb
def inspire(
    index: IndexInput,
    draft: Annotated[Source, Input("text", words=True), Flags(metavar="DRAFT")],
    *,
    sentences: Annotated[
        int,
        Meta(ge=1, le=1000),
        Help("Number of sentences at the end of the draft to continue from."),
    ] = 1,
    method: Annotated[Method, Help("Search method, as for `lexfield search`.")] = "ideas",
    k: Annotated[Hits, Help("Number of suggestions.")] = 5,
    allow_unknown: AllowUnknown = False,
) -> Suggestions:
    """Suggest sentences to continue from.

    DRAFT is a file, - for standard input, or the words themselves. Each suggestion picks up
    different words of your last sentence, and shows how its own text continues. Sentences that the
    draft contains are not suggested.

        lexfield inspire my.idx draft.txt
        lexfield inspire my.idx "The boat came home before the storm." -k 3
        lexfield inspire my.idx draft.txt --sentences 3 --json
    """
    opened = open_index(index)
    text = _read_draft(draft)
    spans = sentence_spans(text)
    if not spans:
        raise InputError("The draft has no words.", "Write a sentence to begin with.")
    asked = text[spans[-sentences:][0][0] : spans[-1][1]]
    written = {" ".join(text[start:end].split()).lower() for start, end in spans}
    # Set cover returns sentences that differ and answer different words (Hare et al., 3.4).
    ranking = opened.search(asked, method, k + len(written), allow_unknown=allow_unknown)
    rows = opened.rows()
    found: list[Suggestion] = []
    for hit in ranking:
        sentence = " ".join(hit.text.split())
        if sentence.lower() in written or len(found) == k:
            continue
        later = hit.row + 1
        goes_on = later < len(rows) and rows.describe(later)["document"] == hit.document
        found.append(
            Suggestion(
                text=sentence,
                went_on=" ".join(rows.text(later).split()) if goes_on else "",
                id=hit.id,
                score=hit.score,
                takes_up=_list_answers(hit.explanation.reasons, opened.language),
                words=hit.words,
            )
        )
    return Suggestions(found, asked=asked, method=ranking.method, notes=list(ranking.notes))


def _read_draft(draft: Source) -> str:
    is_path = isinstance(draft, str | Path) and len(str(draft)) < 1000 and str(draft) != "-"
    if is_path and os.path.lexists(str(draft)) and not Path(str(draft)).is_file():
        raise InputError(f"{draft} is not a file with text.", "Name a file, or write the words.")
    return join_texts(read_documents(draft)[0])


def _list_answers(reasons: Iterable[Reason], language: str) -> list[str]:
    """Return the words of the draft that a suggestion answers, strongest first: storm → gale."""
    excluded = stopwords(language)
    answers: dict[str, str] = {}
    for reason in sorted(reasons, key=lambda one: -one.contribution):
        is_named = reason.match and not is_sum(reason) and reason.query not in excluded
        if is_named and reason.contribution > 0:
            answers.setdefault(reason.query, str(reason.match))
    shown = list(answers.items())[:_ANSWERED]
    return [query if query == match else f"{query} → {match}" for query, match in shown]


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

    def lines(self) -> Iterator[str]:
        width = max((len(row.word) for row in self), default=0)
        for row in self:
            words = ", ".join(f"{one.word} {one.distance:.2f}" for one in row.ball)
            yield f"{self.paint(row.word.ljust(width), 'green')}  {words or '–'}"


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
