"""Learn from groups of texts which differences do not matter.

lexfield metric learn tickets.idx --by component --name support
lexfield metric list tickets.idx
lexfield search tickets.idx "app crashes on start" --method mean --metric support
lexfield near crash --vectors tickets.idx/metrics/support
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from lexfield.index import metrics as stored
from lexfield.index.learn_metric import learn_metric as learn
from lexfield.index.metrics import MetricSummary
from lexfield.index.names import name_step
from lexfield.progress import Progress, begin_stage, silent
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import AllowUnknown, Seed, Unit
from lexfield.verbs.results import Result, hidden

MetricName = Annotated[str, Meta(max_length=64), Flags(metavar="NAME")]


@dataclass(repr=False)
class LearnedMetric(Result[MetricSummary]):
    """The metric that was learned."""

    index: Path = hidden()

    def lines(self) -> Iterable[str]:
        (row,) = self.results
        yield (
            f"learned {row.name!r} from {row.rows:,} {row.unit}s in {row.clusters:,} groups:"
            f" rank {row.rank:,} of {row.dims:,}, shrinkage {row.shrinkage:g}"
        )
        if row.after is not None:
            yield (
                f"held-out groups are recovered with 11-point precision {row.after:.3f}"
                f" (Euclidean: {row.before:.3f})"
            )
        command = f"search IDX TEXT --method mean --metric {row.name}"
        call = f"lx.search(index, TEXT, method='mean', metric={row.name!r})"
        yield f"use it: {name_step(self.index, command, call)}"


@verb(command="metric learn", served="job")
def learn_metric(
    index: IndexInput,
    *,
    by: Annotated[
        str, Meta(max_length=1000), Flags(metavar="FIELD"), Help("Metadata that names the group.")
    ],
    name: Annotated[MetricName, Help("Name of the metric.")],
    unit: Annotated[Unit, Help("Learn from sentences or from whole documents.")] = "document",
    shrinkage: Annotated[
        float | None,
        Meta(ge=0, le=1),
        Help(
            "From 0, the metric of the paper, to 1, Euclidean distance; chosen by held-out groups"
            " by default."
        ),
    ] = None,
    weights: Annotated[
        Literal["equal", "inverse_size", "reliability"],
        Help("Weigh rows equally, groups equally, or compact groups more."),
    ] = "equal",
    seed: Seed = 0,
    allow_unknown: AllowUnknown = False,
    progress: Progress = silent,
) -> LearnedMetric:
    """Learn a metric from groups of documents and store it in the index.

    Groups are documents with the same value of FIELD. If the values are ids of documents, as in
    duplicate_of, linked documents are a group. The metric minimises the distortion of the groups.
    If the index has topics, they get a metric too.

        lexfield metric learn tickets.idx --by component --name support
        lexfield metric learn tickets.idx --by duplicate_of --name same --shrinkage 0.5
        lexfield metric learn my.idx --by author --name style --unit sentence --json
    """
    opened = open_index(index)
    begin_stage(progress, "learning")
    learned = learn(
        opened,
        by,
        name,
        unit=unit,
        shrinkage=shrinkage,
        weights=weights,
        seed=seed,
        allow_unknown=allow_unknown,
        progress=progress,
    )
    return LearnedMetric([learned.summarise()], index=opened.path, notes=learned.notes)


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
