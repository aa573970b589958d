"""A search over shards on an engine: rounds of tasks, one for each shard and batch of queries.

Every shard answers with what it knows of its best rows, scored by the statistics of the whole, and
the method merges the answers (``search/in_parts.py``). Where the method wants it, a round of
previews comes first; the counts that they asked for are added up over all shards.

The tasks are the functions at the end. Their ``place`` says which shard is asked (path, manifest,
shard), their ``question`` has the fields of a ``SearchRequest``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from lexfield.cluster.shards import ShardedCollection, Sums
from lexfield.engine import Engine
from lexfield.errors import StoreError, check
from lexfield.explain import Explanation, Reason
from lexfield.index.chance import Tail, join
from lexfield.index.filter import allowed_rows, unmatched
from lexfield.index.passages import Answers, Highlight, Passage
from lexfield.index.query import Query
from lexfield.index.ranking import Found, Ranking, add_notes
from lexfield.index.rows import Rows
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.search import in_parts
from lexfield.search.in_parts import Entries, Parts
from lexfield.search.method import Method, draw_sample, format_method
from lexfield.search.registry import parse
from lexfield.search.searcher import SearchRequest
from lexfield.store.folder import manifest_sum
from lexfield.text.fields import Condition, find_source, missing_note, read_where, unknown_field

_BATCH = 50  # queries per task


class ShardSearch:
    """A search of one index with fixed options."""

    def __init__(self, index: ShardedCollection, request: SearchRequest, engine: Engine) -> None:
        self.unit = request.unit
        check(self.unit in ("sentence", "document"), "unit", "'sentence' or 'document'", self.unit)
        self._index, self._engine, self._request = index, engine, request
        self._method = parse(request.method)
        self._read("")  # raises an error here, before any shard is asked
        self._statistics = index.statistics(self.unit)
        self._k = min(int(request.k), self._statistics.rows)
        self._where = read_where(request.where)
        counts = [shard[self.unit] for shard in index.shards]
        self._firsts = np.append(0, np.cumsum(counts)).tolist()
        self._shards = [number for number, count in enumerate(counts) if count]
        self._place = {"path": index.address, "manifest": manifest_sum(index.path)}
        # The coverage has been checked here, for the whole.
        spec = format_method(self._method)
        asked = replace(request, method=spec, k=self._k, allow_unknown=True)
        self._question = asdict(asked)
        self._notes = self._describe_where()

    def run(self, texts: list[str], progress: Progress) -> Iterator[Ranking]:
        batches = [texts[i : i + _BATCH] for i in range(0, len(texts), _BATCH)]
        previews = self._previews(batches)
        more = [{"sums": sums, "hints": hints} for sums, hints in previews]
        rounds = self._round(answer, batches, more, progress)
        for batch, (sums, _), answers in zip(batches, previews, rounds, strict=True):
            rows = ShardTexts(self)
            found = [
                self._merge(text, [answer[i] for answer in answers], sums)
                for i, text in enumerate(batch)
            ]
            rows.expect([row for one in found for row in one.rows])
            for text, one in zip(batch, found, strict=True):
                yield Ranking(one, rows, self._question["method"], text)

    def _read(self, text: str) -> Query:
        return self._request.read(self._index, self._method, text)

    def _describe_where(self) -> list[str]:
        """Return notes that name the conditions that no document of any shard meets.

        Raise InputError if no shard has a field that is asked for.
        """
        known = sorted(self._statistics.fields)
        for name, _, _ in self._where:
            if not find_source(name, known, ()) and name != "id":
                raise unknown_field(name, known)
        if not self._where:
            return []
        asked = [(shard, {"unit": self.unit, "where": self._where}) for shard in self._shards]
        answers = list(self.task(unmatched_values, asked))
        in_all = set.intersection(*({tuple(one) for one in missing} for missing, _ in answers))
        values: dict[str, Counter[str]] = {name: Counter() for name, _, _ in self._where}
        for _, found in answers:
            for name, some in found.items():
                values[name].update(some)
        return [missing_note(name, part, list(values[name])) for name, part in sorted(in_all)]

    def task(
        self,
        function: Callable[..., Any],
        asked: list[tuple[int, JsonObject]],
        progress: Progress = silent,
    ) -> Iterator[Any]:
        """Run a task of this module for each pair of a shard and arguments."""
        items = [{"place": {**self._place, "shard": shard}, **more} for shard, more in asked]
        return self._engine.map(f"{__name__}:{function.__name__}", items, progress=progress)

    def _round(
        self,
        task: Callable[..., Any],
        batches: Sequence[list[str]],
        more: Sequence[JsonObject],
        progress: Progress = silent,
    ) -> Iterator[list[Any]]:
        """Yield what the shards answer to each batch."""
        asked = [
            (shard, {"question": self._question, "texts": batch, **extra})
            for batch, extra in zip(batches, more, strict=True)
            for shard in self._shards
        ]
        results = self.task(task, asked, progress)
        for _ in batches:
            yield [next(results) for _ in self._shards]
        next(results, None)  # exhaust the generator so that its cleanup runs

    def _previews(self, batches: list[list[str]]) -> list[tuple[Sums, list[Any]]]:
        """Return for each batch the sums of what was counted, and a hint for every text."""
        every = (text for batch in batches for text in batch)
        if not any(in_parts.wants_preview(self._method, self._read(text)) for text in every):
            return [([], [None] * len(batch)) for batch in batches]
        combined = []
        rounds = self._round(preview, batches, [{}] * len(batches))
        for batch, answers in zip(batches, rounds, strict=True):
            hints = [
                in_parts.combine(self._method, [one["previews"][i] for one in answers], self._k)
                for i in range(len(batch))
            ]
            combined.append((_add_up([one["counts"] for one in answers]), hints))
        return combined

    def _merge(self, text: str, answers: list[Any], sums: Sums) -> Found:
        query = self._read(text)
        given = Parts(
            answers,
            [self._firsts[shard] for shard in self._shards],
            self.unit,
            self._index.lexicon,
            self._statistics,
            self._entries,
            partial(self._explain, text, sums),
        )
        found = in_parts.merge(self._method, given, query, self._k)
        found.fit_tail = partial(self._fit_tail, text, sums)
        return add_notes(found, query, self._notes)

    def _fit_tail(self, text: str, sums: Sums) -> Tail | None:
        """Ask all shards for their part of a sample."""
        total = self._firsts[-1]
        more = {"question": self._question, "text": text, "sums": sums, "total": total}
        asked = [(shard, {**more, "first": self._firsts[shard]}) for shard in self._shards]
        drawn = [part for part in self.task(sample, asked) if part is not None]
        return Tail.fit(join(drawn)) if drawn else None

    def _explain(self, text: str, sums: Sums, method: Method, k: int, number: int) -> Explanation:
        """Ask the shard that holds the row."""
        shard, row = self.locate(number)
        question = {**self._question, "method": format_method(method), "k": k}
        more = {"question": question, "text": text, "sums": sums, "row": row}
        (made,) = self.task(explain, [(shard, more)])
        reasons = [Reason(**reason) for reason in made["reasons"]]
        return Explanation(**{**made, "reasons": reasons})

    def _entries(self, number: int) -> Entries:
        shard, row = self.locate(number)
        asked = [(shard, {"unit": self.unit, "row": row})]
        ((words, counts, shares),) = self.task(row_entries, asked)
        return np.array(words, np.int32), np.array(counts, np.int32), np.array(shares, np.float32)

    def locate(self, number: int) -> tuple[int, int]:
        """Return the shard of a row, and its number there."""
        shard = int(np.searchsorted(self._firsts, number, "right")) - 1
        return shard, number - self._firsts[shard]


class ShardTexts:
    """Ids, places and texts of the rows of a batch, asked for together when one is looked at."""

    def __init__(self, search: ShardSearch) -> None:
        self._search = search
        self._expected: list[int] = []
        self._known: dict[int, JsonObject] = {}

    def expect(self, rows: Sequence[int]) -> None:
        self._expected = sorted(set(rows))

    def describe(self, row: int) -> JsonObject:
        if row not in self._known:
            # the texts of documents may be long: they are fetched one by one
            self._fetch(self._expected, self._search.unit == "sentence")
        about = dict(self._known[row])
        about.pop("text", None)
        return about

    def text(self, row: int) -> str:
        self.describe(row)
        if "text" not in self._known[row]:
            self._fetch([row], True)
        return str(self._known[row]["text"])

    def passages(self, row: int, answers: Answers) -> list[Passage]:
        shard, own = self._search.locate(row)
        more = {"unit": self._search.unit, "row": own, "answers": answers}
        (found,) = self._search.task(passages, [(shard, more)])
        return [
            Passage(**{**one, "highlights": [Highlight(**mark) for mark in one["highlights"]]})
            for one in found
        ]

    def _fetch(self, rows: Sequence[int], texts: bool) -> None:
        by_shard: dict[int, dict[int, int]] = {}  # shard → row there → row
        for number in rows:
            shard, row = self._search.locate(number)
            by_shard.setdefault(shard, {})[row] = number
        asked = [
            (shard, {"unit": self._search.unit, "rows": list(own), "texts": texts})
            for shard, own in by_shard.items()
        ]
        answers = self._search.task(describe, asked)
        for own, found in zip(by_shard.values(), answers, strict=True):
            self._known.update(zip(own.values(), found, strict=True))


def _add_up(lists: list[Sums]) -> Sums:
    """Return the sums over shards of what each has counted."""
    sums: dict[tuple[Any, ...], tuple[int, int]] = {}
    for key, holding, total in (entry for some in lists for entry in some):
        before = sums.get(tuple(key), (0, 0))
        sums[tuple(key)] = before[0] + holding, before[1] + total
    return [(list(key), *both) for key, both in sums.items()]


@lru_cache(maxsize=4)
def _open(path: str, manifest: str, shard: int) -> ShardedCollection:
    """Return a shard as the whole index sees it; a few are kept open."""
    index = ShardedCollection(path, shard)
    if manifest_sum(index.path) != manifest:
        raise StoreError(f"{path} was changed while it was being searched.", "Search again.")
    return index


def _rows(place: JsonObject, unit: str) -> Rows:
    return _open(**place).rows(unit)


class _Shard:
    """A shard that is asked a question."""

    def __init__(self, place: JsonObject, question: JsonObject) -> None:
        self._request = SearchRequest(**question)
        self._index = _open(**place)
        self.method, self.k = parse(self._request.method), self._request.k
        self.rows = self._index.rows(self._request.unit)
        self.statistics = self._index.statistics(self._request.unit)
        self.allowed = allowed_rows(self.rows, read_where(self._request.where))

    def read(self, text: str) -> Query:
        return self._request.read(self._index, self.method, text)


def unmatched_values(
    place: JsonObject, unit: str, where: list[Condition]
) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return the conditions that no document of this shard meets, and their fields' values."""
    return unmatched(_rows(place, unit), where)


