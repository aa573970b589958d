"""Methods that compare the words that a row shares with the query, without stopwords."""

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
    """Jaccard similarity of sets of words: |Q ∩ s| / |Q ∪ s|.

    Rows that share no word with the query are not returned.
    """

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


@dataclass(frozen=True, kw_only=True)
class Bow:
    """The score is minus the distance. Rows that share no word with the query are not returned.

    L1 distance of normalised bags of words, the baseline of Sato et al. (2022) for WMD. For shares
    p and q that each sum to one, Σ|p − q| = 2 − 2 Σ min(p, q): only shared words matter.
    """

    name = "bow"

    def search(self, rows: Rows, query: Query, k: int, among: Mask | None) -> Found:
        common = np.zeros(len(rows))
        shares = query.counts / max(1, query.counts.sum())
        for word, share in zip(query.ids.tolist(), shares.tolist(), strict=True):
            if word >= 0:
                holding, counts = rows.postings(word)
                common[holding] += np.minimum(counts / rows.totals[holding], share)
        touched = np.flatnonzero(common if among is None else np.where(among, common, 0))
        scores = 2 * common[touched] - 2
        places = top_k(scores, k)
        chosen = touched[places].tolist()

        def explain(place: int) -> Explanation:
            words, counts, _ = rows.entries(chosen[place])
            here = dict(zip(query.words, shares.tolist(), strict=True))
            by_id = dict(zip(query.ids.tolist(), query.words, strict=True))
            names = [by_id.get(word) or rows.lexicon.words[word] for word in words.tolist()]
            there = dict(zip(names, (counts / counts.sum()).tolist(), strict=True))
            reasons = [
                Reason(word, word, -abs(here.get(word, 0.0) - there.get(word, 0.0)))
                for word in {**here, **there}
            ]
            return Explanation(reasons, additive=True)

        return Found(chosen, scores[places].tolist(), explain)
