"""A scikit-learn classifier that labels a text by its divergence from known texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lexfield.diverge.certainty import calibratable, features, fit
from lexfield.diverge.clouds import cloud_pairs
from lexfield.diverge.counts import Counts, Text, of_texts
from lexfield.diverge.label import class_distances
from lexfield.diverge.options import Options
from lexfield.diverge.pairs import count_pairs
from lexfield.diverge.possible import only_possible
from lexfield.errors import InputError

Matrix = NDArray[np.float64]


class DivergenceLabeler(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier of texts.

    ``fit(texts, labels)`` keeps the texts; ``predict(texts)`` gives each the label of the category
    that it diverges least from. Parameters: a rule (see the module), how many neighbours vote, and
    ``options``, a dictionary of those of ``lexfield.diverge.options.Options``.
    """

    def __init__(
        self,
        space: str = "categorical",
        measure: str = "hellinger",
        k: int = 3,
        rule: str = "nearest",
        neighbours: int = 5,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.space = space
        self.measure = measure
        self.k = k
        self.rule = rule
        self.neighbours = neighbours
        self.options = options

    def fit(self, X: Sequence[Text], y: ArrayLike) -> DivergenceLabeler:  # noqa: N803
        labels = np.asarray(y)
        texts = _texts(X)
        if len(texts) != len(labels):
            raise InputError(f"{len(texts):,} texts have {len(labels):,} labels.")
        self._chosen()
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise InputError(f"There is one class, {labels[0]!r}.", "Give texts of two at least.")
        self.texts_ = texts
        self.labels_ = labels
        return self

    def predict(self, X: Sequence[Text]) -> NDArray[Any]:  # noqa: N803
        check_is_fitted(self)
        far = self._far(X)
        chosen: NDArray[Any] = self.classes_[far.argmin(axis=1)]
        return chosen

    def predict_proba(self, X: Sequence[Text]) -> Matrix:  # noqa: N803
        """Return calibrated probabilities; for the rule ``vote`` the shares of the votes.

        The strength of the evidence is calibrated on the known texts, each seen from all the
        others, as in ``lexfield attribute``; so some class needs two texts.
        """
        check_is_fitted(self)
        if self.rule == "vote":
            far = self._far(X)
            votes = np.where(np.isfinite(far), np.ceil(-far), 0)
            return np.asarray(votes / votes.sum(axis=1, keepdims=True))
        distances = self._distances(X, first=0)
        known, new = np.split(distances, [len(self.texts_)])
        np.fill_diagonal(known, np.inf)
        rows = calibratable(self.labels_.tolist())
        model = fit(
            features(known[rows], self.labels_, self.classes_, (self.rule,)),
            np.searchsorted(self.classes_, self.labels_[rows]),
        )
        return model.probabilities(features(new, self.labels_, self.classes_, (self.rule,)))

    def _chosen(self) -> Options:
        return Options.of(
            {"space": self.space, "measure": self.measure, "k": self.k, **(self.options or {})}
        )

    def _far(self, texts: Sequence[Text]) -> Matrix:
        distances = self._distances(texts, first=len(self.texts_))
        return class_distances(distances, self.labels_, self.classes_, self.rule, self.neighbours)

    def _distances(self, texts: Sequence[Text], *, first: int) -> Matrix:
        """The divergence from the known texts of all texts, known and then new, after ``first``."""
        given = _texts(texts)
        chosen = self._chosen()
        counts = of_texts([*self.texts_, *given], n=chosen.n, stopwords=chosen.stopwords)
        return _from_known(counts, len(self.texts_), first, chosen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _texts(texts: Sequence[Text]) -> list[Text]:
    if isinstance(texts, str):
        raise InputError("Texts come in a list.", "Write [text] for one.")
    given = list(texts)
    if not given:
        raise InputError("There are no texts.")
    return given


def _from_known(counts: Counts, known: int, first: int, chosen: Options) -> Matrix:
    """The divergence of the texts after ``first`` from the first ``known``."""
    empty = np.flatnonzero(counts.totals == 0)
    if len(empty):
        where = empty[0] if empty[0] < known else empty[0] - known
        raise InputError(f"Text {where} has no words.", "Leave it out.")
    texts = len(counts.ids)
    if chosen.counted:
        return count_pairs(counts, chosen, np.arange(first, texts), np.arange(known))
    counts, matrices, notes = cloud_pairs(counts, [chosen.k], chosen)
    if len(counts.ids) < texts:
        raise InputError("Some texts are too short.", " ".join(notes))
    return only_possible(matrices[chosen.k][first:, :known], chosen.measure)
