"""The tasks of a search over shards: what one shard answers to a batch of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from lexfield.cluster.index import open_index
from lexfield.cluster.shards import ShardedCollection, Sums
from lexfield.errors import StoreError
from lexfield.index.filter import allowed_rows, unmatched
from lexfield.index.query import Query
from lexfield.search import parts
from lexfield.search.batch import Answer, answer_texts
from lexfield.search.index import Index
from lexfield.search.methods import Method, parse, read_query
from lexfield.store.folder import manifest_sum

Conditions = Mapping[str, str | Sequence[str]]


@lru_cache(maxsize=4)
def _open(path: str, manifest: str, shard: int) -> ShardedCollection:
    """Return a shard as the whole index sees it; a few are kept open."""
    index = ShardedCollection(path, shard)
    if manifest_sum(index.path) != manifest:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    return index


def _read(index: ShardedCollection, method: Method, text: str, algebra: bool) -> Query:
    """Read a query for a method; whoever sends the tasks has looked at the coverage."""
    return read_query(index, method, text, algebra=algebra, allow_unknown=True)


def unmatched_values(
    path: str, manifest: str, shard: int, unit: str, where: Conditions
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return the conditions that no document of this shard meets, and their fields' values."""
    return unmatched(_open(path, manifest, shard).rows(unit), where)


def preview(
    path: str,
    manifest: str,
    shard: int,
    texts: list[str],
    spec: str,
    k: int,
    unit: str,
    where: Conditions | None,
    algebra: bool,
) -> dict[str, Any]:
    """Return the method's previews of the queries, and the counts that they asked for."""
    index = _open(path, manifest, shard)
    rows, method = index.rows(unit), parse(spec)
    allowed = allowed_rows(rows, where)
    with index.statistics(unit).record() as counts:
        previews = [
            parts.preview(method, rows, _read(index, method, text, algebra), k, allowed)
            for text in texts
        ]
    return {"previews": previews, "counts": [(list(key), *both) for key, both in counts.items()]}


def answer(
    path: str,
    manifest: str,
    shard: int,
    texts: list[str],
    spec: str,
    k: int,
    unit: str,
    where: Conditions | None,
    algebra: bool,
    sums: Sums,
    hints: list[Any],
) -> list[Any]:
    """Return what this shard knows of the best rows for each text."""
    index = _open(path, manifest, shard)
    rows, method = index.rows(unit), parse(spec)
    index.statistics(unit).learn(sums)
    allowed = allowed_rows(rows, where)
    return [
        parts.answer(method, rows, _read(index, method, text, algebra), k, allowed, hint)
        for text, hint in zip(texts, hints, strict=True)
    ]


def explain(
    path: str,
    manifest: str,
    shard: int,
    text: str,
    spec: str,
    k: int,
    unit: str,
    where: Conditions | None,
    algebra: bool,
    sums: Sums,
    row: int,
) -> dict[str, Any]:
    """Return the reasons for one row, which is among the best of this shard."""
    index = _open(path, manifest, shard)
    rows, method = index.rows(unit), parse(spec)
    index.statistics(unit).learn(sums)
    query = _read(index, method, text, algebra)
    found = method.search(rows, query, min(k, len(rows)), allowed_rows(rows, where))
    return asdict(found.explain(found.rows.index(row)))


def row_entries(path: str, manifest: str, shard: int, unit: str, row: int) -> list[Any]:
    """Return words, counts and shares of a row."""
    return [part.tolist() for part in _open(path, manifest, shard).rows(unit).entries(row)]


def describe(
    path: str, manifest: str, shard: int, unit: str, rows: list[int], texts: bool
) -> list[dict[str, Any]]:
    """Return ids, places and metadata of rows; with their texts if wanted."""
    held = _open(path, manifest, shard).rows(unit)
    return [{**held.describe(row), **({"text": held.text(row)} if texts else {})} for row in rows]


def passages(
    path: str, manifest: str, shard: int, unit: str, row: int, answers: dict[str, list[Any]]
) -> list[dict[str, Any]]:
    """Return the pieces of a row's text that answer a query best."""
    held = _open(path, manifest, shard).rows(unit)
    given = {word: (query, weight) for word, (query, weight) in answers.items()}
    return [asdict(passage) for passage in held.passages(row, given)]


def search_texts(
    path: str, metric: str | None, state: str, texts: list[str], request: dict[str, Any]
) -> list[Answer]:
    """Search all shards of the index at a path or address, in one process."""
    return answer_texts(_open_all(path), state, texts, request)


@lru_cache(maxsize=1)
def _open_all(path: str) -> Index:
    return open_index(path)
