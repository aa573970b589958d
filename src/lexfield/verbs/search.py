"""``lexfield search``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from lexfield.errors import InputError
from lexfield.evaluate.queries import read_queries, split_line
from lexfield.evaluate.trec import Run, run_lines
from lexfield.progress import Progress, begin_stage, silent
from lexfield.search.filter import parse_where
from lexfield.search.marks import Highlight, pieces
from lexfield.search.passages import Passage
from lexfield.search.ranking import Hit, Ranking
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import FileInput, IndexInput, open_index
from lexfield.verbs.options import (
    Algebra,
    AllowUnknown,
    Cluster,
    Hits,
    Method,
    Unit,
    Where,
    use_engine,
)
from lexfield.verbs.results import Paint, Result, hidden, plain

_LINE = 200  # characters of a hit without reasons
_COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "red")


@dataclass(kw_only=True)
class PassageRow:
    """A piece of a hit's text: its first character and its first sentence in the document."""

    text: str
    position: int
    sentence: int
    highlights: list[Highlight]


@dataclass(kw_only=True)
class HitRow:
    """A sentence or document that was found; ``text`` is an excerpt where the whole is long."""

    query: str | UnsetType = UNSET  # if there were several queries
    method: str | UnsetType = UNSET  # if there were several methods
    rank: int
    id: str
    score: float
    text: str
    excerpt: bool
    passages: list[PassageRow]
    source: str
    document: str
    position: int
    metadata: dict[str, str]
    explanation: dict[str, Any] | None = None


@dataclass(repr=False)
class SearchHits(Result[HitRow]):
    """The hits of one or more rankings; ``rankings`` are the library's own results."""

    rankings: list[Ranking] = hidden()
    names: list[str] = hidden()  # of the queries
    explain: bool = hidden()
    full: bool = hidden()
    run: bool = hidden()

    @property
    def is_data(self) -> bool:
        return self.run

    def to_run(self) -> Run:
        """Return the hits as a TREC run, for ``evaluate`` and ``fuse``."""
        found = zip(self.names, self.rankings, strict=True)
        queries = {name: [(hit.id, hit.score) for hit in hits] for name, hits in found}
        return Run(self.rankings[0].method, queries)

    def lines(self, paint: Paint = plain) -> Iterator[str]:
        if self.run:
            yield from run_lines(self.to_run())
            return
        several = len({ranking.method for ranking in self.rankings}) > 1
        for ranking in self.rankings:
            if len(self.rankings) > 1:
                yield paint(ranking.method if several else ranking.query, "blue")
            for hit in ranking:
                yield from format_hit(hit, self.explain, self.full, paint)


