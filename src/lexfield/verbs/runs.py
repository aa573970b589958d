"""TREC runs and relevance judgements as arguments of a verb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Protocol, runtime_checkable

from lexfield.errors import InputError
from lexfield.evaluate.trec import Qrels, Run, Scored, read_qrels, read_run
from lexfield.search.ranking import Ranking
from lexfield.verbs.declare import Flags, Input


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
                query: documents.items() if isinstance(documents, Mapping) else documents
                for query, documents in source.items()
            }
            return Run.of(name, pairs)
    raise InputError(
        "A run must be a file, the result of lx.run, or {query: {document: score}}."
        f" Got {type(source).__name__} instead."
    )


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
