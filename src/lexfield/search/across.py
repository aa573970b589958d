"""A search over shards on an engine: rounds of tasks, one for each shard and batch of queries.

Every shard gives its best rows, scored by the statistics of the whole; the best of all are the best
of these, ties going to the earlier row as everywhere. Before that, where a method needs it, one
round more: counts of n-grams are added up, or the first limit of WMD is taken over all shards.
Set cover is chosen here from what the shards give (``gathered.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from lexfield.engine import Engine
from lexfield.errors import InputError, check, list_names
from lexfield.explain import Explanation, Reason, no_reasons
from lexfield.progress import Progress
from lexfield.search.bag_method import BagMethod
from lexfield.search.batch import SearchOptions
from lexfield.search.cover import CoverMethod
from lexfield.search.extended import ExtendedMethod
from lexfield.search.filter import missing_note
from lexfield.search.fuse import Fuse
from lexfield.search.gathered import Entries, GatheredRows
from lexfield.search.marks import Highlight
from lexfield.search.method import format_method
from lexfield.search.passages import Answers, Passage
from lexfield.search.query import Query
from lexfield.search.ranking import Found, Ranking, noted
from lexfield.search.registry import parse, read_query
from lexfield.search.shard_search import Sums, leaves
from lexfield.search.shards import ShardedIndex
from lexfield.search.wmd import Wmd
from lexfield.store.folder import manifest_sum
from lexfield.text.normalise import Normalisation

Where = Mapping[str, str | Sequence[str]]
_BATCH = 50  # queries a task
_SHOWN = 3  # notes of shards that differ
_TASKS = "lexfield.search.shard_search:"


def search_across(
    index: ShardedIndex,
    texts: Sequence[str],
    asked: SearchOptions,
    progress: Progress,
    engine: Engine,
) -> Iterator[Ranking]:
    """``index.search`` of every text, in order, with the shards on an engine."""
    return _Search(index, asked, engine).run(list(texts), progress)


class _Search:
    def __init__(self, index: ShardedIndex, asked: SearchOptions, engine: Engine) -> None:
        k, unit, where = asked.k, asked.unit, asked.where
        check(isinstance(k, int) and k >= 1, "k", "a whole number of at least 1", k)
        check(unit in ("sentence", "document"), "unit", "'sentence' or 'document'", unit)
        self.index, self.engine, self.unit = index, engine, unit
        self.method, self._asked = parse(asked.method), asked
        self._read("")  # refuses here what no shard should be asked
        self.spec = format_method(self.method)
        self.whole = index.whole(unit)
        self.k = min(k, self.whole.rows)
        _check_fields(index, where)
        self.where = dict(where) if where else None
        counts = [shard[unit] for shard in index.shards]
        self.firsts = np.append(0, np.cumsum(counts)).tolist()
        self.shards = [number for number, count in enumerate(counts) if count]
        self._place = {"path": index.address, "manifest": manifest_sum(index.path)}
        self._missing = self._where_notes()

    def run(self, texts: list[str], progress: Progress) -> Iterator[Ranking]:
        batches = [texts[i : i + _BATCH] for i in range(0, len(texts), _BATCH)]
        sums = self._sums(batches)
        limits = self._limits(batches)
        more = [
            {**self._wanted, "k": self.k, "sums": some, "limits": low}
            for some, low in zip(sums, limits, strict=True)
        ]
        answers = self._round("answer", batches, more, progress)
        for batch, some, given in zip(batches, sums, answers, strict=True):
            rows = Described(self)
            found = [
                self._found(text, [answer[i] for answer in given], some)
                for i, text in enumerate(batch)
            ]
            rows.expect([row for one in found for row in one.rows])
            for text, one in zip(batch, found, strict=True):
                yield Ranking(one, rows, self.spec, text)

    @property
    def _wanted(self) -> dict[str, Any]:
        algebra = self._asked.algebra
        return {"spec": self.spec, "unit": self.unit, "where": self.where, "algebra": algebra}

    def _read(self, text: str) -> Query:
        how = {"algebra": self._asked.algebra, "allow_unknown": self._asked.allow_unknown}
        return read_query(self.index, self.method, text, **how)

    def _where_notes(self) -> list[str]:
        """Name the conditions that no document of any shard meets."""
        if not self.where:
            return []
        items = [{"shard": n, "unit": self.unit, "where": self.where} for n in self.shards]
        answers = list(self.task("unmatched_values", items))
        in_all = set.intersection(*({tuple(one) for one in given} for given, _ in answers))
        values: dict[str, Counter[str]] = {name: Counter() for name in self.where}
        for _, known in answers:
            for name, some in known.items():
                values[name].update(some)
        return [missing_note(name, v, list(values[name])) for name, v in sorted(in_all)]

    def task(self, name: str, items: list[dict[str, Any]], **how: Any) -> Iterator[Any]:
        return self.engine.map(_TASKS + name, [{**self._place, **item} for item in items], **how)

    def _round(
        self,
        task: str,
        batches: Sequence[list[str]],
        more: Sequence[dict[str, Any]],
        progress: Progress | None = None,
    ) -> Iterator[list[Any]]:
        """What every shard answers to each batch."""
        items = [
            {"shard": shard, "texts": batch, **extra}
            for batch, extra in zip(batches, more, strict=True)
            for shard in self.shards
        ]
        results = self.task(task, items, **({"progress": progress} if progress else {}))
        for _ in batches:
            yield [next(results) for _ in self.shards]
        next(results, None)  # lets the engine end well

    def _sums(self, batches: list[list[str]]) -> list[Sums]:
        """Counts of n-grams and of groups of words over all shards, where they are asked for."""
        bags = [leaf for leaf in leaves(self.method) if isinstance(leaf, BagMethod)]
        soft = any(isinstance(leaf, ExtendedMethod) and leaf.uses_vectors for leaf in bags)
        longer = isinstance(self.method, BagMethod) and any(
            len(words) > 1
            for batch in batches
            for text in batch
            for _, words in self._read(text).terms or ()
        )
        if not bags or not (soft or longer):
            return [[] for _ in batches]
        about = {"spec": self.spec, "unit": self.unit, "algebra": self._asked.algebra}
        wanted = [about] * len(batches)
        added = []
        for answers in self._round("count_grams", batches, wanted):
            total: dict[tuple[Any, ...], tuple[int, int]] = {}
            for key, holding, tokens in (entry for answer in answers for entry in answer):
                before = total.get(tuple(key), (0, 0))
                total[tuple(key)] = (before[0] + holding, before[1] + tokens)
            added.append([(list(key), *both) for key, both in total.items()])
        return added

    def _limits(self, batches: list[list[str]]) -> list[list[float | None]]:
        """For WMD a distance that the k best of all shards cannot exceed."""
        if not isinstance(self.method, Wmd):
            return [[None] * len(batch) for batch in batches]
        wanted = [{**self._wanted, "k": self.k}] * len(batches)
        limits: list[list[float | None]] = []
        for batch, answers in zip(
            batches, self._round("first_distances", batches, wanted), strict=True
        ):
            low: list[float | None] = []
            for number in range(len(batch)):
                together = sorted(far for answer in answers for far in answer[number])
                full = len(together) >= self.k
                low.append(together[self.k - 1] + 1e-12 if full else None)
            limits.append(low)
        return limits

    def _found(self, text: str, given: list[Any], sums: Sums) -> Found:
        query = self._read(text)
        found = self._merged(self.method, query, given, self.k, sums)
        return noted(found, query, self._missing)

    def _merged(self, method: Any, query: Query, given: list[Any], k: int, sums: Sums) -> Found:
        """The best of what the shards gave."""
        if isinstance(method, Fuse):
            each = method.count_each(k, self.whole.rows)
            inner = [
                self._merged(one, query, [answer["inner"][i] for answer in given], each, sums)
                for i, one in enumerate(method.methods)
            ]
            return method.combine(inner, k)
        firsts = [self.firsts[shard] for shard in self.shards]
        if isinstance(method, CoverMethod):
            rows = GatheredRows(
                given, firsts, self.unit, self.index.lexicon, self.whole, self._entries
            )
            found = method.search(rows, query, k, None)
            return Found(
                rows.numbers[found.rows].tolist(), found.scores, found.explain, found.notes
            )
        together = [
            (-score, row + first)
            for answer, first in zip(given, firsts, strict=True)
            for row, score in zip(answer["rows"], answer["scores"], strict=True)
        ]
        together.sort()
        chosen = [row for _, row in together[:k]]
        notes = _notes([answer["notes"] for answer in given])
        explain = partial(self._explain, query.text, format_method(method), k, sums, chosen)
        scores = [-far for far, _ in together[:k]]
        return Found(chosen, scores, explain if chosen else no_reasons, notes)

    def _explain(
        self, text: str, spec: str, k: int, sums: Sums, chosen: list[int], place: int
    ) -> Explanation:
        """Asked of the shard that holds the row."""
        shard, row = self.locate(chosen[place])
        item = {**self._wanted, "spec": spec, "text": text, "k": k, "sums": sums}
        (made,) = self.task("explain", [{**item, "shard": shard, "row": row}])
        reasons = [Reason(**reason) for reason in made["reasons"]]
        return Explanation(**{**made, "reasons": reasons})

    def _entries(self, number: int) -> Entries:
        shard, row = self.locate(number)
        ((words, counts, shares),) = next(
            self.task("row_entries", [{"shard": shard, "unit": self.unit, "rows": [row]}])
        )
        return np.array(words, np.int32), np.array(counts, np.int32), np.array(shares, np.float32)

    def locate(self, number: int) -> tuple[int, int]:
        """Shard and row in it."""
        shard = int(np.searchsorted(self.firsts, number, "right")) - 1
        return shard, number - self.firsts[shard]


class Described:
    """Ids, places and texts of the rows of a batch, asked for together when one is looked at."""

    def __init__(self, search: _Search) -> None:
        self._search = search
        self._expected: list[int] = []
        self._known: dict[int, dict[str, Any]] = {}

    @property
    def normalisation(self) -> Normalisation:
        return self._search.index.normalisation

    def expect(self, rows: Sequence[int]) -> None:
        self._expected = sorted(set(rows))

    def describe(self, row: int) -> dict[str, Any]:
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
        item = {"shard": shard, "unit": self._search.unit, "row": own, "answers": answers}
        (found,) = self._search.task("passages", [item])
        return [
            Passage(**{**one, "highlights": [Highlight(**mark) for mark in one["highlights"]]})
            for one in found
        ]

    def _fetch(self, rows: Sequence[int], texts: bool) -> None:
        by_shard: dict[int, list[int]] = {}
        for number in rows:
            by_shard.setdefault(self._search.locate(number)[0], []).append(number)
        items = [
            {
                "shard": shard,
                "unit": self._search.unit,
                "rows": [self._search.locate(number)[1] for number in numbers],
                "texts": texts,
            }
            for shard, numbers in by_shard.items()
        ]
        answers = self._search.task("describe", items)
        for numbers, found in zip(by_shard.values(), answers, strict=True):
            self._known.update(zip(numbers, found, strict=True))


def _check_fields(index: ShardedIndex, where: Where | None) -> None:
    """Metadata that no shard has cannot be asked for."""
    known = sorted({name for shard in index.shards for name in shard["fields"]})
    for name in where or ():
        if name not in known:
            raise InputError(
                f"No document has metadata {name!r}.", f"There are: {list_names(known)}."
            )


def _notes(given: list[list[str]]) -> list[str]:
    """Notes of the shards, each once; few of those that differ."""
    notes = list(dict.fromkeys(note for some in given for note in some))
    common = [note for note in notes if all(note in some for some in given)]
    rest = [note for note in notes if note not in common]
    if len(rest) > _SHOWN:
        rest[_SHOWN:] = [f"… and {len(rest) - _SHOWN:,} such notes of other shards"]
    return [*common, *rest]
