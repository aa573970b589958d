"""Learn from groups of texts which differences do not matter.

lexfield metric learn tickets.idx --by component --name support
lexfield metric evaluate tickets.idx --by component
lexfield metric list tickets.idx
lexfield search tickets.idx "app crashes on start" --method mean --metric support
lexfield near crash --vectors tickets.idx/metrics/support
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from lexfield.errors import InputError
from lexfield.index import metrics as stored
from lexfield.index.learn_metric import evaluate_metric as evaluate
from lexfield.index.learn_metric import learn_metric as learn
from lexfield.index.metrics import MetricSummary
from lexfield.index.names import name_step
from lexfield.metric.held_out import HeldOutScore
from lexfield.progress import Progress, begin_stage, silent
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import AllowUnknown, Seed, Unit
from lexfield.verbs.results import Result, hidden

MetricName = Annotated[str, Meta(max_length=64), Flags(metavar="NAME")]
GroupField = Annotated[
    str, Meta(max_length=1000), Flags(metavar="FIELD"), Help("Metadata that names the group.")
]
Shrinkage = Annotated[
    float | None,
    Meta(ge=0, le=1),
    Help(
        "From 0 (the metric of the paper) to 1 (Euclidean distance); chosen on held-out "
        "groups by default."
    ),
]
Weights = Annotated[
    Literal["equal", "inverse_size", "reliability"],
    Help("Weigh rows equally, groups equally, or compact groups more."),
]
GroupWeights = Annotated[
    Sequence[Annotated[str, Meta(max_length=1000)]],
    Meta(max_length=10_000),
    Flags(("--weight",), "GROUP=NUMBER"),
    Help("Weight of a group; can be repeated. Groups that are not named have the weight 1."),
]


@dataclass(repr=False)
class LearnedMetric(Result[MetricSummary]):
    """The metric that was learned, and whether it helps to find groups it was not learned from."""

    verdict: str
    index: Path = hidden()

    def lines(self) -> Iterable[str]:
        (row,) = self.results
        yield (
            f"learned {row.name!r} from {row.rows:,} {row.unit}s in {row.clusters:,} groups:"
            f" rank {row.rank:,} of {row.dims:,}, shrinkage {row.shrinkage:g}"
        )
        yield self.verdict
        command = f"search IDX TEXT --method mean --metric {row.name}"
        call = f"lx.search(index, TEXT, method='mean', metric={row.name!r})"
        yield f"try it: {name_step(self.index, command, call)}"


@verb(command="metric learn", served="job")
def learn_metric(
    index: IndexInput,
    *,
    by: GroupField,
    name: Annotated[MetricName, Help("Name of the metric.")],
    unit: Annotated[Unit, Help("Learn from sentences or from whole documents.")] = "document",
    shrinkage: Shrinkage = None,
    weights: Weights = "equal",
    group_weights: GroupWeights = (),
    seed: Seed = 0,
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
) -> LearnedMetric:
    """Learn a metric from groups of documents and store it in the index.

    Groups are documents with the same value of FIELD. If the values are ids of documents, as in
    duplicate_of, linked documents are a group. The metric minimises the distortion of the groups.
    If the index has topics, they get a metric too. Whether it helps is measured as by metric
    evaluate: held-out documents are used to search for the rest of their groups, and MAP decides.

        lexfield metric learn tickets.idx --by component --name support
        lexfield metric learn tickets.idx --by duplicate_of --name same --shrinkage 0.5
        lexfield metric learn tickets.idx --by component --name ours --weight ui=3 --weight docs=0.5
        lexfield metric learn my.idx --by author --name style --unit sentence --json
    """
    opened = open_index(index)
    options: dict[str, Any] = {
        "unit": unit,
        "shrinkage": shrinkage,
        "weights": _choose_weights(weights, group_weights),
        "seed": seed,
        "allow_unknown": allow_unknown,
        "progress": progress,
    }
    begin_stage(progress, "learning")
    learned = learn(opened, by, name, **options)
    begin_stage(progress, "searching with held-out groups")
    try:
        verdict = _judge(evaluate(opened, by, **options)[0][0])
    except InputError as error:  # too few groups
        verdict = f"Whether the metric helps was not measured. {error.message}"
    found = [learned.summarise()]
    return LearnedMetric(found, verdict=verdict, index=opened.path, notes=learned.notes)


def _choose_weights(weights: str, given: Sequence[str]) -> str | dict[str, float]:
    """Return ξ by group if there is any, or else the name of a rule."""
    if not given:
        return weights
    if weights != "equal":
        raise InputError("Give either --weights or --weight GROUP=NUMBER.")
    found = {}
    for one in given:
        group, mark, number = one.rpartition("=")
        try:
            found[group] = float(number)
        except ValueError:
            mark = ""
        if not mark or not group:
            raise InputError(f"{one!r} is not GROUP=NUMBER.", "Write it like --weight ui=3")
    return found


@dataclass(repr=False)
class EvaluatedMetric(Result[HeldOutScore]):
    """How well groups are found that the metric was not learned from."""

    verdict: str

    def lines(self) -> Iterable[str]:
        yield from super().lines()
        yield ""
        yield self.verdict


@verb(command="metric evaluate")
def evaluate_metric(
    index: IndexInput,
    *,
    by: GroupField,
    unit: Annotated[Unit, Help("Take sentences or whole documents.")] = "document",
    features: Annotated[
        Literal["vectors", "grams"],
        Help(
            "Mean word vectors, or the paper's: words and bigrams of function words, tf-idf, SVD."
        ),
    ] = "vectors",
    axes: Annotated[
        int, Meta(ge=1, le=10_000), Help("With --features grams: dimensions kept by the SVD.")
    ] = 200,
    shrinkage: Shrinkage = None,
    weights: Weights = "equal",
    group_weights: GroupWeights = (),
    sphere: Annotated[
        bool, Help("Scale rows to length one, before and after the metric: compare angles.")
    ] = False,
    kmeans: Annotated[
        bool, Help("Also cluster held-out groups by k-means; report the share of correct pairs.")
    ] = False,
    folds: Annotated[int, Meta(ge=2, le=100), Help("Number of parts, each held out in turn.")] = 5,
    seed: Seed = 0,
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
) -> EvaluatedMetric:
    """Measure whether a metric helps to find members of groups that it was not learned from.

    Groups are held out in turn. Each of their documents is used to search for the rest of its
    group, by Euclidean distance and under the metric. The verdict rests on the 95% interval of the
    difference in MAP.

        lexfield metric evaluate tickets.idx --by duplicate_of
        lexfield metric evaluate tickets.idx --by component --features grams --sphere --kmeans
        lexfield metric evaluate my.idx --by author --weights inverse_size --shrinkage 0 --json
    """
    begin_stage(progress, "learning and searching")
    scores, notes = evaluate(
        open_index(index),
        by,
        unit=unit,
        features=features,
        axes=axes,
        shrinkage=shrinkage,
        weights=_choose_weights(weights, group_weights),
        sphere=sphere,
        kmeans=kmeans,
        folds=folds,
        seed=seed,
        allow_unknown=allow_unknown,
        progress=progress,
    )
    return EvaluatedMetric(scores, verdict=_judge(scores[0]), notes=notes)


def _judge(score: HeldOutScore) -> str:
    """Say whether the metric helps."""
    interval = f"MAP {score.difference:+.3f}, 95% interval {score.low:+.3f} to {score.high:+.3f}"
    if score.low > 0:
        return f"The metric helps: {interval}."
    if score.high < 0:
        return f"The metric harms: {interval}. Use Euclidean distance."
    return f"The metric does not help: {interval}."


@verb(command="metric list")
def list_metrics(index: IndexInput) -> Result[MetricSummary]:
    """List the metrics of an index.

    lexfield metric list tickets.idx
    """
    path = open_index(index).path
    rows = [learned.summarise() for learned in stored.list_metrics(path)]
    notes = [] if rows else [f"learn one: {stored.name_learning(path, 'NAME')}"]
    return Result(rows, notes=notes)


@dataclass(kw_only=True)
class RemovedMetric:
    """The name of a metric that was removed."""

    removed: str


class RemovedMetrics(Result[RemovedMetric]):
    """What was removed."""

    def lines(self) -> Iterable[str]:
        return [f"removed {row.removed!r}" for row in self.results]


@verb(command="metric remove", served="own")
def remove_metric(
    index: IndexInput, name: Annotated[MetricName, Help("Name of the metric.")]
) -> RemovedMetrics:
    """Remove a metric from an index.

    lexfield metric remove tickets.idx support
    """
    stored.remove_metric(open_index(index).path, name)
    return RemovedMetrics([RemovedMetric(removed=name)])
