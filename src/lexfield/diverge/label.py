"""Which category a text is nearest to, by its divergence from texts whose category is known.

Rules:
    category  the category with the smallest mean divergence to its members (Hare et al.)
    nearest   the category of the nearest document
    vote      the commonest category among the nearest few; the nearer ones where two are even
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from lexfield.diverge.categorical import smoothed, smoothing_of
from lexfield.diverge.clouds import cloud_pairs
from lexfield.diverge.counts import Counts, Text, of_texts
from lexfield.diverge.options import Options
from lexfield.diverge.pairs import Pairs, count_pairs
from lexfield.errors import InputError, check

RULES = ("category", "nearest", "vote")
Matrix = NDArray[np.float64]


def class_distances(
    distances: Matrix, labels: NDArray[Any], classes: NDArray[Any], rule: str, neighbours: int
) -> Matrix:
    """For each row (a text) and class how far it is by a rule; infinite where nothing speaks for
    the class. ``distances`` may hold infinity for documents that are not to be looked at."""
    check(rule in RULES, "rule", f"one of {', '.join(RULES)}", rule)
    check(neighbours >= 1, "neighbours", "at least 1", neighbours)
    far = np.full((len(distances), len(classes)), np.inf)
    if rule == "vote":
        for row, values in enumerate(distances):
            order = np.argsort(values, kind="stable")[:neighbours]
            order = order[np.isfinite(values[order])]
            for place, label in enumerate(classes):
                mine = order[labels[order] == label]
                if len(mine):  # votes first; then the mean, squeezed into less than one vote
                    mean = float(values[mine].mean())
                    far[row, place] = -len(mine) + mean / (1 + abs(mean)) / 2
        return far
    for place, label in enumerate(classes):
        columns = distances[:, labels == label]
        finite = np.isfinite(columns)
        some = finite.any(axis=1)
        if rule == "nearest":
            far[some, place] = columns[some].min(axis=1, initial=np.inf)
        else:
            sums = np.where(finite, columns, 0).sum(axis=1)
            far[some, place] = sums[some] / finite[some].sum(axis=1)
    return far


def leave_one_out(
    distances: Matrix, labels: ArrayLike, rule: str = "category", neighbours: int = 5
) -> NDArray[Any]:
    """The label that each document gets from all the others; ``distances[i, j]`` is of i from j."""
    names = np.asarray(labels)
    classes = np.unique(names)
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    far = class_distances(others, names, classes, rule, neighbours)
    chosen: NDArray[Any] = classes[far.argmin(axis=1)]
    return chosen


@dataclass(frozen=True)
class Evidence:
    """The documents nearest to one text."""

    id: str
    label: str
    divergence: float


def nearest_documents(
    found: Pairs, labels: Sequence[str], row: int, k: int = 5, which: int | None = None
) -> list[Evidence]:
    """What speaks for the label of one document: its nearest others."""
    matrix = found.matrix if which is None else found[which]
    order = [j for j in np.argsort(matrix[row], kind="stable").tolist() if j != row][:k]
    return [Evidence(found.ids[j], labels[j], float(matrix[row, j])) for j in order]


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
        far = self._far(X)
        chosen: NDArray[Any] = self.classes_[far.argmin(axis=1)]
        return chosen

    def predict_proba(self, X: Sequence[Text]) -> Matrix:  # noqa: N803
        """Shares of the votes; for the other rules weights that fall with the distance, which rank
        the classes but are not calibrated."""
        far = self._far(X)
        if self.rule == "vote":
            votes = np.where(np.isfinite(far), np.ceil(-far), 0)
            return np.asarray(votes / votes.sum(axis=1, keepdims=True))
        finite = np.where(np.isfinite(far), far, np.nan)
        scale = np.nanstd(finite, axis=1, keepdims=True)
        steps = (finite - np.nanmin(finite, axis=1, keepdims=True)) / np.where(scale > 0, scale, 1)
        weights = np.where(np.isfinite(far), np.exp(-steps), 0)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _chosen(self) -> Options:
        return Options.of(
            {"space": self.space, "measure": self.measure, "k": self.k, **(self.options or {})}
        )

    def _far(self, texts: Sequence[Text]) -> Matrix:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        given = _texts(texts)
        chosen = self._chosen()
        counts = of_texts([*self.texts_, *given], n=chosen.n, stopwords=chosen.stopwords)
        distances = _from_known(counts, len(self.texts_), chosen)
        return class_distances(distances, self.labels_, self.classes_, self.rule, self.neighbours)

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


def _from_known(counts: Counts, known: int, chosen: Options) -> Matrix:
    """The divergence of the texts after the first ``known`` from those."""
    empty = np.flatnonzero(counts.totals == 0)
    if len(empty):
        where = empty[0] if empty[0] < known else empty[0] - known
        raise InputError(f"Text {where} has no words.", "Leave it out.")
    old, new = np.arange(known), np.arange(known, len(counts.ids))
    if chosen.counted:
        return count_pairs(counts, chosen, new, old)
    counts, matrices, notes = cloud_pairs(counts, [chosen.k], chosen)
    if len(counts.ids) < known + len(new):
        raise InputError("Some texts are too short.", " ".join(notes))
    return matrices[chosen.k][known:, :known]


def telling_words(
    counts: Counts, labels: ArrayLike, row: int, first: str, second: str
) -> list[tuple[str, float]]:
    """The words of a text that speak for one category rather than another, strongest first.

    Each has p ln(q/r): p its share of the text, q and r its shares of the two categories without
    the text, smoothed as ``jm``. The sum is how much less the text diverges from the first.
    """
    from scipy.sparse import csr_matrix

    names = np.asarray(labels)
    others = np.arange(len(names)) != row
    pooled = [
        csr_matrix(counts.matrix[np.flatnonzero((names == name) & others)].sum(axis=0))
        for name in (first, second)
    ]
    whole = np.asarray(counts.matrix.sum(axis=0)).ravel()
    q, r = (smoothed(part, smoothing_of("jm"), whole).ravel() for part in pooled)
    mine = counts.matrix[row]
    p = mine.data / mine.data.sum()
    parts = p * np.log(q[mine.indices] / r[mine.indices])
    order = np.argsort(-parts, kind="stable").tolist()
    return [(counts.types[mine.indices[i]], float(parts[i])) for i in order]
