"""``lexfield search``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from lexfield.answers import bounds
from lexfield.cli.options import (
    allow_unknown_option,
    cluster_option,
    engine_at,
    unit_option,
    whole,
)
from lexfield.cli.output import Bar, echo_data, output_options, paint, tell

if TYPE_CHECKING:
    from lexfield.index.passages import Passage
    from lexfield.index.ranking import Hit, Ranking

_LINE = 200  # characters of a hit without reasons
_COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "red")


@click.command()
@click.argument("path", metavar="IDX")
@click.argument("text", required=False)
@click.option(
    "--queries",
    type=click.Path(exists=True, dir_okay=False),
    help="File of queries: one per line, id<TAB>query, or JSON lines.",
)
@click.option(
    "--method",
    default="ideas",
    show_default=True,
    metavar="SPEC",
    help="ideas, setcover, mean, wmd, jaccard, edit, bow or topic; count, frequency, bm25, lm or"
    " translation, which weigh words and phrases; parameters as in ideas(r=20); several at"
    " once as in fuse(ideas, topic).",
)
@click.option("--like", metavar="ID", help="More like this document or sentence of the index.")
@click.option("-k", default=5, show_default=True, type=whole(bounds.RESULTS), help="How many.")
@unit_option("sentence")
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only such documents.")
@click.option("--metric", metavar="NAME", help="Under a metric from `lexfield metric learn`.")
@click.option(
    "--algebra",
    is_flag=True,
    help='Read the text as sums of words and phrases: 3*storm + 2*"at sea" - rain. For count,'
    " frequency, bm25, lm and translation; by default it is plain text.",
)
@allow_unknown_option
@click.option("--explain", is_flag=True, help="Show why each hit was found.")
@click.option("--full", is_flag=True, help="Whole texts, not the passages that answer best.")
@click.option(
    "--run", is_flag=True, help="Print a TREC run; a query may begin with its id and a tab."
)
@cluster_option
@output_options
def search(
    path: str,
    text: str | None,
    queries: str | None,
    method: str,
    like: str | None,
    k: int,
    where: tuple[str, ...],
    metric: str | None,
    explain: bool,
    full: bool,
    run: bool,
    cluster: str | None,
    output: str | None,
    **how: Any,
) -> None:
    """Find the sentences or documents of an index that answer a text; - reads a query a line.

    \b
    lexfield search my.idx "The ship came home in the storm." --explain
    lexfield search my.idx "a lost child" --method mean -k 10 --where level=college
    lexfield search tickets.idx "app crashes on start" --unit document --method wmd
    lexfield search my.idx --queries questions.txt --method "ideas(r=20)" --jsonl
    lexfield search my.idx "storm at sea" --method "fuse(ideas, topic)" --explain
    lexfield search my.idx '3*storm + 2*"copper pot" - boat' --algebra --method bm25 --explain
    lexfield search my.idx --like letters/march --method topic
    lexfield search tickets.idx "app crashes on start" --method mean --metric support
    lexfield search my.idx --queries topics.tsv --unit document -k 100 --run > mine.run
    lexfield search s3://bucket/my.idx --queries questions.txt --cluster tcp://10.0.0.5:8786
    """
    from lexfield.answers.search import ranked
    from lexfield.cluster.sharded_index import open_index
    from lexfield.index.filter import parse_where

    if like is not None and (text is not None or queries is not None or how["algebra"]):
        raise click.UsageError("Give either a TEXT or --like ID, not both; --algebra needs a TEXT.")
    names, texts = _read(text, queries, run) if like is None else ([like], [])
    index = open_index(path, metric)
    how["where"] = parse_where(where)
    with engine_at(cluster) as engine:  # texts and reasons of hits may be fetched from it
        with Bar("searching", engine) as bar:
            if like is not None:
                chosen = {name: how[name] for name in ("where", "allow_unknown")}
                rankings = [index.like(like, method, k, **chosen)]
            else:
                how.update(engine=engine, names=names if text in (None, "-") else ())
                rankings = list(index.search_many(texts, method, k, progress=bar, **how))
        if run:
            return _print_run(names, rankings)
        many = len(texts) > 1
        by = "query" if many else None
        answer = ranked(rankings, explain=explain or not many, full=full, by=by)
        tell(answer, output, lambda: list(_format_rankings(rankings, explain, full)))


def _format_rankings(rankings: Sequence[Ranking], explain: bool, full: bool) -> Iterator[str]:
    for ranking in rankings:
        if len(rankings) > 1:
            yield paint(ranking.query, "blue")
        for hit in ranking:
            yield from hit_lines(hit, explain, full)


def _read(text: str | None, queries: str | None, run: bool) -> tuple[list[str], list[str]]:
    """Return the ids and the texts of the queries."""
    from lexfield.evaluate.queries import read_queries, split_line

    if (text is None) == (queries is None):
        raise click.UsageError("Give either a TEXT (or - for standard input) or --queries FILE.")
    if text is not None and text != "-":
        identity, rest = split_line(text) if run else ("", text)
        return [identity or "1"], [rest]
    read = read_queries(queries)
    return list(read), list(read.values())


def _print_run(names: Sequence[str], rankings: Sequence[Ranking]) -> None:
    from lexfield.evaluate.trec import Run, run_lines

    queries = {
        name: [(hit.id, hit.score) for hit in ranking]
        for name, ranking in zip(names, rankings, strict=True)
    }
    for line in run_lines(Run(rankings[0].method, queries)):
        echo_data(line)


def hit_lines(hit: Hit, explain: bool, full: bool = False) -> Iterator[str]:
    """A hit as lines of text, with its reasons if wanted."""
    if full:
        shown = " ".join(hit.text.split())
    elif explain:
        shown = " … ".join(_highlighted(passage) for passage in hit.passages)
    else:
        shown = _plain(hit)
    yield f"{hit.rank:>3}. {hit.score:9.4f}  {shown}  {paint(f'[{hit.id}]', 'bright_black')}"
    if explain:
        for line in hit.explanation.lines():
            yield f"                  {line}"


def _plain(hit: Hit) -> str:
    """The best passage on one line."""
    passage = hit.passages[0]
    shown = " ".join(passage.text.split())
    if len(shown) > _LINE:
        shown = shown[:_LINE]
    return shown if passage.complete and len(shown) < _LINE else f"{shown}…"


def _highlighted(passage: Passage) -> str:
    """The text with matched words in the colour of the query word that they answer."""
    from lexfield.index.highlights import pieces

    numbers: dict[str, int] = {}
    parts = [
        piece
        if query is None
        else paint(piece, _COLOURS[numbers.setdefault(query, len(numbers)) % len(_COLOURS)])
        for piece, query in pieces(passage.text, passage.highlights)
    ]
    return " ".join("".join(parts).split())
