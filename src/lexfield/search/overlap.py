"""Methods that compare the words that a row shares with the query, without stopwords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexfield.arrays import Array
from lexfield.engine.topk import top_k
from lexfield.explain import Explanation, Reason
from lexfield.index.chance import Scorer
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
        for holding in _list_holding(rows, query):
            overlap[holding] += 1
        shares_word = overlap != 0  # NumPy finds True faster than numbers
        touched = np.flatnonzero(shares_word if among is None else shares_word & among)
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

    def start_scoring(self, rows: Rows, query: Query) -> Scorer:
        """Return how any rows are scored: each shared word adds one over the size of the union."""
        lists, sums = _list_holding(rows, query), np.zeros(len(rows))
        for holding in lists:
            sums[holding] += 1
        union = len(query.words) + rows.set_sizes - sums
        scores = sums / np.maximum(union, 1)
        words = [(holding, 1 / union[holding]) for holding in lists]
        return Scorer(np.where(sums > 0, scores, np.nan).__getitem__, scores, words, copy=1.0)


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
        for holding, least in _list_common(rows, query):
            common[holding] += least
        shares_word = common != 0
        touched = np.flatnonzero(shares_word if among is None else shares_word & among)
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

    def start_scoring(self, rows: Rows, query: Query) -> Scorer:
        """Return how any rows are scored, as a sum over words: 2 less than none in common."""
        words = [(holding, 2 * least) for holding, least in _list_common(rows, query)]
        sums = np.zeros(len(rows))
        for holding, values in words:
            sums[holding] += values
        return Scorer(np.where(sums > 0, sums - 2, np.nan).__getitem__, sums, words)


def _list_holding(rows: Rows, query: Query) -> list[Array]:
    """Return the rows that hold each word of a query that the index has."""
    return [rows.postings(word)[0] for word in query.ids[query.ids >= 0].tolist()]


def _list_common(rows: Rows, query: Query) -> list[tuple[Array, Array]]:
    """Return the rows that hold each word, and the lesser of its shares there and in the query."""
    found = []
    shares = query.counts / max(1, query.counts.sum())
    for word, share in zip(query.ids.tolist(), shares.tolist(), strict=True):
        if word >= 0:
            holding, counts = rows.postings(word)
            found.append((holding, np.minimum(counts / rows.totals[holding], share)))
    return found
