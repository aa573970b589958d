"""``lexfield fuse`` and ``lexfield evaluate``: TREC runs and relevance judgements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from msgspec import UNSET, Meta, UnsetType

from lexfield.errors import InputError, shorten
from lexfield.evaluate import measures as scoring
from lexfield.evaluate.fusion import FusedHit, Part, fuse_runs
from lexfield.evaluate.fusion import fuse as fuse_rankings
from lexfield.evaluate.trec import Qrels, Run, Scored, read_qrels, read_run, run_lines, write_run
from lexfield.evaluate.variety import measure_redundancy, unique_share
from lexfield.index.ranking import Ranking
from lexfield.index.reading import check_sentence, find_text, read_sentences, split_id
from lexfield.results import JsonObject, pluralise
from lexfield.search.index import Index
from lexfield.text.stopwords import stopwords
from lexfield.verbs.declare import Flags, Help, Input, verb
from lexfield.verbs.input import IndexInput, Sources, open_index
from lexfield.verbs.options import Hits, Target
from lexfield.verbs.results import Result, hidden


@runtime_checkable
class HasRun(Protocol):
    """A result that is a run too, such as that of ``lexfield.run``."""

    def to_run(self) -> Run: ...


Queries = Mapping[str, Mapping[str, float] | Sequence[Scored]]
RunSource = str | Path | Run | HasRun | Queries
RankingSource = Ranking | Mapping[str, float] | Sequence[Scored]
RunInput = Annotated[RunSource, Input("file"), Flags(metavar="RUN")]
QrelsInput = Annotated[str | Path | Qrels, Input("file"), Flags(metavar="QRELS")]


def is_run(source: object) -> bool:
    """Is this a run of several queries, and not one ranking?"""
    if isinstance(source, Mapping):
        return any(isinstance(value, Mapping | Sequence) for value in source.values())
    return isinstance(source, str | Path | Run | HasRun)


def open_run(source: RunSource, name: str = "run") -> Run:
    """Return a run from a file, from a result, or from ``{query: {document: score}}``."""
    match source:
        case Run():
            return source
        case HasRun():
            return source.to_run()
        case str() | Path():
            return read_run(source)
        case Mapping() if is_run(source):
            pairs = {
                query: list(documents.items() if isinstance(documents, Mapping) else documents)
                for query, documents in source.items()
            }
            if all(map(_is_scored, chain.from_iterable(pairs.values()))):
                return Run.of(name, pairs)
    raise InputError(
        "A run must be a file, the result of lx.run, or {query: {document: score}}."
        f" Got {shorten(repr(source), 80)} instead."
    )


def _is_scored(pair: object) -> bool:
    """Is this a document with its score?"""
    return isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], Real)


def open_qrels(source: str | Path | Qrels) -> Qrels:
    """Return judgements from a file or from ``{query: {document: relevance}}``."""
    if isinstance(source, str | Path):
        return read_qrels(source)
    if isinstance(source, Mapping) and source and is_run(source):
        return source
    raise InputError(
        "Judgements must be a file or {query: {document: relevance}}."
        f" Got {type(source).__name__} instead."
    )


RunsInput = Annotated[
    Sequence[RunSource | RankingSource], Input("file", many=True), Flags(metavar="RUN RUN...")
]


@dataclass(kw_only=True)
class FusedRow:
    """A document in the fused ranking, and what each list adds to its score."""

    query: str | UnsetType = UNSET  # if runs were fused, not rankings
    rank: int
    id: str
    score: float
    parts: list[Part]


@dataclass(repr=False)
class FusedRanking(Result[FusedRow]):
    """One ranking made of several, for each query."""

    name: str = hidden()
    explain: bool = hidden()
    output: str | Path | None = hidden()

    @property
    def ids(self) -> list[str]:
        """The ids of the documents, best first."""
        return [row.id for row in self.results]

    @property
    def is_data(self) -> bool:
        return not self.explain and self.output is None

    def to_run(self) -> Run:
        """Return the fused rankings as a TREC run."""
        queries: dict[str, list[tuple[str, float]]] = {}
        for row in self.results:
            name = "1" if isinstance(row.query, UnsetType) else row.query
            queries.setdefault(name, []).append((row.id, row.score))
        return Run(self.name, queries)

    def lines(self) -> Iterable[str]:
        if self.output is not None:
            queries = len({row.query for row in self.results})
            asked = f"{pluralise(queries, 'query', 'queries')} by {self.name}"
            return [f"wrote {self.output}: {pluralise(len(self), 'hit')} for {asked}"]
        return map(_explain, self.results) if self.explain else run_lines(self.to_run())


def _explain(row: FusedRow) -> str:
    query = "" if row.query is UNSET else f"{row.query} "
    parts = ", ".join(f"{one.list} #{one.rank} {one.contribution:+.4f}" for one in row.parts)
    return f"{query}{row.rank:>4}. {row.score:9.4f}  {row.id}  {parts}"


@verb
def fuse(
    runs: RunsInput,
    *,
    combine: Annotated[
        Literal["min", "max", "sum", "anz", "mnz", "rrf"],
        Flags(old="how"),
        Help("Combine scores by their minimum, maximum, sum, …; rrf uses ranks only."),
    ] = "mnz",
    normalise: Annotated[
        Literal["rank", "minmax", "none"],
        Help("How scores are made comparable: as 1 - (rank - 1)/retrieved, or scaled to 0…1."),
    ] = "rank",
    names: Annotated[
        Sequence[str],
        Flags(("--name",), "NAME"),
        Help("Name of a run; repeat it for each run, in order."),
    ] = (),
    k: Annotated[Hits | None, Help("Number of results per query; all by default.")] = None,
    explain: Annotated[bool, Help("Show what each run adds to every result.")] = False,
    output: Annotated[
        Target | None, Flags(("-o",), "FILE"), Help("Write a TREC run to this file.")
    ] = None,
) -> FusedRanking:
    """Combine several rankings into one.

    RUNs are TREC files. The fused run is printed, with its reasons if --explain is given.

        lexfield fuse bm25.run topic.run --combine mnz --normalise rank > both.run
        lexfield fuse a.run b.run c.run --combine rrf -k 100 -o fused.run
        lexfield fuse a.run b.run -k 5 --explain
        lexfield fuse a.run b.run --jsonl
    """
    is_one = is_run(runs) or isinstance(runs, Ranking) or not isinstance(runs, Iterable)
    sources: list[Any] = [runs] if is_one else list(runs)
    if not sources:
        raise InputError("There are no runs to fuse.", "Give two or more runs or rankings.")
    if names and len(names) != len(sources):
        raise InputError(
            f"There are {pluralise(len(names), 'name')} for {pluralise(len(sources), 'run')}."
        )
    if not any(map(is_run, sources)):
        found = fuse_rankings(sources, combine, normalise=normalise, names=list(names) or None)
        rows = [_make_row(UNSET, hit) for hit in found[:k]]
        explain = output is None
    else:
        if len(sources) < 2:
            raise InputError("There is only one run to fuse.", "Give two or more.")
        fused = fuse_runs(_open_runs(sources, names), combine, normalise=normalise)
        rows = [_make_row(query, hit) for query, hits in fused.items() for hit in hits[:k]]
    name = combine if combine == "rrf" else f"{combine}-{normalise}"
    result = FusedRanking(rows, name=name, explain=explain, output=output)
    if output is not None:
        write_run(output, result.to_run())
    return result


def _open_runs(sources: Sequence[RunSource | RankingSource], names: Sequence[str]) -> list[Run]:
    """Return the runs under their own names; runs of one system are named by their files."""
    runs = [open_run(one, f"run {number}") for number, one in enumerate(sources, 1)]  # type: ignore[arg-type]
    if not names and len({run.name for run in runs}) < len(runs):
        names = [
            str(one) if isinstance(one, str | Path) else f"run {number}"
            for number, one in enumerate(sources, 1)
        ]
    return [
        Run(name, run.queries)
        for name, run in zip(names or [r.name for r in runs], runs, strict=True)
    ]


def _make_row(query: str | UnsetType, hit: FusedHit) -> FusedRow:
    return FusedRow(query=query, rank=hit.rank, id=hit.id, score=hit.score, parts=list(hit.parts))


@dataclass(repr=False)
class Evaluation(Result[JsonObject]):
    """The values of a run: a row per measure, or per query; ``measures`` has the means."""

    run: str
    queries: int
    measures: dict[str, float]


@verb
def evaluate(
    run: RunInput,
    qrels: Annotated[QrelsInput | None, Flags(metavar="[QRELS]")] = None,
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
    variety: Annotated[
        IndexInput | None,
        Help("Instead of relevance, measure how varied hits are; their texts are in this index."),
    ] = None,
    others: Annotated[
        Sequence[RunSource],
        Input("file", many=True),
        Flags(("--other",), "RUN"),
        Help("With --variety: runs of other methods, for the share of hits that only RUN has."),
    ] = (),
    k: Annotated[Hits, Help("With --variety: number of hits per query.")] = 5,
) -> Evaluation:
    """Measure a run against relevance judgements, or how varied its hits are.

    RUN is a TREC run. QRELS are TREC judgements, or a table of query, document and relevance. With
    --variety, list Jaccard is the mean share of words that two hits of one query have in common,
    and unique share is the share of hits that no other run has for the query (Hare et al.).

        lexfield evaluate my.run my.qrels --measures map,p@10,ndcg@10 --json
        lexfield evaluate fused.run my.qrels --against bm25.run
        lexfield evaluate ideas.run --variety my.idx --other mean.run --other wmd.run
    """
    if variety is not None:
        return _measure_variety(open_run(run), [open_run(one) for one in others], variety, k)
    if qrels is None:
        raise InputError("There are no judgements.", "Give QRELS, or an index with --variety.")
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


def _measure_variety(run: Run, others: list[Run], source: Sources, k: int) -> Evaluation:
    """Return how varied the first ``k`` hits of each query are."""
    index = open_index(source)
    lists = {query: [id for id, _ in hits[:k]] for query, hits in run.queries.items()}
    texts = [[_read_hit(index, id) for id in ids] for ids in lists.values()]
    values = measure_redundancy(texts, stopwords(index.language))
    if others:
        runs = {"": list(lists.values())} | {
            str(number): [[id for id, _ in one.queries.get(query, ())[:k]] for query in lists]
            for number, one in enumerate(others)
        }
        values["unique_share"] = unique_share(runs)[""]
    rows = [{"measure": name, "value": value} for name, value in values.items()]
    return Evaluation(rows, run=run.name, queries=len(lists), measures=values)


def _read_hit(index: Index, id: str) -> str:
    """Return the text of a document, or of a sentence such as emma#81."""
    document, number = split_id(index.documents, id)
    if number is None:
        return index[document].text
    corpus, row = find_text(index.segments, index.documents, document)
    check_sentence(corpus, row, number)
    return read_sentences(corpus, row, number, 1)[0].text
