"""Levenshtein distance, by characters or by words, exact top-k by pruning.

The distance of two texts is at least the difference of their lengths, and at least the larger of
the two one-sided differences of their letter counts. The rows that share the most with the query
are measured first; then block by block those whose bounds do not exceed the k-th best distance so
far (``myers.py``).

The loops are compiled because a search must not hold all texts of an index as Python strings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.chance import Scorer
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.index.units import BINS, Unit, character_bins, token_starts
from lexfield.search.bm25 import Bm25
from lexfield.search.method import Mask
from lexfield.search.myers import Pattern, count_edits
from lexfield.store.checked import check_ranges

_PART = 1 << 17  # rows per task
_BLOCK = 1 << 13  # rows whose letters are compared at a time
_PROMISING, _TIMES = 64, 4  # rows measured to find a limit: so many, or so many times k
_NO_LIMIT = np.iinfo(np.int32).max - 1
_EVERY_ROW: Mask = np.empty(0, bool)


@dataclass(frozen=True, kw_only=True)
class Edit:
    """The score is minus the number of edits. ``by="word"`` counts edited words, stopwords too."""

    by: str = "character"
    name = "edit"

    def __post_init__(self) -> None:
        check(self.by in ("character", "word"), "by", "'character' or 'word'", self.by)

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        if not query.tokens:
            return Found([], [])
        nearest = _Nearest(k)
        texts = self._compare(rows, query)
        if len(rows) > _PART:
            count = max(_PROMISING, _TIMES * k)
            first = np.sort(np.array(Bm25().search(rows, query, count, among).rows, np.int64))
            nearest.add(first, texts.measure(first, nearest.limit))

        def measure(task: tuple[int, int]) -> tuple[Array, Array]:
            return texts.measure_near(*task, nearest.limit, among)

        for found in map_blocks(measure, texts.tasks):
            nearest.add(*found)
        chosen, distances = nearest.rows.tolist(), nearest.distances.tolist()

        def explain(place: int) -> Explanation:
            if self.by == "word":
                words = [rows.lexicon.words[word] for word in rows.all_words_of(chosen[place])]
                return _list_edits(query.tokens, words, " ")
            return _list_edits(query.text, rows.text(chosen[place]), "")

        return Found(chosen, [float(-distance) for distance in distances], explain)

    def _compare(self, rows: Rows, query: Query) -> _Texts:
        return _Words(rows, query) if self.by == "word" else _Characters(rows, query)

    def start_scoring(self, rows: Rows, query: Query) -> Scorer | None:
        """Return how any rows are scored; None if the query is empty."""
        if not query.tokens:
            return None
        texts = self._compare(rows, query)
        return Scorer(lambda chosen: -texts.measure(chosen, _NO_LIMIT).astype(np.float64))


class _Nearest:
    """The ``k`` rows with the fewest edits so far, ties by row."""

    def __init__(self, k: int) -> None:
        self._k = k
        self.rows, self.distances = np.empty(0, np.int64), np.empty(0, np.int32)
        self.limit = _NO_LIMIT  # distance that none of the best exceeds

    def add(self, rows: Array, distances: Array) -> None:
        """Add measured rows; one that was added before is added once."""
        is_near = (distances <= self.limit) & ~np.isin(rows, self.rows)
        rows, distances = rows[is_near], distances[is_near]
        rows, distances = np.append(self.rows, rows), np.append(self.distances, distances)
        order = np.lexsort((rows, distances))[: self._k]
        self.rows, self.distances = rows[order], distances[order]
        if len(order) == self._k:
            self.limit = int(self.distances[-1])


class _Texts(ABC):
    """The texts of rows, compared with that of a query: sequences of characters or of words."""

    def __init__(self, rows: Rows, text: Sequence[int]) -> None:
        self._rows, self._pattern, self._size = rows, Pattern.of(text), len(text)

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """The segments and first rows of stretches that are compared as one."""
        return [
            (number, first)
            for number, unit in enumerate(self._rows.units)
            for first in range(0, unit.rows, _PART)
        ]

    def measure(self, chosen: Array, limit: int) -> NDArray[np.int32]:
        """Return the distances of ascending rows; one above the limit may be any above it."""
        parts = []
        for number, _, _, own in self._rows.split(chosen):
            for first in range(0, len(own), _PART):
                some = own[first : first + _PART]
                parts.append(self._count_edits(number, some, limit))
        return np.concatenate([np.empty(0, np.int32), *parts])

    def measure_near(
        self, number: int, first: int, limit: int, among: Mask | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the rows of a stretch that may be within a limit, and their distances."""
        start, unit = int(self._rows.starts[number]), self._rows.units[number]
        part = slice(first, min(first + _PART, unit.rows))
        allowed = _EVERY_ROW if among is None else among[start + part.start : start + part.stop]
        own = first + self._select(unit, part, limit, allowed)
        return own + start, self._count_edits(number, own, limit)

    def _count_edits(self, number: int, own: Array, limit: int) -> NDArray[np.int32]:
        """Return the distances of ascending rows of a segment, which lie close together."""
        distances = np.empty(len(own), np.int32)
        if len(own):
            data, starts, ends, lengths, table = self._read(number, own)
            short = np.minimum(lengths, np.iinfo(np.uint16).max).astype(np.uint16)
            order = np.argsort(short, kind="stable")  # radix sort, fast for small numbers
            some = starts[order], ends[order], lengths[order]
            distances[order] = count_edits(self._pattern, table, data, *some, limit)
        return distances

    @abstractmethod
    def _select(self, unit: Unit, part: slice, limit: int, among: Mask) -> Array:
        """Return the places in a part of a segment of rows that may be within the limit."""

    @abstractmethod
    def _read(self, number: int, own: Array) -> tuple[Array, ...]:
        """Return for ``count_edits`` the data of a segment, where some rows begin and end there,
        their lengths and the table of codes."""


