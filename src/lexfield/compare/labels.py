"""Which category a text is nearest to, by its divergence from texts whose category is known.

Rules:
    category  the category with the smallest mean divergence from its members (Hare et al.)
    nearest   the category of the nearest document
    vote      the most common category among the nearest few; of equal ones, the nearer
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.arrays import Array
from lexfield.compare.counts import Counts, join_counts
from lexfield.compare.estimate import check_rankable
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import Pairs, count_for_comparison, pairs
from lexfield.compare.smoothing import parse_smoothing, smooth
from lexfield.errors import InputError, check, list_names
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

RULES = ("category", "nearest", "vote")
Matrix = NDArray[np.float64]
_NEAREST, _WORDS = 5, 15  # documents and words shown as evidence


@dataclass(frozen=True)
class NearDocument:
    """A document near a text."""

    id: str
    label: str
    divergence: float


@dataclass(frozen=True)
class TellingWord:
    """A word and its part in the difference between two categories."""

    word: str
    part: float


@dataclass(frozen=True)
class Evidence:
    """Why document ``id`` has its predicted label rather than another."""

    id: str
    predicted: str
    rather_than: str
    nearest: list[NearDocument]
    words: list[TellingWord]


@dataclass(frozen=True)
class TextLabel:
    """The label of a new text: all labels and how far they are, nearest first, and the evidence."""

    divergences: dict[str, float]
    evidence: Evidence
    notes: list[str]

    @property
    def predicted(self) -> str:
        return self.evidence.predicted


def label_documents(
    found: Pairs, by: str, rule: str, neighbours: int
) -> tuple[list[str], list[str], list[str]]:
    """Return the labels of documents, those that each gets from all the others, and notes.

    All documents have the metadata field ``by``.
    """
    labels = [record[by] for record in found.metadata]
    predicted: list[str] = leave_one_out(found.matrix, labels, rule, neighbours).tolist()
    find_calibration_rows(labels)
    single = sorted(name for name, size in Counter(labels).items() if size == 1)
    notes = [f"with one document, so never right: {list_names(single)}"] if single else []
    return labels, predicted, [*found.notes, *notes]


def label_text(
    corpus: Corpus,
    text: str,
    by: str,
    *,
    rule: str = "nearest",
    neighbours: int = 5,
    **options: Any,
) -> TextLabel:
    """Label a new text from the documents of a corpus that have the metadata field ``by``.
    ``options`` are those of ``ComparisonOptions``."""
    chosen = ComparisonOptions.from_dict(options)
    known = count_for_comparison(corpus, chosen).keep_labelled(by)
    name = "your text"
    while name in known.ids:
        name += "′"
    own = Corpus.of([Document(name, text, name, {by: ""})], normalisation=corpus.normalisation)
    counts = join_counts([known, count_for_comparison(own, chosen)])
    if not counts.totals[-1]:
        raise InputError("The text has no words.", "Give a text with words.")
    found = pairs(counts, known=known.ids, **options)
    if name not in found.ids:
        raise InputError("The text is too short for this.", " ".join(found.notes))
    labels = [record.get(by, "") for record in found.metadata]
    row = found.ids.index(name)
    others = np.array([i for i in range(len(labels)) if i != row])
    names = check_distinct([labels[i] for i in others])
    far = find_category_distances(
        found.matrix[[row]][:, others], np.asarray(labels)[others], names, rule, neighbours
    )[0]
    order = np.argsort(far, kind="stable").tolist()
    evidence = find_evidence(found, counts, labels, name, str(names[order[0]]))
    return TextLabel({str(names[i]): float(far[i]) for i in order}, evidence, found.notes)


def check_distinct(labels: ArrayLike) -> Array:
    """Return the distinct labels, sorted. Raise InputError if there is only one."""
    names = np.unique(labels)
    if len(names) < 2:
        raise InputError(f"All documents are {str(names[0])!r}.", "There is nothing to tell apart.")
    return names


def find_calibration_rows(labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the rows whose category has another document: only these can be labelled correctly
    from the others. Raise InputError if there is none."""
    check_distinct(labels)
    _, place, sizes = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    rows = np.flatnonzero(sizes[place] > 1)
    if not len(rows):
        raise InputError(
            "Every document has a category of its own, so none can be found from the others.",
            "Add a document to some category, or choose another field.",
        )
    return rows


