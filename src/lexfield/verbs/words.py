"""``lexfield near`` and ``lexfield threshold``: which words are close to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from lexfield.engine import Engine
from lexfield.errors import InputError, UnknownWordError, list_names
from lexfield.evaluate.trec import read_queries
from lexfield.plots.figure import Picture
from lexfield.plots.words import draw_threshold
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows
from lexfield.vectors.models import Models
from lexfield.vectors.sources import leave_out_foreign, make_absolute
from lexfield.vectors.synonyms import Synonyms, count_synonyms
from lexfield.vectors.threshold import (
    DEVIATION,
    SYNONYMS,
    TERMS,
    NeighbourCurve,
    Threshold,
    word_curve,
)
from lexfield.vectors.threshold import threshold as find_threshold
from lexfield.vectors.train import note_far_words
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.options import (
    ClusterAddress,
    Hits,
    Limit,
    ModelsInput,
    QueryFile,
    Seed,
    Vectors,
    VectorsInput,
    load_vectors,
    open_models,
    use_engine,
)
from lexfield.verbs.results import Result, cap_notes, hidden, save_picture

_BATCH = 500  # words per task
_cap = partial(cap_notes, what="words without a vector", most=3)


@dataclass(kw_only=True)
class NearWord:
    """A near word; with several models, also how far they agree."""

    query: str | UnsetType = UNSET  # if several words were looked up
    word: str
    similarity: float
    distance: float
    deviation: float | UnsetType = UNSET
    share: float | UnsetType = UNSET
    best_rank: int | UnsetType = UNSET
    worst_rank: int | UnsetType = UNSET


@dataclass(repr=False)
class NearWords(Result[NearWord]):
    """The nearest words of one or more words."""

    models: int = hidden(default=1)

    def lines(self) -> Iterable[str]:
        if self.models == 1:
            return super().lines()
        rows = [
            {
                **({} if row.query is UNSET else {"query": row.query}),
                "word": row.word,
                "similarity": f"{row.similarity:.2f} ± {row.deviation:.2f}",
                "near in": f"{round(float(row.share or 0) * self.models)} of {self.models} models",
                "ranks": f"{row.best_rank:,} to {row.worst_rank:,}",
            }
            for row in self.results
        ]
        return format_rows(rows, shown=len(rows))


@verb
def near(
    word: Annotated[
        Sequence[str], Meta(max_length=100_000), Flags(metavar="WORD..."), Help("Words to look up.")
    ] = (),
    *,
    queries: Annotated[QueryFile, Flags(old="words")] = None,
    k: Hits = 10,
    threshold: Annotated[
        float | None,
        Meta(ge=-1, le=1),
        Help("Find all words with at least this cosine, instead of the k nearest."),
    ] = None,
    vectors: VectorsInput = "default",
    models: ModelsInput = (),
    dimensions: Annotated[
        int | None,
        Meta(ge=1, le=10_000),
        Flags(old="dims"),
        Help("Dimensions, for a folder with several sizes."),
    ] = None,
    allow_unknown: Annotated[
        bool, Help("Look up words of other languages in the English vectors, too.")
    ] = False,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
) -> NearWords:
    """Find the nearest words.

    With several models the cosine is a mean with its standard deviation, and each neighbour shows
    in how many models it is among the k nearest, and at which ranks. With --vectors encoder, words
    of 16 languages are known, and near words are found in all of them.

        lexfield near book
        lexfield near chien --vectors encoder
        lexfield near king queen -k 5 --json
        lexfield near river --threshold 0.6
        lexfield near book --vectors my-vectors.vec
        lexfield near book --models my-models
        lexfield near book --models first.vec --models second.vec --json
        lexfield near --queries all.txt -k 20 --jsonl --cluster tcp://10.0.0.5:8786
    """
    if dimensions and not models:
        raise InputError("--dimensions goes with --models.")
    if bool(word) == bool(queries):
        raise InputError("Give either a word, or a file of words with --queries.")
    wanted = list(read_queries(queries).values()) if queries else word
    if queries and cluster and not models:
        with use_engine(cluster) as engine:
            assert engine is not None
            return _find_on(engine, str(vectors), wanted, k, threshold, progress)
    begin_stage(progress, "reading vectors")
    if models:
        several = _choose_models(models, dimensions, progress)
        found, notes = _find(several, wanted, k, threshold)
        return NearWords(found, models=len(several), notes=[*several.notes, *notes])
    known = load_vectors(vectors, progress=progress)
    left, foreign = (wanted, []) if allow_unknown else leave_out_foreign(known.name, wanted)
    found, notes = _find(known, left, k, threshold)
    return NearWords(found, notes=[*foreign, *notes, *note_far_words(known, left)])


def _choose_models(
    sources: Vectors | Sequence[Vectors], dims: int | None, progress: Progress
) -> Models:
    """Open models; of a folder those with ``dims`` dimensions, by default the most."""
    known = {models.dims: models for models in open_models(sources, progress=progress).values()}
    chosen = dims or max(known)
    if chosen not in known:
        has = f"There are those of {list_names(sorted(known))}."
        raise InputError(f"There are no models of {chosen} dimensions.", has)
    return known[chosen]


def _find(
    known: WordVectors | Models, words: Sequence[str], k: int, threshold: float | None
) -> tuple[list[NearWord], list[str]]:
    """Return the nearest words of each word, and a note for each word without a vector."""
    rows, notes = [], []
    for word in words:
        try:
            found = known.nearest(word, k, threshold=threshold)
        except UnknownWordError as error:
            notes.append(" ".join(filter(None, error.typed)))  # options as other notes name them
            continue
        query = word if len(words) > 1 else UNSET
        rows += [NearWord(query=query, **row) for row in found.to_dicts()]
    return rows, _cap(notes)


def _find_on(
    engine: Engine,
    vectors: str,
    words: Sequence[str],
    k: int,
    threshold: float | None,
    progress: Progress,
) -> NearWords:
    """Look many words up on an engine, whose workers load the same vectors."""
    source = make_absolute(vectors)
    items = [
        {"vectors": source, "words": words[i : i + _BATCH], "k": k, "threshold": threshold}
        for i in range(0, len(words), _BATCH)
    ]
    rows: list[NearWord] = []
    notes: list[str] = []
    for some, missing in engine.map("lexfield.verbs.words:find_some", items, progress=progress):
        rows += [NearWord(**row) for row in some]
        notes += missing
    return NearWords(rows, notes=_cap(notes))


def find_some(
    vectors: str, words: list[str], k: int, threshold: float | None
) -> tuple[list[JsonObject], list[str]]:
    """Run one task: return the rows with their queries, and notes."""
    rows: list[JsonObject] = []
    notes: list[str] = []
    for word in words:
        found, missing = _find(_load_once(vectors), [word], k, threshold)
        rows += [{**record, "query": word} for record in NearWords(found).to_dicts()]
        notes += missing
    return rows, notes


@lru_cache(maxsize=1)
def _load_once(vectors: str) -> WordVectors:
    return WordVectors.load(vectors)


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


@dataclass(kw_only=True)
class WordCurve:
    """The similarity above which one word has as many neighbours as synonyms, and its curve."""

    word: str
    vectors: str
    threshold: float
    curve: list[CurvePoint]


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
    word_curves: list[WordCurve]
    groups: dict[str, Threshold] = hidden()
    word_groups: dict[str, NeighbourCurve] = hidden(default_factory=dict)

    def lines(self) -> Iterable[str]:
        yield from super().lines()
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
        curves = {name: one.curve for name, one in self.groups.items()} | self.word_groups
        rows = [
            {"similarity": row["similarity"]}
            | {name: one.neighbours(row["similarity"]) for name, one in curves.items()}
            for row in first.to_dicts(0.05)
        ]
        shown = [row for row in rows if any(_FEWEST <= row[name] <= _MOST for name in curves)]
        yield from format_rows(shown, shown=len(shown))

    def plot(self, path: str | Path | None = None) -> Picture | Path:
        """Draw the curve: png, svg or pdf."""
        return save_picture(draw_threshold(self.groups, self.word_groups), path)


@verb
def threshold(
    vectors: Annotated[ModelsInput, Flags(metavar="[VECTORS]...")] = (),
    *,
    word: Annotated[
        Sequence[Annotated[str, Meta(max_length=10_000)]],
        Meta(max_length=20),
        Help("Also show the curve of this word alone; can be repeated."),
    ] = (),
    synonyms: Annotated[
        float, Meta(gt=0, le=1000), Help("Mean number of synonyms per word, as in English.")
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

    Above it, a word has on average as many neighbours as it has synonyms. VECTORS are names or
    files; several are taken as models of the same words. A folder from `lexfield vectors train` has
    a threshold for each number of dimensions.

        lexfield threshold
        lexfield threshold my-vectors.vec --limit 50000 --plot curve.png
        lexfield threshold --word book --word dwarfish --plot curves.png
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
    curves = [(one, name, word_curve(group, one)) for name, group in models.items() for one in word]
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
        word_curves=[_describe_curve(*one, synonyms) for one in curves],
        groups=groups,
        word_groups={f"{one}, {name}": curve for one, name, curve in curves},
        notes=[note for group in models.values() for note in group.notes],
    )


def _describe_curve(word: str, vectors: str, curve: NeighbourCurve, synonyms: float) -> WordCurve:
    values = [step / 100 for step in range(101)]
    points = [CurvePoint(similarity=s, neighbours=curve.neighbours(s)) for s in values]
    return WordCurve(word=word, vectors=vectors, threshold=curve.similarity(synonyms), curve=points)


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
