"""``lexfield zipf``, ``clusters``, ``speech`` and ``layout``: words by rank, class and place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, Unpack

from msgspec import UNSET, Meta, UnsetType, convert

from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.plots.ranks import draw_layouts, draw_zipf, fit_curves, select_ranks
from lexfield.progress import Progress, begin_stage, silent
from lexfield.ranks.cloud import TextFigures
from lexfield.ranks.clusters import ClusterNumber, NullModel, SentenceCluster, Slope
from lexfield.ranks.exponent import Exponent
from lexfield.ranks.fit import Fit
from lexfield.ranks.layout import LayoutResult
from lexfield.ranks.layout import layout as place_words
from lexfield.ranks.speech import NEIGHBOURS, SameClass, Share, SpeechResult
from lexfield.ranks.speech import speech as count_speech
from lexfield.ranks.zipf import ZipfResult
from lexfield.ranks.zipf import zipf as fit_ranks
from lexfield.results import JsonObject, format_rows
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.each import run_each
from lexfield.verbs.input import (
    CollectionsInput,
    CorpusInput,
    TextOptions,
    name_briefly,
    read_texts,
)
from lexfield.verbs.options import AllowUnknown, Ngram, OwnVectorsInput, Seed
from lexfield.verbs.results import ReadThrough, Result, hidden, save_picture

_FIRST = 20  # ranks listed with their labels
_POINTS = 300  # ranks to draw the curve from

Clusters = Annotated[
    Annotated[int, Meta(ge=1, le=10_000)] | Literal["auto"],
    Flags(metavar="NUMBER|auto", old="k"),
    Help("Number of clusters; auto chooses the one with the best simplified silhouette."),
]
Seeds = Annotated[int, Meta(ge=1, le=1000), Help("Number of clusterings; the best is shown.")]


@dataclass(kw_only=True)
class Rank:
    """The word, n-gram or cluster of a rank and how often it occurs."""

    rank: int
    count: int
    label: str


@dataclass(kw_only=True)
class FittedCurve:
    """Points of a fitted curve, to draw it."""

    name: str
    rank: list[float]
    count: list[float]


@dataclass(kw_only=True)
class ZipfFit:
    """Counts by rank of one collection, and what was fitted to them."""

    name: str
    space: str
    unit: str
    exponent: Exponent | None
    slope: float
    r2: float
    verdict: str
    fits: dict[str, Fit]
    figures: TextFigures
    vectors: str | None
    ranks: list[Rank]
    slopes: list[float]
    nulls: list[NullModel]
    robustness: list[Slope]
    choices: list[ClusterNumber]
    clusters: list[SentenceCluster]
    points: list[Rank]
    curves: list[FittedCurve]

    @classmethod
    def of(cls, found: ZipfResult) -> ZipfFit:
        own: JsonObject = {
            "ranks": _list_ranks(found, range(min(_FIRST, len(found.counts)))),
            "choices": list(found.choices or ()),
            "clusters": list(found.clusters or ()),
            "points": _list_ranks(found, select_ranks(len(found.counts), _POINTS).tolist()),
            "curves": [
                FittedCurve(name=curve.name, rank=curve.x.tolist(), count=curve.y.tolist())
                for curve in fit_curves(found)
            ],
        }
        same = {one.name: getattr(found, one.name) for one in fields(cls) if one.name not in own}
        return cls(**same, **own)


def _list_ranks(found: ZipfResult, places: range | list[int]) -> list[Rank]:
    return [
        Rank(rank=place + 1, count=int(found.counts[place]), label=found.labels[place])
        for place in places
    ]


@dataclass(repr=False)
class ZipfFits(ReadThrough[ZipfFit, ZipfResult]):
    """One fit per collection; ``details`` are the library's own results."""

    plot_formats = PAGE_FORMATS
    examples: bool = hidden(default=False)

    def lines(self) -> Iterator[str]:
        for number, found in enumerate(self.details):
            yield from ["", *found.lines()] if number else found.lines()
            for cluster in found.clusters or [] if self.examples else []:
                yield from ["", *cluster.lines()]

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw counts by rank with their fits: png, svg, pdf or html."""
        return save_picture(draw_zipf(self.details), path)

    def _repr_html_(self) -> str:
        return "".join(found._repr_html_() for found in self.details)


@verb
def zipf(
    texts: CollectionsInput,
    *,
    ngram: Ngram = 1,
    latent: Annotated[
        bool, Flags(replaces="space"), Help("Rank clusters of sentences instead of words.")
    ] = False,
    clusters: Clusters = 75,
    seeds: Seeds = 3,
    nulls: Annotated[
        bool, Help("Also cluster null models, which takes two thirds of the time.")
    ] = True,
    examples: Annotated[
        bool, Help("Show the five nearest and the five farthest sentences of each cluster.")
    ] = False,
    robustness: Annotated[
        bool, Help("Also cluster with up to 20 clusters more and fewer.")
    ] = False,
    draws: Annotated[
        int,
        Meta(ge=0, le=100_000),
        Help("Random samples that test whether a power law is plausible; 0 for no test."),
    ] = 100,
    seed: Seed = 0,
    vectors: OwnVectorsInput = "auto",
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> ZipfFits:
    """See whether texts follow Zipf's law.

    Words are ranked by how often they occur, or clusters of sentences by their size. Each CORPUS is
    a file, a folder, a table or an index; several are shown side by side.

        lexfield zipf novel.txt
        lexfield zipf novel.txt --ngram 2 --json
        lexfield zipf novel.txt news/ letters.csv --plot words.png
        lexfield zipf novel.txt --latent --clusters 75 --plot clusters.html
        lexfield zipf novel.txt --latent --clusters 35 --examples
        lexfield zipf roman.txt --latent --clusters auto --robustness --vectors own
    """
    fit = partial(
        fit_ranks,
        space="latent" if latent else "categorical",
        ngram=ngram,
        clusters=clusters,
        vectors=vectors if latent or vectors != "auto" else None,
        seeds=seeds,
        nulls=nulls,
        robustness=robustness,
        draws=draws,
        seed=seed,
        allow_unknown=allow_unknown,
    )
    stage = "clustering" if latent else "fitting"
    details, notes = run_each(fit, texts, options, stage, progress)
    rows = [ZipfFit.of(found) for found in details]
    return ZipfFits(rows, details=details, examples=examples, notes=notes)


@dataclass(repr=False)
class SentenceClusters(Result[SentenceCluster]):
    """Clusters of sentences, largest first, and the line through their sizes by rank."""

    name: str
    k: int
    slope: float
    r2: float

    def lines(self) -> Iterator[str]:
        yield f"{self.name}: {self.k:,} clusters, slope {self.slope:.3f}, R² {self.r2:.3f}"
        for cluster in self.results:
            yield from ["", *cluster.lines()]


@verb
def clusters(
    texts: CorpusInput,
    *,
    clusters: Clusters = 75,
    seeds: Seeds = 3,
    seed: Seed = 0,
    vectors: OwnVectorsInput = "auto",
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> SentenceClusters:
    """Group the sentences of a text by their meaning.

    Each cluster is shown with its most distinctive words, and with the sentences nearest to its
    centre and farthest from it.

        lexfield clusters novel.txt --clusters 35
        lexfield clusters books.idx --clusters auto --json
    """
    corpus = read_texts(texts, options, progress)
    begin_stage(progress, "clustering")
    found = fit_ranks(
        corpus,
        space="latent",
        clusters=clusters,
        vectors=vectors,
        seeds=seeds,
        nulls=False,
        draws=0,
        seed=seed,
        name=name_briefly(texts),
        allow_unknown=allow_unknown,
        progress=progress,
    )
    rows = list(found.clusters or ())
    return SentenceClusters(
        rows,
        name=found.name,
        k=len(rows),
        slope=found.slope,
        r2=found.r2,
        notes=[*corpus.notes, *found.notes],
    )


@dataclass(kw_only=True)
class SpeechRow:
    """The parts of speech of one collection, and whether near words share theirs."""

    name: str
    vectors: str
    embedded: int
    shares: list[Share]
    neighbours: list[SameClass]


@dataclass(repr=False)
class PartsOfSpeech(ReadThrough[SpeechRow, SpeechResult]):
    """One row per collection; ``details`` are the library's own results."""

    def lines(self) -> Iterator[str]:
        for number, found in enumerate(self.details):
            yield from ["", *found.lines()] if number else found.lines()

    def _repr_html_(self) -> str:
        return "".join(found._repr_html_() for found in self.details)