def find_category_distances(
    distances: Matrix, labels: Array, names: Array, rule: str, neighbours: int
) -> Matrix:
    """Return how far each row (a text) is from each category by a rule; infinite where it has no
    document. ``distances`` are infinite for documents that are to be ignored."""
    check(rule in RULES, "rule", f"one of {', '.join(RULES)}", rule)
    check_rankable(distances)
    check(neighbours >= 1, "neighbours", "at least 1", neighbours)
    far = np.full((len(distances), len(names)), np.inf)
    if rule == "vote":  # only the nearest few count
        rank = np.argsort(np.argsort(distances, axis=1, kind="stable"), axis=1)
        distances = np.where(rank < neighbours, distances, np.inf)
    for place, label in enumerate(names):
        columns = distances[:, labels == label]
        finite = np.isfinite(columns)
        some, votes = finite.any(axis=1), finite.sum(axis=1)
        if rule == "nearest":
            far[some, place] = columns[some].min(axis=1, initial=np.inf)
            continue
        means = np.where(finite, columns, 0).sum(axis=1)[some] / votes[some]
        if rule == "vote":  # votes first; then the mean, squeezed into less than one vote
            means = -votes[some] + means / (1 + np.abs(means)) / 2
        far[some, place] = means
    return far


def leave_one_out(
    distances: Matrix, labels: ArrayLike, rule: str = "category", neighbours: int = 5
) -> Array:
    """Return the label that each document gets from all the others; ``distances[i, j]`` is that of
    i from j."""
    names = np.asarray(labels)
    categories = np.unique(names)
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    far = find_category_distances(others, names, categories, rule, neighbours)
    chosen: Array = categories[far.argmin(axis=1)]
    return chosen


def find_evidence(
    found: Pairs, counts: Counts, labels: Sequence[str], text: str, predicted: str
) -> Evidence:
    """Return what supports the label of a document, rather than the next nearest one.

    ``counts`` are those that were compared, or more.
    """
    row = found.ids.index(text)
    matrix = check_rankable(found.matrix)
    order = [j for j in np.argsort(matrix[row], kind="stable").tolist() if j != row]
    nearest = [NearDocument(found.ids[j], labels[j], float(matrix[row, j])) for j in order]
    second = next(one.label for one in nearest if one.label != predicted)
    rows = {id: number for number, id in enumerate(counts.ids)}
    counts = counts.keep(np.array([rows[id] for id in found.ids]))
    words = find_telling_words(counts, labels, row, predicted, second)
    return Evidence(text, predicted, second, nearest[:_NEAREST], words[:_WORDS])


def find_telling_words(
    counts: Counts, labels: ArrayLike, row: int, first: str, second: str
) -> list[TellingWord]:
    """Return the words of a text by how much they support one category rather than another.

    Each has p ln(q/r): p its share of the text, q and r its shares of the two categories without
    the text, smoothed by ``jm``. The sum is how much less the text diverges from the first.
    """
    from scipy.sparse import csr_matrix

    names = np.asarray(labels)
    others = np.arange(len(names)) != row
    totals = np.asarray(counts.matrix.sum(axis=0)).ravel()

    def find_shares(name: str) -> Array:
        pooled = counts.matrix[np.flatnonzero((names == name) & others)].sum(axis=0)
        return smooth(csr_matrix(pooled), parse_smoothing("jm"), totals).to_dense().ravel()

    q, r = find_shares(first), find_shares(second)
    mine = counts.matrix[row]
    p = mine.data / mine.data.sum()
    parts = p * np.log(q[mine.indices] / r[mine.indices])
    order = np.argsort(-parts, kind="stable").tolist()
    return [TellingWord(counts.types[mine.indices[i]], float(parts[i])) for i in order]
