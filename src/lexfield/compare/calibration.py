"""Probabilities of categories from scores, and whether they come true.

    p(c | text) ∝ exp(−Σ_f w_f d_f(c) / s_f)

d_f(c) is how much farther than the mean category c is by score f. So what counts is how much nearer
one category is than another: a text between two authors gets a probability near one half, however
few the candidates. s_f is the spread of the differences within a text, drawn towards that of all
known texts as if the text had been compared with ν more categories (a Bayesian estimate of a
variance with ν degrees of freedom). With many candidates, a text that is far from all of them is
not less certain for it; with two, its own spread says nothing and hardly counts.

w_f ≥ 0 maximise the likelihood of the labels of known documents, each scored from all the others:
a conditional logit (McFadden 1974), which is convex. As in Platt (1999), the n documents are not
taken as certain: the other labels share 1/(2n+2) of the true one, the estimate of Krichevsky and
Trofimov (1981) for an event that was never observed. A later text can be farther from a tie than
all of these, but n documents cannot show more: its probability p among k categories becomes

    (1 − e) p + e/k,    e = k/(k − 1) · 1/(2n+2),

so that 1 becomes 1 − 1/(2n+2), and a tie remains a tie.

Calibration compares predicted probabilities with outcomes: documents are sorted into bins by the
probability of their label, and the error is the mean over documents of |mean probability of the
bin − share of the bin that is right| (Naeini et al. 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.labels import find_category_distances
from lexfield.errors import InputError, check
from lexfield.results import JsonObject

Matrix = NDArray[np.float64]
RULES = ("nearest", "category")
_STEEPEST = 100.0  # the largest weight
_FREEDOM = 3.0  # ν; chosen on Reuters C50 from 3, 10, 30 and none


@dataclass(frozen=True)
class Bin:
    """Documents whose label has a probability within the bin: the mean one, and the share right."""

    low: float
    high: float
    documents: int
    mean_probability: float
    right: float


@dataclass(frozen=True)
class Calibration:
    """Predicted probabilities beside outcomes, over ``documents`` with known labels, which are
    ``texts`` or excerpts of as many."""

    documents: int
    texts: int
    accuracy: float
    mean_probability: float
    error: float
    log_loss: float
    bins: list[Bin]

    def to_dict(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True)
class CategoryModel:
    """Turns differences into probabilities: one spread and one weight per rule.

    doubt: what a category that seems certain leaves to the others.
    """

    spread: NDArray[np.float64]
    weights: NDArray[np.float64]
    doubt: float = 0.0

    def predict(self, differences: Matrix) -> Matrix:
        """Return one row per text, one column per category; 0 where it has no document."""
        p = _softmax(_scale(differences, self.spread), self.weights)
        is_open = np.asarray(np.isfinite(differences).all(axis=2))
        k = is_open.sum(axis=1, keepdims=True)
        return np.where(is_open, p + self.doubt * (1 - k * p) / np.maximum(k - 1, 1), 0.0)


def find_differences(
    distances: Matrix, labels: Array, names: Array, rules: Sequence[str] = RULES
) -> Matrix:
    """Return how much farther than the mean category each category is: texts × categories × rules.

    ``distances`` are those of texts from documents with ``labels``, infinite where a document is to
    be ignored. The result is infinite where a category has no document.
    """
    parts = [find_category_distances(distances, labels, names, rule, 1) for rule in rules]
    return center_distances(np.stack(parts, axis=-1))


def center_distances(far: Matrix) -> Matrix:
    """Return how much farther than the mean category each category is."""
    finite = np.isfinite(far)
    if not finite.any(axis=1).all():
        raise InputError("A text is infinitely far from every category.", "Try --measure js.")
    means = np.nanmean(np.where(finite, far, np.nan), axis=1, keepdims=True)
    return np.where(finite, far - means, np.inf)


def fit_model(
    differences: Matrix, truth: NDArray[np.int64], documents: int | None = None
) -> CategoryModel:
    """Return the model that makes the true categories (columns) most likely.

    documents: how many documents the texts are excerpts of; by default as many as texts.
    """
    from scipy.optimize import minimize

    texts = len(differences)
    check(texts >= 2, "The number of texts", "at least 2", texts)
    squares, freedom = _sum_squares(differences)
    total = squares.sum(axis=0) / np.maximum(freedom.sum(axis=0), 1)
    spread = np.sqrt(np.where(total > 0, total, 1.0))
    z = _scale(differences, spread)
    finite = np.asarray(np.isfinite(z).all(axis=2))
    known = np.where(finite[..., None], z, 0)
    shared = 1 / (2 * (documents or texts) + 2)
    others = np.maximum(finite.sum(axis=1, keepdims=True) - 1, 1)
    target = np.where(finite, shared / others, 0.0)
    target[np.arange(texts), truth] = 1 - shared

    def find_loss(weights: Array) -> tuple[float, Array]:
        p = _softmax(z, weights)
        value = -(target * np.log(np.maximum(p, 1e-300))).sum() / texts
        return float(value), ((target - p)[..., None] * known).sum(axis=(0, 1)) / texts

    bounds = [(0.0, _STEEPEST)] * z.shape[2]
    found = minimize(find_loss, np.ones(z.shape[2]), jac=True, bounds=bounds, method="L-BFGS-B")
    return CategoryModel(spread, np.asarray(found.x, np.float64), shared)


def _sum_squares(differences: Matrix) -> tuple[Matrix, Matrix]:
    """Return per text and rule: the sum of squared differences, and its degrees of freedom."""
    finite = np.isfinite(differences)
    return np.square(np.where(finite, differences, 0.0)).sum(axis=1), finite.sum(axis=1) - 1.0


def _scale(differences: Matrix, spread: NDArray[np.float64]) -> Matrix:
    """Divide by the spread of each text, drawn towards that of all known texts."""
    squares, freedom = _sum_squares(differences)
    own = np.sqrt((_FREEDOM * spread**2 + squares) / (_FREEDOM + freedom))
    return np.asarray(differences / own[:, None, :])


def _softmax(z: Matrix, weights: Array) -> Matrix:
    finite = np.asarray(np.isfinite(z).all(axis=2))
    logits = np.where(finite, -(np.where(finite[..., None], z, 0) @ weights), -np.inf)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def measure_calibration(
    p: Matrix, truth: NDArray[np.int64], bins: int = 10, texts: int | None = None
) -> Calibration:
    """Compare probabilities with the known categories of texts, or of excerpts of ``texts``."""
    check(bins >= 1, "bins", "at least 1", bins)
    highest = p.max(axis=1)
    right = p.argmax(axis=1) == truth
    place = np.minimum((highest * bins).astype(int), bins - 1)
    rows: list[Bin] = []
    for number in range(bins):
        mine = place == number
        if mine.any():
            low, high = number / bins, (number + 1) / bins
            mean, share = float(highest[mine].mean()), float(right[mine].mean())
            rows.append(Bin(low, high, int(mine.sum()), mean, share))
    chosen = np.maximum(p[np.arange(len(p)), truth], 1e-300)
    return Calibration(
        documents=len(p),
        texts=texts or len(p),
        accuracy=float(right.mean()),
        mean_probability=float(highest.mean()),
        error=sum(b.documents * abs(b.mean_probability - b.right) for b in rows) / len(p),
        log_loss=-float(np.log(chosen).mean()),
        bins=rows,
    )
