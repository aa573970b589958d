"""``lexfield zipf`` and ``lexfield clusters``"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from lexfield.plots.figure import PAGE_FORMATS, Picture
from lexfield.plots.ranks import draw_zipf, fit_curves, select_ranks
from lexfield.progress import Progress, begin_stage, silent
from lexfield.ranks.cloud import TextFigures
from lexfield.ranks.clusters import ClusterNumber, NullModel, SentenceCluster, Slope
from lexfield.ranks.fit import Fit
from lexfield.ranks.zipf import ZipfResult
from lexfield.ranks.zipf import zipf as fit_ranks
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import (
    READING,
    CollectionsInput,
    CorpusInput,
    Reading,
    name_briefly,
    read_texts,
    run_each,
)
from lexfield.verbs.options import AllowUnknown, Ngram, Seed
from lexfield.verbs.results import Paint, ReadThrough, Result, hidden, plain, save_picture
from lexfield.verbs.vector_input import OwnVectorsInput

_FIRST = 20  # ranks listed with their labels
_POINTS = 300  # ranks to draw the curve from

Clusters = Annotated[
    Annotated[int, Meta(ge=1, le=10**6)] | Literal["auto"],
    Flags(("-k",), "NUMBER|auto"),
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
        names = ("name", "space", "unit", "slope", "r2", "verdict", "fits", "figures", "vectors",
                 "slopes", "nulls", "robustness")  # fmt: skip
        return cls(
            **{name: getattr(found, name) for name in names},
            ranks=_list_ranks(found, range(min(_FIRST, len(found.counts)))),
            choices=list(found.choices or ()),
            clusters=list(found.clusters or ()),
            points=_list_ranks(found, select_ranks(len(found.counts), _POINTS).tolist()),
            curves=[
                FittedCurve(name=curve.name, rank=curve.x.tolist(), count=curve.y.tolist())
                for curve in fit_curves(found)
            ],
        )


def _list_ranks(found: ZipfResult, places: range | list[int]) -> list[Rank]:
    return [
        Rank(rank=place + 1, count=int(found.counts[place]), label=found.labels[place])
        for place in places
    ]


@dataclass(repr=False)
class ZipfFits(ReadThrough[ZipfResult], Result[ZipfFit]):
    """One fit per collection; ``details`` are the library's own results."""

    plot_formats = PAGE_FORMATS
    details: list[ZipfResult] = hidden()
    examples: bool = hidden(default=False)

    def lines(self, paint: Paint = plain) -> Iterator[str]:
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
    latent: Annotated[bool, Help("Rank clusters of sentences instead of words.")] = False,
    k: Clusters = 75,
    seeds: Seeds = 3,
    nulls: Annotated[
        bool, Help("Also cluster null models, which takes two thirds of the time.")
    ] = True,
    examples: Annotated[
        bool, Help("Show the five nearest and the five farthest sentences of each cluster.")
    ] = False,
    robustness: Annotated[bool, Help("Also cluster for k − 20 … k + 20.")] = False,
    draws: Annotated[
        int,
        Meta(ge=0, le=100_000),
        Help("Random samples that test whether a power law is plausible; 0 for no test."),
    ] = 100,
    seed: Seed = 0,
    vectors: OwnVectorsInput = "default",
    allow_unknown: AllowUnknown = False,
    reading: Reading = READING,
    progress: Progress = silent,
) -> ZipfFits:
    """See whether texts follow Zipf's law.

    Words are ranked by how often they occur, or clusters of sentences by their size. Each CORPUS is
    a file, a folder, a table or an index; several are shown side by side.

        lexfield zipf novel.txt
        lexfield zipf novel.txt --ngram 2 --json
        lexfield zipf novel.txt news/ letters.csv --plot words.png
        lexfield zipf novel.txt --latent -k 75 --plot clusters.html
        lexfield zipf novel.txt --latent -k 35 --examples
        lexfield zipf roman.txt --latent -k auto --robustness --vectors own
    """
    fit = partial(
        fit_ranks,
        space="latent" if latent else "categorical",
        ngram=ngram,
        clusters=k,
        vectors=vectors if latent or vectors != "default" else None,
        seeds=seeds,
        nulls=nulls,
        robustness=robustness,
        draws=draws,
        seed=seed,
        allow_unknown=allow_unknown,
    )
    stage = "clustering" if latent else "fitting"
    details, notes = run_each(fit, texts, reading, stage, progress)
    rows = [ZipfFit.of(found) for found in details]
    return ZipfFits(rows, details=details, examples=examples, notes=notes)


@dataclass(repr=False)
class SentenceClusters(Result[SentenceCluster]):
    """Clusters of sentences, largest first, and the line through their sizes by rank."""

    name: str
    k: int
    slope: float
    r2: float

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        yield f"{self.name}: {self.k:,} clusters, slope {self.slope:.3f}, R² {self.r2:.3f}"
        for cluster in self.results:
            yield from ["", *cluster.lines()]


@verb
def clusters(
    texts: CorpusInput,
    *,
    k: Clusters = 75,
    seeds: Seeds = 3,
    seed: Seed = 0,
    vectors: OwnVectorsInput = "default",
    allow_unknown: AllowUnknown = False,
    reading: Reading = READING,
    progress: Progress = silent,
) -> SentenceClusters:
    """Group the sentences of a text by their meaning.

    Each cluster is shown with its most distinctive words, and with the sentences nearest to its
    centre and farthest from it.

        lexfield clusters novel.txt -k 35
        lexfield clusters books.idx -k auto --json
    """
    corpus = read_texts(texts, reading, progress)
    begin_stage(progress, "clustering")
    found = fit_ranks(
        corpus,
        space="latent",
        clusters=k,
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
