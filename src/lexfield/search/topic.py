"""Rows whose topics are distributed as the query's: Jensen–Shannon or Hellinger, exact.

The score is 1 − JS / ln 2 (JS in bits taken from 1), or the affinity Σ √p √q = 1 − h²: from 0 for
no common topic to 1 for equal mixtures. Both are sums over topics, which is the explanation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.explain import Explanation, Reason, no_reasons
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.row_mixtures import open_row_mixtures
from lexfield.index.rows import Rows
from lexfield.index.topics import infer_counts

MEASURES = ("js", "hellinger")
_LEAST = 1e-9  # a smaller part of the score is shown with the others, as one


@dataclass(frozen=True, kw_only=True)
class Topic:
    """Needs ``lexfield topics fit``; rows without any word that the model knows are not given."""

    measure: str = "js"
    name = "topic"

    def __post_init__(self) -> None:
        check(self.measure in MEASURES, "measure", "js or hellinger", self.measure)

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        space = open_row_mixtures(rows)
        mixtures, known = infer_counts(space.topics.require_model(), [query])
        if not known[0]:
            return Found([], [], no_reasons, ["no word of the query is known to the topic model"])
        return self.near(rows, mixtures[0], k, allowed)

    def near(
        self, rows: Rows, mixture: NDArray[Any], k: int, allowed: NDArray[np.bool_] | None
    ) -> Found:
        """The rows nearest to a mixture."""
        space = open_row_mixtures(rows)
        mask = space.known if allowed is None else space.known & allowed
        numbers, scores, notes = space.near(mixture, k, self.measure, mask)

        def explain(place: int) -> Explanation:
            parts = space.parts(mixture, numbers[place], self.measure)
            order = np.argsort(-parts, kind="stable")
            names = {int(t): space.topics.name(int(t)) for t in order if abs(parts[t]) > _LEAST}
            shown = [Reason(name, name, float(parts[topic])) for topic, name in names.items()]
            rest = scores[place] - sum(reason.contribution for reason in shown)
            return Explanation([*shown, Reason("(others)", "(others)", rest)], additive=True)

        return Found(numbers, scores, explain, notes)


def mixture_of(rows: Rows, row: int) -> NDArray[np.float32] | None:
    """The mixture of a row, if it has any word that the model knows."""
    space = open_row_mixtures(rows)
    mixture: NDArray[np.float32] = space.mixtures[row]
    return mixture if space.known[row] else None
