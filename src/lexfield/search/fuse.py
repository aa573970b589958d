"""The rankings of several methods fused into one: ``fuse(ideas, topic, how=mnz)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from lexfield.errors import InputError, check
from lexfield.evaluate.fusion import HOW, NORMALISE, fuse
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.results import name_note
from lexfield.search import in_parts
from lexfield.search.in_parts import Parts
from lexfield.search.method import Mask, Method, format_method, needs_vectors, run, uses_vectors


@dataclass(frozen=True, kw_only=True)
class Fuse:
    """Combine the best ``depth`` rows of each method with ``lexfield.evaluate.fusion``."""

    methods: tuple[Method, ...] = ()
    how: str = "mnz"
    normalise: str = "rank"
    depth: int = 100
    name = "fuse"

    def __post_init__(self) -> None:
        check(self.how in HOW, "how", ", ".join(HOW), self.how)
        check(self.normalise in NORMALISE, "normalise", ", ".join(NORMALISE), self.normalise)
        check(isinstance(self.depth, int) and self.depth >= 1, "depth", "at least 1", self.depth)
        if len(self.methods) < 2:
            raise InputError("fuse needs at least two methods.", 'As in "fuse(ideas, topic)".')

    @property
    def uses_vectors(self) -> bool:
        return any(map(uses_vectors, self.methods))

    @property
    def needs_vectors(self) -> bool:
        return any(map(needs_vectors, self.methods))

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        each = self.count_each(k, len(rows))
        return self.fuse_rankings([run(m, rows, query, each, among) for m in self.methods], k)

    def wants_preview(self, query: Query) -> bool:
        return any(in_parts.wants_preview(method, query) for method in self.methods)

    def preview(self, rows: Rows, query: Query, k: int, among: Mask | None) -> list[Any]:
        each = self.count_each(k, rows.statistics.rows)
        return [in_parts.preview(method, rows, query, each, among) for method in self.methods]

    def combine(self, previews: Sequence[list[Any]], k: int) -> list[Any]:
        each = max(k, self.depth)
        lists = zip(*previews, strict=True)
        return [
            in_parts.combine(m, some, each) for m, some in zip(self.methods, lists, strict=True)
        ]

    def partial(
        self, rows: Rows, query: Query, k: int, among: Mask | None, hint: list[Any] | None
    ) -> list[Any]:
        each = self.count_each(k, rows.statistics.rows)
        hints = hint or [None] * len(self.methods)
        return [
            in_parts.answer(method, rows, query, each, among, one)
            for method, one in zip(self.methods, hints, strict=True)
        ]

    def merge(self, parts: Parts, query: Query, k: int) -> Found:
        each = self.count_each(k, parts.statistics.rows)
        inner = [
            in_parts.merge(method, parts.take(itemgetter(number)), query, each)
            for number, method in enumerate(self.methods)
        ]
        return self.fuse_rankings(inner, k)

    def count_each(self, k: int, rows: int) -> int:
        """Return how many rows every method is asked for."""
        return min(max(k, self.depth), rows)

    def fuse_rankings(self, rankings: Sequence[Found], k: int) -> Found:
        """Return the best ``k`` of what every method found."""
        names = [format_method(method) for method in self.methods]
        names = [n if names.count(n) == 1 else f"{n} #{i}" for i, n in enumerate(names, 1)]
        lists, notes = [], []
        for name, found in zip(names, rankings, strict=True):
            lists.append(list(zip(found.rows, found.scores, strict=True)))
            notes += [name_note(f"{name}: ", note) for note in found.notes]
        hits = fuse(lists, self.how, normalise=self.normalise, names=names)[:k]

        def explain(place: int) -> Explanation:
            reasons = [
                Reason(part.list, f"rank {part.rank}, score {part.score:.4g}", part.contribution)
                for part in hits[place].parts
            ]
            return Explanation(reasons, additive=True, of_words=False)

        return Found([int(hit.id) for hit in hits], [hit.score for hit in hits], explain, notes)
