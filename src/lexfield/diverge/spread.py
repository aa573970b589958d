"""Counts spread over near words: a text that says "car" also says a little "automobile".

Every word keeps 1 − share of its count and gives the rest to the words whose cosine with it is at
least ``threshold``, in proportion to the cosine; a word without such neighbours keeps all. What
follows are counts, so every categorical measure applies to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.counts import Counts
from lexfield.diverge.options import Options
from lexfield.progress import Progress, silent
from lexfield.vectors.nearest import nearest_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def spread(counts: Counts, chosen: Options, progress: Progress = silent) -> Counts:
    """Counts after spreading; types without a vector keep theirs."""
    from scipy.sparse import csr_matrix

    used = np.asarray(counts.matrix.sum(axis=0)).ravel() > 0
    move = moves(counts.types, used, chosen, progress)
    return replace(counts, matrix=csr_matrix(counts.matrix @ move))


def moves(
    types: Sequence[str], used: NDArray[Any], chosen: Options, progress: Progress = silent
) -> csr_matrix:
    """Types × types: where the count of each ``used`` type goes."""
    from scipy.sparse import csr_matrix, identity

    embedded = chosen.loaded().embed(types)
    lengths = np.linalg.norm(embedded.matrix, axis=1)
    known = np.flatnonzero((lengths > 0) & used)
    unit = embedded.matrix[known] / lengths[known, None]
    found = nearest_rows(
        unit, unit, threshold=chosen.threshold, skip=np.arange(len(known)), progress=progress
    )
    sizes = np.diff(found.offsets)
    givers = np.repeat(np.arange(len(known)), sizes)
    sums = np.bincount(givers, found.scores, len(known))
    given = chosen.share * found.scores / sums[givers]
    gives = np.zeros(len(types))
    gives[known[sizes > 0]] = chosen.share
    shape = (len(types), len(types))
    move: Any = csr_matrix((given, (known[givers], known[found.rows])), shape=shape)
    return (move + identity(len(types), format="csr").multiply((1 - gives)[:, None])).tocsr()