@verb
def search(
    index: IndexInput,
    query: Annotated[
        str | None, Meta(max_length=10_000_000), Flags(metavar="[TEXT]", dash="queries")
    ] = None,
    *,
    queries: Annotated[
        FileInput | None, Help("File of queries: one per line, id<TAB>query, or JSON lines.")
    ] = None,
    method: Annotated[
        Sequence[Method],
        Meta(min_length=1, max_length=6),
        Flags(metavar="SPEC"),
        Help(
            "setcover, mean, wmd, jaccard, edit, bow or topic; count, frequency, bm25, lm or"
            " translation, which weigh words and phrases; with parameters as in setcover(r=20);"
            " combined as in fuse(setcover, topic). Repeat it to see several side by side."
        ),
    ] = ("setcover",),
    like: Annotated[
        str | None,
        Meta(max_length=2000),
        Flags(metavar="ID"),
        Help("Find more like this document or sentence of the index."),
    ] = None,
    k: Hits = 5,
    unit: Unit = "sentence",
    where: Where = (),
    metric: Annotated[
        str | None, Flags(metavar="NAME"), Help("Use a metric from `lexfield metric learn`.")
    ] = None,
    algebra: Algebra = False,
    allow_unknown: AllowUnknown = False,
    explain: Annotated[bool, Help("Show why each hit was found.")] = False,
    full: Annotated[bool, Help("Show whole texts, not the passages that answer best.")] = False,
    run: Annotated[
        bool, Help("Print a TREC run; a query may begin with its id and a tab.")
    ] = False,
    cluster: Cluster = None,
    progress: Progress = silent,
) -> SearchHits:
    """Find similar sentences or documents, with reasons.

    lexfield search my.idx "The storm broke at midnight."
    lexfield search my.idx "a quiet harbour" --method mean -k 10 --explain
    lexfield search my.idx 'storm + 2*"at sea" - boat' --algebra --method bm25 --explain
    lexfield search my.idx "a quiet harbour" --method setcover --method bm25
    lexfield search my.idx --like letters/march --method topic
    lexfield search tickets.idx "app crashes on start" --method mean --metric support
    lexfield search my.idx --queries topics.tsv --unit document -k 100 --run > mine.run
    lexfield search s3://bucket/my.idx --queries questions.txt --cluster tcp://10.0.0.5:8786
    """
    if like is not None and (query is not None or queries is not None or algebra):
        raise InputError("Give either a TEXT or --like ID, not both; --algebra needs a TEXT.")
    if like is None and (query is None) == (queries is None):
        raise InputError("Give either a TEXT (or - for standard input) or --queries FILE.")
    opened = open_index(index, metric)
    conditions = parse_where(where)
    begin_stage(progress, "searching")
    with use_engine(cluster) as engine:  # texts and reasons of hits may be fetched from it
        if like is not None:
            names, texts = [like], [like]
            rankings = [
                opened.like(like, one, k, where=conditions, allow_unknown=allow_unknown)
                for one in method
            ]
        else:
            names, texts = _read_queries(query, queries, run)
            rankings = [
                ranking
                for one in method
                for ranking in opened.search_many(
                    texts,
                    one,
                    k,
                    unit=unit,
                    where=conditions,
                    algebra=algebra,
                    allow_unknown=allow_unknown,
                    names=names if queries else (),
                    progress=progress,
                    engine=engine,
                )
            ]
        by = "method" if len(method) > 1 else "query" if len(texts) > 1 else None
        shown = explain or len(texts) == 1
        rows = [_make_row(hit, ranking, by, shown, full) for ranking in rankings for hit in ranking]
    return SearchHits(
        rows,
        rankings=rankings,
        names=names,
        explain=explain,
        full=full,
        run=run,
        notes=[note for ranking in rankings for note in _name_notes(ranking, by)],
    )


def _read_queries(
    query: str | None, queries: str | Path | None, run: bool
) -> tuple[list[str], list[str]]:
    """Return the ids and the texts of the queries."""
    if query is not None:
        identity, text = split_line(query) if run else ("", query)
        return [identity or "1"], [text]
    read = read_queries(None if str(queries) == "-" else queries)
    return list(read), list(read.values())


def _make_row(hit: Hit, ranking: Ranking, by: str | None, explain: bool, full: bool) -> HitRow:
    record = hit.to_dict(explain, full)
    record["passages"] = [PassageRow(**passage) for passage in record["passages"]]
    return HitRow(**({by: getattr(ranking, by)} if by else {}), **record)


def _name_notes(ranking: Ranking, by: str | None) -> list[str]:
    """Return the notes of a ranking, with its name if there are several."""
    names = {"method": f"{ranking.method}: ", "query": f"{ranking.query[:40]!r}: "}
    return [f"{names.get(by or '', '')}{note}" for note in ranking.notes]


def format_hit(hit: Hit, explain: bool, full: bool, paint: Paint = plain) -> Iterator[str]:
    """Return a hit as lines of text, with its reasons if wanted."""
    if full:
        shown = " ".join(hit.text.split())
    elif explain:
        shown = " … ".join(_highlight(passage, paint) for passage in hit.passages)
    else:
        shown = _shorten(hit)
    yield f"{hit.rank:>3}. {hit.score:9.4f}  {shown}  {paint(f'[{hit.id}]', 'bright_black')}"
    if explain:
        for line in hit.explanation.lines():
            yield f"                  {line}"


def _shorten(hit: Hit) -> str:
    """Return the best passage on one line."""
    passage = hit.passages[0]
    shown = " ".join(passage.text.split())[:_LINE]
    return shown if passage.complete and len(shown) < _LINE else f"{shown}…"


def _highlight(passage: Passage, paint: Paint) -> str:
    """Return the text with matched words in the colour of the query word that they answer."""
    numbers: dict[str, int] = {}
    parts = [
        piece
        if query is None
        else paint(piece, _COLOURS[numbers.setdefault(query, len(numbers)) % len(_COLOURS)])
        for piece, query in pieces(passage.text, passage.highlights)
    ]
    return " ".join("".join(parts).split())
