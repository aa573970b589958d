"""The result of ``lexfield.zipf``: as text, as JSON, and in words that claim no more than the fits
show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from lexfield.plottable import Plottable
from lexfield.ranks.clusters import ClusterNumber, NullModel, SentenceCluster
from lexfield.ranks.counts import TextFigures
from lexfield.ranks.fit import Counts, Fit
from lexfield.results import Table, cell, format_rows, html_table

ENOUGH = 10  # ranks, before anything is called a law
_NEAR = 0.1
_STRAIGHT = 0.95
_PLAUSIBLE = 0.1  # Clauset et al.'s bound for the bootstrap
_SURE = 0.05
_LENGTH = 60  # characters shown of a sentence
_NULL_NAMES = {"shuffled": "shuffled words", "gaussian": "a Gaussian cloud"}


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
    n-gram or cluster of each rank. vectors: their name, or None if none were loaded. In the latent
    space: ``slopes`` of all seeds, ``clusters``, ``nulls``, and if asked for ``robustness`` and
    ``choices``, the numbers of clusters that were tried.
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

    @property
    def slope(self) -> float:
        return self.fits["line"].parameters["slope"]

    @property
    def r2(self) -> float:
        return self.fits["line"].r2 or 0.0

    @property
    def verdict(self) -> str:
        """What the fits and null models say, in a few sentences."""
        return write_verdict(self.unit, len(self.counts), self.fits, self.slopes, self.nulls)

    def _repr_html_(self) -> str:
        fits = [_fit_row(fit) for fit in self.fits.values()]
        return html_table(fits, f"{self.name}: {self.verdict}", self.notes)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        figures = self.figures
        out = [
            f"{self.name}: {figures.tokens:,} tokens, {figures.types:,} types,"
            f" {figures.sentences:,} distinct sentences"
        ]
        if figures.heaps_b is not None:
            out.append(
                f"Heaps' law: {cell(figures.heaps_k)} · tokens^{figures.heaps_b:.3f};"
                f" types per token {figures.ratio:.4f}; {figures.once:,} types occur once"
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
            rows = [_cluster_row(cluster) for cluster in self.clusters]
            out += ["", self.clusters.title, *format_rows(rows, 10)]
        return [*out, "", self.verdict]

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *self.notes])


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
) -> str:
    """Return a few sentences on the line, the distribution and the null models."""
    if ranks < ENOUGH:
        return f"Too few {unit}s to judge: there are {ranks}, and a law needs at least {ENOUGH}."
    sentences = [_describe_line(fits["line"], slopes), _describe_distribution(unit, fits)]
    return " ".join([*sentences, *map(_describe_null, nulls)])


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