def preview(place: JsonObject, question: JsonObject, texts: list[str]) -> JsonObject:
    """Return the method's previews of the queries, and the counts that they asked for."""
    shard = _Shard(place, question)
    with shard.statistics.record() as counts:
        previews = [
            in_parts.preview(shard.method, shard.rows, shard.read(text), shard.k, shard.allowed)
            for text in texts
        ]
    return {"previews": previews, "counts": [(list(key), *both) for key, both in counts.items()]}


def answer(
    place: JsonObject, question: JsonObject, texts: list[str], sums: Sums, hints: list[Any]
) -> list[Any]:
    """Return what this shard knows of the best rows for each text."""
    shard = _Shard(place, question)
    shard.statistics.learn(sums)
    return [
        in_parts.answer(shard.method, shard.rows, shard.read(text), shard.k, shard.allowed, hint)
        for text, hint in zip(texts, hints, strict=True)
    ]


def explain(place: JsonObject, question: JsonObject, text: str, sums: Sums, row: int) -> JsonObject:
    """Return the reasons for one row, which is among the best of this shard."""
    shard = _Shard(place, question)
    shard.statistics.learn(sums)
    k = min(shard.k, len(shard.rows))
    found = shard.method.search(shard.rows, shard.read(text), k, shard.allowed)
    return asdict(found.explain(found.rows.index(row)))


def sample(
    place: JsonObject, question: JsonObject, text: str, sums: Sums, first: int, total: int
) -> JsonObject | None:
    """Return what this shard adds to the sample of scores."""
    shard = _Shard(place, question)
    shard.statistics.learn(sums)
    return draw_sample(
        shard.method, shard.rows, shard.read(text), shard.allowed, int(first), int(total)
    )


def row_entries(place: JsonObject, unit: str, row: int) -> list[Any]:
    """Return words, counts and shares of a row."""
    return [part.tolist() for part in _rows(place, unit).entries(row)]


def describe(place: JsonObject, unit: str, rows: list[int], texts: bool) -> list[JsonObject]:
    """Return ids, places and metadata of rows; with their texts if wanted."""
    held = _rows(place, unit)
    return [{**held.describe(row), **({"text": held.text(row)} if texts else {})} for row in rows]


def passages(
    place: JsonObject, unit: str, row: int, answers: dict[str, list[Any]]
) -> list[JsonObject]:
    """Return the pieces of a row's text that answer a query best."""
    given = {word: (query, weight) for word, (query, weight) in answers.items()}
    return [asdict(passage) for passage in _rows(place, unit).passages(row, given)]
