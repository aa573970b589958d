"""``lexfield speech``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from msgspec import Meta

from lexfield.progress import Progress, silent
from lexfield.ranks.speech import NEIGHBOURS, SameClass, Share, SpeechResult
from lexfield.ranks.speech import speech as count_speech
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import READING, CollectionsInput, Reading, run_each
from lexfield.verbs.options import AllowUnknown
from lexfield.verbs.results import Paint, ReadThrough, Result, hidden, plain
from lexfield.verbs.vector_input import OwnVectorsInput


@dataclass(kw_only=True)
class SpeechRow:
    """The parts of speech of one collection, and whether near words share theirs."""

    name: str
    vectors: str
    embedded: int
    shares: list[Share]
    neighbours: list[SameClass]


@dataclass(repr=False)
class PartsOfSpeech(ReadThrough[SpeechResult], Result[SpeechRow]):
    """One row per collection; ``details`` are the library's own results."""

    details: list[SpeechResult] = hidden()

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        for number, found in enumerate(self.details):
            yield from ["", *found.lines()] if number else found.lines()

    def _repr_html_(self) -> str:
        return "".join(found._repr_html_() for found in self.details)


@verb
def speech(
    texts: CollectionsInput,
    *,
    k: Annotated[
        Sequence[Annotated[int, Meta(ge=1, le=1000)]],
        Meta(min_length=1, max_length=20),
        Flags(("-k",)),
        Help("Number of nearest words to look at; repeat it for several."),
    ] = NEIGHBOURS,
    vectors: OwnVectorsInput = "default",
    allow_unknown: AllowUnknown = False,
    reading: Reading = READING,
    progress: Progress = silent,
) -> PartsOfSpeech:
    """Count parts of speech, and see whether near words share theirs (English).

    Each distinct word has one of six classes. by_chance is the share of neighbours of the same
    class if they were drawn at random.

        lexfield speech novel.txt
        lexfield speech books.idx
        lexfield speech novel.txt news/ --json
        lexfield speech novel.txt -k 1 -k 10 --vectors glove
    """
    count = partial(
        count_speech, vectors=vectors, neighbours=sorted(set(k)), allow_unknown=allow_unknown
    )
    details, notes = run_each(count, texts, reading, "nearest words", progress)
    rows = [
        SpeechRow(
            name=found.name,
            vectors=found.vectors,
            embedded=found.embedded,
            shares=list(found.shares),
            neighbours=list(found.neighbours),
        )
        for found in details
    ]
    return PartsOfSpeech(rows, details=details, notes=notes)
