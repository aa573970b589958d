"""The metric of minimum cluster distortion (Mochihashi, Kikui and Kita 2004).

Among all Mahalanobis metrics with |M| = 1 it minimises Σ_i ξ_i Σ_{s ∈ X_i} d_M(s, c_i)² (eq. 4, 5):

    M = |A|^(1/n) A⁻¹                         (eq. 6)
    M = (σ_1 … σ_R)^(1/R) A⁺                  where A has rank R < n (appendix B)

with A the scatter within clusters (eq. 7, ``scatter.py``). d_M is the Euclidean distance after the
map M^½ (eq. 3), which is what ``transform`` applies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import assert_all_finite, check_is_fitted, validate_data

from lexfield.engine import single_thread
from lexfield.errors import InputError, check
from lexfield.metric.scatter import Matrix, Numbers, Rows, Scatter, membership
from lexfield.progress import Progress, silent

WEIGHTS = ("equal", "inverse_size", "reliability")
_BLOCK = 4096  # rows processed together
_FLOATS = [np.float64, np.float32]


class MinimumDistortion(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """``fit(X, clusters)`` learns the metric, ``transform(X)`` maps rows to where it is Euclidean.

    shrinkage: A becomes (1−s) A + s (tr A / n) I. 0 is the paper's metric, 1 the Euclidean one.
    weights: ξ. "equal": 1, the paper's choice: every row counts once. "inverse_size": 1/|X_i|:
        every cluster counts once. "reliability": the inverse of the cluster's variance: compact
        clusters count more. Or a mapping from cluster to weight.
    tolerance: eigenvalues of A up to this share of the largest count as zero. The default is n
        times the square of float32's rounding for float32 rows, n times float64's for others.

    Rows labelled None, NaN or "" are left out; a cluster with one member contributes nothing.
    ``notes_`` reports both, and the rank.

    metric_: M; its determinant is 1 on its range. map_: M^½. rank_: R. clusters_, singletons_,
    unlabelled_: how many clusters and rows were used or left out.
    """

    _scatter: Scatter | None
    _solved: tuple[Matrix, int] | None
    _metric: Matrix | None

    def __init__(
        self,
        shrinkage: float = 0.0,
        weights: str | Mapping[Any, float] = "equal",
        tolerance: float | None = None,
    ) -> None:
        self.shrinkage = shrinkage
        self.weights = weights
        self.tolerance = tolerance

    def fit(self, X: ArrayLike, y: ArrayLike, progress: Progress = silent) -> MinimumDistortion:  # noqa: N803
        """``X``: rows × features, dense, sparse or memory-mapped. ``y``: the cluster of each."""
        self._check_parameters()
        self._reset()
        rows, labels = self._validate(X, y, reset=True, finite=False)
        if isinstance(self.weights, str) and self.weights != "equal":
            weights = cluster_weights(self.weights, rows, labels)
            self._scatter = Scatter(self.n_features_in_, weights)
        scatter = self._add(rows, labels, progress)
        if not np.isfinite(scatter.centroids.sum()):  # cheaper than checking all rows first
            self._scatter = None
            assert_all_finite(rows, input_name="X")
            self._scatter = scatter
        self._solve()
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> MinimumDistortion:  # noqa: N803
        """Add more rows, of old or new clusters. The metric is solved when it is read."""
        self._check_parameters()
        if isinstance(self.weights, str) and self.weights != "equal":
            raise InputError(
                f"weights={self.weights!r} must see all rows first; partial_fit cannot.",
                "Use fit, or give the weights as a mapping from cluster to weight.",
            )
        is_first = getattr(self, "_scatter", None) is None
        if is_first:
            self._reset()
        rows, labels = self._validate(X, y, reset=is_first)
        self._add(rows, labels)
        self._solved = None
        return self

    def transform(self, X: ArrayLike) -> Matrix:  # noqa: N803
        """Return the rows times M^½: Euclidean distances between them are d_M."""
        check_is_fitted(self)
        rows = validate_data(self, X, accept_sparse="csr", reset=False, dtype=_FLOATS)
        out = np.empty(rows.shape)
        for start in range(0, len(out), _BLOCK):
            out[start : start + _BLOCK] = rows[start : start + _BLOCK] @ self.map_
        return out

    @property
    def metric_(self) -> Matrix:
        root = self.map_
        if self._metric is None:
            with single_thread():
                self._metric = root @ root.T
        return self._metric

    @property
    def map_(self) -> Matrix:
        return self._solve()[0]

    @property
    def rank_(self) -> int:
        return self._solve()[1]

    @property
    def clusters_(self) -> int:
        return int((self._fitted_scatter().sizes > 1).sum())

    @property
    def singletons_(self) -> int:
        return int((self._fitted_scatter().sizes == 1).sum())

    @property
    def notes_(self) -> list[str]:
        scatter, notes = self._fitted_scatter(), []
        if self.unlabelled_:
            notes.append(f"{self.unlabelled_:,} rows have no label and were left out")
        if self.singletons_:
            notes.append(f"{self.singletons_:,} clusters have one member and contribute nothing")
        if self.rank_ < self.n_features_in_:
            free = scatter.rows - len(scatter.sizes)
            why = f", of {free:,} differences within clusters" if free < self.n_features_in_ else ""
            notes.append(
                f"the scatter within clusters has rank {self.rank_:,} of {self.n_features_in_:,}"
                f"{why}: the pseudo-inverse is used, other directions do not count"
            )
        return notes

    def _reset(self) -> None:
        self._scatter = None
        self._solved = None
        self._rounding = float(np.finfo(np.float64).eps)
        self.unlabelled_ = 0

    def _check_parameters(self) -> None:
        is_number = isinstance(self.shrinkage, int | float | np.number)
        check(is_number and 0 <= self.shrinkage <= 1, "shrinkage", "from 0 to 1", self.shrinkage)
        if isinstance(self.weights, Mapping):
            values = np.array(list(self.weights.values()), np.float64)
            is_valid = bool((np.isfinite(values) & (values >= 0)).all())
        else:
            is_valid = self.weights in WEIGHTS
        known = ", ".join(WEIGHTS)
        expected = f"one of {known}, or a mapping from cluster to a number of at least 0"
        check(is_valid, "weights", expected, self.weights)
        is_small = self.tolerance is None or 0 <= self.tolerance < 1
        check(is_small, "tolerance", "None, or from 0 to under 1", self.tolerance)

    def _validate(
        self,
        X: ArrayLike,  # noqa: N803
        y: ArrayLike,
        reset: bool,
        finite: bool = True,
    ) -> tuple[Rows, NDArray[np.generic]]:
        if y is None:
            raise InputError(
                "MinimumDistortion requires y to be passed, but the target y is None.",
                "Give the cluster of each row.",
            )
        rows = validate_data(
            self, X, accept_sparse="csr", reset=reset, dtype=_FLOATS, ensure_all_finite=finite
        )
        labels = np.asarray(y)
        labels = labels.ravel() if labels.ndim == 2 else labels
        if len(labels) != rows.shape[0]:
            raise InputError(f"{rows.shape[0]:,} rows have {len(labels):,} labels.")
        if rows.dtype == np.float32:
            self._rounding = float(np.finfo(np.float32).eps) ** 2
        if self._scatter is None:
            weights = self.weights if isinstance(self.weights, Mapping) else None
            self._scatter = Scatter(self.n_features_in_, weights)
        return rows, labels

    def _add(self, rows: Rows, labels: NDArray[np.generic], progress: Progress = silent) -> Scatter:
        scatter, known = self._fitted_scatter(), has_label(labels)
        self.unlabelled_ += int((~known).sum())
        if not known.all():
            rows, labels = rows[known], labels[known]
        scatter.add(rows, labels, progress)
        return scatter

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_scatter", None) is not None

    def _fitted_scatter(self) -> Scatter:
        check_is_fitted(self)
        assert self._scatter is not None
        return self._scatter

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_in_)

    def _solve(self) -> tuple[Matrix, int]:
        """Return M^½ and the rank, computed once after each change."""
        scatter = self._fitted_scatter()
        if self._solved is not None:
            return self._solved
        if not (scatter.sizes > 1).any():
            one = " (n_samples = 1)" if scatter.rows == 1 else ""
            raise InputError(
                f"None of the {len(scatter.sizes):,} clusters has two members{one}:"
                " there is no within-cluster variation.",
                "Give clusters of at least two rows.",
            )
        tolerance = self.tolerance
        if tolerance is None:
            tolerance = self.n_features_in_ * self._rounding
        values, axes = principal_axes(scatter.matrix())
        eigenvalues = metric_eigenvalues(values, float(self.shrinkage), tolerance)
        with single_thread():
            half = axes * eigenvalues**0.25
            self._solved = half @ half.T, int(np.count_nonzero(eigenvalues))
        self._metric = None
        return self._solved

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def principal_axes(scatter: Matrix) -> tuple[Matrix, Matrix]:
    """Return the eigenvalues of a scatter, ascending, in units of their mean, and its axes.

    In these units neither very large nor very small numbers are lost, and I is the round scatter
    of the same trace.
    """
    mean = float(np.trace(scatter)) / len(scatter)
    if not np.isfinite(mean):
        raise InputError("The scatter within clusters is not finite: the numbers are too large.")
    if mean <= 0:
        raise InputError(
            "There is no variation within clusters: their members are equal, or all weights are 0.",
            "Give clusters whose members differ.",
        )
    with single_thread():
        values, axes = eigh(scatter / mean, driver="evd", overwrite_a=True, check_finite=False)
    return values, axes


def metric_eigenvalues(values: Matrix, shrinkage: float, tolerance: float) -> Matrix:
    """Return the eigenvalue of M on each axis: 0 off its range; the product of the others is 1.

    Only logarithms are added, so no determinant overflows.
    """
    shrunk = (1 - shrinkage) * np.maximum(values, 0) + shrinkage
    counted = shrunk > tolerance * shrunk[-1]
    logs = np.log(shrunk[counted])
    eigenvalues = np.zeros(len(values))
    eigenvalues[counted] = np.exp(logs.mean() - logs)
    return eigenvalues


def has_label(labels: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which labels name a cluster: not None, not NaN, not empty."""
    if labels.dtype.kind == "f":
        return np.asarray(~np.isnan(labels.astype(np.float64)))
    if labels.dtype.kind in "OU":
        # NaN is the only value that differs from itself
        return np.array([c is not None and c == c and c != "" for c in labels.tolist()], bool)
    return np.ones(len(labels), bool)


