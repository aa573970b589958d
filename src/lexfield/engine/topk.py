"""The k best of an array of scores. For scores that come one at a time there is ``heap.py``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array


def top_k(scores: Array, k: int, ties: Array | None = None) -> NDArray[np.int64]:
    """Return the positions of the ``k`` highest scores, best first.

    Of equal scores the lower position comes first, or the lower value of ``ties`` if given.
    Positions that score -inf are left out.
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.empty(0, np.int64)
    cut = np.partition(scores, -k)[-k]
    places = np.flatnonzero(scores >= cut) if cut > -np.inf else np.flatnonzero(scores > -np.inf)
    order = places if ties is None else ties[places]
    return places[np.lexsort((order, -scores[places]))][:k]