@verb
def speech(
    texts: CollectionsInput,
    *,
    nearest: Annotated[
        Sequence[Annotated[int, Meta(ge=1, le=1000)]],
        Meta(min_length=1, max_length=20),
        Flags(metavar="1,10", old="k"),
        Help("Number of nearest words to look at; repeat it for several."),
    ] = NEIGHBOURS,
    vectors: OwnVectorsInput = "auto",
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> PartsOfSpeech:
    """Count parts of speech, and see whether near words share theirs.

    Each distinct word has one of six classes, by the tagger of the language that most of the text
    is in: English (the extra speech), or German, French, Japanese, Dutch, Russian and Chinese (the
    extra taggers). by_chance is the share of neighbours of the same
    class if they were drawn at random.

        lexfield speech novel.txt
        lexfield speech books.idx
        lexfield speech novel.txt news/ --json
        lexfield speech novel.txt --nearest 1,10 --vectors glove
        lexfield speech roman.txt --vectors encoder
    """
    count = partial(
        count_speech, vectors=vectors, neighbours=sorted(set(nearest)), allow_unknown=allow_unknown
    )
    details, notes = run_each(count, texts, options, "nearest words", progress)
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
class Layouts(ReadThrough[PlacedWord, LayoutResult]):
    """The words of each collection; ``details`` are the library's own results."""

    plot_formats = PAGE_FORMATS
    method: str
    path: str | None = hidden(default=None)  # of the figure

    def figures(self) -> JsonObject:
        return {**super().figures(), "plot": self.path}

    def lines(self) -> Iterable[str]:
        return format_rows(self.to_dicts())

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the words: png, svg, pdf, or html that can be zoomed and searched."""
        self.path = None if path is None else str(path)
        return save_picture(draw_layouts(self.details), path)


@verb
def layout(
    texts: CollectionsInput,
    *,
    projection: Annotated[
        Literal["tsne", "pca", "mds"],
        Flags(old="method"),
        Help("t-SNE, principal components, or multidimensional scaling."),
    ] = "tsne",
    words: Annotated[
        int | None,
        Meta(ge=10, le=10**6),
        Help("Number of words, most frequent first: 5,000 (tsne), 50,000 (pca) or 1,000 (mds)."),
    ] = None,
    seed: Seed = 0,
    vectors: OwnVectorsInput = "auto",
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
    **options: Unpack[TextOptions],
) -> Layouts:
    """Lay out the words of texts in the plane, coloured by part of speech.

    An html figure can be zoomed, moved and searched; it contains its data and needs no network.

        lexfield layout novel.txt --plot words.html
        lexfield layout books.idx --projection pca
        lexfield layout novel.txt news/ --projection pca --plot words.png
        lexfield layout novel.txt --words 20000 --csv > places.csv
    """
    place = partial(
        place_words,
        method=projection,
        vectors=vectors,
        words=words,
        seed=seed,
        allow_unknown=allow_unknown,
    )
    details, notes = run_each(place, texts, options, "laying out, seconds", progress)
    rows = [
        convert({"corpus": found.name, **record} if len(details) > 1 else record, PlacedWord)
        for found in details
        for record in found.to_dicts()
    ]
    return Layouts(rows, method=projection, details=details, notes=notes)
