"""``lexfield search`` and ``lexfield bags``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypedDict, Unpack

from msgspec import UNSET, Meta, UnsetType

from lexfield.errors import InputError, shorten
from lexfield.evaluate.trec import Run, read_queries, run_lines, split_line
from lexfield.index.bags import count_holding
from lexfield.index.filter import allowed_rows
from lexfield.index.passages import Highlight
from lexfield.index.ranking import Hit, Ranking
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.search.registry import DEFAULT
from lexfield.text.corpus import View
from lexfield.text.fields import read_where
from lexfield.text.spelling import note_misspelt, note_words
from lexfield.verbs.declare import Default, Flags, Help, verb
from lexfield.verbs.hits import format_hit, word_chance
from lexfield.verbs.input import IndexInput, open_index
from lexfield.verbs.methods import SCORES
from lexfield.verbs.options import (
    Algebra,
    AllowUnknown,
    ClusterAddress,
    Hits,
    Method,
    QueryFile,
    Unit,
    Where,
    use_engine,
)
from lexfield.verbs.results import Result, gather_notes, hidden
from lexfield.verbs.text import read_contexts

_SPELLED = 10  # words of a query whose other spellings are looked for
_Text = Annotated[str, Meta(max_length=10_000_000)]
SearchText = Annotated[_Text | Sequence[_Text] | None, Flags(metavar="[TEXT]", dash="text")]
SearchMethods = Annotated[
    Sequence[Method],
    Meta(min_length=1, max_length=6),
    Flags(metavar="SPEC"),
    Help(
        "best, ideas, setcover, mean, wmd, jaccard, edit, bow or topic; count, frequency, bm25, lm"
        " or translation, which weigh words and phrases; encoder, late or fitted, which need"
        " `lexfield encode`; with parameters as in setcover(r=20);"
        " combined as in fuse(ideas, topic). Repeat it to see several side by side."
    ),
]

Metric = Annotated[
    str | None, Flags(metavar="NAME"), Help("Use a metric from `lexfield metric learn`.")
]


class Searching(TypedDict, total=False):
    """What is found, and how much of it is shown."""

    like: Annotated[
        str | None,
        Meta(max_length=2000),
        Flags(metavar="ID"),
        Default(None),
        Help("Find more like this document or sentence of the index."),
    ]
    start: Annotated[
        int, Meta(ge=0, le=10**6), Default(0), Help("Skip the first hits, to see the next ones.")
    ]
    where: Annotated[Where, Default(())]
    allow_unknown: Annotated[AllowUnknown, Default(False)]
    explain: Annotated[bool, Default(False), Help("Show what each reason adds to the score.")]
    full: Annotated[bool, Default(False), Help("Show whole texts, not just the best passages.")]
    context: Annotated[
        int,
        Meta(ge=0, le=100),
        Default(0),
        Help("Show this many sentences before and after each sentence that was found."),
    ]


@dataclass(kw_only=True)
class PassageRow:
    """A piece of a hit's text: its first character and its first sentence in the document.

    ``score`` is the sum of the weights of the query words that it answers, 1 for the strongest.
    """

    id: str
    text: str
    position: int
    sentence: int
    score: float
    highlights: list[Highlight]


@dataclass(kw_only=True)
class HitRow:
    """A sentence or document that was found; ``text`` is an excerpt where the whole is long."""

    query: str | UnsetType = UNSET  # if there were several queries
    method: str | UnsetType = UNSET  # if there were several methods
    rank: int
    id: str
    score: float
    chance: float | None  # expected number of hits this good if nothing answers the query
    text: str
    excerpt: bool
    passages: list[PassageRow]
    source: str
    document: str
    position: int
    metadata: dict[str, str]
    words: str = ""  # the strongest reasons; empty if reasons were not asked for
    differs: list[str] = field(default_factory=list)
    explanation: JsonObject | None = None
    context: str | UnsetType = UNSET  # the sentence with those around it, if asked for


@dataclass(repr=False)
class SearchHits(Result[HitRow]):
    """The hits of one or more rankings; ``rankings`` are the library's own results.

    ``matches``, for one query: how many sentences or documents contain one of its words.
    """

    matches: int | UnsetType = UNSET
    rankings: list[Ranking] = hidden()
    hits: list[list[Hit]] = hidden()  # of each ranking
    names: list[str] = hidden()  # of the queries
    explain: bool = hidden()
    full: bool = hidden()
    run: bool = hidden()
    contexts: dict[str, str] = hidden(default_factory=dict)  # of sentences, by id

    @property
    def is_data(self) -> bool:
        return self.run

    def to_run(self) -> Run:
        """Return the hits as a TREC run, for ``evaluate`` and ``fuse``."""
        found = zip(self.names, self.hits, strict=True)
        queries = {name: [(hit.id, hit.score) for hit in hits] for name, hits in found}
        return Run(self.rankings[0].method, queries)

    def lines(self) -> Iterator[str]:
        if self.run:
            yield from run_lines(self.to_run())
            return
        several = len({ranking.method for ranking in self.rankings}) > 1
        for ranking, hits in zip(self.rankings, self.hits, strict=True):
            if len(self.rankings) > 1:
                yield self.paint(ranking.method if several else ranking.query, "blue")
            for hit in hits:
                yield from format_hit(hit, self.explain, self.full, self.paint)
                if hit.id in self.contexts:
                    yield f"                  in context: {self.contexts[hit.id]}"

    @property
    def legend(self) -> str:
        used = dict.fromkeys(ranking.method.partition("(")[0] for ranking in self.rankings)
        found = [f"{name}: {SCORES[name]}" for name in used if name in SCORES]
        if any(word_chance(hit) for hits in self.hits for hit in hits):
            found.append("by chance: how rarely an unrelated text matches this well")
        return "" if self.run else "; ".join(found)

    def _repr_html_(self) -> str:
        return "".join(ranking._repr_html_() for ranking in self.rankings)


@verb
def search(
    index: IndexInput,
    query: Annotated[SearchText, Flags(metavar="[TEXT]", dash="queries")] = None,
    *,
    queries: QueryFile = None,
    method: SearchMethods = (DEFAULT,),
    k: Hits = 5,
    unit: Unit = "sentence",
    metric: Metric = None,
    algebra: Algebra = False,
    run: Annotated[
        bool, Help("Print a TREC run; a query may begin with its id and a tab.")
    ] = False,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
    **options: Unpack[Searching],
) -> SearchHits:
    """Find similar sentences or documents, with reasons.

    TEXT can be - to read queries from standard input, one per line.

        lexfield search my.idx "The storm broke at midnight."
        lexfield search my.idx "a quiet harbour" --method mean -k 10 --context 2 --explain
        lexfield search my.idx 'storm + 2*"at sea" - boat' --algebra --method bm25 --explain
        lexfield search my.idx "a quiet harbour" --method ideas --method bm25
        lexfield search my.idx --like letters/march --method topic
        lexfield search tickets.idx "app crashes on start" --method mean --metric support
        lexfield search my.idx --queries topics.tsv --unit document -k 100 --run > mine.run
        lexfield search s3://bucket/my.idx --queries questions.txt --cluster tcp://10.0.0.5:8786
    """
    like, explain, full = options["like"], options["explain"], options["full"]
    start = options["start"]
    _check_query(query, queries, like, algebra)
    _check_run(run, method)
    opened = open_index(index, metric)
    asked: JsonObject = {"where": options["where"], "allow_unknown": options["allow_unknown"]}
    begin_stage(progress, "searching")
    with use_engine(cluster) as engine:
        names, texts = ([like], [like]) if like is not None else _read_queries(query, queries, run)
        if like is None:
            asked |= {"unit": unit, "algebra": algebra, "names": names if queries else ()}
            asked |= {"engine": engine, "progress": progress}
        rankings = _rank(opened, texts, method, start + k, like, asked)
        by = "method" if len(method) > 1 else "query" if len(texts) > 1 else None
        hits = [ranking[start:] for ranking in rankings]
        contexts = read_contexts(opened, hits, options["context"])
        rows = _list_rows(rankings, hits, by, explain or len(texts) == 1, full, contexts)
        if engine is not None:  # texts and reasons come from the cluster while it is open
            rows = _fetch(rows, hits, run)
    found = SearchHits(
        rows, rankings=rankings, hits=hits, names=names, explain=explain, full=full, run=run,
        contexts=contexts,
    )  # fmt: skip
    found.notes = _list_notes(rankings, by)
    if cluster is None and like is None and len(texts) == 1:
        every = opened.rows(unit)
        allowed = allowed_rows(every, read_where(options["where"]))
        found.matches = count_holding(every, rankings[0].wanted, allowed)
        found.notes += _note_spelling(rankings[0], opened)
    return found


def _note_spelling(ranking: Ranking, index: Index) -> list[str]:
    """Return notes on words that the index spells in another way."""
    accents = note_words(ranking.wanted[:_SPELLED], index.lexicon)
    return accents + note_misspelt(ranking.unknown[:_SPELLED], index.lexicon)


def _rank(
    index: Index,
    texts: Sequence[str],
    methods: Sequence[str],
    k: int,
    like: str | None,
    asked: JsonObject,
) -> list[Ranking]:
    """Return a ranking per method and text."""
    if like is not None:
        return [index.like(like, method, k, **asked) for method in methods]
    found = (index.search_many(texts, method, k, **asked) for method in methods)
    return [ranking for rankings in found for ranking in rankings]


@verb
def bags(
    index: IndexInput,
    query: SearchText = None,
    *,
    method: SearchMethods = ("count",),
    k: Hits = 5,
    unit: Unit = "document",
    algebra: Algebra = True,
    progress: Progress = silent,
    **options: Unpack[Searching],
) -> SearchHits:
    """Rank documents by sums of words: 3*storm + 2*"at sea" - rain.

    This is `lexfield search` with other defaults.

        lexfield bags my.idx '3*storm + 2*"at sea" - rain'
        lexfield bags my.idx "storm + gale" --method frequency -k 10 --explain
    """
    algebra = algebra and options["like"] is None
    chosen: JsonObject = {"method": method, "k": k, "unit": unit, "algebra": algebra, **options}
    return search(index, query, progress=progress, **chosen)


def _check_run(run: bool, methods: Sequence[str]) -> None:
    if run and len(methods) > 1:
        raise InputError("A run has the hits of one method.", "Give --method once.")


def _check_query(
    query: str | Sequence[str] | None, queries: str | Path | None, like: str | None, algebra: bool
) -> None:
    """Raise InputError unless exactly one of the three is given."""
    if like is not None and (query is not None or queries is not None):
        raise InputError("Give either a query or --like ID, not both.")
    if like is not None and algebra:
        raise InputError("--algebra needs a query, not --like ID.")
    if like is None and (query is None) == (queries is None):
        raise InputError(
            "Give either a query or --queries FILE.",
            'As in: lexfield search my.idx "a storm at sea"',
        )


def _read_queries(
    query: str | Sequence[str] | None, queries: str | Path | None, run: bool
) -> tuple[list[str], list[str]]:
    """Return the ids and the texts of the queries."""
    if isinstance(query, str):
        identity, text = split_line(query) if run else ("", query)
        return [identity or "1"], [text]
    if query is not None:
        return [str(number + 1) for number in range(len(query))], list(query)
    assert queries is not None  # `_check_query` has seen to it
    read = read_queries(queries)
    return list(read), list(read.values())


def _fetch(rows: Sequence[HitRow], hits: list[list[Hit]], run: bool) -> Sequence[HitRow]:
    """Return the rows with all that is printed of their hits; of a run, only their ids are."""
    for found in hits:
        for hit in found:
            _ = hit.id if run else (hit.words, hit.differs)
    return rows if run else list(rows)


def _list_rows(
    rankings: list[Ranking],
    hits: list[list[Hit]],
    by: str | None,
    explain: bool,
    full: bool,
    contexts: dict[str, str],
) -> Sequence[HitRow]:
    """Return all hits; each row is made when it is read, as reasons take time."""
    pairs = [(ranking, hit) for ranking, own in zip(rankings, hits, strict=True) for hit in own]

    def make(place: int) -> HitRow:
        ranking, hit = pairs[place]
        record = hit.to_dict(explain, full)
        record["passages"] = [PassageRow(**passage) for passage in record["passages"]]
        record["context"] = contexts.get(hit.id, UNSET)
        return HitRow(**({by: getattr(ranking, by)} if by else {}), **record)

    return View(len(pairs), make)


def _list_notes(rankings: Sequence[Ranking], by: str | None) -> list[str]:
    """Return the notes of rankings, with their names if there are several."""
    named = []
    for ranking in rankings:
        names = {"method": ranking.method, "query": repr(shorten(ranking.query, 40))}
        named += [(names.get(by or "", ""), note) for note in ranking.notes]
    return gather_notes(named, "methods" if by == "method" else "queries")
