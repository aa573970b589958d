"""``lexfield run``"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lexfield.answers import bounds
from lexfield.cli.options import allow_unknown_option, cluster_option, engine_at, unit_option, whole
from lexfield.cli.output import Bar, emit, output_options
from lexfield.errors import InputError

if TYPE_CHECKING:
    from lexfield.index.ranking import Ranking


@click.command()
@click.argument("path", metavar="IDX")
@click.argument("queries", metavar="QUERIES")
@click.option(
    "--method", default="bm25", show_default=True, metavar="SPEC", help="As in lexfield search."
)
@click.option("-o", "--output", "target", required=True, metavar="RUN", help="File for the run.")
@click.option(
    "-k", default=1000, show_default=True, type=whole(bounds.RESULTS), help="Hits a query."
)
@unit_option("document")
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only such documents.")
@click.option("--id-field", metavar="NAME", help="JSON field of the id; default: _id or id.")
@click.option(
    "--text-field",
    default="text",
    show_default=True,
    metavar="NAME",
    help="JSON field of text.",
)
@click.option(
    "--algebra",
    is_flag=True,
    help='Read queries as sums of words and phrases: 3*storm + 2*"at sea" - rain. For count,'
    " frequency, bm25, lm and translation; by default they are plain text.",
)
@allow_unknown_option
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
    allow_unknown: bool,
    cluster: str | None,
    output: str | None,
) -> None:
    """Answer all queries of a file on all cores, and write a TREC run.

    The file has one query per line, id<TAB>query, or JSON lines.

    \b
    lexfield run my.idx queries.jsonl -o bm25.run
    lexfield run my.idx queries.tsv --method "lm(mu=500)" -k 100 -o lm.run
    lexfield run my.idx queries.jsonl --method "translation(threshold=0.7)" -o translation.run
    lexfield run my.idx queries.jsonl --cluster tcp://10.0.0.5:8786 -o bm25.run
    lexfield evaluate bm25.run qrels.tsv
    """
    from lexfield.cluster.sharded_index import open_index
    from lexfield.evaluate.queries import read_queries
    from lexfield.evaluate.trec import Run, write_run
    from lexfield.index.filter import parse_where

    if not Path(target).absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(Path(target).parent)!r}.", "Make it first.")
    asked = read_queries(queries, id_field, text_field)
    index = open_index(path)
    with engine_at(cluster) as engine, Bar("searching", engine) as bar:
        how: dict[str, Any] = {
            "unit": unit, "where": parse_where(where), "algebra": algebra, "engine": engine,
            "allow_unknown": allow_unknown, "names": list(asked),
        }  # fmt: skip
        found = index.search_many(list(asked.values()), method, k, progress=bar, **how)
        rankings = dict(zip(asked, found, strict=True))
        results = {
            name: [(hit.id, hit.score) for hit in ranking] for name, ranking in rankings.items()
        }
    spec = next(iter(rankings.values())).method
    write_run(target, Run(spec, results))
    hits = sum(map(len, results.values()))
    record = {
        "run": target,
        "method": spec,
        "queries": len(results),
        "unanswered": sum(not pairs for pairs in results.values()),
        "hits": hits,
    }
    shown = f"wrote {target}: {hits:,} hits for {len(results):,} queries by {spec}"
    emit(
        "run", [record] if hits else [], output, notes=_list_notes(rankings), table=lambda: [shown]
    )


def _list_notes(rankings: Mapping[str, Ranking], most: int = 10) -> list[str]:
    notes = [
        f"query {name}: {note}" for name, ranking in rankings.items() for note in ranking.notes
    ]
    more = len(notes) - most
    return notes[:most] + ([f"… and {more:,} more notes"] if more > 0 else [])
