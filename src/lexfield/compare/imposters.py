"""Is a text by an author at all? General imposters.

Koppel and Winter (2014), Kestemont et al. (2016): in each of many rounds, half of the features and
half of the texts by others (the imposters) are drawn at random; the author scores if the text is
nearer to one of the author's texts than to every imposter. The score is the share of rounds.

A score becomes a probability by logistic regression on known texts: each is scored with its own
author, and, with all texts of its author removed, with the best of the others. So the probability
is that of a text which is as likely to be by the author as by somebody unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.scores import Layout

Matrix = NDArray[np.float64]
_ROUNDS = 100


@dataclass(frozen=True)
class Verification:
    """Per text and author: the share of rounds, and the probability that it is by the author.

    auc: how often a known text scores higher with its own author than another text with the best
    author that is not its own (half for ties).
    """

    scores: Matrix
    probabilities: Matrix
    auc: float


def verify_texts(
    vectors: Matrix, layout: Layout, checked: NDArray[np.int64], first: int, seed: int = 0
) -> Verification:
    """Verify the texts to score from ``first`` on; ``checked`` are known ones to learn from."""
    own = layout.left_out[:, None] == np.arange(len(layout.labels))
    scores = score_imposters(vectors, layout, own, seed)
    truth = layout.labels[layout.left_out[checked]]
    yes = scores[checked, truth]
    strange = truth[:, None] == layout.labels
    no = score_imposters(vectors, layout, strange, seed, checked).max(axis=1)
    model = _fit_logistic(yes, no)
    auc = float(np.mean((yes[:, None] > no) + 0.5 * (yes[:, None] == no)))
    return Verification(scores[first:], model(scores[first:]), auc)


def score_imposters(
    vectors: Matrix,
    layout: Layout,
    hidden: NDArray[np.bool_],
    seed: int,
    rows: NDArray[np.int64] | None = None,
) -> Matrix:
    """Return texts to score (or some ``rows`` of them) × authors: the share of rounds won.

    ``hidden``: texts × known texts that do not count.
    """
    rng = np.random.default_rng(seed)
    asked = layout.asked if rows is None else layout.asked[rows]
    wins = np.zeros((len(asked), layout.authors))
    for _ in range(_ROUNDS):
        columns = rng.permutation(vectors.shape[1])[: (vectors.shape[1] + 1) // 2]
        kept = rng.random(len(layout.labels)) < 0.5
        part = vectors[:, columns]
        part = part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-12)
        near = np.where(hidden, -np.inf, part[asked] @ part[layout.texts].T)
        mine = _find_largest(near, layout)
        imposters = _find_largest(np.where(kept, near, -np.inf), layout)
        order = np.sort(imposters, axis=1)
        best, second = order[:, -1:], order[:, -2:-1]
        others = np.where(imposters == best, second, best)
        wins += np.isfinite(mine) & (mine > others)
    return wins / _ROUNDS


def _find_largest(near: Matrix, layout: Layout) -> Matrix:
    """Return the largest similarity with a text of each author."""
    columns = [near[:, layout.labels == one].max(axis=1) for one in range(layout.authors)]
    return np.stack(columns, axis=1)


def _fit_logistic(yes: Matrix, no: Matrix) -> Callable[[Matrix], Matrix]:
    """Return the probability of yes as a function of the score."""
    from sklearn.linear_model import LogisticRegression

    truth = np.repeat([1, 0], [len(yes), len(no)])
    model = LogisticRegression(C=10.0).fit(np.concatenate([yes, no])[:, None], truth)

    def predict(scores: Matrix) -> Matrix:
        p = model.predict_proba(scores.reshape(-1, 1))[:, 1]
        return np.asarray(p.reshape(scores.shape))

    return predict
