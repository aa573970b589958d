"""``lexfield metric``"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lexfield.answers import bounds
from lexfield.answers.bounds import Bound
from lexfield.cli.options import allow_unknown_option, real, unit_option, whole
from lexfield.cli.output import Bar, emit, output_options


@click.group()
def metric() -> None:
    """Learn from groups of texts which differences do not matter.

    \b
    lexfield metric learn tickets.idx --by component --name support
    lexfield metric list tickets.idx
    lexfield search tickets.idx "app crashes on start" --method mean --metric support
    lexfield near crash --vectors tickets.idx/metrics/support
    """


@metric.command("learn")
@click.argument("path", metavar="IDX")
@click.option("--by", required=True, metavar="FIELD", help="Metadata that names the group.")
@click.option("--name", required=True, metavar="NAME", help="What to call the metric.")
@unit_option("document")
@click.option(
    "--shrinkage",
    type=real(Bound(0, 1)),
    help="From 0, the paper's metric, to 1, Euclidean distance; chosen by held-out groups if not"
    " given.",
)
@click.option(
    "--weights",
    type=click.Choice(("equal", "inverse_size", "reliability")),
    default="equal",
    show_default=True,
    help="What a group counts: a row once, a group once, or more if its members are close.",
)
@click.option(
    "--seed", default=0, show_default=True, type=whole(bounds.SEED), help="How groups are held out."
)
@allow_unknown_option
@output_options
def learn(
    path: str,
    by: str,
    name: str,
    unit: str,
    shrinkage: float | None,
    weights: str,
    seed: int,
    allow_unknown: bool,
    output: str | None,
) -> None:
    """Learn a metric from documents of one group (minimum cluster distortion), and keep it.

    Groups are documents with the same value of FIELD; where its values are ids of documents, as in
    duplicate_of, those that are linked. Where the index has topics, they get a metric too.

    \b
    lexfield metric learn tickets.idx --by component --name support
    lexfield metric learn tickets.idx --by duplicate_of --name same --shrinkage 0.5
    lexfield metric learn my.idx --by author --name style --unit sentence --json
    """
    from lexfield.cluster.sharded_index import open_index
    from lexfield.index.learn_metric import learn_metric

    index = open_index(path)
    with Bar("learning") as bar:
        learned = learn_metric(
            index,
            by,
            name,
            unit=unit,
            shrinkage=shrinkage,
            weights=weights,
            seed=seed,
            allow_unknown=allow_unknown,
            progress=bar,
        )
    record: dict[str, Any] = asdict(learned)
    notes = record.pop("notes")

    def table() -> list[str]:
        lines = [
            f"learned {name!r} from {learned.rows:,} {unit}s in {learned.clusters:,} groups:"
            f" rank {learned.rank:,} of {learned.dims:,}, shrinkage {learned.shrinkage:g}"
        ]
        if learned.after is not None:
            lines.append(
                f"held-out groups are recovered with 11-point precision {learned.after:.3f}"
                f" (Euclidean: {learned.before:.3f})"
            )
        return [*lines, f"use it: lexfield search {path} TEXT --method mean --metric {name}"]

    emit("metric.learn", [record], output, notes=notes, table=table)


@metric.command("list")
@click.argument("path", metavar="IDX")
@output_options
def list_(path: str, output: str | None) -> None:
    """List the metrics of an index.

    \b
    lexfield metric list tickets.idx
    """
    from lexfield.cluster.sharded_index import open_index
    from lexfield.index.metrics import list_metrics

    found = list_metrics(open_index(path).path)
    records = [
        {key: value for key, value in record.items() if key != "notes"}
        for record in found.to_dicts()
    ]
    notes = [] if records else [f"learn one: lexfield metric learn {path} --by FIELD --name NAME"]
    emit("metric.list", records, output, notes=notes)


@metric.command("remove")
@click.argument("path", metavar="IDX")
@click.argument("name")
@output_options
def remove(path: str, name: str, output: str | None) -> None:
    """Remove a metric of an index.

    \b
    lexfield metric remove tickets.idx support
    """
    from lexfield.index.metrics import remove_metric

    remove_metric(Path(path), name)
    emit("metric.remove", [{"removed": name}], output, table=lambda: [f"removed {name!r}"])
