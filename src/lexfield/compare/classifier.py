"""A scikit-learn classifier that labels a text by its divergence from known texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lexfield.arrays import Array
from lexfield.compare.batches import compare_clouds
from lexfield.compare.calibration import find_differences, fit_model
from lexfield.compare.counts import Counts, Text, count_texts, join_counts
from lexfield.compare.estimate import drop_impossible
from lexfield.compare.hubs import correct_hubs
from lexfield.compare.labels import find_calibration_rows, find_category_distances
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import compare_count_rows
from lexfield.errors import InputError
from lexfield.results import JsonObject

Matrix = NDArray[np.float64]


class DivergenceLabeler(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier of texts.

    ``fit(texts, labels)`` counts the texts; ``predict(texts)`` returns for each the label of the
    category that it diverges least from. Parameters: a rule (see ``lexfield.compare.labels``), how
    many neighbours vote, and ``options``, a dictionary of further ``ComparisonOptions``.
    """

    def __init__(
        self,
        space: str = "categorical",
        measure: str = "hellinger",
        k: int = 3,
        rule: str = "nearest",
        neighbours: int = 5,
        options: JsonObject | None = None,
    ) -> None:
        self.space = space
        self.measure = measure
        self.k = k
        self.rule = rule
        self.neighbours = neighbours
        self.options = options

    def fit(self, X: Sequence[Text], y: ArrayLike) -> DivergenceLabeler:  # noqa: N803
        labels = np.asarray(y)
        texts = _list_texts(X)
        if len(texts) != len(labels):
            raise InputError(f"{len(texts):,} texts have {len(labels):,} labels.")
        if missing := sum(label is None or label != label for label in labels.tolist()):
            raise InputError(f"{missing:,} texts have no label.", "Leave them out of fit.")
        counts = self._count(texts)
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            only = labels.tolist()[0]
            raise InputError(f"There is one class, {only!r}.", "Give texts of at least two.")
        self.counts_ = counts
        self.labels_ = labels
        return self

    def predict(self, X: Sequence[Text]) -> Array:  # noqa: N803
        check_is_fitted(self)
        chosen: Array = self.classes_[self._find_class_distances(X).argmin(axis=1)]
        return chosen

    def predict_proba(self, X: Sequence[Text]) -> Matrix:  # noqa: N803
        """Return calibrated probabilities; for the rule ``vote``, the shares of the votes.

        Probabilities are calibrated on the known texts, each compared with all the others, as in
        ``lexfield attribute``; so at least one class needs two texts.
        """
        check_is_fitted(self)
        if self.rule == "vote":
            far = self._find_class_distances(X)
            votes = np.where(np.isfinite(far), np.ceil(-far), 0)
            return np.asarray(votes / votes.sum(axis=1, keepdims=True))
        distances = self._find_distances(X, first=0)
        known, new = np.split(distances, [len(self.labels_)])
        np.fill_diagonal(known, np.inf)
        rows = find_calibration_rows(self.labels_.tolist())
        model = fit_model(
            find_differences(known[rows], self.labels_, self.classes_, (self.rule,)),
            np.searchsorted(self.classes_, self.labels_[rows]),
        )
        return model.predict(find_differences(new, self.labels_, self.classes_, (self.rule,)))

    def _make_options(self) -> ComparisonOptions:
        given = {"space": self.space, "measure": self.measure, "k": self.k}
        return ComparisonOptions.from_dict({**given, **(self.options or {})})

    def _count(self, texts: list[Text]) -> Counts:
        options = self._make_options()
        counts = count_texts(texts, n=options.n, stopwords=options.stopwords)
        empty = np.flatnonzero(counts.totals == 0)
        if len(empty):
            raise InputError(f"Text {empty[0]} has no words.", "Leave it out.")
        return counts

    def _find_class_distances(self, texts: Sequence[Text]) -> Matrix:
        far = self._find_distances(texts, first=len(self.labels_))
        return find_category_distances(far, self.labels_, self.classes_, self.rule, self.neighbours)

    def _find_distances(self, texts: Sequence[Text], *, first: int) -> Matrix:
        """Return the divergence of all texts from ``first`` on, known and then new, from the known
        ones."""
        options, known = self._make_options(), len(self.labels_)
        counts = join_counts([self.counts_, self._count(_list_texts(texts))])
        given, columns, start = len(counts.ids), np.arange(known), 0 if options.hubs else first
        if options.compares_counts:
            rows = np.arange(start, given)
            far = compare_count_rows(counts, options, rows, columns)
        else:
            counts, matrices, notes = compare_clouds(counts, [options.k], options)
            if len(counts.ids) < given:
                raise InputError("Some texts are too short.", " ".join(notes))
            far = drop_impossible(matrices[options.k][start:, :known], options)
        return correct_hubs(far, columns, options.hubs)[first:] if options.hubs else far

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


class Delta(DivergenceLabeler):
    """A scikit-learn classifier by Delta, inductive: the texts of ``fit`` decide which words are
    the most frequent, how their frequencies are standardised and how hubs are corrected.

    Parameters: a measure (``delta``, ``cosine-delta``, ``eder-delta``, ``quadratic-delta``,
    ``minmax`` or any other of texts as counts), how many of the most frequent words it compares, in
    what percentage of the texts a word must be, a rule and how many neighbours vote, and ``hubs``
    (``centre`` or ``local``).
    """

    def __init__(
        self,
        measure: str = "cosine-delta",
        mfw: int = 2000,
        culling: float = 0.0,
        rule: str = "nearest",
        neighbours: int = 5,
        hubs: str | None = None,
    ) -> None:
        self.measure = measure
        self.mfw = mfw
        self.culling = culling
        self.rule = rule
        self.neighbours = neighbours
        self.hubs = hubs

    def _make_options(self) -> ComparisonOptions:
        return ComparisonOptions(
            measure=self.measure, mfw=self.mfw, culling=self.culling, hubs=self.hubs
        )


def _list_texts(texts: Sequence[Text]) -> list[Text]:
    if isinstance(texts, str):
        raise InputError("Texts come in a list.", "Write [text] for one.")
    given = list(texts)
    if not given:
        raise InputError("There are no texts.")
    return given
