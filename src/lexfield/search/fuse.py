"""Several methods asked at once, their rankings fused: ``fuse(setcover, topic, how=mnz)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.evaluate.fusion import HOW, NORMALISE, fuse
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search import in_parts
from lexfield.search.in_parts import Parts


@dataclass(frozen=True, kw_only=True)
class Fuse:
    """Combine the best ``depth`` rows of each method with ``lexfield.evaluate.fusion``."""

    methods: tuple[Any, ...] = ()
    how: str = "mnz"
    normalise: str = "rank"
    depth: int = 100
    name = "fuse"

    def __post_init__(self) -> None:
        check(self.how in HOW, "how", ", ".join(HOW), self.how)
        check(self.normalise in NORMALISE, "normalise", ", ".join(NORMALISE), self.normalise)
        check(isinstance(self.depth, int) and self.depth >= 1, "depth", "at least 1", self.depth)
        if len(self.methods) < 2:
            raise InputError("fuse needs at least two methods.", 'As in "fuse(setcover, topic)".')

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        each = self.each(k, len(rows))
        return self.fused([m.search(rows, query, each, allowed) for m in self.methods], k)

    def wants_preview(self, query: Query) -> bool:
        return any(in_parts.wants_preview(method, query) for method in self.methods)

    def preview(
        self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None
    ) -> list[Any]:
        each = self.each(k, rows.statistics.rows)
        return [in_parts.preview(method, rows, query, each, allowed) for method in self.methods]

    def combine(self, previews: Sequence[list[Any]], k: int) -> list[Any]:
        each = max(k, self.depth)
        lists = zip(*previews, strict=True)
        return [
            in_parts.combine(m, some, each) for m, some in zip(self.methods, lists, strict=True)
        ]

    def partial(
        self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None, hint: Any
    ) -> list[Any]:
        each, hints = self.each(k, rows.statistics.rows), hint or [None] * len(self.methods)
        return [
            in_parts.answer(method, rows, query, each, allowed, one)
            for method, one in zip(self.methods, hints, strict=True)
        ]

    def merge(self, given: Parts, query: Query, k: int) -> Found:
        each = self.each(k, given.statistics.rows)
        inner = [
            in_parts.merge(method, given.take(itemgetter(number)), query, each)
            for number, method in enumerate(self.methods)
        ]
        return self.fused(inner, k)

    def each(self, k: int, rows: int) -> int:
        """How many rows every method gives."""
        return min(max(k, self.depth), rows)

    def fused(self, given: Sequence[Found], k: int) -> Found:
        """The best ``k`` of what every method found."""
        from lexfield.search.methods import spec_of

        names = [spec_of(method) for method in self.methods]
        names = [n if names.count(n) == 1 else f"{n} #{i}" for i, n in enumerate(names, 1)]
        lists, notes = [], []
        for name, found in zip(names, given, strict=True):
            lists.append(list(zip(found.rows, found.scores, strict=True)))
            notes += [f"{name}: {note}" for note in found.notes]
        hits = fuse(lists, self.how, normalise=self.normalise, names=names)[:k]

        def explain(place: int) -> Explanation:
            reasons = [
                Reason(part.list, f"rank {part.rank}, score {part.score:.4g}", part.contribution)
                for part in hits[place].parts
            ]
            return Explanation(reasons, additive=True, of_words=False)

        return Found([int(hit.id) for hit in hits], [hit.score for hit in hits], explain, notes)
