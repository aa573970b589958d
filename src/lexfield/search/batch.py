"""Many queries at once, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from lexfield.engine import Engine, Local
from lexfield.errors import StoreError, check
from lexfield.explain import Explanation
from lexfield.progress import Progress
from lexfield.search.filter import allowed_rows
from lexfield.search.methods import Method, parse, spec_of
from lexfield.search.ranking import Found, Ranking, noted
from lexfield.search.weighted import BagMethod

if TYPE_CHECKING:
    from lexfield.search.index import Index

_BATCH = 50  # queries a task

Where = Mapping[str, str | Sequence[str]]


def search_many(
    index: Index,
    texts: Sequence[str],
    method: str | Method,
    k: int,
    unit: str,
    where: Where | None,
    progress: Progress,
    engine: Engine | None = None,
) -> Iterator[Ranking]:
    """``index.search`` of every text, in order; with an ``engine`` there."""
    from lexfield.search.shards import ShardedIndex

    if engine is not None and isinstance(index, ShardedIndex):
        from lexfield.search.across import search_across

        yield from search_across(index, texts, method, k, unit, where, progress, engine)
        return
    chosen = parse(method)
    spec = spec_of(chosen)
    if isinstance(chosen, BagMethod) and engine is None:
        yield from _in_turn(index, texts, chosen, k, unit, where, progress)
        return
    if len(texts) < 2 * _BATCH and engine is None:  # a worker takes longer to start
        for number, text in enumerate(texts, 1):
            yield index.search(text, spec, k, unit=unit, where=where)
            progress(number, len(texts))
        return
    batches = [list(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
    place = {
        "path": getattr(index, "address", str(index.path.resolve())),
        "metric": index.metric,
        "generation": index.generation,
    }
    wanted = {"spec": spec, "k": int(k), "unit": unit, "where": dict(where) if where else None}
    items = [{**place, **wanted, "texts": batch} for batch in batches]
    rows = index.rows(unit)
    results = (engine or Local()).map(
        "lexfield.search.batch:search_texts", items, progress=progress
    )
    for batch, answers in zip(batches, results, strict=True):
        for text, (found, scores, notes) in zip(batch, answers, strict=True):
            explain = partial(_explain, index, text, spec, k, unit, where)
            asked = index.query(text).words
            yield Ranking(Found(found, scores, explain, notes, asked), rows, spec, text)


def _in_turn(
    index: Index,
    texts: Sequence[str],
    method: BagMethod,
    k: int,
    unit: str,
    where: Where | None,
    progress: Progress,
) -> Iterator[Ranking]:
    """A bag query takes a tenth of a millisecond: two threads would wait for each other longer, and
    processes would have to send as much as they compute."""
    check(isinstance(k, int) and k >= 1, "k", "a whole number of at least 1", k)
    rows = index.rows(unit)
    allowed = allowed_rows(rows, where)
    spec = spec_of(method)
    for number, text in enumerate(texts, 1):
        query = method.read(index, text)
        found = method.search(rows, query, min(k, len(rows)), allowed)
        yield Ranking(noted(found, query), rows, spec, text)
        progress(number, len(texts))


def search_texts(
    path: str,
    metric: str | None,
    generation: str,
    texts: list[str],
    spec: str,
    k: int,
    unit: str,
    where: Where | None,
) -> list[tuple[list[int], list[float], list[str]]]:
    """The task: rows, scores and notes for each text."""
    index = _opened(path, metric)
    if index.generation != generation:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    rankings = [index.search(text, spec, k, unit=unit, where=where) for text in texts]
    return [(ranking.rows, ranking.scores, ranking.notes) for ranking in rankings]


@lru_cache(maxsize=1)
def _opened(path: str, metric: str | None) -> Index:
    from lexfield.search.index import Index

    return Index.open(path, metric)


def _explain(
    index: Index, text: str, spec: str, k: int, unit: str, where: Where | None, place: int
) -> Explanation:
    """Reasons are not carried between processes: the search is done again for them."""
    return index.search(text, spec, k, unit=unit, where=where)[place].explanation
