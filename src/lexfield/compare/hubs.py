"""Hub correction: distances in which no text is the nearest of very many others.

In many dimensions some texts, the hubs, are near to almost all others (Radovanović et al. 2010).
Two corrections, of d(x, y):

    centre   d(x, y) − m(x) − m(y) + m,  m(x) the mean distance of x from the known texts, m the
             mean of all (Suzuki et al. 2013, for similarities)
    local    d(x, y) / √(μ(x) μ(y)),  μ(x) the mean distance of x from its nearest few known texts
             (the non-iterative contextual dissimilarity in Schnitzer et al. 2012)

For all pairs, the known texts are the texts themselves: every distance depends on all of them
(transductive). A new text is corrected by its distances from known texts only, and these by their
distances from each other, so that it changes nothing but its own row (inductive).
"""

from __future__ import annotations

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.smoothing import Matrix
from lexfield.errors import InputError

KINDS = ("centre", "local")
_NEAREST = 10


def correct_hubs(distances: Matrix, known: Array, kind: str) -> Matrix:
    """Return corrected distances; row i and column i are the same text, whose distance from itself
    is 0. ``known`` are the rows, and columns, of known texts."""
    itself = np.equal.outer(*(np.arange(size) for size in distances.shape))
    if not (np.isfinite(distances) | itself).all():
        raise InputError(
            "Hubs cannot be corrected: some texts differ infinitely or have no divergence.",
            "Use another measure, such as --measure js.",
        )
    others = np.where(itself, np.nan, distances)
    if kind == "centre":
        rows, columns = np.nanmean(others[:, known], axis=1), np.nanmean(others[known], axis=0)
        found = others - rows[:, None] - columns[None, :] + columns[known].mean()
    else:
        found = others / np.sqrt(
            np.outer(_find_reach(others[:, known]), _find_reach(others[known].T))
        )
    return np.where(itself, 0.0, found)


def _find_reach(distances: Matrix) -> Matrix:
    """Return the mean distance of each row from its nearest few; NaN is ignored."""
    near = np.sort(distances, axis=1)[:, :_NEAREST]  # NaN is sorted to the end
    reach = np.nanmean(near, axis=1)
    if (reach <= 0).any():
        raise InputError(
            "Local scaling needs positive distances from the nearest texts.",
            "Leave out copies, or use --hubs centre.",
        )
    return np.asarray(reach)
