"""``lexfield run``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lexfield.cli.options import cluster_option, engine_at, unit_option
from lexfield.cli.output import Bar, emit, output_options
from lexfield.errors import InputError


@click.command()
@click.argument("path", metavar="IDX")
@click.argument("queries", metavar="QUERIES")
@click.option(
    "--method", default="bm25", show_default=True, metavar="SPEC", help="As in lexfield search."
)
@click.option("-o", "--output", "target", required=True, metavar="RUN", help="File for the run.")
@click.option("-k", default=1000, show_default=True, type=click.IntRange(1), help="Hits a query.")
@unit_option("document")
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only such documents.")
@click.option("--id-field", metavar="NAME", help="Field with a query's id: by default _id or id.")
@click.option("--text-field", default="text", show_default=True, metavar="NAME")
@click.option("--algebra", is_flag=True, help="Read * + - and quotes in queries as operators.")
@cluster_option
@output_options
def run(
    path: str,
    queries: str,
    method: str,
    target: str,
    k: int,
    unit: str,
    where: tuple[str, ...],
    id_field: str | None,
    text_field: str,
    algebra: bool,
    cluster: str | None,
    output: str | None,
) -> None:
    """Answer all queries of a JSON-lines file on all cores, and write a TREC run.

    \b
    lexfield run my.idx queries.jsonl -o bm25.run
    lexfield run my.idx queries.jsonl --method "lm(mu=500)" -k 100 -o lm.run
    lexfield run my.idx queries.jsonl --method "translation(threshold=0.7)" -o translation.run
    lexfield run my.idx queries.jsonl --cluster tcp://10.0.0.5:8786 -o bm25.run
    lexfield evaluate bm25.run qrels.tsv
    """
    from lexfield.bags.algebra import strip_operators
    from lexfield.search.filter import parse_where
    from lexfield.search.index import Index
    from lexfield.trec import Run, read_queries, write_run

    if not Path(target).absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(Path(target).parent)!r}.", "Make it first.")
    asked = read_queries(queries, id_field, text_field)
    texts = list(asked.values()) if algebra else [strip_operators(text) for text in asked.values()]
    index = Index.open(path)
    with engine_at(cluster) as engine, Bar("searching", engine) as bar:
        how: dict[str, Any] = {"unit": unit, "where": parse_where(where), "engine": engine}
        found = index.search_many(texts, method, k, progress=bar, **how)
        rankings = dict(zip(asked, found, strict=True))
        results = {
            name: [(hit.id, hit.score) for hit in ranking] for name, ranking in rankings.items()
        }
    spec = next(iter(rankings.values())).method
    write_run(target, Run(spec, results))
    notes = [
        f"query {name}: {note}" for name, ranking in rankings.items() for note in ranking.notes
    ]
    if len(notes) > 10:
        notes[10:] = [f"… and {len(notes) - 10:,} more notes"]
    hits = sum(map(len, results.values()))
    record = {
        "run": target,
        "method": spec,
        "queries": len(results),
        "unanswered": sum(not pairs for pairs in results.values()),
        "hits": hits,
    }
    shown = f"wrote {target}: {hits:,} hits for {len(results):,} queries by {spec}"
    emit("run", [record] if hits else [], output, notes=notes, table=lambda: [shown])
