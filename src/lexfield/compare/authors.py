"""Who wrote a text: candidates with calibrated probabilities, and the evidence.

Known texts are cut into pieces of at least 500 words, eight at most, which rules learn from. Every
feature and rule (``compare.scores``) says how well a text fits each author; these scores become
probabilities by weights that make the known texts likeliest (``compare.calibration``), each of them
scored without itself and, where the text in question is shorter, only an excerpt of its length: a
short text is judged by what short texts have shown.

Unless they are named, features and rule are chosen by cross-validation within the known texts:
weights are fitted on four fifths of them, and the rule whose probabilities fit the remaining fifths
best (log loss) is taken. A feature that does not help gets the weight 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.calibration import (
    Calibration,
    CategoryModel,
    center_distances,
    fit_model,
    measure_calibration,
)
from lexfield.compare.labels import find_calibration_rows
from lexfield.compare.scores import SIMPLE, Layout, score_texts
from lexfield.compare.style import StyleCounts, count_features, parse_features
from lexfield.errors import InputError, list_names
from lexfield.progress import Progress, begin_stage, silent
from lexfield.text.document import Document

Matrix = NDArray[np.float64]
FEATURES = "mfw(500), mfw(2000), word(1-2), char(2-5)"
_CHOICES = (("nearest",), ("ridge",), ("nearest", "ridge"))  # rules to choose from
_PIECE, _PIECES, _ROWS = 500, 8, 4000  # words; pieces of a text and of all
_ALIKE = 0.75  # a text of this share of the words of a known one is as long
_FOLDS = 5


@dataclass(frozen=True)
class Trial:
    """A way to attribute, and how it did on known texts that its weights were not fitted on."""

    rule: str
    accuracy: float
    log_loss: float


@dataclass(frozen=True)
class Method:
    """How texts were attributed. ``weights`` has one number per rule and feature."""

    features: list[str]
    rule: str
    measure: str
    weights: dict[str, float]
    tried: list[Trial]


@dataclass(frozen=True)
class Authors:
    """What was found: ``probabilities`` of texts (``ids``, ``words``) × authors (``names``).

    calibration: of known texts as long as most of the texts, by rules chosen without them.
    """

    names: list[str]
    ids: list[str]
    words: NDArray[np.int64]
    probabilities: Matrix
    method: Method
    calibration: Calibration
    notes: list[str] = field(default_factory=list)


def attribute(
    known: Sequence[Document],
    by: str,
    asked: Sequence[Document] | None = None,
    *,
    features: str | None = None,
    rule: str | None = None,
    measure: str | None = None,
    progress: Progress = silent,
) -> Authors:
    """Attribute texts to the authors of known texts; by default each known text, from the others.

    ``by`` is the metadata field with the author. A known text that is also asked about does not
    count for itself.
    """
    notes: list[str] = []
    known = _keep_labelled(known, by, notes)
    names, labels = np.unique([one.metadata[by] for one in known], return_inverse=True)
    calibrated = find_calibration_rows([one.metadata[by] for one in known])
    _note_single(names, labels, by, notes)
    texts = list(known) if asked is None else list(asked)
    own = np.arange(len(known)) if asked is None else _find_own(known, texts, notes)
    lengths = np.array([len(one.text.split()) for one in texts])
    if not lengths.all():
        raise InputError(f"{texts[int(lengths.argmin())].id!r} has no words.", "Leave it out.")
    sizes = np.array([len(one.text.split()) for one in known])
    groups = _group_by_length(lengths, sizes[calibrated])
    rows = _Rows(known, sizes)
    for size in np.unique(groups).tolist():
        rows.add_excerpts(calibrated, size)
    first = len(rows.left_out)
    rows.add_texts(texts, own)
    begin_stage(progress, "counting features")
    chosen = features or FEATURES
    layout, counts = rows.count(labels, chosen)
    begin_stage(progress, "comparing")
    choices = _list_choices(rule, measure)
    scored = _score(counts, chosen, layout, sorted({r for c in choices for r in c}), measure)
    truth = labels[calibrated]
    members = np.array([*rows.groups, *groups])
    usual = int(np.bincount(groups).argmax())
    checked = np.flatnonzero(members[:first] == usual)
    rules, tried, honest = _choose(scored, checked, truth, choices)
    far = _stack(scored, rules)
    p = np.empty((len(texts), len(names)))
    for size in np.unique(groups).tolist():
        model = fit_model(far[np.flatnonzero(members[:first] == size)], truth)
        mine = np.flatnonzero(groups == size)
        p[mine] = model.predict(far[first + mine])
        if size == usual:
            weights = _name_weights(model, rules, chosen)
    if asked is None:
        p[calibrated] = honest
    method = Method(
        [str(one) for one in parse_features(chosen)],
        " + ".join(rules),
        measure or "cosine",
        weights,
        tried,
    )
    calibration = measure_calibration(honest, truth)
    return Authors(
        names.tolist(), [one.id for one in texts], lengths, p, method, calibration, notes
    )


def _keep_labelled(known: Sequence[Document], by: str, notes: list[str]) -> list[Document]:
    """Return the texts that have the field and words; notes name the others."""
    kept = [one for one in known if one.metadata.get(by) and one.text.split()]
    if not kept:
        fields = list_names(sorted({name for one in known for name in one.metadata}))
        raise InputError(
            f"No text has the field {by!r}.",
            f"There are: {fields}. Join a table with the columns id and {by}: --metadata FILE.",
        )
    others = [one.id for one in known if not one.metadata.get(by)]
    if others:
        notes.append(f"left out, without {by}: {list_names(others)}")
    empty = [one.id for one in known if one.metadata.get(by) and not one.text.split()]
    if empty:
        notes.append(f"left out, without words: {list_names(empty)}")
    return kept


def _note_single(names: Array, labels: Array, by: str, notes: list[str]) -> None:
    sizes = np.bincount(labels)
    single = names[sizes == 1].tolist()
    if single:
        notes.append(
            f"{by}s with one text, which are candidates but cannot be checked: {list_names(single)}"
        )


def _find_own(
    known: Sequence[Document], asked: Sequence[Document], notes: list[str]
) -> NDArray[np.int64]:
    """Return which known text is the same as each text in question, or −1; a note names it."""
    by_text = {" ".join(one.text.split()): row for row, one in enumerate(known)}
    own = np.array([by_text.get(" ".join(one.text.split()), -1) for one in asked])
    same = [
        one.id if one.id == known[row].id else f"{one.id} ({known[row].id})"
        for one, row in zip(asked, own.tolist(), strict=True)
        if row >= 0
    ]
    if same:
        notes.append(f"also among the known texts, left out there: {list_names(same)}")
    return own


def _group_by_length(lengths: Array, known: Array) -> NDArray[np.int64]:
    """Return the power of two that is nearest to the words of each text; 0 for the long ones."""
    powers = 2 ** np.round(np.log2(lengths)).astype(np.int64)
    return np.where(lengths >= _ALIKE * np.median(known), 0, powers)


class _Rows:
    """The texts that are counted together: pieces of known texts, excerpts, texts in question."""

    def __init__(self, known: Sequence[Document], sizes: Array) -> None:
        self._known = known
        self._sizes = sizes
        most = max(1, min(_PIECES, _ROWS // len(known)))
        numbers = np.clip(sizes // _PIECE, 1, most)
        self._pieces = [
            " ".join(part)
            for one, number in zip(known, numbers.tolist(), strict=True)
            for part in np.array_split(np.array(one.text.split(), object), number)
        ]
        self._owners = np.repeat(np.arange(len(known)), numbers)
        self._extra: list[str | int] = []  # a text, or the row of a known one
        self.left_out: list[int] = []
        self.groups: list[int] = []

    def add_excerpts(self, rows: Array, size: int) -> None:
        """Add known texts, or from the middle of long ones ``size`` words; 0 means all."""
        for row in rows.tolist():
            excerpt: str | int = row
            if size and self._sizes[row] * _ALIKE > size:
                start = (self._sizes[row] - size) // 2
                excerpt = " ".join(self._known[row].text.split()[start : start + size])
            self._extra.append(excerpt)
            self.left_out.append(row)
            self.groups.append(size)

    def add_texts(self, texts: Sequence[Document], own: Array) -> None:
        for one, row in zip(texts, own.tolist(), strict=True):
            self._extra.append(row if row >= 0 else one.text)
            self.left_out.append(row)

    def count(self, labels: Array, features: str) -> tuple[Layout, list[StyleCounts]]:
        """Count all; a known text is the sum of its pieces, or its only piece."""
        from scipy.sparse import csr_matrix, vstack

        new = [one for one in self._extra if isinstance(one, str)]
        pieces, texts = len(self._pieces), len(self._known)
        counted = count_features([*self._pieces, *new], features, among=np.arange(pieces))
        rows = np.arange(pieces) if pieces == texts else np.arange(pieces, pieces + texts)
        places = iter(range(int(rows[-1]) + 1, int(rows[-1]) + 1 + len(new)))
        asked = [next(places) if isinstance(one, str) else rows[one] for one in self._extra]
        layout = Layout(
            self._owners, labels, rows, np.array(asked, np.int64), np.array(self.left_out)
        )
        if pieces == texts:
            return layout, counted
        ones = np.ones(pieces, np.int64)
        total = csr_matrix((ones, (self._owners, np.arange(pieces))), shape=(texts, pieces))
        found = []
        for one in counted:
            known, known_sizes = one.matrix[:pieces], one.sizes[:pieces]
            matrix = vstack([known, total @ known, one.matrix[pieces:]]).tocsr()
            sizes = np.concatenate([known_sizes, total @ known_sizes, one.sizes[pieces:]])
            ids = [str(number) for number in range(matrix.shape[0])]
            found.append(StyleCounts(matrix, one.types, ids, [], [], sizes))
        return layout, found


def _list_choices(rule: str | None, measure: str | None) -> Sequence[Sequence[str]]:
    """Return the sets of rules to choose from."""
    if rule is not None:
        return [tuple(rule.split("+"))]
    return [(one,) for one in SIMPLE] if measure is not None else _CHOICES


def _score(
    counts: list[StyleCounts],
    features: str,
    layout: Layout,
    rules: Sequence[str],
    measure: str | None,
) -> dict[str, list[Matrix]]:
    """Return the scores of each rule, one matrix per feature."""
    found = [
        score_texts(one, feature, layout, rules, measure)
        for one, feature in zip(counts, parse_features(features), strict=True)
    ]
    return {rule: [one[rule] for one in found] for rule in rules}


def _stack(scored: dict[str, list[Matrix]], rules: Sequence[str]) -> Matrix:
    """Return texts × authors × scores, as distances from the mean author."""
    return center_distances(-np.stack([one for rule in rules for one in scored[rule]], axis=-1))


def _choose(
    scored: dict[str, list[Matrix]],
    rows: NDArray[np.int64],
    truth: NDArray[np.int64],
    choices: Sequence[Sequence[str]],
) -> tuple[Sequence[str], list[Trial], Matrix]:
    """Return the rules whose probabilities fit the known texts best, what was tried, and honest
    probabilities: each fifth of the texts gets the rules and weights that are best for the rest."""
    cases = np.arange(len(truth))
    p = np.stack([_cross_validate(_stack(scored, one)[rows], truth) for one in choices])
    losses = -np.log(np.maximum(p[:, cases, truth], 1e-300))
    checked = [measure_calibration(one, truth) for one in p]
    tried = [
        Trial(" + ".join(rules), one.accuracy, one.log_loss)
        for rules, one in zip(choices, checked, strict=True)
    ]
    fold = _split(len(truth))
    inner = np.stack([losses[:, fold != number].sum(axis=1) for number in range(fold.max() + 1)])
    best = int(losses.sum(axis=1).argmin())
    return choices[best], tried, np.asarray(p[inner.argmin(axis=1)[fold], cases])


def _split(texts: int) -> NDArray[np.int64]:
    """Return the part that each text belongs to: fifths, or halves of very few."""
    return np.arange(texts) % min(_FOLDS, max(texts // 2, 2))


def _cross_validate(far: Matrix, truth: NDArray[np.int64]) -> Matrix:
    """Return probabilities of texts by weights that were fitted on the others."""
    p = np.empty(far.shape[:2])
    folds = _split(len(truth))
    for number in range(folds.max() + 1):
        left = folds == number
        train = ~left if (~left).sum() >= 2 else np.ones(len(left), bool)
        p[left] = fit_model(far[train], truth[train]).predict(far[left])
    return p


def _name_weights(model: CategoryModel, rules: Sequence[str], features: str) -> dict[str, float]:
    names = [f"{rule}: {one}" for rule in rules for one in parse_features(features)]
    return {name: round(float(w), 4) for name, w in zip(names, model.weights, strict=True)}
