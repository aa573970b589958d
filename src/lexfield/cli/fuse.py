"""``lexfield fuse``"""

from __future__ import annotations

from dataclasses import asdict

import click

from lexfield.answers import bounds
from lexfield.cli.options import whole
from lexfield.cli.output import echo, emit, output_options


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option(
    "--how",
    type=click.Choice(("min", "max", "sum", "anz", "mnz", "rrf")),
    default="mnz",
    show_default=True,
    help="How scores are combined; rrf looks at ranks only.",
)
@click.option(
    "--normalise",
    type=click.Choice(("rank", "minmax", "none")),
    default="rank",
    show_default=True,
    help="How scores are made comparable: 1 − (rank − 1)/retrieved, or to 0…1.",
)
@click.option("-k", type=whole(bounds.RESULTS), help="Only the first so many of each query.")
@click.option("--explain", is_flag=True, help="Show what each list gave to every result.")
@click.option("-o", "--output", "target", metavar="FILE", help="Write a TREC run to this file.")
@output_options
def fuse(
    runs: tuple[str, ...],
    how: str,
    normalise: str,
    k: int | None,
    explain: bool,
    target: str | None,
    output: str | None,
) -> None:
    """Make one ranking of several TREC runs; prints a TREC run, or reads better with --explain.

    \b
    lexfield fuse bm25.run topic.run --how mnz --normalise rank > both.run
    lexfield fuse a.run b.run c.run --how rrf -k 100 -o fused.run
    lexfield fuse a.run b.run -k 5 --explain
    lexfield fuse a.run b.run --jsonl
    """
    from lexfield.errors import InputError
    from lexfield.evaluate.fusion import fuse_runs
    from lexfield.evaluate.trec import Run, read_run, run_lines, write_run

    if len(runs) < 2:
        raise InputError("There is only one run to fuse.", "Name two or more.")
    read = [read_run(path) for path in runs]
    if len({run.name for run in read}) < len(read):  # runs of one system: tell them by their files
        read = [Run(path, run.queries) for path, run in zip(runs, read, strict=True)]
    fused = fuse_runs(read, how, normalise=normalise)
    name = f"{how}-{normalise}" if how != "rrf" else how
    made = Run(name, {q: [(hit.id, hit.score) for hit in hits[:k]] for q, hits in fused.items()})
    if target:
        write_run(target, made)
    if target and output is None:
        rows = sum(map(len, made.queries.values()))
        echo(f"wrote {target}: {len(made.queries):,} queries, {rows:,} results")
        return
    records = [{"query": q, **asdict(hit)} for q, hits in fused.items() for hit in hits[:k]]

    def table() -> list[str]:
        if not explain:
            return list(run_lines(made))
        return [
            f"{query} {hit.rank:>4}. {hit.score:9.4f}  {hit.id}  "
            + ", ".join(f"{p.list} #{p.rank} {p.contribution:+.4f}" for p in hit.parts)
            for query, hits in fused.items()
            for hit in hits[:k]
        ]

    emit("fuse", records, output, table=table)
