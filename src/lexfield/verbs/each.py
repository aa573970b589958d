"""Run a function on each of several collections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lexfield.errors import InputError
from lexfield.progress import Progress, begin_stage
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.frames import is_table
from lexfield.verbs.input import Source, TextOptions, name_briefly, read_texts


class Noted(Protocol):
    """A result of the library with notes."""

    @property
    def notes(self) -> list[str]: ...


Detail = TypeVar("Detail", bound=Noted)


def run_each(
    function: Callable[..., Detail],
    sources: Source | Sequence[Source],
    options: TextOptions,
    stage: str,
    progress: Progress,
) -> tuple[list[Detail], list[str]]:
    """Return what a function finds in each collection, and the notes with the collection's name.

    A repeated name gets a number.
    """
    details: list[Detail] = []
    notes: list[str] = []
    names: Counter[str] = Counter()
    is_one = isinstance(sources, str | Path | Document | Corpus | Index) or is_table(sources)
    every: list[Any] = [sources]
    if isinstance(sources, Iterable) and not is_one:
        every = list(sources)
    if not every:
        raise InputError("There are no texts.", "Give one or more texts, files or folders.")
    for source in every:
        name = name_briefly(source)
        names[name] += 1
        name = name if names[name] == 1 else f"{name} {names[name]}"
        corpus = read_texts(source, options, progress)
        begin_stage(progress, f"{name}: {stage}")
        found = function(corpus, name=name, progress=progress)
        details.append(found)
        notes += [f"{name}: {note}" for note in (*corpus.notes, *found.notes)]
    return details, notes
