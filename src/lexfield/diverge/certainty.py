"""How sure a label is: distances from categories turned into probabilities, and checked.

    p(c | text) ∝ exp(−a · z₁(c) − b · z₂(c))

z₁ is the distance from the nearest document of c, z₂ the mean distance from its documents, each
standardised over the categories of a text, so that a text which is far from everybody is not less
certain for it. a, b ≥ 0 make the labels of known documents, each seen from all the others,
likeliest: a conditional logit (McFadden 1974), which is convex. As Platt (1999) does, the n
documents are not taken to be certain: the true label has 1 − 1/(n+2), the others share the rest, so
that a few documents which are all right do not make every later label certain.

Calibration compares what was said with what came true: documents are sorted by the probability of
their label into bins, and the error is the mean over documents of |mean probability of the bin −
share of the bin that is right| (Naeini et al. 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.label import class_distances
from lexfield.errors import InputError, check

Matrix = NDArray[np.float64]
_STEEPEST = 100.0


@dataclass(frozen=True)
class Bin:
    """Documents whose label had a probability within the bin."""

    low: float
    high: float
    documents: int
    said: float
    right: float


@dataclass(frozen=True)
class Calibration:
    """What was said beside what came true, over ``documents`` with known labels."""

    documents: int
    accuracy: float
    said: float
    error: float
    log_loss: float
    bins: list[Bin]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def features(distances: Matrix, labels: NDArray[Any], names: NDArray[Any]) -> Matrix:
    """z₁ and z₂ of each text (row) and category; infinite where the category has no document.

    ``distances`` are of texts from documents with ``labels``, infinite where one is not to be seen.
    """
    parts = [class_distances(distances, labels, names, rule, 1) for rule in ("nearest", "category")]
    return np.stack([_standardised(far) for far in parts], axis=-1)


def _standardised(far: Matrix) -> Matrix:
    finite = np.isfinite(far)
    if not finite.any(axis=1).all():
        raise InputError("A text is infinitely far from every category.", "Try --measure js.")
    values = np.where(finite, far, np.nan)
    spread = np.nanstd(values, axis=1, keepdims=True)
    moved = (values - np.nanmean(values, axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    return np.where(finite, moved, np.inf)


def probabilities(z: Matrix, weights: NDArray[Any]) -> Matrix:
    """One row a text, one column a category; 0 where nothing speaks for the category."""
    finite = np.asarray(np.isfinite(z).all(axis=2))
    logits = np.where(finite, -(np.where(finite[..., None], z, 0) @ weights), -np.inf)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def fit_weights(z: Matrix, truth: NDArray[np.int64]) -> NDArray[np.float64]:
    """a and b under which the true categories (columns) are likeliest."""
    from scipy.optimize import minimize

    check(len(z) >= 2, "documents", "at least 2 whose category has another document", len(z))
    finite = np.asarray(np.isfinite(z).all(axis=2))
    known = np.where(finite[..., None], z, 0)
    shared = 1 / (len(z) + 2)
    others = np.maximum(finite.sum(axis=1, keepdims=True) - 1, 1)
    target = np.where(finite, shared / others, 0.0)
    target[np.arange(len(z)), truth] = 1 - shared

    def loss(weights: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        p = probabilities(z, weights)
        value = -(target * np.log(np.maximum(p, 1e-300))).sum() / len(z)
        return float(value), ((target - p)[..., None] * known).sum(axis=(0, 1)) / len(z)

    bounds = [(0.0, _STEEPEST)] * z.shape[2]
    start = np.ones(z.shape[2])
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B")
    return np.asarray(found.x, np.float64)


def calibration(p: Matrix, truth: NDArray[np.int64], bins: int = 10) -> Calibration:
    """What probabilities said of texts whose category is known."""
    check(bins >= 1, "bins", "at least 1", bins)
    said = p.max(axis=1)
    right = p.argmax(axis=1) == truth
    place = np.minimum((said * bins).astype(int), bins - 1)
    rows: list[Bin] = []
    for number in range(bins):
        mine = place == number
        if mine.any():
            low, high = number / bins, (number + 1) / bins
            mean, share = float(said[mine].mean()), float(right[mine].mean())
            rows.append(Bin(low, high, int(mine.sum()), mean, share))
    chosen = np.maximum(p[np.arange(len(p)), truth], 1e-300)
    return Calibration(
        documents=len(p),
        accuracy=float(right.mean()),
        said=float(said.mean()),
        error=sum(b.documents * abs(b.said - b.right) for b in rows) / len(p),
        log_loss=-float(np.log(chosen).mean()),
        bins=rows,
    )


def calibratable(labels: Sequence[str]) -> NDArray[np.int64]:
    """Rows whose category has another document: only these can be labelled from the others."""
    names, place, sizes = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise InputError(f"All documents are {labels[0]!r}.", "There is nothing to tell apart.")
    return np.flatnonzero(sizes[place] > 1)
