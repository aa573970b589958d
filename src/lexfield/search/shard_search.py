"""The tasks of a search over shards: what one shard answers to a batch of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import StoreError
from lexfield.search.bag_method import BagMethod, list_terms
from lexfield.search.bags import Bags
from lexfield.search.cover import CoverMethod
from lexfield.search.filter import allowed_rows, unmatched
from lexfield.search.fuse import Fuse
from lexfield.search.gathered import gather
from lexfield.search.method import Method
from lexfield.search.query import Query
from lexfield.search.registry import parse, read_query
from lexfield.search.rows import Rows
from lexfield.search.shards import ShardedIndex
from lexfield.search.wmd import Wmd
from lexfield.store.folder import manifest_sum

Where = Mapping[str, str | Sequence[str]]
Allowed = NDArray[np.bool_] | None
Sums = list[tuple[list[Any], int, int]]


@lru_cache(maxsize=4)
def _opened(path: str, manifest: str, shard: int) -> ShardedIndex:
    """A shard as the whole sees it; a few are kept open."""
    index = ShardedIndex(path, [shard])
    if manifest_sum(index.path) != manifest:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    return index


def _read(index: ShardedIndex, method: Method, text: str, algebra: bool) -> Query:
    """A query as a method reads it; whoever sends the tasks has looked at the coverage."""
    return read_query(index, method, text, algebra=algebra, allow_unknown=True)


def unmatched_values(
    path: str, manifest: str, shard: int, unit: str, where: Where
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """The conditions that no document of this shard meets, and the values of their fields."""
    return unmatched(_opened(path, manifest, shard).rows(unit), where)


def count_grams(
    path: str, manifest: str, shard: int, texts: list[str], spec: str, unit: str, algebra: bool
) -> Sums:
    """What this shard holds of the n-grams and groups of words that the queries ask for."""
    index = _opened(path, manifest, shard)
    rows = index.rows(unit)
    assert rows.whole is not None
    method = parse(spec)
    bags = Bags.of(rows)
    with rows.whole.counting() as counts:
        for text in texts:
            query = _read(index, method, text, algebra)
            for inner in leaves(method):
                if isinstance(inner, BagMethod):
                    for term in list_terms(bags, query):
                        inner.score_term(bags, term, query)
                        bags.total(len(term.gram))
    return [(list(key), *sums) for key, sums in counts.items()]


def first_distances(
    path: str,
    manifest: str,
    shard: int,
    texts: list[str],
    spec: str,
    k: int,
    unit: str,
    where: Where | None,
    algebra: bool,
) -> list[list[float]]:
    """Distances of the most promising rows, from which all shards take their first limit."""
    index = _opened(path, manifest, shard)
    rows = index.rows(unit)
    allowed = allowed_rows(rows, where)
    found = []
    for text in texts:
        query = index.query(text)
        found.append(
            [
                -score
                for score in Wmd().search(rows, query, _most(k, rows), allowed, stages=1).scores
            ]
        )
    return found


def answer(
    path: str,
    manifest: str,
    shard: int,
    texts: list[str],
    spec: str,
    k: int,
    unit: str,
    where: Where | None,
    algebra: bool,
    sums: Sums,
    limits: list[float | None],
) -> list[Any]:
    """What this shard knows of the best rows for each text."""
    index = _opened(path, manifest, shard)
    rows = index.rows(unit)
    _learn(rows, sums)
    allowed = allowed_rows(rows, where)
    method = parse(spec)
    return [
        _answer(method, rows, _read(index, method, text, algebra), k, allowed, limit)
        for text, limit in zip(texts, limits, strict=True)
    ]


def _answer(
    method: Any, rows: Rows, query: Query, k: int, allowed: Allowed, limit: float | None
) -> dict[str, Any]:
    assert rows.whole is not None
    if isinstance(method, Fuse):
        each = method.count_each(k, rows.whole.rows)
        return {"inner": [_answer(m, rows, query, each, allowed, None) for m in method.methods]}
    if isinstance(method, CoverMethod):
        return gather(method, rows, query, k, allowed)
    more = {} if limit is None else {"limit": limit}
    found = method.search(rows, query, _most(k, rows), allowed, **more)
    return {"rows": found.rows, "scores": found.scores, "notes": found.notes}


def explain(
    path: str,
    manifest: str,
    shard: int,
    text: str,
    spec: str,
    k: int,
    unit: str,
    where: Where | None,
    algebra: bool,
    sums: Sums,
    row: int,
) -> dict[str, Any]:
    """The reasons for one row, which is among the best of this shard."""
    index = _opened(path, manifest, shard)
    rows = index.rows(unit)
    _learn(rows, sums)
    method = parse(spec)
    query = _read(index, method, text, algebra)
    found = method.search(rows, query, _most(k, rows), allowed_rows(rows, where))
    return asdict(found.explain(found.rows.index(row)))


def row_entries(path: str, manifest: str, shard: int, unit: str, rows: list[int]) -> list[Any]:
    """Words, counts and shares of rows."""
    held = _opened(path, manifest, shard).rows(unit)
    return [[part.tolist() for part in held.entries(row)] for row in rows]


def describe(
    path: str, manifest: str, shard: int, unit: str, rows: list[int], texts: bool
) -> list[dict[str, Any]]:
    """Ids, places and metadata of rows; with their texts if wanted."""
    held = _opened(path, manifest, shard).rows(unit)
    return [{**held.describe(row), **({"text": held.text(row)} if texts else {})} for row in rows]


def passages(
    path: str, manifest: str, shard: int, unit: str, row: int, answers: dict[str, list[Any]]
) -> list[dict[str, Any]]:
    """The pieces of a row's text that answer a query best."""
    held = _opened(path, manifest, shard).rows(unit)
    given = {word: (query, weight) for word, (query, weight) in answers.items()}
    return [asdict(passage) for passage in held.passages(row, given)]


def leaves(method: Any) -> list[Any]:
    """A method, or those that it fuses."""
    if isinstance(method, Fuse):
        return [leaf for inner in method.methods for leaf in leaves(inner)]
    return [method]


def _most(k: int, rows: Rows) -> int:
    return min(k, len(rows))


def _learn(rows: Rows, sums: Sums) -> None:
    assert rows.whole is not None
    rows.whole.learn(sums)
