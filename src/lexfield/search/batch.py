"""Many queries at once, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from lexfield.bags.algebra import parse_algebra
from lexfield.engine import Engine, Local
from lexfield.errors import InputError, StoreError, check
from lexfield.explain import Explanation
from lexfield.progress import Progress
from lexfield.search.filter import allowed_rows, where_notes
from lexfield.search.methods import Method, parse, read_query, spec_of
from lexfield.search.query import LONGEST_QUERY, check_length
from lexfield.search.ranking import Found, Ranking, noted
from lexfield.search.weighted import BagMethod
from lexfield.text.segment import split_words

if TYPE_CHECKING:
    from lexfield.search.index import Index

_BATCH = 50  # queries a task

Where = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Asked:
    """How all texts are searched; the fields are the options of ``Index.search``."""

    method: str | Method
    k: int
    unit: str
    where: Where | None
    algebra: bool
    allow_unknown: bool

    @property
    def options(self) -> dict[str, Any]:
        """The options of a search beside its method and k."""
        return {
            "unit": self.unit,
            "where": dict(self.where) if self.where else None,
            "algebra": self.algebra,
            "allow_unknown": self.allow_unknown,
        }


def search_many(
    index: Index,
    texts: Sequence[str],
    asked: Asked,
    names: Sequence[str],
    progress: Progress,
    engine: Engine | None = None,
) -> Iterator[Ranking]:
    """``index.search`` of every text, in order; with an ``engine`` there."""
    from lexfield.search.shards import ShardedIndex

    check_queries(texts, names, asked.algebra)
    if engine is not None and isinstance(index, ShardedIndex):
        from lexfield.search.across import search_across

        yield from search_across(index, texts, asked, progress, engine)
        return
    chosen = parse(asked.method)
    spec, k = spec_of(chosen), asked.k
    if isinstance(chosen, BagMethod) and engine is None:
        yield from _in_turn(index, texts, chosen, asked, progress)
        return
    if len(texts) < 2 * _BATCH and engine is None:  # a worker takes longer to start
        for number, text in enumerate(texts, 1):
            yield index.search(text, spec, k, **asked.options)
            progress(number, len(texts))
        return
    batches = [list(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
    place = {
        "path": getattr(index, "address", str(index.path.resolve())),
        "metric": index.metric,
        "state": index.state,
    }
    wanted = {"spec": spec, "k": int(k), "options": asked.options}
    items = [{**place, **wanted, "texts": batch} for batch in batches]
    rows = index.rows(asked.unit)
    results = (engine or Local()).map(
        "lexfield.search.batch:search_texts", items, progress=progress
    )
    for batch, answers in zip(batches, results, strict=True):
        for text, (found, scores, notes) in zip(batch, answers, strict=True):
            explain = partial(_explain, index, text, spec, k, asked.options)
            words = read_query(
                index, chosen, text, algebra=asked.algebra, allow_unknown=asked.allow_unknown
            ).wanted
            yield Ranking(Found(found, scores, explain, notes, words), rows, spec, text)


def check_queries(texts: Sequence[str], names: Sequence[str], algebra: bool) -> None:
    """Refuse texts that cannot be read, before any is searched; the error names the query."""
    for number, text in enumerate(texts):
        try:
            check(isinstance(text, str), "a query", "a string", text)
            if algebra:
                parse_algebra(text)
            if len(text) > LONGEST_QUERY:  # else it cannot have so many words
                check_length(split_words(text))
        except InputError as error:
            if len(texts) == 1 and not names:
                raise
            name = names[number] if names else number + 1
            raise InputError(f"Query {name}: {error.message}", error.hint) from error


def _in_turn(
    index: Index, texts: Sequence[str], method: BagMethod, asked: Asked, progress: Progress
) -> Iterator[Ranking]:
    """A bag query takes a tenth of a millisecond: two threads would wait for each other longer, and
    processes would have to send as much as they compute."""
    k, where = asked.k, asked.where
    check(isinstance(k, int) and k >= 1, "k", "a whole number of at least 1", k)
    rows = index.rows(asked.unit)
    allowed, missing = allowed_rows(rows, where), where_notes(rows, where)
    spec = spec_of(method)
    for number, text in enumerate(texts, 1):
        query = read_query(
            index, method, text, algebra=asked.algebra, allow_unknown=asked.allow_unknown
        )
        found = method.search(rows, query, min(k, len(rows)), allowed)
        yield Ranking(noted(found, query, missing), rows, spec, text)
        progress(number, len(texts))


def search_texts(
    path: str,
    metric: str | None,
    state: str,
    texts: list[str],
    spec: str,
    k: int,
    options: dict[str, Any],
) -> list[tuple[list[int], list[float], list[str]]]:
    """The task: rows, scores and notes for each text."""
    index = _opened(path, metric)
    if index.state != state:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    rankings = [index.search(text, spec, k, **options) for text in texts]
    return [(ranking.rows, ranking.scores, ranking.notes) for ranking in rankings]


@lru_cache(maxsize=1)
def _opened(path: str, metric: str | None) -> Index:
    from lexfield.search.index import Index

    return Index.open(path, metric)


def _explain(
    index: Index, text: str, spec: str, k: int, options: dict[str, Any], place: int
) -> Explanation:
    """Reasons are not carried between processes: the search is done again for them."""
    return index.search(text, spec, k, **options)[place].explanation
