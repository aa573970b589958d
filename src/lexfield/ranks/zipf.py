"""``lexfield.zipf``: does a text follow Zipf's law, in its words or in its sentences' vectors?

Hare et al., 3.3 and 4.3: words by rank, or clusters of sentence means by rank, and the slope of the
line of best fit in logs; also fits by likelihood, and null models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from lexfield.engine import single_thread
from lexfield.errors import InputError, check
from lexfield.plottable import Plottable
from lexfield.progress import Progress, begin_stage, silent
from lexfield.ranks.cloud import (
    Cloud,
    Source,
    TextFigures,
    Texts,
    count_text,
    embed_sentences,
    make_corpus,
    open_vectors,
    rank_ngrams,
)
from lexfield.ranks.clusters import (
    ClusterNumber,
    NullModel,
    SentenceCluster,
    Slope,
    choose_number,
    cluster_seeds,
    compare_nulls,
    describe_clusters,
    vary_number,
)
from lexfield.ranks.exponent import Exponent, estimate_exponent
from lexfield.ranks.fit import (
    FEWEST,
    RULE,
    STEEPEST,
    Counts,
    Fit,
    fit_distributions,
    fit_line,
    fit_mandelbrot,
)
from lexfield.results import Table, cell, format_rows, html_table, pluralise
from lexfield.text.corpus import Corpus

ENOUGH = 10  # ranks, before anything is called a law
_NEAR = 0.1
_STRAIGHT = 0.95
_PLAUSIBLE = 0.1  # Clauset et al.'s bound for the bootstrap
_SURE = 0.05
_LENGTH = 60  # characters shown of a sentence
_NULL_NAMES = {"shuffled": "shuffled words", "gaussian": "a Gaussian cloud"}


@dataclass(frozen=True)
class ZipfResult(Plottable):
    """Counts by rank, and what was fitted to them.

    slope, r2: of the straight line in logs. exponent: of the law of Zipf and Mandelbrot that words
    may have been drawn from, with its interval; None for clusters and few words. fits: all fits by
    name (``line``, ``mandelbrot``, ``power_law``, ``lognormal``, ``exponential``,
    ``truncated_power_law``). labels: the word, n-gram or cluster of each rank. vectors: their name,
    or None if none were loaded. In the latent space: ``slopes`` of all seeds, ``clusters``,
    ``nulls``, and if asked for ``robustness`` and ``choices``, the numbers of clusters that were
    tried.
    """

    name: str
    space: str
    unit: str
    counts: Counts
    labels: Sequence[str]
    fits: dict[str, Fit]
    figures: TextFigures
    vectors: str | None
    slopes: list[float] = field(default_factory=list)
    clusters: Table[SentenceCluster] | None = None
    nulls: list[NullModel] = field(default_factory=list)
    robustness: list[Slope] = field(default_factory=list)
    choices: Table[ClusterNumber] | None = None
    notes: list[str] = field(default_factory=list)
    exponent: Exponent | None = None

    @property
    def slope(self) -> float:
        return self.fits["line"].parameters["slope"]

    @property
    def r2(self) -> float:
        return self.fits["line"].r2 or 0.0

    @property
    def verdict(self) -> str:
        """What the fits and null models say, in a few sentences."""
        ranks = len(self.counts)
        return write_verdict(self.unit, ranks, self.fits, self.slopes, self.nulls, self.exponent)

    def _repr_html_(self) -> str:
        fits = [_fit_row(fit) for fit in self.fits.values()]
        return html_table(fits, f"{self.name}: {self.verdict}", self.notes)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        figures = self.figures
        out = [
            f"{self.name}: {figures.tokens:,} tokens, {figures.types:,} types,"
            f" {pluralise(figures.sentences, 'distinct sentence')}"
        ]
        if figures.heaps_b is not None:
            out.append(
                f"Heaps' law: {cell(figures.heaps_k)} · tokens^{figures.heaps_b:.3f};"
                f" types per token {figures.ratio:.4f}; {figures.once:,} types occur once"
            )
        if figures.unembedded is not None:
            out.append(f"{figures.unembedded:,} types have no vector in {self.vectors!r}")
        if self.exponent:
            out.append(f"exponent {self.exponent}, Mandelbrot's shift {cell(self.exponent.beta)}")
        out += [f"slope {self.slope:.3f}, R² {self.r2:.3f} ({len(self.counts):,} {self.unit}s)", ""]
        out += format_rows([_fit_row(fit) for fit in self.fits.values()])
        if self.nulls:
            out += ["", *format_rows([_null_row(null) for null in self.nulls])]
        if self.robustness:
            out += ["", *format_rows([asdict(row) for row in self.robustness])]
        if self.choices:
            out += ["", self.choices.title, *format_rows(self.choices.to_dicts())]
        if self.clusters:
            rows = [_cluster_row(cluster) for cluster in self.clusters]
            out += ["", self.clusters.title, *format_rows(rows, 10)]
        return [*out, "", self.verdict]

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *self.notes])


def zipf(
    texts: Texts,
    *,
    space: str = "categorical",
    ngram: int = 1,
    clusters: int | str = 75,
    vectors: Source | None = None,
    seeds: int = 3,
    nulls: bool = True,
    robustness: bool = False,
    draws: int = 100,
    seed: int = 0,
    name: str = "text",
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> ZipfResult:
    """Rank the words (or n-grams) of texts, or the clusters of their sentences, and fit laws.

    texts: a corpus, a text, or a list of texts. space: ``"categorical"``, or ``"latent"`` for
    ``clusters`` (a number or ``"auto"``) of sentence means. vectors: a name, file or set; ``"own"``
    are trained on the texts. The latent space uses the default vectors if none are given; in the
    categorical space they only serve to count the words without one. seeds: the number of
    clusterings; the one with the least inertia is shown. nulls, robustness: also cluster null
    models, and k − 20 … k + 20. draws: of the bootstrap that tests the power law, or 0.
    allow_unknown: cluster even if most words have no vector.
    """
    corpus = make_corpus(texts)
    if space == "categorical":
        return _rank_words(corpus, ngram, vectors, draws, seed, name, progress)
    check(ngram == 1, "ngram", "1 in the latent space", ngram)
    _refuse_few(clusters)
    cloud = embed_sentences(corpus, vectors or "default", progress, allow_unknown)
    choices = None
    if clusters == "auto":
        choices = choose_number(cloud.means, seed=seed, progress=progress)
    k = choices[0].k if choices else int(clusters)
    runs = cluster_seeds(cloud, k, range(seed, seed + seeds), progress)
    best = min(runs, key=lambda run: run.inertia)
    slopes = [fit_line(run.sizes).parameters["slope"] for run in runs]
    begin_stage(progress, f"{name}: describing the clusters")
    described = describe_clusters(corpus, cloud, best)
    fits, notes = _fit_all(best.sizes, draws, seed)
    if nulls:
        begin_stage(progress, f"{name}: clustering shuffled texts")
    return ZipfResult(
        name,
        space,
        "cluster",
        best.sizes,
        [" ".join(cluster.words) for cluster in described],
        fits,
        count_text(corpus, cloud.vectors.words.known, len(cloud.rows)),
        cloud.vectors.source,
        slopes,
        described,
        compare_nulls(cloud, k, slopes, seed=seed, progress=progress) if nulls else [],
        vary_number(cloud, runs, seed, progress) if robustness else [],
        choices,
        [*_list_omissions(cloud), *notes, *(choices.notes if choices else [])],
    )


def _rank_words(
    corpus: Corpus,
    ngram: int,
    vectors: Source | None,
    draws: int,
    seed: int,
    name: str,
    progress: Progress,
) -> ZipfResult:
    counts, labels = rank_ngrams(corpus, ngram)
    unit = "word" if ngram == 1 else f"{ngram}-gram"
    hint = "Take a longer text." if ngram == 1 else "Take a longer text, or a smaller --ngram."
    if len(counts) < FEWEST:
        raise InputError(
            f"Only {len(counts)} distinct {unit}{'' if len(counts) == 1 else 's'}: a line through"
            " so few ranks fits anything.",
            hint,
        )
    if counts[0] == counts[-1]:
        raise InputError(
            f"All {len(counts):,} distinct {unit}s occur equally often ({counts[0]:,}×): there is"
            " nothing to rank.",
            hint,
        )
    opened = open_vectors(corpus, vectors, progress) if vectors else None
    fits, notes = _fit_all(counts, draws, seed)
    with single_thread():
        exponent = estimate_exponent(counts)
    figures = count_text(corpus, opened.embed(corpus.vocabulary).known if opened else None)
    source = opened.name if opened else None
    return ZipfResult(
        name,
        "categorical",
        unit,
        counts,
        labels,
        fits,
        figures,
        source,
        notes=notes,
        exponent=exponent,
    )


def _fit_all(counts: Counts, draws: int, seed: int) -> tuple[dict[str, Fit], list[str]]:
    with single_thread():  # products this small take twice as long on two
        fits = {"line": fit_line(counts), "mandelbrot": fit_mandelbrot(counts)}
        tails, notes = fit_distributions(counts, draws=draws, seed=seed)
    if fits["mandelbrot"].parameters["alpha"] >= STEEPEST:
        notes.append(f"mandelbrot's α stopped at {STEEPEST:g}: counts fall faster than any power")
    return {**fits, **tails}, [RULE, *notes] if tails else notes


def _refuse_few(clusters: int | str) -> None:
    if clusters != "auto" and int(clusters) < FEWEST:
        raise InputError(
            f"{clusters} clusters are too few to rank: a line through fewer than {FEWEST}"
            " sizes fits anything.",
            "Take at least 10 clusters; the paper takes 35 to 100.",
        )


def _list_omissions(cloud: Cloud) -> list[str]:
    notes = list(cloud.vectors.notes)
    if cloud.repeated:
        omitted = ("repeated sentence was left out", "repeated sentences were left out")
        notes.append(pluralise(cloud.repeated, *omitted))
    if cloud.unknown:
        omitted = (
            "sentence without a known word was left out",
            "sentences without a known word were left out",
        )
        notes.append(pluralise(cloud.unknown, *omitted))
    return notes


def _fit_row(fit: Fit) -> dict[str, object]:
    parameters = ", ".join(f"{name} {cell(value)}" for name, value in fit.parameters.items())
    return {
        "fit": fit.name.replace("_", " "),
        "parameters": parameters or "none found",
        "R²": fit.r2,
        "distance": fit.distance,
        "ratio": fit.ratio,
        "p": fit.p,
    }


def _null_row(null: NullModel) -> dict[str, object]:
    interval = "" if null.low is None else f"{null.low:.3f} to {null.high:.3f}"
    return {
        "null model": null.model,
        "slope": null.slope,
        "R²": null.r2,
        "text minus model": null.difference,
        "95% interval": interval,
        "p": null.p,
    }


def _cluster_row(cluster: SentenceCluster) -> dict[str, object]:
    text = cluster.nearest[0]
    return {
        "rank": cluster.rank,
        "sentences": cluster.size,
        "words": " ".join(cluster.words),
        "nearest": text if len(text) <= _LENGTH else f"{text[:_LENGTH]}…",
    }


def write_verdict(
    unit: str,
    ranks: int,
    fits: Mapping[str, Fit],
    slopes: Sequence[float],
    nulls: Sequence[NullModel],
    exponent: Exponent | None = None,
) -> str:
    """Return a few sentences on the exponent or line, the distribution and the null models."""
    if ranks < ENOUGH:
        return f"Too few {unit}s to judge: there are {ranks}, and a law needs at least {ENOUGH}."
    first = _describe_line(fits["line"], slopes)
    if exponent:
        first = _describe_exponent(unit, exponent, fits["line"])
    sentences = [first, _describe_distribution(unit, fits)]
    return " ".join([*sentences, *map(_describe_null, nulls)])


def _describe_exponent(unit: str, exponent: Exponent, line: Fit) -> str:
    low, high = exponent.interval
    if low <= 1 <= high or abs(exponent.value - 1) <= _NEAR:
        size = "close to Zipf's 1"
    else:
        size = f"{'less' if exponent.value < 1 else 'more'} than Zipf's 1"
    if exponent.p >= _SURE:
        text = f"The {unit}s may follow a Zipf–Mandelbrot law; its exponent"
    else:
        text = "No Zipf–Mandelbrot law fits these counts exactly; the nearest one's exponent"
    text = f"{text} {exponent} is {size}."
    fitted = f"has the slope {line.parameters['slope']:.2f} (R² {line.r2 or 0.0:.2f})."
    return f"{text} A line through the logs, as in the paper, {fitted}"


def _describe_line(fit: Fit, slopes: Sequence[float]) -> str:
    slope, r2 = fit.parameters["slope"], fit.r2 or 0.0
    if abs(slope + 1) <= _NEAR:
        text = f"The slope {slope:.2f} is close to Zipf's −1"
    else:
        text = f"The slope {slope:.2f} is {'flatter' if slope > -1 else 'steeper'} than Zipf's −1"
    if len(slopes) > 1:
        text += f" ({min(slopes):.2f} to {max(slopes):.2f} over {len(slopes)} seeds)"
    straight = "and the ranks lie" if r2 >= _STRAIGHT else "but the ranks do not lie"
    return f"{text}, {straight} on a line (R² {r2:.2f})."


def _describe_distribution(unit: str, fits: Mapping[str, Fit]) -> str:
    law = fits.get("power_law")
    if law is None:
        return "There are too few counts to test a distribution."
    tail = f"the {law.points:,} {unit}s with a count of {law.parameters['xmin']:,} or more"
    if law.p is None:
        text = f"A power law was fitted to {tail}"
    elif law.p < _PLAUSIBLE:
        text = f"A power law is implausible even for {tail} (p {law.p:.2f})"
    else:
        text = f"A power law is plausible for {tail} (p {law.p:.2f})"
    groups: dict[str, list[str]] = {"better": [], "worse": [], "similar": []}
    for fit in fits.values():
        if fit.name != "power_law" and fit.ratio is not None:
            is_sure = (fit.p or 0) < _SURE
            group = ("better" if fit.ratio < 0 else "worse") if is_sure else "similar"
            groups[group].append(f"the {fit.name.replace('_', ' ')}")
    parts = [
        f"{_join(groups[group])} {'fits' if len(groups[group]) == 1 else 'fit'} {group}"
        for group in ("better", "worse")
        if groups[group]
    ]
    if groups["similar"]:
        parts.append(f"{_join(groups['similar'])} cannot be distinguished from it")
    return f"{text}{'; ' if parts else ''}{', '.join(parts)}."


def _describe_null(null: NullModel) -> str:
    name = _NULL_NAMES[null.model]
    if null.p is None or null.p >= _SURE:
        return f"It cannot be distinguished from {name} (slope {null.slope:.2f})."
    comparison = "steeper" if null.difference < 0 else "flatter"
    return f"It is {comparison} than for {name} (slope {null.slope:.2f})."


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
