"""How well the style of a text fits each author, by several rules.

    nearest   the cosine with the most similar known text of the author
    author    the mean cosine with the author's known texts
    ridge     ridge regression of authors on pieces of the known texts, one against the others
    svm       linear support vectors on the same pieces, one against the others
    logistic  logistic regression on the same pieces

Vectors are relative frequencies: standardised over the known pieces for words, function words and
punctuation (as in Delta: Burrows 2002), square roots for n-grams (as in Hellinger's distance), both
scaled to length one (as in cosine Delta: Smith and Aldridge 2011).

A known text is scored as if it were unknown. With K the inner products of all pieces and

    N = [K + λI  1; 1ᵀ  0]⁻¹,    (α, b) = N (Y, 0),

leaving the pieces B of one text out of ridge regression needs no second fit (Cawley and Talbot
2003): (α, b)′ = (α, b) − N_·B N_BB⁻¹ α_B. The intercept b must be fitted without them too: centring
K and Y by all pieces would tell the label of those left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import compare_count_rows
from lexfield.compare.style import Feature, StyleCounts
from lexfield.errors import check

Matrix = NDArray[np.float64]
SIMPLE = ("nearest", "author")  # rules that only need a distance
RULES = (*SIMPLE, "ridge", "svm", "logistic")
_STANDARDISED = ("mfw", "function", "punct")
_PENALTY = 0.03  # λ, in mean squared lengths; chosen on speeches
_FOLDS = 5
_BLOCK = 4096  # columns that are multiplied at a time
_SPARSE = 0.03  # up to this share of entries, sparse products are faster


@dataclass(frozen=True)
class Layout:
    """Which rows of counts are what; pieces of known texts come first.

    owners: the known text of each piece. labels: the author of each known text, as a number.
    texts, asked: the rows of the known texts and of the texts to score; one row can be several.
    left_out: for each text to score, the known text that does not count for it, or −1.
    """

    owners: NDArray[np.int64]
    labels: NDArray[np.int64]
    texts: NDArray[np.int64]
    asked: NDArray[np.int64]
    left_out: NDArray[np.int64]

    @property
    def pieces(self) -> slice:
        return slice(0, len(self.owners))

    @property
    def authors(self) -> int:
        return int(self.labels.max()) + 1

    def find_empty(self) -> NDArray[np.bool_]:
        """Return texts to score × authors: is no known text of the author left?"""
        sizes = np.bincount(self.labels, minlength=self.authors)
        left = np.tile(sizes, (len(self.left_out), 1))
        rows = np.flatnonzero(self.left_out >= 0)
        left[rows, self.labels[self.left_out[rows]]] -= 1
        return np.asarray(left == 0)


def score_texts(
    counts: StyleCounts,
    feature: Feature,
    layout: Layout,
    rules: Sequence[str],
    measure: str | None = None,
) -> dict[str, Matrix]:
    """Return by rule how well each text to score fits each author; −∞ if no text of it is left.

    ``measure`` is a divergence that takes the place of the cosine, for ``nearest`` and ``author``.
    """
    for rule in rules:
        check(rule in RULES, "rule", f"one of {', '.join(RULES)}", rule)
        known = measure is None or rule in SIMPLE
        check(known, "rule", f"{' or '.join(SIMPLE)} for a measure", rule)
    scores = {}
    if measure is not None:
        options = ComparisonOptions.from_dict({"measure": measure})
        near = -compare_count_rows(counts, options, layout.asked, layout.texts)
        return {rule: _score_simply(near, layout, rule) for rule in rules}
    vectors = embed(counts, feature, layout.pieces)
    products = multiply(vectors, slice(0, int(layout.texts.max()) + 1))
    for rule in rules:
        if rule in SIMPLE:
            near = products[layout.asked][:, layout.texts]
            scores[rule] = _score_simply(near, layout, rule)
        elif rule == "ridge":
            truth = np.eye(layout.authors)[layout.labels[layout.owners]]
            scores[rule] = regress(products, layout, truth)
        else:
            scores[rule] = _classify(vectors, layout, rule)
    return {rule: np.where(layout.find_empty(), -np.inf, one) for rule, one in scores.items()}


def embed(counts: StyleCounts, feature: Feature, known: slice) -> Any:
    """Return one vector of length one per row, dense or sparse, standardised by the known rows."""
    from scipy.sparse import diags

    shares = counts.shares
    if feature.name not in _STANDARDISED:
        shares.data = np.sqrt(shares.data)
        lengths = np.sqrt(np.asarray(shares.multiply(shares).sum(axis=1)).ravel())
        unit = diags(1 / np.where(lengths > 0, lengths, 1)) @ shares
        return unit.astype(np.float32).tocsr()
    dense = shares.toarray()
    spread = dense[known].std(axis=0)
    dense = (dense - dense[known].mean(axis=0)) / np.where(spread > 0, spread, 1)
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return dense / np.where(lengths > 0, lengths, 1)


def multiply(vectors: Any, known: slice) -> Matrix:
    """Return the inner products of all rows with the known ones."""
    if isinstance(vectors, np.ndarray):
        return np.asarray(vectors @ vectors[known].T, np.float64)
    if vectors.nnz < _SPARSE * vectors.shape[0] * vectors.shape[1]:
        return np.asarray((vectors @ vectors[known].T).toarray(), np.float64)
    columns = vectors.tocsc()
    products = np.zeros((columns.shape[0], len(range(columns.shape[0])[known])))
    for start in range(0, columns.shape[1], _BLOCK):
        block = columns[:, start : start + _BLOCK].toarray()
        products += block @ block[known].T
    return products


def _score_simply(near: Matrix, layout: Layout, rule: str) -> Matrix:
    """Return the largest or the mean similarity with the texts of each author."""
    near = near.copy()
    rows = np.flatnonzero(layout.left_out >= 0)
    near[rows, layout.left_out[rows]] = np.nan
    scores = np.full((len(near), layout.authors), -np.inf)
    combine: Callable[..., Any] = np.nanmax if rule == "nearest" else np.nanmean
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no text is left
        for author in range(layout.authors):
            scores[:, author] = combine(near[:, layout.labels == author], axis=1)
    return np.where(np.isnan(scores), -np.inf, scores)


def regress(products: Matrix, layout: Layout, truth: Matrix, penalty: float = _PENALTY) -> Matrix:
    """Return what ridge regression on the pieces says of each text to score: texts × targets."""
    pieces = len(layout.owners)
    gram = products[layout.pieces, layout.pieces].copy()
    spread = float(np.trace(gram)) / pieces - float(gram.mean())
    gram[np.diag_indices(pieces)] += penalty * max(spread, 1e-9)
    bordered = np.pad(gram, (0, 1), constant_values=1.0)
    bordered[-1, -1] = 0.0
    inverse = np.linalg.inv(bordered)
    fitted = inverse[:, :pieces] @ truth
    cross = products[layout.asked][:, layout.pieces]
    cross = np.pad(cross, ((0, 0), (0, 1)), constant_values=1.0)
    scores = cross @ fitted
    for text in np.unique(layout.left_out[layout.left_out >= 0]):
        block = np.flatnonzero(layout.owners == text)
        rows = np.flatnonzero(layout.left_out == text)
        own = np.linalg.solve(inverse[np.ix_(block, block)], fitted[block])
        scores[rows] -= (cross[rows] @ inverse[:, block]) @ own
    return np.asarray(scores)


def _classify(vectors: Any, layout: Layout, rule: str) -> Matrix:
    """Return the scores of a classifier of scikit-learn.

    Known texts are scored by classifiers that have not seen them: one for each fifth of the texts.
    """
    pieces, asked = vectors[layout.pieces], vectors[layout.asked]
    labels = layout.labels[layout.owners]
    scores = np.full((len(layout.left_out), layout.authors), -np.inf)
    fold = np.where(layout.left_out >= 0, layout.left_out % _FOLDS, -1)
    for number in np.unique(fold).tolist():
        train = np.flatnonzero((layout.owners % _FOLDS != number) | (number < 0))
        rows = np.flatnonzero(fold == number)
        names = np.unique(labels[train])
        if len(names) < 2:
            continue
        model = _make_classifier(rule).fit(pieces[train], labels[train])
        found = model.decision_function(asked[rows])
        if found.ndim == 1:
            found = np.stack([-found, found], axis=1)
        scores[rows[:, None], names] = found
    return scores


def _make_classifier(rule: str) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    if rule == "svm":
        return LinearSVC(C=1.0, dual=True, max_iter=5000, random_state=0)
    return LogisticRegression(C=100.0, max_iter=200)
