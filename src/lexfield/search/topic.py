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
from lexfield.search.query import Query
from lexfield.search.ranking import Found
from lexfield.search.rows import Rows
from lexfield.search.topics import Topics, infer_counts
from lexfield.topics.neighbours import Neighbours

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
        space = _space(rows)
        mixtures, known = infer_counts(space.topics.needed_model(), [query])
        if not known[0]:
            return Found([], [], no_reasons, ["no word of the query is known to the topic model"])
        return self.near(rows, mixtures[0], k, allowed)

    def near(
        self, rows: Rows, mixture: NDArray[Any], k: int, allowed: NDArray[np.bool_] | None
    ) -> Found:
        """The rows nearest to a mixture."""
        space = _space(rows)
        mask = space.known if allowed is None else space.known & allowed
        found = space.neighbours.query(mixture, k, self.measure, allowed=mask)
        far = found.distances
        scores = (1 - (far / np.log(2) if self.measure == "js" else far**2)).tolist()
        certificate = found.certificate
        notes = []
        if len(found.rows):
            notes.append(
                f"exact: {certificate.candidates:,} of {certificate.rows:,} rows computed; the last"
                f" hit is at {self.measure} {certificate.kth:.4g}, no other row is under"
                f" {certificate.bound:.4g}"
            )

        def explain(place: int) -> Explanation:
            parts = self._parts(mixture, space.neighbours.mixtures[found.rows[place]])
            order = np.argsort(-parts, kind="stable")
            names = {int(t): space.topics.name(int(t)) for t in order if parts[t] > _LEAST}
            shown = [Reason(name, name, float(parts[topic])) for topic, name in names.items()]
            rest = scores[place] - sum(reason.contribution for reason in shown)
            return Explanation([*shown, Reason("others", "others", rest)], additive=True)

        return Found(found.rows.tolist(), scores, explain, notes)

    def _parts(self, p: NDArray[Any], q: NDArray[Any]) -> NDArray[np.float64]:
        """What each topic adds to the score."""
        from lexfield.topics.simplex import js_terms

        first, second = p.astype(np.float64), q.astype(np.float64)
        if self.measure == "hellinger":
            return np.sqrt(first * second)
        parts: NDArray[np.float64] = (first + second) / 2 - js_terms(first, second) / np.log(2)
        return parts


@dataclass(frozen=True)
class _Space:
    """All rows of an index as points of the simplex."""

    topics: Topics
    neighbours: Neighbours
    known: NDArray[np.bool_]


def _space(rows: Rows) -> _Space:
    """Made once for a generation of the topics."""
    made: _Space | None = rows.cached("topic", lambda _: None)
    if made is None or not made.topics.is_current():
        topics = Topics.open(rows.segments[0].folder)
        found = [topics.mixtures(segment, rows.unit) for segment in rows.segments]
        mixtures = np.concatenate([part for part, _ in found])
        known = np.concatenate([mask for _, mask in found])
        made = _Space(topics, Neighbours(mixtures), known)
        rows.replace_cached("topic", made)
    return made


def mixture_of(rows: Rows, row: int) -> NDArray[np.float32] | None:
    """The mixture of a row, if it has any word that the model knows."""
    space = _space(rows)
    mixture: NDArray[np.float32] = space.neighbours.mixtures[row]
    return mixture if space.known[row] else None
