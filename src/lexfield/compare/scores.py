"""How well the style of a text fits each author, by several rules.

    nearest   the cosine distance from the most similar known text of the author, where what varies
              within texts counts less (``compare.whitening``), divided by √(μ μ′), the mean
              distances of both texts from their nearest ten: some texts are near to almost all
              others (local scaling, as in ``compare.hubs``)
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.layout import Layout
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import compare_count_rows
from lexfield.compare.style import Feature, StyleCounts
from lexfield.compare.whitening import whiten
from lexfield.errors import check

Matrix = NDArray[np.float64]
SIMPLE = ("nearest", "author")  # rules that only need a distance
RULES = (*SIMPLE, "ridge", "svm", "logistic")
_STANDARDISED = ("mfw", "function", "punct")
_PENALTY = 0.03  # λ, in mean squared lengths; chosen on speeches
_NEIGHBOURS = 10
_FOLDS = 5
_BLOCK = 4096  # columns that are multiplied at a time
_SPARSE = 0.03  # up to this share of entries, sparse products are faster


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
        if rule == "nearest":
            near, among = whiten(products, layout)
            near = -_scale_locally(1 - near, 1 - among, layout)
            scores[rule] = _score_simply(near, layout, rule)
        elif rule == "author":
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


def _scale_locally(distances: Matrix, among: Matrix, layout: Layout) -> Matrix:
    """Return distances of texts to score from known texts, corrected for hubs; ``among`` are those
    among known texts. A text that is left out does not count for the others either."""
    most = _NEIGHBOURS + max(map(len, layout.groups))
    others = among + np.diag(np.full(len(among), np.inf))
    order = np.argsort(others, axis=1, kind="stable")[:, :most]
    near = np.take_along_axis(others, order, axis=1)
    reach = np.empty_like(distances)
    for left, rows in layout.groups.items():
        counts = np.ones(len(among), bool)
        counts[list(left)] = False
        reach[rows] = _average_first(near, counts[order] & np.isfinite(near))
    mine = np.sort(np.where(layout.hidden, np.inf, distances), axis=1)
    own = _average_first(mine, np.isfinite(mine))
    return np.asarray(distances / np.sqrt(np.maximum(own[:, None] * reach, 1e-12)))


def _average_first(near: Matrix, counts: NDArray[np.bool_]) -> Matrix:
    """Return the mean of the first few values that count of each row; 1 if there is none."""
    counts = counts & (counts.cumsum(axis=1) <= _NEIGHBOURS)
    sums, times = np.where(counts, near, 0).sum(axis=1), counts.sum(axis=1)
    return np.where(times > 0, sums / np.maximum(times, 1), 1.0)


def _score_simply(near: Matrix, layout: Layout, rule: str) -> Matrix:
    """Return the largest or the mean similarity with the texts of each author."""
    near = np.where(layout.hidden, np.nan, near)
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
    for left, rows in layout.groups.items():
        block = np.flatnonzero(np.isin(layout.owners, left))
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
    fold = np.array([left[0] % _FOLDS if left else -1 for left in layout.left_out])
    for number in np.unique(fold).tolist():
        rows = np.flatnonzero(fold == number)
        left_out = np.flatnonzero(layout.hidden[rows].any(axis=0))
        train = np.flatnonzero(~np.isin(layout.owners, left_out))
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
