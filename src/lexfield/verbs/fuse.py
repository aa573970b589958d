"""``lexfield fuse``"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from lexfield.errors import InputError
from lexfield.evaluate.fusion import FusedHit, Part, fuse_runs
from lexfield.evaluate.fusion import fuse as fuse_rankings
from lexfield.evaluate.trec import Run, run_lines, write_run
from lexfield.verbs.declare import Flags, Help, Input, verb
from lexfield.verbs.options import Hits
from lexfield.verbs.results import Paint, Result, hidden, plain
from lexfield.verbs.runs import RankingSource, RunSource, is_run, open_run
from lexfield.verbs.vector_input import Target

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

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        if self.output is not None:
            queries = len({row.query for row in self.results})
            return [f"wrote {self.output}: {queries:,} queries, {len(self):,} results"]
        return map(_explain, self.results) if self.explain else run_lines(self.to_run())


def _explain(row: FusedRow) -> str:
    query = "" if row.query is UNSET else f"{row.query} "
    parts = ", ".join(f"{one.list} #{one.rank} {one.contribution:+.4f}" for one in row.parts)
    return f"{query}{row.rank:>4}. {row.score:9.4f}  {row.id}  {parts}"


@verb
def fuse(
    runs: RunsInput,
    *,
    how: Annotated[
        Literal["min", "max", "sum", "anz", "mnz", "rrf"],
        Help("How scores are combined; rrf uses ranks only."),
    ] = "mnz",
    normalise: Annotated[
        Literal["rank", "minmax", "none"],
        Help("How scores are made comparable: as 1 - (rank - 1)/retrieved, or scaled to 0…1."),
    ] = "rank",
    names: Annotated[
        Sequence[str], Flags(("--name",), "NAME"), Help("Name of a run, one for each in order.")
    ] = (),
    k: Annotated[Hits | None, Help("Number of results per query; all by default.")] = None,
    explain: Annotated[bool, Help("Show what each run adds to every result.")] = False,
    output: Annotated[
        Target | None, Flags(("-o",), "FILE"), Help("Write a TREC run to this file.")
    ] = None,
) -> FusedRanking:
    """Make one ranking of several.

    RUNs are TREC files. The fused run is printed, with its reasons if --explain is given.

        lexfield fuse bm25.run topic.run --how mnz --normalise rank > both.run
        lexfield fuse a.run b.run c.run --how rrf -k 100 -o fused.run
        lexfield fuse a.run b.run -k 5 --explain
        lexfield fuse a.run b.run --jsonl
    """
    sources = list(runs)
    if names and len(names) != len(sources):
        raise InputError(f"There are {len(names)} names for {len(sources)} runs.")
    if sources and not any(map(is_run, sources)):
        found = fuse_rankings(sources, how, normalise=normalise, names=list(names) or None)
        rows = [_make_row(UNSET, hit) for hit in found[:k]]
        explain = output is None
    else:
        if len(sources) < 2:
            raise InputError("There is only one run to fuse.", "Name two or more.")
        fused = fuse_runs(_open_runs(sources, names), how, normalise=normalise)
        rows = [_make_row(query, hit) for query, hits in fused.items() for hit in hits[:k]]
    name = how if how == "rrf" else f"{how}-{normalise}"
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
