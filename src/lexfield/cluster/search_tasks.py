"""The tasks of a search over shards: what one shard answers to a batch of queries.

``place`` says which shard is asked: path, manifest and shard; ``question`` has the fields of a
``Question``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from lexfield.cluster.sharded_index import open_index
from lexfield.cluster.shards import ShardedCollection, Sums
from lexfield.errors import StoreError
from lexfield.index.filter import allowed_rows, unmatched
from lexfield.index.query import Query
from lexfield.index.rows import Rows
from lexfield.results import JsonObject
from lexfield.search import in_parts
from lexfield.search.index import Index
from lexfield.search.registry import parse, read_query
from lexfield.search.searcher import Answer, answer_texts
from lexfield.store.folder import manifest_sum

Place = JsonObject
Conditions = Mapping[str, str | Sequence[str]]


@lru_cache(maxsize=4)
def _open(path: str, manifest: str, shard: int) -> ShardedCollection:
    """Return a shard as the whole index sees it; a few are kept open."""
    index = ShardedCollection(path, shard)
    if manifest_sum(index.path) != manifest:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    return index


def _rows(place: Place, unit: str) -> Rows:
    return _open(**place).rows(unit)


@dataclass(frozen=True)
class Question:
    """How all shards are searched."""

    spec: str
    k: int
    unit: str
    where: Conditions | None
    algebra: bool


class _Shard:
    """A shard that is asked a question."""

    def __init__(self, place: Place, question: JsonObject) -> None:
        self._asked = Question(**question)
        self._index = _open(**place)
        self.method, self.k = parse(self._asked.spec), self._asked.k
        self.rows = self._index.rows(self._asked.unit)
        self.statistics = self._index.statistics(self._asked.unit)
        self.allowed = allowed_rows(self.rows, self._asked.where)

    def read(self, text: str) -> Query:
        """Read a query; whoever sends the tasks has checked the coverage."""
        asked = self._asked
        return read_query(self._index, self.method, text, algebra=asked.algebra, allow_unknown=True)


def unmatched_values(
    place: Place, unit: str, where: Conditions
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return the conditions that no document of this shard meets, and their fields' values."""
    return unmatched(_rows(place, unit), where)


def preview(place: Place, question: JsonObject, texts: list[str]) -> JsonObject:
    """Return the method's previews of the queries, and the counts that they asked for."""
    shard = _Shard(place, question)
    with shard.statistics.record() as counts:
        previews = [
            in_parts.preview(shard.method, shard.rows, shard.read(text), shard.k, shard.allowed)
            for text in texts
        ]
    return {"previews": previews, "counts": [(list(key), *both) for key, both in counts.items()]}


def answer(
    place: Place, question: JsonObject, texts: list[str], sums: Sums, hints: list[Any]
) -> list[Any]:
    """Return what this shard knows of the best rows for each text."""
    shard = _Shard(place, question)
    shard.statistics.learn(sums)
    return [
        in_parts.answer(shard.method, shard.rows, shard.read(text), shard.k, shard.allowed, hint)
        for text, hint in zip(texts, hints, strict=True)
    ]


def explain(place: Place, question: JsonObject, text: str, sums: Sums, row: int) -> JsonObject:
    """Return the reasons for one row, which is among the best of this shard."""
    shard = _Shard(place, question)
    shard.statistics.learn(sums)
    k = min(shard.k, len(shard.rows))
    found = shard.method.search(shard.rows, shard.read(text), k, shard.allowed)
    return asdict(found.explain(found.rows.index(row)))


def row_entries(place: Place, unit: str, row: int) -> list[Any]:
    """Return words, counts and shares of a row."""
    return [part.tolist() for part in _rows(place, unit).entries(row)]


def describe(place: Place, unit: str, rows: list[int], texts: bool) -> list[JsonObject]:
    """Return ids, places and metadata of rows; with their texts if wanted."""
    held = _rows(place, unit)
    return [{**held.describe(row), **({"text": held.text(row)} if texts else {})} for row in rows]


def passages(place: Place, unit: str, row: int, answers: dict[str, list[Any]]) -> list[JsonObject]:
    """Return the pieces of a row's text that answer a query best."""
    given = {word: (query, weight) for word, (query, weight) in answers.items()}
    return [asdict(passage) for passage in _rows(place, unit).passages(row, given)]


def search_texts(
    path: str, metric: str | None, state: str, texts: list[str], request: JsonObject
) -> list[Answer]:
    """Search all shards of the index at a path or address, in one process."""
    return answer_texts(_open_all(path), state, texts, request)


@lru_cache(maxsize=1)
def _open_all(path: str) -> Index:
    return open_index(path)
