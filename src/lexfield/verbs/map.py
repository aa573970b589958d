"""``lexfield map``"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Unpack

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from lexfield.compare.pairs import Pairs
from lexfield.compare.trees import make_dendrogram
from lexfield.errors import InputError, check
from lexfield.plots.divergence import draw_places, map_places, title
from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.plots.groups import choose_groups
from lexfield.progress import Progress, begin_stage, silent
from lexfield.ranks.layout import place_rows
from lexfield.results import JsonObject, format_rows, pluralise
from lexfield.text.corpus import Corpus
from lexfield.text.language import choose_language
from lexfield.vectors.means import embed_texts
from lexfield.vectors.train import AUTO, choose_vectors
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs import list_functions
from lexfield.verbs.compare import Comparing, DivergenceOptions
from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import TextsInput, read_texts
from lexfield.verbs.options import Neighbour, SampleSize, Seed
from lexfield.verbs.pairs import compute_pairs
from lexfield.verbs.results import ReadThrough, save_picture

Most = Annotated[
    int | None,
    Meta(ge=3, le=100_000),
    Help("If there are more than N documents, place an even selection of N."),
]
Layout = Annotated[
    Literal["distances", "neighbours"],
    Help(
        "Approximate the divergences; or, for many or short texts, keep each text next to "
        "those most similar in meaning (t-SNE of text vectors)."
    ),
]
_FEWEST = 3


@dataclass(kw_only=True)
class PlacedDocument:
    """A document in the plane; ``order`` is its place among the leaves of a dendrogram, or None
    where only neighbours are kept."""

    id: str
    x: float
    y: float
    order: int | None
    metadata: dict[str, str]


@dataclass(repr=False)
class DocumentMap(ReadThrough[PlacedDocument, Pairs]):
    """Documents in the plane, near each other if they are similar."""

    title: str
    layout: str
    seed: int
    plot_formats = PAGE_FORMATS

    def lines(self) -> Iterator[str]:
        yield self.title
        names = ("id", "x", "y", "order") if self.layout == "distances" else ("id", "x", "y")
        rows = [{name: getattr(one, name) for name in names} for one in self]
        yield from format_rows(rows, shown=len(rows))

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the map: png, svg, pdf or html."""
        ids = [one.id for one in self.results]
        places = np.array([(one.x, one.y) for one in self.results])
        groups = choose_groups(None, len(ids))
        how = ", as distances in the plane (MDS)" if self.layout == "distances" else ""
        return save_picture(draw_places(ids, places, groups, self.title + how), path)


@verb
def map(
    texts: TextsInput,
    *,
    layout: Layout = "distances",
    neighbour: Neighbour = 3,
    most: Most = None,
    sample: SampleSize = None,
    seed: Seed = 0,
    progress: Progress = silent,
    **comparing: Unpack[Comparing],
) -> DocumentMap:
    """Draw documents as points in the plane, close together if they are similar.

    Distances in the plane approximate the divergences (multidimensional scaling). Short texts share
    few words, so all are about equally far from each other, and the map is a shapeless disc. For
    these, --layout neighbours shows groups, but distances between groups then mean nothing.

        lexfield map books/ --measure hellinger --plot map.png
        lexfield map tickets.idx --layout neighbours --plot map.html
        lexfield map books.idx --measure js --csv > places.csv
        lexfield map books.idx --measure js --where 'year>=1850' --plot map.html
        lexfield map tickets.idx --measure hellinger --most 1000 --plot map.html
    """
    corpus = _choose_evenly(read_texts(texts, comparing, progress), most)
    if layout == "neighbours":
        _refuse_beside_neighbours({**comparing, "neighbour": neighbour, "sample": sample})
        return _place_neighbours(corpus, comparing, seed, progress)
    found = compute_pairs(
        corpus, comparing, k=neighbour, sample=sample, seed=seed, progress=progress
    )
    order = np.argsort(make_dendrogram(found.matrix).order)
    rows = [
        PlacedDocument(id=id, x=float(x), y=float(y), order=int(place), metadata=metadata)
        for id, (x, y), place, metadata in zip(
            found.ids, map_places(found.matrix), order, found.metadata, strict=True
        )
    ]
    return DocumentMap(
        rows, title=title(found), layout=layout, seed=seed, details=[found], notes=found.notes
    )


def _refuse_beside_neighbours(given: JsonObject) -> None:
    """Raise InputError for options of divergences, which have no effect on text vectors."""
    measured = {*DivergenceOptions.__annotations__, "neighbour", "sample"} - {"vectors"}
    defaults = {one.name: one.default for one in list_functions()["map"].load().parameters}
    for name in sorted(measured):
        is_left_out = given[name] == defaults[name]
        check(is_left_out, name, "left out with --layout neighbours", given[name])


def _place_neighbours(
    corpus: Corpus, comparing: Comparing, seed: int, progress: Progress
) -> DocumentMap:
    """Place texts beside those with the most similar vectors."""
    begin_stage(progress, "embedding texts")
    language, notes = choose_language(corpus.count_languages())
    given = comparing["vectors"]
    chosen, more = choose_vectors(AUTO if str(given) == "default" else given, corpus, language)
    vectors = _embed(corpus, chosen, language, progress)
    known = np.flatnonzero(vectors.any(axis=1))
    if len(known) < _FEWEST:
        raise InputError(
            f"Only {pluralise(len(known), 'text')} can be placed by vectors; a map needs"
            f" {_FEWEST}.",
            "Use --layout distances, which counts words.",
        )
    if len(known) < len(vectors):
        more.append(f"without a word that has a vector, left out: {len(vectors) - len(known):,}")
    begin_stage(progress, "placing texts")
    kept = vectors[known]
    places = place_rows(kept - kept.mean(axis=0), "tsne", seed).astype(np.float64).round(6)
    rows = [
        PlacedDocument(id=corpus.ids[row], x=x, y=y, order=None, metadata=corpus.metadata(row))
        for row, (x, y) in zip(known.tolist(), places.tolist(), strict=True)
    ]
    heading = "Texts beside those that are nearest in meaning (t-SNE)"
    notes = [*corpus.notes, *notes, *more]
    return DocumentMap(rows, title=heading, layout="neighbours", seed=seed, details=[], notes=notes)


def _embed(
    corpus: Corpus, chosen: WordVectors | str | Path, language: str, progress: Progress
) -> NDArray[np.float32]:
    """Return a vector per text; one without known words is zero, which is told by a note."""
    if str(chosen) == "encoder":
        chosen = WordVectors.encoded(corpus.vocabulary.words, progress=progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return embed_texts(corpus, chosen, language)


def _choose_evenly(corpus: Corpus, most: int | None) -> Corpus:
    """Return a corpus of at most so many documents."""
    count = len(corpus)
    if most is None or count <= most:
        return corpus
    kept = corpus.select([place * count // most for place in range(most)])
    kept.notes.append(f"{most:,} of {count:,} documents, evenly chosen")
    return kept
