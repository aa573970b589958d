"""The metric of minimum cluster distortion (Mochihashi, Kikui and Kita 2004).

Among all Mahalanobis metrics with |M| = 1 it minimises Σ_i ξ_i Σ_{s ∈ X_i} d_M(s, c_i)² (eq. 4, 5):

    M = |A|^(1/n) A⁻¹                         (eq. 6)
    M = (σ_1 … σ_R)^(1/R) A⁺                  where A has rank R < n (appendix B)

with A the scatter within clusters (eq. 7, ``scatter.py``). d_M is the Euclidean distance after the
map M^½ (eq. 3): that is what ``transform`` applies, and all that anything else needs to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import assert_all_finite, check_is_fitted, validate_data

from lexfield.engine import single_thread
from lexfield.errors import InputError, check
from lexfield.metric.scatter import Matrix, Scatter, members
from lexfield.progress import Progress, silent

WEIGHTS = ("equal", "inverse_size", "reliability")
_BLOCK = 4096  # rows transformed together


class MinimumDistortion(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """``fit(X, clusters)`` learns the metric, ``transform(X)`` maps rows to where it is Euclidean.

    shrinkage: A becomes (1−s) A + s (tr A / n) I. 0 is the paper's metric, 1 the Euclidean one.
    weights: ξ. "equal": 1 (the paper's: every row counts once). "inverse_size": 1/|X_i|, so that
        every cluster counts once. "reliability": the inverse of the cluster's variance, so that
        clusters that lie close together count more. Or a mapping from cluster to weight.
    tolerance: eigenvalues of A up to this share of the largest count as zero. If None, n times the
        square of float32's rounding for rows in float32, n times that of float64 for others.

    A label None, NaN or "" says that the cluster of a row is not known: the row is left out. A
    cluster with one member contributes nothing. ``notes_`` tells of both, and of the rank.

    metric_: M; its determinant is 1 on its range. map_: M^½. rank_: R. clusters_, singletons_,
    unlabelled_: how many were used, and how many not.
    """

    _scatter: Any
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

    def fit(self, X: Any, y: ArrayLike, progress: Progress = silent) -> MinimumDistortion:  # noqa: N803
        """``X``: rows × features, dense, sparse or memory-mapped. ``y``: the cluster of each."""
        self._check()
        self._start()
        rows, labels = self._rows(X, y, reset=True, finite=False)
        if isinstance(self.weights, str) and self.weights != "equal":
            self._scatter = Scatter(self.n_features_in_, derived(self.weights, rows, labels))
        self._add(rows, labels, progress)
        if not np.isfinite(self._scatter.centroids.sum()):  # a pass over all rows less, in general
            gathered, self._scatter = self._scatter, None
            assert_all_finite(rows, input_name="X")
            self._scatter = gathered
        return self._solve()

    def partial_fit(self, X: Any, y: ArrayLike) -> MinimumDistortion:  # noqa: N803
        """Add more rows; members of a cluster may come at any time. Solved when it is asked for."""
        self._check()
        if isinstance(self.weights, str) and self.weights != "equal":
            raise InputError(
                f"weights={self.weights!r} must see all rows first; partial_fit cannot.",
                "Use fit, or give the weights as a mapping from cluster to weight.",
            )
        fresh = getattr(self, "_scatter", None) is None
        if fresh:
            self._start()
        rows, labels = self._rows(X, y, reset=fresh)
        self._add(rows, labels, silent)
        self._solved = None
        return self

    def transform(self, X: Any) -> Matrix:  # noqa: N803
        """Rows times M^½: Euclidean distances between them are d_M."""
        check_is_fitted(self)
        rows = validate_data(
            self, X, accept_sparse="csr", reset=False, dtype=[np.float64, np.float32]
        )
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
        return self._solution[0]

    @property
    def rank_(self) -> int:
        return self._solution[1]

    @property
    def clusters_(self) -> int:
        check_is_fitted(self)
        return int((self._scatter.sizes > 1).sum())

    @property
    def singletons_(self) -> int:
        check_is_fitted(self)
        return int((self._scatter.sizes == 1).sum())

    @property
    def notes_(self) -> list[str]:
        notes = []
        if self.unlabelled_:
            notes.append(f"{self.unlabelled_:,} rows have no label and were left out")
        if self.singletons_:
            notes.append(f"{self.singletons_:,} clusters have one member and contribute nothing")
        if self.rank_ < self.n_features_in_:
            free = self._scatter.rows - len(self._scatter.sizes)
            why = f", of {free:,} differences within clusters" if free < self.n_features_in_ else ""
            notes.append(
                f"the scatter within clusters has rank {self.rank_:,} of {self.n_features_in_:,}"
                f"{why}: the pseudo-inverse is used, other directions do not count"
            )
        return notes

    def _start(self) -> None:
        self._scatter = None
        self._solved = None
        self._rounding = float(np.finfo(np.float64).eps)
        self.unlabelled_ = 0

    def _check(self) -> None:
        number = isinstance(self.shrinkage, int | float | np.number)
        check(number and 0 <= self.shrinkage <= 1, "shrinkage", "from 0 to 1", self.shrinkage)
        named = isinstance(self.weights, str) and self.weights in WEIGHTS
        if not named and isinstance(self.weights, Mapping):
            values = list(self.weights.values())
            named = bool(np.isfinite(values).all()) and all(value >= 0 for value in values)
        expected = (
            f"one of {', '.join(WEIGHTS)}, or a mapping from cluster to a number of at least 0"
        )
        check(named, "weights", expected, self.weights)
        small = self.tolerance is None or 0 <= self.tolerance < 1
        check(small, "tolerance", "None, or from 0 to under 1", self.tolerance)

    def _rows(
        self,
        X: Any,  # noqa: N803
        y: ArrayLike,
        reset: bool,
        finite: bool = True,
    ) -> tuple[Any, NDArray[Any]]:
        if y is None:
            raise InputError(
                "MinimumDistortion requires y to be passed, but the target y is None.",
                "Give the cluster of each row.",
            )
        rows = validate_data(
            self,
            X,
            accept_sparse="csr",
            reset=reset,
            dtype=[np.float64, np.float32],
            ensure_all_finite=finite,
        )
        labels = np.asarray(y).ravel() if np.asarray(y).ndim == 2 else np.asarray(y)
        if len(labels) != rows.shape[0]:
            raise InputError(f"{rows.shape[0]:,} rows have {len(labels):,} labels.")
        if rows.dtype == np.float32:
            self._rounding = float(np.finfo(np.float32).eps) ** 2
        if self._scatter is None:
            weights = self.weights if isinstance(self.weights, Mapping) else None
            self._scatter = Scatter(self.n_features_in_, weights)
        return rows, labels

    def _add(self, rows: Any, labels: NDArray[Any], progress: Progress) -> None:
        known = labelled(labels)
        self.unlabelled_ += int((~known).sum())
        if not known.all():
            rows, labels = rows[known], labels[known]
        self._scatter.add(rows, labels, progress)

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_scatter", None) is not None

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_in_)

    @property
    def _solution(self) -> tuple[Matrix, int]:
        check_is_fitted(self)
        if self._solved is None:
            self._solve()
        assert self._solved is not None
        return self._solved

    def _solve(self) -> MinimumDistortion:
        sizes = self._scatter.sizes
        if not (sizes > 1).any():
            one = " (n_samples = 1)" if self._scatter.rows == 1 else ""
            raise InputError(
                f"None of the {len(sizes):,} clusters has two members{one}: nothing varies within.",
                "Give clusters of at least two rows.",
            )
        tolerance = self.tolerance
        if tolerance is None:
            tolerance = self.n_features_in_ * self._rounding
        values, axes = principal(self._scatter.matrix())
        own = scales(values, float(self.shrinkage), tolerance)
        with single_thread():
            half = axes * own**0.25
            self._solved = half @ half.T, int(np.count_nonzero(own))
        self._metric = None
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def principal(scatter: Matrix) -> tuple[Matrix, Matrix]:
    """Eigenvalues of a scatter, ascending, in units of their mean, and its axes as columns.

    In these units neither very large nor very small numbers are lost, and I is the round scatter
    of the same trace.
    """
    from scipy.linalg import eigh

    mean = float(np.trace(scatter)) / len(scatter)
    if not np.isfinite(mean):
        raise InputError("The scatter within clusters is not finite: the numbers are too large.")
    if mean <= 0:
        raise InputError(
            "Nothing varies within clusters: their members are equal, or all weights are 0.",
            "Give clusters whose members differ.",
        )
    with single_thread():
        values, axes = eigh(scatter / mean, driver="evd", overwrite_a=True, check_finite=False)
    return values, axes


def scales(values: Matrix, shrinkage: float, tolerance: float) -> Matrix:
    """The eigenvalue of M on each axis, 0 off its range; the others' product is 1.

    Only logarithms are added, so that no determinant overflows.
    """
    shrunk = (1 - shrinkage) * np.maximum(values, 0) + shrinkage
    counted = shrunk > tolerance * shrunk[-1]
    logs = np.log(shrunk[counted])
    own = np.zeros(len(values))
    own[counted] = np.exp(logs.mean() - logs)
    return own


def labelled(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels name a cluster: not None, not NaN, not empty."""
    if labels.dtype.kind == "f":
        return np.asarray(~np.isnan(labels))
    if labels.dtype.kind in "OU":
        # NaN is the only value that differs from itself
        return np.array([c is not None and c == c and c != "" for c in labels.tolist()], bool)
    return np.ones(len(labels), bool)


def derived(kind: str, rows: Any, labels: NDArray[Any]) -> dict[Any, float]:
    """ξ of every cluster, from its size or from how far its members lie from their centroid."""
    known = labelled(labels)
    names = labels[known].tolist()
    sizes = Counter(names)
    if kind == "inverse_size":
        return {name: 1 / size for name, size in sizes.items()}
    within = squares_within(rows[known] if not known.all() else rows, names)
    variance = {name: within[name] / (size - 1) for name, size in sizes.items() if size > 1}
    # A cluster of equal members would weigh infinitely much; it contributes nothing anyway.
    return {name: 1 / value if value > 0 else 0.0 for name, value in variance.items()}


def squares_within(rows: Any, clusters: list[Any]) -> dict[Any, float]:
    """Σ |s − c|² of every cluster."""
    from scipy.sparse import issparse

    names = list(dict.fromkeys(clusters))
    places = {name: place for place, name in enumerate(names)}
    own = np.array([places[name] for name in clusters], np.int64)
    sizes = np.bincount(own, minlength=len(names))
    sums = members(own) @ rows
    means = np.asarray(sums.toarray() if issparse(sums) else sums, np.float64) / sizes[:, None]
    total = np.zeros(len(names))
    for start in range(0, len(own), _BLOCK):
        part = rows[start : start + _BLOCK]
        dense = np.asarray(part.toarray() if issparse(part) else part, np.float64)
        apart = dense - means[own[start : start + _BLOCK]]
        total += np.bincount(
            own[start : start + _BLOCK], np.einsum("ij,ij->i", apart, apart), len(names)
        )
    return dict(zip(names, total.tolist(), strict=True))
