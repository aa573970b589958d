"""``lexfield layout``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, convert

from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.plots.ranks import draw_layouts
from lexfield.progress import Progress, silent
from lexfield.ranks.layout import LayoutResult
from lexfield.ranks.layout import layout as place_words
from lexfield.results import JsonObject, format_rows
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import READING, CollectionsInput, Reading, run_each
from lexfield.verbs.options import AllowUnknown, Seed
from lexfield.verbs.results import Paint, ReadThrough, Result, hidden, plain, save_picture
from lexfield.verbs.vector_input import OwnVectorsInput


@dataclass(kw_only=True)
class PlacedWord:
    """A word in the plane."""

    corpus: str | UnsetType = UNSET  # if there are several
    word: str
    x: float
    y: float
    speech: str
    count: int


@dataclass(repr=False)
class Layouts(ReadThrough[LayoutResult], Result[PlacedWord]):
    """The words of each collection; ``details`` are the library's own results."""

    plot_formats = PAGE_FORMATS
    method: str
    details: list[LayoutResult] = hidden()
    path: str | None = hidden(default=None)  # of the figure

    def figures(self) -> JsonObject:
        return {**super().figures(), "plot": self.path}

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        return format_rows(self.to_dicts())

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the words: png, svg, pdf, or html that can be zoomed and searched."""
        self.path = None if path is None else str(path)
        return save_picture(draw_layouts(self.details), path)


@verb
def layout(
    texts: CollectionsInput,
    *,
    method: Annotated[
        Literal["tsne", "pca", "mds"],
        Help("t-SNE, principal components, or multidimensional scaling."),
    ] = "tsne",
    words: Annotated[
        int | None,
        Meta(ge=10, le=10**6),
        Help("Number of words, most frequent first: 5,000 (tsne), 50,000 (pca) or 1,000 (mds)."),
    ] = None,
    seed: Seed = 0,
    vectors: OwnVectorsInput = "default",
    allow_unknown: AllowUnknown = False,
    reading: Reading = READING,
    progress: Progress = silent,
) -> Layouts:
    """Lay the words of texts out in the plane, coloured by part of speech.

    An html figure can be zoomed, moved and searched; it contains its data and needs no network.

        lexfield layout novel.txt --plot words.html
        lexfield layout books.idx --method pca
        lexfield layout novel.txt news/ --method pca --plot words.png
        lexfield layout novel.txt --words 20000 --csv > places.csv
    """
    place = partial(
        place_words,
        method=method,
        vectors=vectors,
        words=words,
        seed=seed,
        allow_unknown=allow_unknown,
    )
    details, notes = run_each(place, texts, reading, "laying out, seconds", progress)
    rows = [
        convert({"corpus": found.name, **record} if len(details) > 1 else record, PlacedWord)
        for found in details
        for record in found.to_dicts()
    ]
    return Layouts(rows, method=method, details=details, notes=notes)
