"""``lexfield evaluate``"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from lexfield.errors import InputError
from lexfield.evaluate import measures as scoring
from lexfield.results import JsonObject
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.results import Result
from lexfield.verbs.runs import QrelsInput, RunInput, open_qrels, open_run


@dataclass(repr=False)
class Evaluation(Result[JsonObject]):
    """The values of a run: a row per measure, or per query; ``measures`` has the means."""

    run: str
    queries: int
    measures: dict[str, float]


@verb
def evaluate(
    run: RunInput,
    qrels: QrelsInput,
    *,
    measures: Annotated[
        Sequence[Annotated[str, Meta(max_length=1000)]],
        Flags(metavar="LIST"),
        Help("Any of map, p@K, r@K or recall@K, rprec, 11pt, iprec@0.1, ndcg, ndcg@K, mrr."),
    ] = scoring.DEFAULT,
    against: Annotated[
        RunInput | None, Help("Compare with this run, and test the difference.")
    ] = None,
    by_query: Annotated[bool, Help("Show the values of every query.")] = False,
) -> Evaluation:
    """Measure a run against relevance judgements.

    RUN is a TREC run. QRELS are TREC judgements, or a table of query, document and relevance.

        lexfield evaluate my.run cranfield.qrels
        lexfield evaluate my.run my.qrels --measures map,p@10,ndcg@10 --json
        lexfield evaluate fused.run my.qrels --against bm25.run
    """
    if by_query and against is not None:
        raise InputError("Give either --against or --by-query.")
    wanted = scoring.parse_measures(",".join(measures))
    found, judged = open_run(run), open_qrels(qrels)
    table = scoring.evaluate(found, judged, wanted)
    rows = table.to_dicts()
    if against is not None:
        rows = scoring.compare(found, open_run(against), judged, wanted).to_dicts()
    elif by_query:
        values = scoring.by_query(found, judged, wanted)
        rows = [
            {"query": query, **{name: float(values[name][place]) for name in wanted}}
            for place, query in enumerate(judged)
        ]
    return Evaluation(
        rows,
        run=found.name,
        queries=len(judged),
        measures={score.measure: score.value for score in table},
        notes=table.notes,
    )
