"""Do the words of a topic belong together? Normalised pointwise mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def npmi(counts: csr_matrix, tops: Array) -> NDArray[np.float64]:
    """Return for each topic the mean, over pairs of its top words, of

        ln(P(a, b) / (P(a) P(b))) / −ln P(a, b)

    with P the share of documents that contain the words; −1 for pairs that never occur together, 1
    for pairs that always do (Bouma 2009; Lau, Newman and Baldwin 2014). ``tops[t]`` are columns of
    counts.
    """
    from scipy.sparse import csr_matrix

    words, places = np.unique(tops, return_inverse=True)
    present = csr_matrix(counts[:, words] > 0, dtype=np.float64)
    together = np.asarray((present.T @ present).todense()) / max(1, counts.shape[0])
    alone = np.diag(together)
    first, second = np.triu_indices(tops.shape[1], 1)
    means = np.zeros(len(tops))
    for topic, own in enumerate(places.reshape(tops.shape)):
        a, b = own[first], own[second]
        joint = together[a, b]
        defined = (joint > 0) & (joint < 1)
        scores = np.where(joint > 0, 1.0, -1.0)
        lift = np.log(joint[defined] / (alone[a[defined]] * alone[b[defined]]))
        scores[defined] = lift / -np.log(joint[defined])
        means[topic] = scores.mean() if len(scores) else 0.0
    return means
