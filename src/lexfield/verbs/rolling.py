"""``lexfield rolling``: who wrote which part of a text?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Unpack

import numpy as np
from msgspec import Meta

from lexfield.compare.authors import AttributionMethod, Authors
from lexfield.compare.authors import attribute as find_authors
from lexfield.compare.calibration import Calibration
from lexfield.compare.changes import find_changes
from lexfield.compare.known import find_known, join_parts
from lexfield.errors import InputError
from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.plots.rolling import draw_rolling
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import format_rows
from lexfield.text.document import Document
from lexfield.verbs.attribute import (
    AttributedText,
    CandidateAuthor,
    Features,
    Rule,
    choose_texts,
    describe,
    note_closed,
)
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import CorpusInput, TextInput, TextOptions, read_documents
from lexfield.verbs.options import By
from lexfield.verbs.results import Result, save_picture

_FEWEST = 4  # windows in which a change of hands can be seen


@dataclass(kw_only=True)
class Window:
    """Words ``start`` to ``end`` of a text, and the probability of each author; the label and its
    probability are null if the window is not judged."""

    start: int
    end: int
    label: str | None
    probability: float | None
    candidates: list[CandidateAuthor]


@dataclass(kw_only=True)
class Change:
    """Where another hand begins: probably near a word, and between ``low`` and ``high`` if windows
    by one hand alone are judged right."""

    low: int
    near: int
    high: int
    before: str
    after: str


@dataclass(repr=False)
class Rolling(Result[Window]):
    """The author of each window of a text, and where another author takes over."""

    id: str
    by: str
    window: int
    changes: list[Change]
    method: AttributionMethod
    calibration: Calibration
    plot_formats = PAGE_FORMATS

    def lines(self) -> Iterator[str]:
        rows = [
            {
                "words": f"{one.start:,} to {one.end:,}",
                self.by: one.label or "not judged",
                "if one of these": "" if one.probability is None else f"{one.probability:.2f}",
                "or": one.candidates[1].label if one.label else "",
            }
            for one in self.results
        ]
        yield from format_rows(rows, shown=len(rows))
        for change in self.changes:
            place = f"near word {change.near:,} (between {change.low:,} and {change.high:,})"
            yield f"{place}: {change.after} takes over from {change.before}"
        if not self.changes:
            few = sum(one.label is not None for one in self.results) < _FEWEST
            yield "too few windows judged to find a change" if few else "one author throughout"
        checked = self.calibration
        yield f"known texts, windows of this length: {checked.accuracy:.0%} right"

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the probability of each author along the text: png, svg, pdf or html."""
        return save_picture(
            draw_rolling(self.to_dicts(), self.id, [(c.low, c.high) for c in self.changes]), path
        )


@verb
def rolling(
    text: TextInput,
    *,
    known: Annotated[CorpusInput, Flags(metavar="FOLDER"), Help("Texts whose authors are known.")],
    by: Annotated[By, Help("Metadata field to guess, such as author.")] = "author",
    window: Annotated[int, Meta(ge=50, le=10**6), Help("Words in a window.")] = 2000,
    step: Annotated[
        int | None, Meta(ge=1, le=10**6), Help("Words between windows; by default half a window.")
    ] = None,
    features: Features = None,
    rule: Rule = None,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> Rolling:
    """Attribute a text window by window, and find where another author takes over.

    The method is that of Eder (2016). Known texts are judged by excerpts of the length of a window.

        lexfield rolling disputed.txt --known books/ --metadata books.csv --by author
        lexfield rolling disputed.txt --known books/ --metadata books.csv --plot hands.png
    """
    begin_stage(progress, "reading")
    documents, notes = read_documents(known, options, by)
    (asked, *more) = choose_texts(text, list(documents), notes, options)
    if more:
        raise InputError("Only one text can be attributed window by window.", "Name one file.")
    words = asked.text.split()
    if len(words) < window:
        raise InputError(
            f"{asked.id!r} has {len(words):,} words, fewer than a window of {window:,}.",
            "Choose a smaller --window.",
        )
    step = step or max(1, window // 2)
    if step > window:
        raise InputError(f"A step of {step:,} words skips text.", "Use at most a --window.")
    last = len(words) - window
    starts = sorted({*range(0, last + 1, step), last})  # the last window ends with the text
    parts = [Document(f"from word {s:,}", " ".join(words[s : s + window])) for s in starts]
    every = join_parts(documents, by, notes)
    (copies,) = find_known(every, [asked], notes)
    others = [one for row, one in enumerate(every) if row not in copies]
    found = find_authors(others, by, parts, features=features, rule=rule, progress=progress)
    rows = [
        _describe_window(describe(found, row, one, by, 0.0, False), starts[row], window)
        for row, one in enumerate(parts)
    ]
    return Rolling(
        rows,
        id=asked.id,
        by=by,
        window=window,
        changes=_list_changes(found, starts, window),
        method=found.method,
        calibration=found.calibration,
        notes=[*notes, *found.notes, *note_closed(found, by)],
    )


def _describe_window(one: AttributedText, start: int, window: int) -> Window:
    return Window(
        start=start,
        end=start + window,
        label=one.label,
        probability=one.probability,
        candidates=one.candidates,
    )


def _list_changes(found: Authors, starts: Sequence[int], window: int) -> list[Change]:
    """Return where the hand changes between windows that were judged.

    A mixed window can go to either hand. So all that two windows show is that the earlier hand is
    still there after the first one starts, and the later one before the second one ends.
    """
    judged = np.flatnonzero(~found.foreign)
    if not len(judged):
        return []
    hands = [found.names[hand] for hand in find_changes(found.probabilities[judged])]
    first = [starts[row] for row in judged.tolist()]
    return [
        Change(low=a, near=(a + b + window) // 2, high=b + window, before=before, after=after)
        for (a, before), (b, after) in pairwise(zip(first, hands, strict=True))
        if before != after
    ]
