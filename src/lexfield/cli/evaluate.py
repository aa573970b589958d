"""``lexfield evaluate``"""

from __future__ import annotations

import click

from lexfield.cli.output import emit, output_options


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("qrels", metavar="QRELS")
@click.option(
    "--measures",
    default="map,p@5,p@10,r@10,rprec,11pt,ndcg@10",
    show_default=True,
    metavar="LIST",
    help="Of: map, p@K, r@K or recall@K, rprec, 11pt, iprec@0.1, ndcg, ndcg@K, mrr.",
)
@click.option("--against", metavar="RUN", help="Compare with this run, and test the difference.")
@click.option("--by-query", is_flag=True, help="Show every query's values.")
@output_options
def evaluate(
    run: str, qrels: str, measures: str, against: str | None, by_query: bool, output: str | None
) -> None:
    """Measure a TREC run against relevance judgements (TREC qrels, or query, document, relevance).

    \b
    lexfield evaluate my.run cranfield.qrels
    lexfield evaluate my.run my.qrels --measures map,p@10,ndcg@10 --json
    lexfield evaluate fused.run my.qrels --against bm25.run
    """
    from lexfield.evaluate import measures as scoring
    from lexfield.evaluate.trec import read_qrels, read_run

    if by_query and against:
        raise click.UsageError("Give either --against or --by-query.")
    wanted = scoring.parse_measures(measures)
    found, judged = read_run(run), read_qrels(qrels)
    table = scoring.evaluate(found, judged, wanted)
    values = {score.measure: score.value for score in table}
    records = table.to_dicts()
    if against:
        records = scoring.compare(found, read_run(against), judged, wanted).to_dicts()
    elif by_query:
        each = scoring.by_query(found, judged, wanted)
        records = [
            {"query": query, **{name: float(each[name][place]) for name in wanted}}
            for place, query in enumerate(judged)
        ]
    extra = {"run": found.name, "queries": len(judged), "measures": values}
    emit("evaluate", records, output, notes=table.notes, extra=extra)
