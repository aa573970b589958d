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

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.calibration import (
    Calibration,
    center_distances,
    fit_model,
    measure_calibration,
)
from lexfield.compare.imposters import Verification, verify_texts
from lexfield.compare.known import keep_known
from lexfield.compare.labels import find_calibration_rows
from lexfield.compare.scores import SIMPLE, Layout, embed, score_texts
from lexfield.compare.style import Feature, StyleCounts, count_features, parse_features
from lexfield.engine import single_thread
from lexfield.errors import InputError, list_names
from lexfield.progress import Progress, begin_stage, silent
from lexfield.text.document import Document

Matrix = NDArray[np.float64]
FEATURES = "mfw(500), mfw(2000), word(1-2), char(2-5)"
_CHOICES = (("nearest",), ("ridge",), ("nearest", "ridge"))  # rules to choose from
_PIECE, _PIECES, _ROWS = 500, 8, 4000  # words; pieces of a text and of all
_ALIKE = 0.75  # a text of this share of the words of a known one is as long
_FOLDS = 5
_QUICK = 10**10  # characters to look for excerpts in
_FREQUENT = 3000  # types of a feature that imposters are compared by


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
    """What was found: ``probabilities`` of ``texts`` (of so many ``words``) × authors (``names``).

    own: the known text that each text is, or −1. calibration: of known texts as long as most of the
    texts, by rules chosen without them.
    """

    names: list[str]
    texts: list[Document]
    words: NDArray[np.int64]
    own: NDArray[np.int64]
    probabilities: Matrix
    method: Method
    calibration: Calibration
    verification: Verification | None = None
    notes: list[str] = field(default_factory=list)


def attribute(
    known: Sequence[Document],
    by: str,
    asked: Sequence[Document] | None = None,
    *,
    features: str | None = None,
    rule: str | None = None,
    measure: str | None = None,
    verify: bool = False,
    progress: Progress = silent,
) -> Authors:
    """Attribute texts to the authors of known texts; by default each known text, from the others.

    ``by`` is the metadata field with the author. A known text that is also asked about does not
    count for itself. ``verify`` also asks of each author whether the text is theirs at all.
    """
    notes: list[str] = []
    choices, parsed = _list_choices(rule, measure), parse_features(features or FEATURES)
    known = keep_known(known, by, notes)
    names, labels = np.unique([one.metadata[by] for one in known], return_inverse=True)
    calibrated = find_calibration_rows([one.metadata[by] for one in known])
    _note_single(names, labels, by, notes)
    texts = list(known) if asked is None else list(asked)
    own = np.arange(len(known)) if asked is None else _find_own(known, texts, notes)
    begin_stage(progress, "counting features")
    rows = _Rows(known, texts, own, calibrated)
    layout, counts = rows.count(labels, features or FEATURES)
    begin_stage(progress, "comparing")
    with single_thread():  # the same bytes at any number of threads
        scored = _score(counts, parsed, layout, choices, measure)
        p, honest, weights, rules, tried = _weigh(scored, rows, labels[calibrated], choices)
        verification = None
        if verify:
            named = {str(one): w for one, w in zip(parsed * len(rules), weights, strict=True) if w}
            vectors = _join_vectors(counts, parsed, layout, named)
            verification = verify_texts(vectors, layout, rows.usual, rows.first)
    if asked is None:
        p[calibrated] = honest
    names_of_weights = [f"{rule}: {one}" for rule in rules for one in parsed]
    method = Method(
        [str(one) for one in parsed],
        " + ".join(rules),
        measure or "cosine",
        dict(zip(names_of_weights, weights.round(4).tolist(), strict=True)),
        tried,
    )
    calibration = measure_calibration(honest, labels[calibrated])
    return Authors(
        names.tolist(), texts, rows.lengths, own, p, method, calibration, verification, notes
    )


def _weigh(
    scored: dict[str, list[Matrix]],
    rows: _Rows,
    truth: NDArray[np.int64],
    choices: Sequence[Sequence[str]],
) -> tuple[Matrix, Matrix, Matrix, Sequence[str], list[Trial]]:
    """Return the probabilities of the texts in question, honest ones of the known texts, and the
    weights and rules that they come from."""
    rules, tried, honest = _choose(scored, rows.usual, truth, choices)
    far = _stack(scored, rules)
    p = np.empty((len(rows.lengths), far.shape[1]))
    for size in np.unique(rows.groups).tolist():
        here = np.flatnonzero(rows.groups == size)
        model = fit_model(far[here[here < rows.first]], truth)
        mine = here[here >= rows.first]
        p[mine - rows.first] = model.predict(far[mine])
    weights = fit_model(far[rows.usual], truth).weights
    return p, honest, weights, rules, tried


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
    """Return which known text each text in question is, or is an excerpt of, or −1; a note names
    it. Excerpts are only looked for if that takes seconds at most."""
    words = [" ".join(one.text.split()) for one in known]
    rows = {text: row for row, text in enumerate(words)}
    is_quick = sum(map(len, words)) * len(asked) <= _QUICK
    own = []
    for one in asked:
        text = " ".join(one.text.split())
        holding = (row for row, whole in enumerate(words) if is_quick and text and text in whole)
        own.append(rows.get(text, -1) if text in rows else next(holding, -1))
    same = [
        one.id if one.id == known[row].id else f"{one.id} ({known[row].id})"
        for one, row in zip(asked, own, strict=True)
        if row >= 0
    ]
    if same:
        notes.append(f"also among the known texts, left out there: {list_names(same)}")
    return np.array(own, np.int64)


