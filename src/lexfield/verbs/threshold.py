"""``lexfield threshold``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from lexfield.plots.figure import Picture
from lexfield.plots.words import draw_threshold
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import format_rows
from lexfield.vectors.synonyms import Synonyms, count_synonyms
from lexfield.vectors.threshold import DEVIATION, SYNONYMS, TERMS, Threshold
from lexfield.vectors.threshold import threshold as find_threshold
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.options import Limit, Seed
from lexfield.verbs.results import Paint, Result, hidden, plain, save_picture
from lexfield.verbs.vector_input import ModelsInput, open_models

_FEWEST, _MOST = 0.001, 1000.0  # neighbours in the table


@dataclass(kw_only=True)
class ThresholdRow:
    """The threshold of models together, or of one of them, with its interval."""

    vectors: str
    dims: int
    threshold: float
    low: float
    high: float


@dataclass(kw_only=True)
class WordNetThreshold:
    """The threshold for the mean number of synonyms in the installed WordNet."""

    synonyms: float
    deviation: float
    terms: int
    source: str
    threshold: float
    interval: list[float]


@dataclass(kw_only=True)
class CurvePoint:
    """The expected number of neighbours above a similarity."""

    similarity: float
    neighbours: float


@dataclass(repr=False)
class Thresholds(Result[ThresholdRow]):
    """Thresholds of groups of models; the figures are those of the first group."""

    threshold: float
    interval: list[float]
    synonyms: float
    deviation: float
    words: int
    error: float
    wordnet: WordNetThreshold | None
    curve: list[CurvePoint]
    groups: dict[str, Threshold] = hidden()

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        yield from super().lines(paint)
        is_paper = (self.synonyms, self.deviation) == (SYNONYMS, DEVIATION)
        source = f", as counted in WordNet by Rekabsaz et al. ({TERMS:,} terms)" if is_paper else ""
        yield ""
        yield f"{self.synonyms:g} ± {self.deviation:g} synonyms per word{source}"
        if counted := self.wordnet:
            low, high = counted.interval
            yield (
                f"{counted.synonyms:.2f} ± {counted.deviation:.2f} in the installed WordNet"
                f" ({counted.terms:,} terms): threshold {counted.threshold:.4f},"
                f" {low:.4f} to {high:.4f}"
            )
        if self.error:
            yield f"estimated from a sample of words: standard error {self.error:.4f}"
        yield ""
        yield f"expected neighbours of a word, {self.words:,} words"
        first = next(iter(self.groups.values()))
        rows = [
            {"similarity": row["similarity"]}
            | {name: one.curve.neighbours(row["similarity"]) for name, one in self.groups.items()}
            for row in first.to_dicts(0.05)
        ]
        shown = [row for row in rows if any(_FEWEST <= row[name] <= _MOST for name in self.groups)]
        yield from format_rows(shown, shown=len(shown))

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the curve: png, svg or pdf."""
        return save_picture(draw_threshold(self.groups), path)


@verb
def threshold(
    vectors: Annotated[ModelsInput, Flags(metavar="[VECTORS]...")] = (),
    *,
    synonyms: Annotated[
        float, Meta(gt=0, le=1000), Help("Mean number of synonyms per word; that of English.")
    ] = 1.6,
    deviation: Annotated[float, Meta(ge=0, le=1000), Help("Its standard deviation.")] = 3.1,
    limit: Limit = None,
    sample: Annotated[
        int | None, Meta(ge=40, le=100_000), Help("Count the neighbours of only this many words.")
    ] = None,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Thresholds:
    """Find the similarity above which words count as related.

    It is the similarity above which a word has as many neighbours as synonyms, on average over the
    lexicon. VECTORS are names or files; several are taken as models of the same words. A folder
    from `lexfield vectors train` has a threshold for each number of dimensions.

        lexfield threshold
        lexfield threshold my-vectors.vec --limit 50000 --plot curve.png
        lexfield threshold first.vec second.vec third.vec --json
        lexfield threshold my-models
        lexfield threshold cc.de.300.vec --synonyms 2.1 --deviation 2.5
        lexfield threshold --sample 2000
    """
    begin_stage(progress, "reading vectors")
    models = open_models(vectors or ["default"], limit, progress)
    groups = {}
    for name, group in models.items():
        begin_stage(progress, f"{name}: comparing words")
        groups[name] = find_threshold(
            group, synonyms, deviation, sample=sample, seed=seed, progress=progress
        )
    first = next(iter(groups.values()))
    counted = count_synonyms()
    return Thresholds(
        [row for name, group in groups.items() for row in _list_rows(name, group)],
        threshold=first.threshold,
        interval=list(first.interval),
        synonyms=synonyms,
        deviation=deviation,
        words=first.words,
        error=first.error,
        wordnet=_apply_wordnet(first, counted) if counted else None,
        curve=[CurvePoint(**point) for point in first.to_dicts()],
        groups=groups,
        notes=[note for group in models.values() for note in group.notes],
    )


def _list_rows(name: str, found: Threshold) -> list[ThresholdRow]:
    """Return the threshold of several models together, and of each alone."""
    together = (name, found.models[0].dims, found.threshold, found.interval)
    alone = [(one.name, one.dims, one.threshold, one.interval) for one in found.models]
    return [
        ThresholdRow(vectors=label, dims=dims, threshold=value, low=low, high=high)
        for label, dims, value, (low, high) in ([together, *alone] if len(alone) > 1 else alone)
    ]


def _apply_wordnet(found: Threshold, counted: Synonyms) -> WordNetThreshold:
    value, interval = found.at(counted.mean, counted.deviation)
    return WordNetThreshold(
        synonyms=counted.mean,
        deviation=counted.deviation,
        terms=counted.terms,
        source=counted.source,
        threshold=value,
        interval=list(interval),
    )
