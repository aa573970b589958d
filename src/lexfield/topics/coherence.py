"""Do a topic's words belong together? Normalised pointwise mutual information in documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def npmi(counts: csr_matrix, tops: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """For each topic the mean over pairs of its top words of

        ln(P(a, b) / (P(a) P(b))) / −ln P(a, b)

    with P the share of documents that hold the words; −1 for pairs that never meet, 1 for pairs
    that never part (Bouma 2009; Lau, Newman and Baldwin 2014). ``tops[t]`` are columns of counts.
    """
    from scipy.sparse import csr_matrix

    words, places = np.unique(tops, return_inverse=True)
    held = csr_matrix(counts[:, words] > 0, dtype=np.float64)
    together = np.asarray((held.T @ held).todense()) / max(1, counts.shape[0])
    alone = np.diag(together)
    first, second = np.triu_indices(tops.shape[1], 1)
    values = np.zeros(len(tops))
    for topic, own in enumerate(places.reshape(tops.shape)):
        a, b = own[first], own[second]
        joint = together[a, b]
        met = (joint > 0) & (joint < 1)
        scores = np.where(joint > 0, 1.0, -1.0)
        lift = np.log(joint[met] / (alone[a[met]] * alone[b[met]]))
        scores[met] = lift / -np.log(joint[met])
        values[topic] = scores.mean() if len(scores) else 0.0
    return values
