"""Jaccard similarity of sets of words: |Q ∩ s| / |Q ∪ s|, without stopwords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexfield.engine.topk import top_k
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.method import Mask


@dataclass(frozen=True, kw_only=True)
class Jaccard:
    """Rows that share no word with the query are not returned."""

    name = "jaccard"

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        overlap = np.zeros(len(rows), np.int32)
        for word in query.ids[query.ids >= 0]:
            overlap[rows.postings(word)[0]] += 1
        touched = np.flatnonzero(overlap if among is None else np.where(among, overlap, 0))
        common = overlap[touched].astype(np.int64)
        union = len(query.words) + rows.set_sizes[touched] - common
        scores = common / union
        places = top_k(scores, k)
        chosen = touched[places].tolist()
        unions = union[places].tolist()

        def explain(place: int) -> Explanation:
            words = set(rows.entries(chosen[place])[0].tolist())
            shared = [w for w, i in zip(query.words, query.ids.tolist(), strict=True) if i in words]
            return Explanation(
                [Reason(word, word, 1 / unions[place]) for word in shared],
                additive=True,
                facts={"shared": len(shared), "together": unions[place]},
            )

        return Found(chosen, scores[places].tolist(), explain)
