"""Jaccard similarity of sets of words: |Q ∩ s| / |Q ∪ s|, stopwords out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows
from lexfield.search.minhash import BAND, band_keys, query_signature, sorted_bands


@dataclass(frozen=True, kw_only=True)
class Jaccard:
    """Rows that share no word with the query are not given.

    minhash: look only at rows that agree with the query in one of 64 pairs of MinHash values, for
        corpora where the inverted index is too slow; similar rows are missed rarely, others often.
    """

    minhash: bool = False
    name = "jaccard"

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        if self.minhash:
            touched = _candidates(rows, query)
            common = np.array(
                [len(np.intersect1d(rows.entries(row)[0], query.ids)) for row in touched], np.int64
            )
        else:
            overlap = np.zeros(len(rows), np.int32)
            for word in query.ids[query.ids >= 0]:
                overlap[rows.postings(word)[0]] += 1
            touched = np.flatnonzero(overlap)
            common = overlap[touched].astype(np.int64)
        keep = common > 0 if allowed is None else (common > 0) & allowed[touched]
        touched, common = touched[keep], common[keep]
        union = len(query.words) + rows.set_sizes[touched] - common
        scores = common / union
        places = top_k(scores, k)
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


def _candidates(rows: Rows, query: Query) -> NDArray[np.int64]:
    """Rows that agree with the query in at least one band of two places."""
    words = query.ids[query.ids >= 0]
    if not len(words):
        return np.empty(0, np.int64)
    order, keys = rows.cached("minhash", sorted_bands)
    wanted = band_keys(query_signature(words, len(rows.lexicon))[None], BAND)[0]
    found = [
        order[
            band,
            np.searchsorted(keys[band], key, "left") : np.searchsorted(keys[band], key, "right"),
        ]
        for band, key in enumerate(wanted)
    ]
    return np.unique(np.concatenate(found)).astype(np.int64)