def _group_by_length(lengths: Array, known: Array) -> NDArray[np.int64]:
    """Return the power of two that is nearest to the words of each text; 0 for the long ones."""
    powers = 2 ** np.round(np.log2(lengths)).astype(np.int64)
    return np.where(lengths >= _ALIKE * np.median(known), 0, powers)


class _Rows:
    """The texts that are counted together: pieces of known texts, excerpts, texts in question.

    groups: for each text to score, the length of the known excerpts that it is judged by; the
    excerpts come first, and the texts in question from ``first`` on. lengths: words of the latter.
    usual: the excerpts that most of them are judged by.
    """

    def __init__(
        self, known: Sequence[Document], texts: Sequence[Document], own: Array, calibrated: Array
    ) -> None:
        words = [one.text.split() for one in known]
        sizes = np.array([len(one) for one in words])
        most = max(1, min(_PIECES, _ROWS // len(known)))
        numbers = np.clip(sizes // _PIECE, 1, most)
        self._pieces = [
            " ".join(part)
            for one, number in zip(words, numbers.tolist(), strict=True)
            for part in np.array_split(np.array(one, object), number)
        ]
        self._owners = np.repeat(np.arange(len(known)), numbers)
        self.lengths = np.array([len(one.text.split()) for one in texts])
        if not self.lengths.all():
            empty = texts[int(self.lengths.argmin())].id
            raise InputError(f"{empty!r} has no words.", "Leave it out.")
        groups = _group_by_length(self.lengths, sizes[calibrated])
        self._extra: list[str | int] = []  # a text, or the row of a known one
        lengths = np.unique(groups).tolist()
        for size in lengths:
            for row in calibrated.tolist():
                is_long = size and sizes[row] * _ALIKE > size
                start = (sizes[row] - size) // 2
                excerpt = " ".join(words[row][start : start + size]) if is_long else row
                self._extra.append(excerpt)
        self.first = len(self._extra)
        self._extra += [
            row if row >= 0 and size == sizes[row] else one.text
            for one, row, size in zip(texts, own.tolist(), self.lengths.tolist(), strict=True)
        ]
        self.groups = np.append(np.repeat(lengths, len(calibrated)), groups)
        self.left_out = np.append(np.tile(calibrated, len(lengths)), own)
        most_common = int(np.bincount(groups).argmax())
        self.usual = np.flatnonzero(self.groups[: self.first] == most_common)

    def count(self, labels: Array, features: str) -> tuple[Layout, list[StyleCounts]]:
        """Count all; a known text is the sum of its pieces, or its only piece."""
        from scipy.sparse import csr_matrix, vstack

        new = [one for one in self._extra if isinstance(one, str)]
        pieces, texts = len(self._pieces), len(labels)
        counted = count_features([*self._pieces, *new], features, among=np.arange(pieces))
        rows = np.arange(pieces) if pieces == texts else np.arange(pieces, pieces + texts)
        places = iter(range(int(rows[-1]) + 1, int(rows[-1]) + 1 + len(new)))
        asked = [next(places) if isinstance(one, str) else rows[one] for one in self._extra]
        layout = Layout(self._owners, labels, rows, np.array(asked, np.int64), self.left_out)
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
    features: list[Feature],
    layout: Layout,
    choices: Sequence[Sequence[str]],
    measure: str | None,
) -> dict[str, list[Matrix]]:
    """Return the scores of each rule, one matrix per feature."""
    rules = sorted({rule for choice in choices for rule in choice})
    found = [
        score_texts(one, feature, layout, rules, measure)
        for one, feature in zip(counts, features, strict=True)
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


def _join_vectors(
    counts: list[StyleCounts], parsed: list[Feature], layout: Layout, used: Container[str]
) -> Matrix:
    """Return the most frequent types of the features that are used, side by side."""
    parts = []
    for one, feature in zip(counts, parsed, strict=True):
        if str(feature) in used or not used:
            vectors = embed(one, feature, layout.pieces)[:, :_FREQUENT]
            dense = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
            parts.append(dense - dense[layout.pieces].mean(axis=0))
    return np.concatenate(parts, axis=1)


def find_changes(p: Matrix, cost: float = 3.0) -> list[int]:
    """Return the author of each window of a text: the sequence of greatest probability in which
    every change costs ``cost`` nats (Viterbi 1967), so that one doubtful window is no other hand.
    """
    logs = np.log(np.maximum(p, 1e-12))
    best, back = logs[0], []
    for row in logs[1:]:
        change = int(best.argmax())
        stays = best >= best[change] - cost
        back.append(np.where(stays, np.arange(len(best)), change))
        best = np.where(stays, best, best[change] - cost) + row
    path = [int(best.argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1]
