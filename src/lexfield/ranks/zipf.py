"""``lexfield.zipf``: does a text follow Zipf's law, in its words or in its sentences' vectors?

Hare et al., 3.3 and 4.3: words by rank, or clusters of sentence means by rank, and the slope of the
line of best fit in logs; beside it fits that can be defended, and null models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from lexfield.errors import InputError, check
from lexfield.plottable import Plottable
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Cloud, Source, cloud, open_vectors
from lexfield.ranks.clusters import Choice, Cluster, choose, describe
from lexfield.ranks.counts import TextFigures, ranked, text_figures
from lexfield.ranks.fit import FEWEST, STEEPEST, Counts, Fit, line, mandelbrot
from lexfield.ranks.kmeans import Clustering, kmeans
from lexfield.ranks.nulls import Null, compare_nulls
from lexfield.ranks.tail import RULE, distributions
from lexfield.ranks.verdict import verdict
from lexfield.results import Table, cell, format_rows, html_table
from lexfield.text.corpus import Corpus

SPACES = ("categorical", "latent")
_MOST_CLUSTERS = 10_000
_STEPS = range(-20, 21, 5)


@dataclass(frozen=True)
class Slope:
    """The slopes for one number of clusters over several seeds."""

    k: int
    slope: float
    low: float
    high: float
    r2: float


@dataclass(frozen=True)
class ZipfResult(Plottable):
    """Counts by rank, and what was fitted to them.

    slope, r2: of the straight line in logs. fits: all fits by name (``line``, ``mandelbrot``,
    ``power_law``, ``lognormal``, ``exponential``, ``truncated_power_law``). labels: the word,
    n-gram or cluster of each rank. In the latent space: ``slopes`` of all seeds, ``clusters``,
    ``nulls``, and if asked for ``robustness`` and the numbers of clusters that were tried.
    """

    name: str
    space: str
    unit: str
    counts: Counts
    labels: Sequence[str]
    fits: dict[str, Fit]
    figures: TextFigures
    vectors: str
    slopes: list[float] = field(default_factory=list)
    clusters: Table[Cluster] | None = None
    nulls: list[Null] = field(default_factory=list)
    robustness: list[Slope] = field(default_factory=list)
    choices: Table[Choice] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def slope(self) -> float:
        return self.fits["line"].parameters["slope"]

    @property
    def r2(self) -> float:
        return self.fits["line"].r2 or 0.0

    @property
    def verdict(self) -> str:
        """What it all says, in words."""
        return verdict(self.unit, len(self.counts), self.fits, self.slopes, self.nulls)

    def to_dict(self, ranks: int = 20) -> dict[str, Any]:
        """Everything that JSON can carry, with the first ``ranks`` ranks."""
        first = zip(self.counts[:ranks].tolist(), self.labels[:ranks], strict=True)
        return {
            "name": self.name,
            "space": self.space,
            "unit": self.unit,
            "slope": self.slope,
            "r2": self.r2,
            "verdict": self.verdict,
            "fits": {name: fit.to_dict() for name, fit in self.fits.items()},
            "figures": asdict(self.figures),
            "vectors": self.vectors,
            "ranks": [
                {"rank": rank, "count": count, "label": label}
                for rank, (count, label) in enumerate(first, 1)
            ],
            "slopes": self.slopes,
            "nulls": [asdict(null) for null in self.nulls],
            "robustness": [asdict(row) for row in self.robustness],
            "choices": self.choices.to_dicts() if self.choices else [],
            "clusters": self.clusters.to_dicts() if self.clusters else [],
        }

    def _repr_html_(self) -> str:
        fits = [
            {
                "fit": name,
                "parameters": ", ".join(f"{k} {cell(v)}" for k, v in fit.parameters.items()),
                "points": fit.points,
                "R²": fit.r2,
                "p": fit.p,
            }
            for name, fit in self.fits.items()
        ]
        return html_table(fits, f"{self.name}: {self.verdict}", self.notes)

    def lines(self) -> list[str]:
        """The report as lines of text."""
        figures = self.figures
        out = [
            f"{self.name}: {figures.tokens:,} tokens, {figures.types:,} types,"
            f" {figures.sentences:,} distinct sentences"
        ]
        if figures.heaps_b is not None:
            out.append(
                f"Heaps' law: {cell(figures.heaps_k)} · tokens^{figures.heaps_b:.3f};"
                f" types a token {figures.ratio:.4f}; {figures.once:,} types occur once"
            )
        if figures.unembedded is not None:
            out.append(f"{figures.unembedded:,} types have no vector in {self.vectors!r}")
        out += [f"slope {self.slope:.3f}, R² {self.r2:.3f} ({len(self.counts):,} {self.unit}s)", ""]
        out += format_rows([_fit_row(fit) for fit in self.fits.values()])
        if self.nulls:
            out += ["", *format_rows([_null_row(null) for null in self.nulls])]
        if self.robustness:
            out += ["", *format_rows([asdict(row) for row in self.robustness])]
        if self.choices:
            out += ["", self.choices.title, *format_rows(self.choices.to_dicts())]
        if self.clusters:
            out += ["", self.clusters.title, *format_rows(_cluster_rows(self.clusters), 10)]
        return [*out, "", self.verdict]

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *self.notes])


def _fit_row(fit: Fit) -> dict[str, Any]:
    figures = ", ".join(f"{name} {cell(value)}" for name, value in fit.parameters.items())
    return {
        "fit": fit.name.replace("_", " "),
        "parameters": figures or "none found",
        "R²": fit.r2,
        "distance": fit.distance,
        "ratio": fit.ratio,
        "p": fit.p,
    }


def _null_row(null: Null) -> dict[str, Any]:
    interval = "" if null.low is None else f"{null.low:.3f} to {null.high:.3f}"
    return {
        "null model": null.model,
        "slope": null.slope,
        "R²": null.r2,
        "text minus model": null.difference,
        "95% interval": interval,
        "p": null.p,
    }


def _cluster_rows(clusters: Table[Cluster]) -> list[dict[str, Any]]:
    return [
        {
            "rank": one.rank,
            "sentences": one.size,
            "words": " ".join(one.words),
            "nearest": one.nearest[0] if len(one.nearest[0]) <= 60 else f"{one.nearest[0][:60]}…",
        }
        for one in clusters
    ]


def zipf(
    corpus: Corpus,
    *,
    space: str = "categorical",
    ngram: int = 1,
    clusters: int | str = 75,
    vectors: Source = "default",
    seeds: int = 3,
    nulls: bool = True,
    robustness: bool = False,
    draws: int = 100,
    seed: int = 0,
    name: str = "text",
    progress: Progress = silent,
) -> ZipfResult:
    """Rank the words (or n-grams) of a corpus, or the clusters of its sentences, and fit laws.

    space: ``"categorical"``, or ``"latent"`` for ``clusters`` (a number or ``"auto"``) of sentence
    means under ``vectors`` (a name, file or set; ``"own"`` are trained on the corpus).
    seeds: how often sentences are clustered; the clustering with the least inertia is shown.
    nulls, robustness: cluster null models too, and k − 20 … k + 20. draws: of the bootstrap that
    says how good the power law's fit is; 0 for none.
    """
    check(isinstance(corpus, Corpus), "corpus", "a Corpus, as Corpus.read gives", corpus)
    check(space in SPACES, "space", "'categorical' or 'latent'", space)
    check(isinstance(ngram, int) and ngram >= 1, "ngram", "a whole number of at least 1", ngram)
    check(isinstance(seeds, int) and 1 <= seeds <= 1000, "seeds", "between 1 and 1,000", seeds)
    check(isinstance(draws, int) and 0 <= draws <= 100_000, "draws", "0 to 100,000", draws)
    if not len(corpus.tokens):
        raise InputError("There are no words in this text.", "Zipf's law needs some.")
    if space == "latent":
        check(ngram == 1, "ngram", "1 in the latent space", ngram)
        return _latent(
            corpus, clusters, vectors, seeds, nulls, robustness, draws, seed, name, progress
        )
    counts, labels = ranked(corpus, ngram)
    unit = "word" if ngram == 1 else f"{ngram}-gram"
    _check_counts(counts, unit)
    known_set = open_vectors(corpus, vectors, progress)
    known = known_set.embed(corpus.vocabulary).how > 0
    fits, notes = _fits(counts, draws, seed)
    figures = text_figures(corpus, known)
    return ZipfResult(name, space, unit, counts, labels, fits, figures, known_set.name, notes=notes)


def _check_counts(counts: Counts, unit: str) -> None:
    if len(counts) < FEWEST:
        raise InputError(
            f"Only {len(counts)} distinct {unit}{'' if len(counts) == 1 else 's'}: a line through"
            " so few ranks fits anything.",
            "Take a longer text, or a smaller n.",
        )
    if counts[0] == counts[-1]:
        raise InputError(
            f"All {len(counts):,} distinct {unit}s occur equally often ({counts[0]:,}×): there is"
            " nothing to rank.",
            "Take a longer text, or a smaller n.",
        )


def _fits(counts: Counts, draws: int, seed: int) -> tuple[dict[str, Fit], list[str]]:
    fits = {"line": line(counts), "mandelbrot": mandelbrot(counts)}
    tails, notes = distributions(counts, draws=draws, seed=seed)
    if fits["mandelbrot"].parameters["alpha"] >= STEEPEST:
        notes.append(f"mandelbrot's α stopped at {STEEPEST:g}: counts fall faster than any power")
    return {**fits, **tails}, [RULE, *notes] if tails else notes


def _latent(
    corpus: Corpus,
    clusters: int | str,
    vectors: Source,
    seeds: int,
    nulls: bool,
    robustness: bool,
    draws: int,
    seed: int,
    name: str,
    progress: Progress,
) -> ZipfResult:
    if clusters != "auto":
        _check_clusters(clusters)
    points = cloud(corpus, vectors, progress)
    choices = choose(points.means, seed=seed, progress=progress) if clusters == "auto" else None
    k = choices[0].k if choices else int(clusters)
    if len(points.rows) < k:
        raise InputError(
            f"The text has {len(points.rows):,} distinct sentences with a vector: too few for"
            f" {k:,} clusters.",
            "Take fewer clusters (-k, clusters=) or a longer text.",
        )
    found = []
    for number in range(seeds):
        found.append(kmeans(points.means, k, seed=seed + number))
        progress(number + 1, seeds)
    best = min(found, key=lambda one: one.inertia)
    if best.sizes[0] == best.sizes[-1]:
        raise InputError(
            f"All {k:,} clusters hold {best.sizes[0]:,} sentences: there is nothing to rank.",
            "Take fewer clusters (-k, clusters=) or a longer text.",
        )
    described = describe(corpus, points, best)
    slopes = [line(one.sizes).parameters["slope"] for one in found]
    fits, notes = _fits(best.sizes, draws, seed)
    return ZipfResult(
        name,
        "latent",
        "cluster",
        best.sizes,
        [" ".join(one.words) for one in described],
        fits,
        text_figures(corpus, points.embedded.how > 0, len(points.rows)),
        points.vectors,
        slopes,
        described,
        compare_nulls(points, k, slopes, seed=seed, progress=progress) if nulls else [],
        _robustness(points, k, found, seed, progress) if robustness else [],
        choices,
        [*_left_out(points), *notes, *(choices.notes if choices else [])],
    )


def _check_clusters(clusters: int | str) -> None:
    whole = isinstance(clusters, int) and not isinstance(clusters, bool)
    check(whole, "clusters", "a whole number or 'auto'", clusters)
    if int(clusters) < FEWEST:
        raise InputError(
            f"{clusters} clusters have no ranks to speak of: a line through fewer than {FEWEST}"
            " sizes fits anything.",
            "Take at least 10 clusters; the paper takes 35 to 100.",
        )
    check(int(clusters) <= _MOST_CLUSTERS, "clusters", f"at most {_MOST_CLUSTERS:,}", clusters)


def _left_out(points: Cloud) -> list[str]:
    notes = []
    if points.repeated:
        notes.append(f"{points.repeated:,} repeated sentences were left out")
    if points.unknown:
        notes.append(f"{points.unknown:,} sentences without a known word were left out")
    return notes


def _robustness(
    points: Cloud, k: int, found: list[Clustering], seed: int, progress: Progress
) -> list[Slope]:
    """Figure 6: slopes for k − 20 … k + 20 in steps of 5, with the spread over seeds."""
    tried = [k + step for step in _STEPS if FEWEST <= k + step <= len(points.rows)]
    rows = []
    for number, other in enumerate(tried):
        runs = [
            found[run] if other == k else kmeans(points.means, other, seed=seed + run)
            for run in range(len(found))
        ]
        lines = [line(one.sizes) for one in runs]
        slopes = [one.parameters["slope"] for one in lines]
        r2 = float(np.mean([one.r2 for one in lines]))
        rows.append(Slope(other, float(np.mean(slopes)), min(slopes), max(slopes), r2))
        progress(number + 1, len(tried))
    return rows
