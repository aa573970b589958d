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
from lexfield.search.method import Method, check_k, format_method
from lexfield.search.query import LONGEST_QUERY, check_length
from lexfield.search.ranking import Found, Ranking, noted
from lexfield.search.registry import METHODS, parse, read_query
from lexfield.text.segment import split_words

if TYPE_CHECKING:
    from lexfield.search.index import Index

_BATCH = 50  # queries per task

Where = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class SearchOptions:
    """The options of ``Index.search``, for all texts."""

    method: str | Method
    k: int
    unit: str
    where: Where | None
    algebra: bool
    allow_unknown: bool

    @property
    def others(self) -> dict[str, Any]:
        """The options other than method and k."""
        return {
            "unit": self.unit,
            "where": dict(self.where) if self.where else None,
            "algebra": self.algebra,
            "allow_unknown": self.allow_unknown,
        }


def search_many(
    index: Index,
    texts: Sequence[str],
    options: SearchOptions,
    names: Sequence[str],
    progress: Progress,
    engine: Engine | None = None,
) -> Iterator[Ranking]:
    """Search for every text, in order; on ``engine`` if there is one."""
    from lexfield.search.shards import ShardedIndex

    check_queries(texts, names, options.algebra)
    if engine is not None and isinstance(index, ShardedIndex):
        from lexfield.search.across import search_across

        yield from search_across(index, texts, options, progress, engine)
        return
    method = parse(options.method)
    if engine is None and (
        getattr(method, "is_fast", False)
        or len(texts) < 2 * _BATCH  # a worker takes longer to start
        or not _is_known_elsewhere(method)
    ):
        yield from _search_in_turn(index, texts, method, options, progress)
        return
    spec, k, others = format_method(method), int(options.k), options.others
    batches = [list(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
    shared = {
        "path": getattr(index, "address", str(index.path.resolve())),
        "metric": index.metric,
        "state": index.state,
        "spec": spec,
        "k": k,
        "options": others,
    }
    items = [{**shared, "texts": batch} for batch in batches]
    rows = index.rows(options.unit)
    results = (engine or Local()).map(
        "lexfield.search.batch:search_texts", items, progress=progress
    )
    for batch, answers in zip(batches, results, strict=True):
        for text, (found, scores, notes) in zip(batch, answers, strict=True):
            explain = partial(_explain, index, text, spec, k, others)
            words = read_query(
                index, method, text, algebra=options.algebra, allow_unknown=options.allow_unknown
            ).wanted
            yield Ranking(Found(found, scores, explain, notes, words), rows, spec, text)


def _is_known_elsewhere(method: Method) -> bool:
    """Can other processes make this method from its spec?"""
    name = str(method.name)
    known = METHODS.is_shared(name) and METHODS.get(name) is type(method)
    return known and all(map(_is_known_elsewhere, getattr(method, "methods", ())))


def check_queries(texts: Sequence[str], names: Sequence[str], algebra: bool) -> None:
    """Raise InputError if a text cannot be read, before any is searched; it names the query."""
    for number, text in enumerate(texts):
        try:
            check(isinstance(text, str), "a query", "a string", text)
            if algebra:
                parse_algebra(text)
            if len(text) > LONGEST_QUERY:  # a shorter text cannot have too many words
                check_length(split_words(text))
        except InputError as error:
            if len(texts) == 1 and not names:
                raise
            name = names[number] if names else number + 1
            raise InputError(f"Query {name}: {error.message}", error.hint) from error


def _search_in_turn(
    index: Index, texts: Sequence[str], method: Method, options: SearchOptions, progress: Progress
) -> Iterator[Ranking]:
    """Search in this thread, with one mask of rows for all texts.

    A bag query takes a tenth of a millisecond: threads would wait for each other longer, and
    processes would have to send as much as they compute.
    """
    k, where = options.k, options.where
    check_k(k)
    rows = index.rows(options.unit)
    among, missing = allowed_rows(rows, where), where_notes(rows, where)
    spec = format_method(method)
    for number, text in enumerate(texts, 1):
        query = read_query(
            index, method, text, algebra=options.algebra, allow_unknown=options.allow_unknown
        )
        found = method.search(rows, query, min(int(k), len(rows)), among)
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
    """Return rows, scores and notes for each text; this is the task of a worker."""
    index = _open(path, metric)
    if index.state != state:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    rankings = [index.search(text, spec, k, **options) for text in texts]
    return [(ranking.rows, ranking.scores, ranking.notes) for ranking in rankings]


@lru_cache(maxsize=1)
def _open(path: str, metric: str | None) -> Index:
    from lexfield.search.index import Index

    return Index.open(path, metric)


def _explain(
    index: Index, text: str, spec: str, k: int, options: dict[str, Any], place: int
) -> Explanation:
    """Search again for the reasons, which are not sent between processes."""
    return index.search(text, spec, k, **options)[place].explanation