def cluster_weights(kind: str, rows: Rows, labels: NDArray[np.generic]) -> dict[Hashable, float]:
    """Return ξ per cluster, from its size or from the variance of its members."""
    known = has_label(labels)
    clusters = labels[known].tolist()
    sizes = Counter(clusters)
    if kind == "inverse_size":
        return {name: 1 / size for name, size in sizes.items()}
    squares = _squares_within(rows if known.all() else rows[known], clusters)
    # A cluster of equal members would have infinite weight; it contributes nothing anyway.
    return {
        name: 1 / (squares[name] / (size - 1)) if squares[name] > 0 else 0.0
        for name, size in sizes.items()
        if size > 1
    }


def number_clusters(clusters: Sequence[Hashable]) -> Numbers:
    """Return the number of each row's cluster, in the order in which clusters appear."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    return np.array([numbers[name] for name in clusters], np.int64)


def _squares_within(rows: Rows, clusters: list[Hashable]) -> dict[Hashable, float]:
    """Return Σ |s − c|² per cluster."""
    own = number_clusters(clusters)
    means = _dense(membership(own) @ rows) / np.bincount(own)[:, None]
    total = np.zeros(len(means))
    for start in range(0, len(own), _BLOCK):
        here = own[start : start + _BLOCK]
        gaps = _dense(rows[start : start + _BLOCK]) - means[here]
        total += np.bincount(here, np.einsum("ij,ij->i", gaps, gaps), len(total))
    return dict(zip(dict.fromkeys(clusters), total.tolist(), strict=True))


def _dense(rows: Rows) -> Matrix:
    return np.asarray(csr_matrix(rows).toarray() if issparse(rows) else rows, np.float64)