class _Characters(_Texts):
    def __init__(self, rows: Rows, query: Query) -> None:
        super().__init__(rows, [ord(character) for character in query.text])
        kinds = character_bins()[np.frombuffer(query.text.encode(), np.uint8)]
        counts = np.minimum(np.bincount(kinds, minlength=BINS + 1)[:BINS], 255)
        self._counts, self._table = counts.astype(np.uint8), self._pattern.table(128)

    def _select(self, unit: Unit, part: slice, limit: int, among: Mask) -> Array:
        letters, characters, size = unit.letters[:, part], unit.characters[part], self._size
        return select_rows(letters, characters, self._counts, size, limit, among)

    def _read(self, number: int, own: Array) -> tuple[Array, ...]:
        starts, ends = self._rows.spans(number, own)
        data = check_ranges(self._rows.segments[number].corpus.texts.data, starts, ends)
        return data, starts, ends, self._rows.units[number].characters[own], self._table


class _Words(_Texts):
    def __init__(self, rows: Rows, query: Query) -> None:
        ids, outside = rows.lexicon.ids, dict[str, int]()
        super().__init__(
            rows,
            [
                ids[token] if token in ids else len(ids) + outside.setdefault(token, len(outside))
                for token in query.tokens
            ],
        )
        table = self._pattern.table(len(ids))
        self._tables = [table[own] for own in rows.lexicon.maps]

    def _select(self, unit: Unit, part: slice, limit: int, among: Mask) -> Array:
        is_near = np.abs(unit.lengths[part] - np.int32(self._size)) <= limit
        return np.flatnonzero(is_near & among if len(among) else is_near)

    def _read(self, number: int, own: Array) -> tuple[Array, ...]:
        corpus = self._rows.segments[number].corpus
        offsets = token_starts(corpus, self._rows.unit)
        starts, ends = offsets[own].astype(np.int64), offsets[own + 1].astype(np.int64)
        data = check_ranges(corpus.arrays["tokens"], starts, ends)
        return data, starts, ends, ends - starts, self._tables[number]


@kernel
def select_rows(
    letters: Array, characters: Array, counts: Array, size: int, limit: int, among: Array
) -> NDArray[np.int64]:
    """Return the rows whose distances may be within a limit, judging by lengths and letters.

    ``counts`` are those of the letters of the query, which has ``size`` characters. An empty
    ``among`` allows all rows.
    """
    rows, found = np.empty(len(characters), np.int64), 0
    kinds, total = np.flatnonzero(counts), np.int32(counts.sum())
    common = np.empty(_BLOCK, np.uint16)
    for first in range(0, len(characters), _BLOCK):
        own = characters[first : first + _BLOCK]
        common[:] = 0
        for kind in kinds:
            held, most = letters[kind, first : first + _BLOCK], counts[kind]
            for row in range(len(own)):
                common[row] += min(held[row], most)
        for row in range(len(own)):
            length, shared = own[row], np.int32(common[row])
            bound = max(abs(length - size), total - shared)
            if length <= 255:  # no count was clipped, so its own side of the bound holds too
                bound = max(bound, length - shared)
            rows[found] = first + row
            found += bound <= limit and (not len(among) or among[first + row])
    return rows[:found].copy()


def _list_edits(source: Sequence[str], target: Sequence[str], joint: str) -> Explanation:
    """Return the edits that turn the query into the row, each run of one kind as one reason."""
    from rapidfuzz.distance import Levenshtein

    reasons = []
    for code in Levenshtein.opcodes(source, target):
        if code.tag != "equal":
            old = joint.join(source[code.src_start : code.src_end])
            new = joint.join(target[code.dest_start : code.dest_end])
            cost = max(code.src_end - code.src_start, code.dest_end - code.dest_start)
            reasons.append(Reason(old, new, -float(cost)))
    return Explanation(reasons, additive=True)
