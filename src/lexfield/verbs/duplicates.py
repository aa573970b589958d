"""``lexfield duplicates``"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from lexfield.progress import Progress, begin_stage, silent
from lexfield.search.duplicates import Pair
from lexfield.search.duplicates import duplicates as find_pairs
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import Unit
from lexfield.verbs.results import Paint, Result, hidden, plain

_LINE = 150  # characters of a text on one line


@dataclass(repr=False)
class Duplicates(Result[Pair]):
    """Pairs of texts with nearly the same words, most similar first."""

    full: bool = hidden(default=False)

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        for pair in self:
            yield f"{pair.similarity:.3f}  {pair.a}  {pair.b}"
            for text in (pair.text_a, pair.text_b):
                line = " ".join(text.split())
                yield f"       {line if self.full else line[:_LINE]}"


@verb
def duplicates(
    index: IndexInput,
    *,
    threshold: Annotated[
        float, Meta(gt=0, le=1), Help("Least Jaccard similarity of the words, without stopwords.")
    ] = 0.8,
    unit: Annotated[Unit, Help("Compare sentences or whole documents.")] = "document",
    min_words: Annotated[
        int,
        Meta(ge=1, le=10**6),
        Help("Skip texts with fewer distinct words, without stopwords."),
    ] = 1,
    full: Annotated[bool, Help("Print whole texts, not only how they begin.")] = False,
    progress: Progress = silent,
) -> Duplicates:
    """Find pairs of documents or sentences with nearly the same words.

    Similarity is the share of distinct words that two texts have in common (Jaccard); the order of
    the words does not matter.

        lexfield duplicates tickets.idx --threshold 0.5
        lexfield duplicates my.idx --unit sentence --min-words 5 --json
    """
    opened = open_index(index)
    begin_stage(progress, "comparing")
    found = find_pairs(
        opened,
        threshold,
        unit=unit,
        min_words=min_words,
        full=full,
        progress=progress,
    )
    return Duplicates(list(found), full=full, notes=found.notes)
