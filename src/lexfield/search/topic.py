"""Rows whose topics are distributed as the query's: Jensen–Shannon, Hellinger or triangle.

The score is 1 − JS / ln 2 (JS in bits, subtracted from 1), the affinity Σ √p √q = 1 − h², or
1 − Δ / 2: from 0 for no common topic to 1 for equal mixtures. All are sums over topics, which are
the reasons. Neighbours are exact, unless an approximate search is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexfield.arrays import Array
from lexfield.errors import check
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.index.topics import infer_counts, open_row_mixtures
from lexfield.search.method import Mask
from lexfield.topics.approximate import Search

MEASURES = ("js", "hellinger", "triangle")
_LEAST = 1e-9  # smaller parts of the score are shown together


@dataclass(frozen=True, kw_only=True)
class Topic(Search):
    """Needs ``lexfield topics fit``. Rows without any word of the model are not returned."""

    measure: str = "js"
    name = "topic"

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.measure in MEASURES, "measure", "js, hellinger or triangle", self.measure)

    @property
    def _search(self) -> Search:
        return Search(
            neighbours=self.neighbours, eps=self.eps, radius=self.radius, delta=self.delta
        )

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        mixtures, known = infer_counts(open_row_mixtures(rows).topics.require_model(), [query])
        if not known[0]:
            return Found([], [], notes=["no word of the query is known to the topic model"])
        return self._search_mixture(rows, mixtures[0], k, among)

    def search_row(self, rows: Rows, row: int, k: int, among: Mask | None) -> Found:
        """Return the rows nearest to the mixture of a row, however long its text is."""
        space = open_row_mixtures(rows)
        if not space.known[row]:
            note = f"no word of {rows.describe(row)['id']} is known to the topic model"
            return Found([], [], notes=[note])
        return self._search_mixture(rows, space.mixtures[row], k, among)

    def _search_mixture(self, rows: Rows, mixture: Array, k: int, among: Mask | None) -> Found:
        space = open_row_mixtures(rows)
        mask = space.known if among is None else space.known & among
        chosen, scores, notes = space.near(mixture, k, self.measure, mask, self._search)

        def explain(place: int) -> Explanation:
            parts = space.parts(mixture, chosen[place], self.measure)
            order = np.argsort(-parts, kind="stable").tolist()
            names = {
                topic: space.topics.name(topic) for topic in order if abs(parts[topic]) > _LEAST
            }
            shown = [Reason(name, name, float(parts[topic])) for topic, name in names.items()]
            rest = scores[place] - sum(reason.contribution for reason in shown)
            return Explanation([*shown, Reason("(others)", "(others)", rest)], additive=True)

        return Found(chosen, scores, explain, notes)
