"""``lexfield run``"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from lexfield.errors import InputError
from lexfield.evaluate.trec import Run, read_queries, run_lines, write_run
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, pluralise
from lexfield.search.registry import DEFAULT
from lexfield.verbs.declare import Flags, Help, Input, verb
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.options import (
    Algebra,
    AllowUnknown,
    ClusterAddress,
    Hits,
    Method,
    Target,
    Unit,
    Where,
    use_engine,
)
from lexfield.verbs.results import Result, gather_notes, hidden

FieldName = Annotated[str, Meta(max_length=1000), Flags(metavar="NAME")]
Queries = str | Path | Mapping[str, str] | Sequence[str]
QueriesInput = Annotated[Queries, Input("file"), Flags(metavar="QUERIES")]


@dataclass(kw_only=True)
class RunRow:
    """A run that was written: its file, its method and its size; or a hit of one that was not."""

    run: str | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    queries: int | UnsetType = UNSET
    unanswered: int | UnsetType = UNSET
    hits: int | UnsetType = UNSET
    query: str | UnsetType = UNSET
    rank: int | UnsetType = UNSET
    id: str | UnsetType = UNSET
    score: float | UnsetType = UNSET


@dataclass(repr=False)
class MadeRun(Result[RunRow]):
    """What the queries found, as a TREC run."""

    made: Run = hidden()
    output: str | Path | None = hidden()

    @property
    def is_data(self) -> bool:
        return self.output is None

    def to_dicts(self) -> list[JsonObject]:
        """Return where the run was written; or the hits, if it was not."""
        if self.output is not None:
            return super().to_dicts()
        return [
            {"query": query, "rank": rank, "id": id, "score": score}
            for query, hits in self.made.queries.items()
            for rank, (id, score) in enumerate(hits, 1)
        ]

    def to_run(self) -> Run:
        """Return the run, for ``evaluate`` and ``fuse``."""
        return self.made

    def lines(self) -> Iterable[str]:
        if self.output is None:
            return run_lines(self.made)
        queries = self.made.queries
        hits = sum(map(len, queries.values()))
        return [
            f"wrote {self.output}: {pluralise(hits, 'hit')} for"
            f" {pluralise(len(queries), 'query', 'queries')} by {self.made.name}"
        ]


@verb
def run(
    index: IndexInput,
    queries: QueriesInput,
    *,
    method: Annotated[Method, Help("Search method, as in lexfield search.")] = DEFAULT,
    output: Annotated[
        Target | None, Flags(("-o",), "RUN"), Help("File for the run; printed by default.")
    ] = None,
    k: Annotated[Hits, Help("Number of hits per query.")] = 1000,
    unit: Unit = "document",
    where: Where = (),
    id_field: Annotated[
        FieldName | None, Help("JSON field of the id; _id or id by default.")
    ] = None,
    text_field: Annotated[FieldName, Help("JSON field of the text.")] = "text",
    algebra: Algebra = False,
    allow_unknown: AllowUnknown = False,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
) -> MadeRun:
    """Answer many queries and write a TREC run.

    The file has one query per line, id<TAB>query, or JSON lines. All cores are used.

        lexfield run my.idx queries.jsonl -o best.run
        lexfield run my.idx queries.tsv --method "lm(mu=500)" -k 100 -o lm.run
        lexfield run my.idx queries.jsonl --method "translation(threshold=0.7)" -o translation.run
        lexfield run my.idx queries.jsonl --cluster tcp://10.0.0.5:8786 -o best.run
        lexfield evaluate best.run qrels.tsv
    """
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(Path(output).parent)!r}.", "Create it first.")
    texts = _read_queries(queries, id_field, text_field)
    opened = open_index(index)
    begin_stage(progress, "searching")
    with use_engine(cluster) as engine:
        found = opened.search_many(
            list(texts.values()),
            method,
            k,
            unit=unit,
            where=where,
            algebra=algebra,
            allow_unknown=allow_unknown,
            names=list(texts),
            progress=progress,
            engine=engine,
        )
        rankings = dict(zip(texts, found, strict=True))
        hits = {name: [(hit.id, hit.score) for hit in one] for name, one in rankings.items()}
    made = Run(next(iter(rankings.values())).method, hits)
    if output is not None:
        write_run(output, made)
    row = _count(made, output)
    notes = gather_notes(
        (f"query {name}", note) for name, ranking in rankings.items() for note in ranking.notes
    )
    return MadeRun([row] if row.hits else [], made=made, output=output, notes=notes)


def _read_queries(source: Queries, id_field: str | None, text_field: str) -> dict[str, str]:
    """Return queries by id; those of a list are numbered from 1."""
    if isinstance(source, str | Path):
        return read_queries(source, id_field, text_field)
    if isinstance(source, list | tuple):
        source = {str(number): text for number, text in enumerate(source, 1)}
    if isinstance(source, Mapping) and all(isinstance(text, str) for text in source.values()):
        return dict(source)
    raise InputError(
        "Queries must be a file, a list of texts, or {id: text}."
        f" Got {type(source).__name__} instead."
    )


def _count(made: Run, output: str | Path | None) -> RunRow:
    hits = made.queries.values()
    return RunRow(
        run=None if output is None else str(output),
        method=made.name,
        queries=len(hits),
        unanswered=sum(not pairs for pairs in hits),
        hits=sum(map(len, hits)),
    )
