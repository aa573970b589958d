"""Is a text by an author at all? General imposters.

Koppel and Winter (2014), Kestemont et al. (2016): in each of many rounds, half of the features and
half of the texts by others (the imposters) are drawn at random; the author scores if the text is
nearer to one of the author's texts than to every imposter. The score is the share of rounds.

Somebody is always the nearest, so the score alone does not tell a stranger. It becomes a
probability by logistic regression on known texts, together with the mean cosine with the author's
nearest text and its lead over all others. Each known text asks twice about its best candidate: with
its author among the candidates, and with all texts of its author removed. So the probability is
that of a text which is as likely to be by one of the candidates as by somebody unknown.

The known texts are few, and those of one author alike, so that a regression which follows them
closely is far too sure of new ones: it is drawn strongly towards no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.layout import Layout
from lexfield.errors import InputError

Matrix = NDArray[np.float64]
_ROUNDS = 100
_FOLDS = 5
_STRENGTH = 0.03  # C of the logistic regression; chosen on C50's training half and on speeches
_ENOUGH = ((5, 3), (10, 2))  # authors with so many texts each; chosen on C50's training half


@dataclass(frozen=True)
class AuthorVerification:
    """Per text and author: the share of rounds, and the probability that it is by the author.

    auc: for each text, how often among the questions that known texts of its length ask, a right
    best candidate gets a higher probability than a wrong one, by a fit to other authors.
    """

    scores: Matrix
    probabilities: Matrix
    auc: Matrix

    def take(self, rows: Array) -> AuthorVerification:
        """Return what was found about some texts."""
        return AuthorVerification(self.scores[rows], self.probabilities[rows], self.auc[rows])


def is_enough(sizes: NDArray[np.int64]) -> bool:
    """Can strangers be told from authors with so many texts each?"""
    return any((sizes >= texts).sum() >= authors for authors, texts in _ENOUGH)


def check_enough(sizes: NDArray[np.int64], by: str) -> None:
    """Raise InputError if there are too few texts of each author to tell strangers by."""
    if not is_enough(sizes):
        here = [int((sizes >= texts).sum()) for _, texts in _ENOUGH]
        needed = " or ".join(
            f"{authors} {by}s with {texts} texts each" for authors, texts in _ENOUGH
        )
        raise InputError(
            f"--verify needs at least {needed}, to learn what strangers look like; here are"
            f" {' and '.join(map(str, here))}.",
            "Add texts by others, even by some who cannot have written it, or leave out --verify.",
        )


def verify_texts(
    vectors: Iterable[Matrix],
    layout: Layout,
    groups: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
    truth: NDArray[np.int64],
    seed: int = 0,
) -> AuthorVerification:
    """Verify texts. Each group is the rows of known texts to learn from, or of excerpts of them,
    whose authors are ``truth``, and the rows of texts to verify by them; the latter come last of
    all rows. ``vectors`` has all texts for each group, by the features that count for its
    length."""
    auc = np.empty(len(layout.asked))
    scores, p = np.empty((2, len(auc), layout.authors))
    for own, (excerpts, rows) in zip(vectors, groups, strict=True):
        checked = excerpts[: len(truth)]  # the first of each text
        both = np.append(checked, rows)
        leads = find_leads(own, layout, layout.hidden[both], seed, both)
        known, asked = leads[: len(checked)], leads[len(checked) :]
        hidden = layout.hidden[checked] | (truth[:, None] == layout.labels)
        strange = find_leads(own, layout, hidden, seed, checked)
        cases, right = [], []
        for values in (known, strange):
            best = values[..., 1].argmax(axis=1)
            cases.append(values[np.arange(len(best)), best])
            right.append(best == truth)
        every, is_right = np.concatenate(cases), np.concatenate(right)
        scores[rows], p[rows] = asked[..., 0], _fit_logistic(every, is_right)(asked)
        auc[rows] = _find_auc(every, is_right, np.tile(truth, 2))
    first = min(int(rows.min()) for _, rows in groups)
    return AuthorVerification(scores[first:], p[first:], auc[first:])


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


def _fit_logistic(cases: Matrix, right: NDArray[np.bool_]) -> Callable[[Matrix], Matrix]:
    """Return the probability as a function of the three means. If there are only wrong cases,
    nothing is known: one half."""
    from sklearn.linear_model import LogisticRegression

    if len(set(right.tolist())) < 2:
        return lambda values: np.full(values.shape[:-1], 0.5)
    mean, spread = cases.mean(axis=0), np.maximum(cases.std(axis=0), 1e-12)
    used = np.ones(len(mean), bool)  # without those that would count against an author
    while True:
        model = LogisticRegression(C=_STRENGTH).fit(((cases - mean) / spread)[:, used], right)
        if model.coef_.min() >= 0 or used.sum() == 1:
            break
        used[np.flatnonzero(used)[model.coef_.argmin()]] = False

    def predict(values: Matrix) -> Matrix:
        z = (values.reshape(-1, values.shape[-1]) - mean) / spread
        return np.asarray(model.predict_proba(z[:, used])[:, 1].reshape(values.shape[:-1]))

    return predict


def _find_auc(cases: Matrix, right: NDArray[np.bool_], authors: NDArray[np.int64]) -> float:
    """Return how often a right case is more probable than a wrong one, both by fits to the cases
    of other authors: the stranger in question is a stranger to the fit, too."""
    from sklearn.metrics import roc_auc_score

    _, first, numbers = np.unique(authors, return_index=True, return_inverse=True)
    fold = np.argsort(np.argsort(first))[numbers] % _FOLDS  # by place: names do not count
    p = np.empty(len(cases))
    for number in np.unique(fold).tolist():
        mine = fold == number
        p[mine] = _fit_logistic(cases[~mine], right[~mine])(cases[mine])
    return float(roc_auc_score(right, p)) if len(set(right.tolist())) > 1 else 0.5
