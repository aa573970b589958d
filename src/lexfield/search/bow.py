"""L1 distance of normalised bags of words, the baseline of Sato et al. (2022) for WMD.

For shares p and q that each sum to one, Σ|p − q| = 2 − 2 Σ min(p, q): only shared words matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.topk import top_k
from lexfield.explain import Explanation, Reason
from lexfield.index.query import Query
from lexfield.index.ranking import Found
from lexfield.index.rows import Rows


@dataclass(frozen=True, kw_only=True)
class Bow:
    """The score is minus the distance, from 0 for equal bags; rows sharing no word are left out."""

    name = "bow"

    def search(self, rows: Rows, query: Query, k: int, allowed: NDArray[np.bool_] | None) -> Found:
        common = np.zeros(len(rows))
        shares = query.counts / max(1, query.counts.sum())
        for word, share in zip(query.ids.tolist(), shares.tolist(), strict=True):
            if word >= 0:
                holding, counts = rows.postings(word)
                common[holding] += np.minimum(counts / rows.totals[holding], share)
        touched = np.flatnonzero(common if allowed is None else np.where(allowed, common, 0))
        scores = 2 * common[touched] - 2
        places = top_k(scores, k)
        found = touched[places].tolist()

        def explain(place: int) -> Explanation:
            words, counts, _ = rows.entries(found[place])
            there = dict(zip(words.tolist(), (counts / counts.sum()).tolist(), strict=True))
            here = dict(zip(query.words, shares.tolist(), strict=True))
            by_id = dict(zip(query.ids.tolist(), query.words, strict=True))
            names = {by_id.get(i) or rows.lexicon.words[i]: s for i, s in there.items()}
            reasons = [
                Reason(word, word, -abs(here.get(word, 0.0) - names.get(word, 0.0)))
                for word in {**here, **names}
            ]
            return Explanation(reasons, additive=True)

        return Found(found, scores[places].tolist(), explain)
