"""The rankings of several methods fused into one: ``fuse(ideas, topic, how=mnz)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lexfield.errors import InputError, check
from lexfield.evaluate.fusion import HOW, NORMALISE, fuse
from lexfield.explain import Explanation, Reason
from lexfield.search.method import Mask, Method, format_method, uses_vectors
from lexfield.search.query import Query
from lexfield.search.ranking import Found
from lexfield.search.rows import Rows


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

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        each = self.count_each(k, len(rows))
        return self.combine([m.search(rows, query, each, among) for m in self.methods], k)

    def count_each(self, k: int, rows: int) -> int:
        """Return how many rows every method is asked for."""
        return min(max(k, self.depth), rows)

    def combine(self, rankings: Sequence[Found], k: int) -> Found:
        """Return the best ``k`` of what every method found."""
        names = [format_method(method) for method in self.methods]
        names = [n if names.count(n) == 1 else f"{n} #{i}" for i, n in enumerate(names, 1)]
        lists, notes = [], []
        for name, found in zip(names, rankings, strict=True):
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
