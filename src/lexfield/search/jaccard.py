"""Jaccard similarity of sets of words: |Q ∩ s| / |Q ∪ s|, stopwords out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.explain import Explanation, Reason
from lexfield.search.query import Query
from lexfield.search.ranking import Found, best
from lexfield.search.rows import Rows


@dataclass(frozen=True, kw_only=True)
class Jaccard:
    """Rows that share no word with the query are not given."""

    name = "jaccard"

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        overlap = np.zeros(len(rows), np.int32)
        for word in query.ids[query.ids >= 0]:
            overlap[rows.postings(word)[0]] += 1
        touched = np.flatnonzero(overlap if allowed is None else np.where(allowed, overlap, 0))
        common = overlap[touched]
        union = len(query.words) + rows.set_sizes[touched] - common
        scores = common / union
        places = best(scores, k)
        found = touched[places].tolist()
        unions = union[places].tolist()

        def explain(place: int) -> Explanation:
            words = set(rows.entries(found[place])[0].tolist())
            shared = [w for w, i in zip(query.words, query.ids.tolist(), strict=True) if i in words]
            return Explanation(
                [Reason(word, word, 1 / unions[place]) for word in shared],
                additive=True,
                facts={"shared": len(shared), "together": unions[place]},
            )

        return Found(found, scores[places].tolist(), explain)
