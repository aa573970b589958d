"""Is a text by an author at all? General imposters.

Koppel and Winter (2014), Kestemont et al. (2016): in each of many rounds, half of the features and
half of the texts by others (the imposters) are drawn at random; the author scores if the text is
nearer to one of the author's texts than to every imposter. The score is the share of rounds.

Somebody is always the nearest, so the score alone does not tell a stranger. It becomes a
probability by logistic regression on known texts, together with the mean cosine with the author's
nearest text and its lead over all others. Each known text asks twice about its best candidate: with
its author among the candidates, and with all texts of its author removed. So the probability is
that of a text which is as likely to be by one of the candidates as by somebody unknown.
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

    auc: how often, among the questions that the known texts ask, a right best candidate gets a
    higher probability than a wrong one.
    """

    scores: Matrix
    probabilities: Matrix
    auc: float


def verify_texts(
    vectors: Matrix, layout: Layout, checked: NDArray[np.int64], first: int, seed: int = 0
) -> Verification:
    """Verify the texts to score from ``first`` on; ``checked`` are known ones to learn from."""
    own = layout.left_out[:, None] == np.arange(len(layout.labels))
    found = find_leads(vectors, layout, own, seed)
    truth = layout.labels[layout.left_out[checked]]
    strange = find_leads(vectors, layout, truth[:, None] == layout.labels, seed, checked)
    cases, right = [], []
    for values in (found[checked], strange):
        best = values[..., 1].argmax(axis=1)
        cases.append(values[np.arange(len(best)), best])
        right.append(best == truth)
    predict, auc = _fit_logistic(np.concatenate(cases), np.concatenate(right))
    return Verification(found[first:, :, 0], predict(found[first:]), auc)


def find_leads(
    vectors: Matrix,
    layout: Layout,
    hidden: NDArray[np.bool_],
    seed: int,
    rows: NDArray[np.int64] | None = None,
) -> Matrix:
    """Return texts to score (or some ``rows`` of them) × authors × three means over rounds: rounds
    won, lead over all other authors, cosine with the nearest text.

    ``hidden``: texts × known texts that do not count.
    """
    rng = np.random.default_rng(seed)
    asked = layout.asked if rows is None else layout.asked[rows]
    sums = np.zeros((len(asked), layout.authors, 3))
    for _ in range(_ROUNDS):
        columns = rng.permutation(vectors.shape[1])[: (vectors.shape[1] + 1) // 2]
        kept = rng.random(len(layout.labels)) < 0.5
        part = vectors[:, columns]
        part = part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-12)
        near = np.where(hidden, -1.0, part[asked] @ part[layout.texts].T)
        mine = _find_largest(near, layout)
        imposters = _find_largest(np.where(kept, near, -1.0), layout)
        sums[..., 0] += mine > _find_rival(imposters)
        sums[..., 1] += mine - _find_rival(mine)
        sums[..., 2] += mine
    return sums / _ROUNDS


def _find_rival(values: Matrix) -> Matrix:
    """Return for each author the largest value of another."""
    order = np.sort(values, axis=1)
    best, second = order[:, -1:], order[:, -2:-1]
    is_best = np.arange(values.shape[1]) == values.argmax(axis=1)[:, None]
    return np.where(is_best, second, best)


def _find_largest(near: Matrix, layout: Layout) -> Matrix:
    """Return the largest similarity with a text of each author."""
    columns = [near[:, layout.labels == one].max(axis=1) for one in range(layout.authors)]
    return np.stack(columns, axis=1)


def _fit_logistic(
    cases: Matrix, right: NDArray[np.bool_]
) -> tuple[Callable[[Matrix], Matrix], float]:
    """Return the probability as a function of the three means, and how often it orders a right and
    a wrong case rightly. If there are only wrong ones, nothing is known: one half."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    if len(set(right.tolist())) < 2:
        return lambda values: np.full(values.shape[:2], 0.5), 0.5
    mean, spread = cases.mean(axis=0), np.maximum(cases.std(axis=0), 1e-12)
    used = np.ones(len(mean), bool)  # without those that would count against an author
    while True:
        model = LogisticRegression().fit(((cases - mean) / spread)[:, used], right)
        if model.coef_.min() >= 0 or used.sum() == 1:
            break
        used[np.flatnonzero(used)[model.coef_.argmin()]] = False

    def predict(values: Matrix) -> Matrix:
        z = (values.reshape(-1, values.shape[-1]) - mean) / spread
        return np.asarray(model.predict_proba(z[:, used])[:, 1].reshape(values.shape[:-1]))

    return predict, float(roc_auc_score(right, predict(cases[None])[0]))
