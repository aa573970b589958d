"""Who wrote a text: candidates with calibrated probabilities, and the evidence.

Known texts are cut into pieces of at least 500 words, eight at most, which rules learn from. Every
feature and rule (``compare.scores``) says how well a text fits each author; these scores become
probabilities by weights that make the known texts likeliest (``compare.calibration``), each of them
scored without itself and, where the text in question is shorter, only excerpts of its length, about
100 in all: a short text is judged by what short texts have shown. So an answer does not depend on
which other texts are asked about.

Unless they are named, features and rule are chosen by cross-validation within the known texts, for
each length: weights are fitted on four fifths of them, and the rule whose probabilities fit the
remaining fifths best (log loss) is taken. A feature that does not help gets the weight 0.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.calibration import (
    Calibration,
    center_distances,
    fit_model,
    measure_calibration,
)
from lexfield.compare.copies import Sequences
from lexfield.compare.feature_language import count_languages, use_language
from lexfield.compare.imposters import AuthorVerification, check_enough, verify_texts
from lexfield.compare.known import (
    count_excerpts,
    cut_excerpt,
    find_foreign,
    find_known,
    group_by_length,
    keep_known,
    note_single,
    note_strangers,
    order_by_content,
)
from lexfield.compare.labels import find_calibration_rows
from lexfield.compare.layout import Layout
from lexfield.compare.scores import SIMPLE, embed, score_texts
from lexfield.compare.style import Feature, StyleCounts, count_features, parse_features
from lexfield.engine import single_thread
from lexfield.errors import InputError
from lexfield.progress import Progress, begin_stage, silent
from lexfield.text.document import Document

Matrix = NDArray[np.float64]
FEATURES = "mfw(500), mfw(2000), word(2-3), char(2-5)"
_CHOICES = (("nearest",), ("ridge",), ("nearest", "ridge"))  # rules to choose from
_PIECE, _PIECES, _ROWS = 500, 8, 4000  # words; pieces of a text and of all
_FOLDS = 5
_FREQUENT = 3000  # types of a feature that imposters are compared by


@dataclass(frozen=True)
class Trial:
    """A way to attribute, and how it did on known texts that its weights were not fitted on."""

    rule: str
    accuracy: float
    log_loss: float


@dataclass(frozen=True)
class AttributionMethod:
    """How texts were attributed. ``weights`` has one number per rule and feature."""

    features: list[str]
    rule: str
    measure: str
    weights: dict[str, float]
    tried: list[Trial]


@dataclass(frozen=True)
class Check:
    """How texts of about one length are attributed, and how well that works on known texts."""

    method: AttributionMethod
    calibration: Calibration


@dataclass(frozen=True)
class Authors:
    """What was found: ``probabilities`` of ``texts`` × authors (``names``).

    known, left_out: the known texts, and those among them that did not count for each text because
    they are copies of it. method, calibration: for texts as long as most of these; the calibration
    is that of ``texts`` themselves if their authors are known. checks: the method and calibration
    for the length of each text. foreign: is it in another language or no running text, so that
    every author is as likely?
    """

    names: list[str]
    known: list[Document]
    texts: list[Document]
    left_out: list[tuple[int, ...]]
    probabilities: Matrix
    method: AttributionMethod
    calibration: Calibration
    checks: list[Check]
    foreign: NDArray[np.bool_]
    verification: AuthorVerification | None = None
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
    count for itself, nor do copies of it. ``verify`` also asks of each author whether the text is
    theirs at all.
    """
    notes: list[str] = []
    choices, kept = _list_choices(rule, measure), keep_known(known, by, notes)
    order = order_by_content(kept, by)
    known = [kept[row] for row in order.tolist()]
    features = use_language(features or FEATURES, count_languages(known))
    parsed = parse_features(features)
    names, labels = np.unique([one.metadata[by] for one in known], return_inverse=True)
    if verify:
        check_enough(np.bincount(labels), by)
    sequences = Sequences([one.text for one in known], progress)
    copies = sequences.find_copies()
    calibrated = _find_calibrated(known, labels, copies, by)
    note_single(names, labels, by, notes)
    texts = list(known) if asked is None else list(asked)
    left_out = copies if asked is None else find_known(known, texts, notes, sequences)
    note_strangers(set(names.tolist()), texts, by, notes)
    begin_stage(progress, "counting features")
    rows = _Rows(known, texts, left_out, calibrated, [copies[row] for row in calibrated])
    layout, counts = rows.count(labels, features, progress)
    begin_stage(progress, "comparing")
    truth, verification = labels[calibrated], None
    with single_thread():  # the same bytes at any number of threads
        scored = _score(counts, parsed, layout, choices, measure, progress)
        p, checks, weighed = _weigh(scored, rows, truth, choices, parsed, measure)
        if verify:
            vectors = (_join_vectors(counts, parsed, layout, used) for used in weighed)
            verification = verify_texts(vectors, layout, list(rows.list_groups()), truth)
    usual = checks[rows.usual][0]
    method, calibration = usual.method, usual.calibration
    checked = [one for one, _ in checks]
    if asked is None:
        honest = [checks[row][1][place] for place, row in enumerate(calibrated.tolist())]
        p[calibrated] = honest
        calibration = measure_calibration(p[calibrated], truth)
        texts, rank = kept, np.argsort(order)
        left_out, checked = [left_out[row] for row in rank], [checked[row] for row in rank]
        p, verification = p[rank], verification and verification.take(rank)
    foreign = find_foreign(known, texts, notes)
    p[foreign] = 1 / len(names)
    return Authors(
        names.tolist(), known, texts, left_out, p, method, calibration,
        checked, foreign, verification, notes,
    )  # fmt: skip


def _find_calibrated(
    known: Sequence[Document], labels: Array, copies: Sequence[tuple[int, ...]], by: str
) -> NDArray[np.int64]:
    """Return the known texts whose author has at least one other text that is not a copy."""
    sizes = np.bincount(labels)
    if len(sizes) > 1 and sizes.max() == 1:
        raise InputError(
            f"Every {by} has only one text, so nothing can be learned from the others or checked.",
            "Add a second text by some of them, or choose another field with --by.",
        )
    rows = find_calibration_rows([one.metadata[by] for one in known])
    left = [sizes[labels[row]] - (labels[list(copies[row])] == labels[row]).sum() for row in rows]
    if not any(left):
        raise InputError(
            f"All texts of each {by} are copies of each other, so nothing can be checked.",
            "Add other texts.",
        )
    return np.asarray(rows[np.array(left) > 0])


def _weigh(
    scored: dict[str, list[Matrix]],
    rows: _Rows,
    truth: NDArray[np.int64],
    choices: Sequence[Sequence[str]],
    features: list[Feature],
    measure: str | None,
) -> tuple[Matrix, list[tuple[Check, Matrix]], list[set[str]]]:
    """Return the probabilities of the texts in question; for each, the check on known texts of its
    length, with their honest probabilities; and for each length the features with a weight."""
    first = rows.first
    found: list[tuple[Check, Matrix]] = [None] * len(rows.lengths)  # type: ignore[list-item]
    p = np.empty((len(rows.lengths), len(next(iter(scored.values()))[0][0])))
    used: list[set[str]] = []
    for checked, mine in rows.list_groups():
        texts = np.arange(len(checked)) % len(truth)  # whose excerpts these are
        rules, tried, honest = _choose(scored, checked, texts, truth[texts], choices)
        far = _stack(scored, rules)
        model = fit_model(far[checked], truth[texts], len(truth))
        p[mine - first] = model.predict(far[mine])
        named = [(rule, str(one)) for rule in rules for one in features]
        weights = dict(zip(named, model.weights.round(4).tolist(), strict=True))
        used.append({feature for (_, feature), weight in weights.items() if weight})
        method = AttributionMethod(
            [str(one) for one in features],
            " + ".join(rules),
            measure or "cosine",
            {f"{rule}: {feature}": weight for (rule, feature), weight in weights.items()},
            tried,
        )
        check = Check(method, measure_calibration(honest, truth[texts], texts=len(truth)))
        for row in mine - first:
            found[row] = check, honest
    return p, found, used


class _Rows:
    """The texts that are counted together: pieces of known texts, excerpts, texts in question.

    groups: for each text to score, the length of the known excerpts that it is judged by; the
    excerpts come first, and the texts in question from ``first`` on. lengths: words of the latter.
    usual: the first text in question of the most common length.
    left_out, copies: the known texts that do not count for each text in question, and for each
    ``calibrated`` one.
    """

    def __init__(
        self,
        known: Sequence[Document],
        texts: Sequence[Document],
        left_out: Sequence[tuple[int, ...]],
        calibrated: Array,
        copies: Sequence[tuple[int, ...]],
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
        groups = group_by_length(self.lengths, sizes[calibrated])
        self.usual = int(np.flatnonzero(groups == np.bincount(groups).argmax())[0])
        self._extra: list[str | int] = []  # a text, or the row of a known one
        lengths = np.unique(groups).tolist()
        numbers = [count_excerpts(size, sizes[calibrated]) for size in lengths]
        for size, number in zip(lengths, numbers, strict=True):
            for place, row in product(range(number), calibrated.tolist()):
                excerpt = cut_excerpt(words[row], size, place, number)
                self._extra.append(row if excerpt is None else excerpt)
        self.first = len(self._extra)
        self._extra += [
            left[0] if left and one.text.split() == words[left[0]] else one.text
            for one, left in zip(texts, left_out, strict=True)
        ]
        excerpts = np.repeat(lengths, np.array(numbers) * len(calibrated))
        self.groups = np.append(excerpts, groups)
        self.left_out = [*list(copies) * sum(numbers), *left_out]

    def list_groups(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield, for each length, the rows of known excerpts and of texts in question."""
        for size in np.unique(self.groups).tolist():
            here = np.flatnonzero(self.groups == size)
            yield here[here < self.first], here[here >= self.first]

    def count(
        self, labels: Array, features: str, progress: Progress
    ) -> tuple[Layout, list[StyleCounts]]:
        """Count all; a known text is the sum of its pieces, or its only piece."""
        from scipy.sparse import csr_matrix, vstack

        new = [one for one in self._extra if isinstance(one, str)]
        pieces, texts = len(self._pieces), len(labels)
        counted = count_features(
            [*self._pieces, *new], features, among=np.arange(pieces), progress=progress
        )
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
    progress: Progress,
) -> dict[str, list[Matrix]]:
    """Return the scores of each rule, one matrix per feature."""
    rules = sorted({rule for choice in choices for rule in choice})
    found: list[dict[str, Matrix]] = []
    for one, feature in zip(counts, features, strict=True):
        progress(len(found), len(features))
        found.append(score_texts(one, feature, layout, rules, measure))
    return {rule: [one[rule] for one in found] for rule in rules}


def _stack(scored: dict[str, list[Matrix]], rules: Sequence[str]) -> Matrix:
    """Return texts × authors × scores, as distances from the mean author."""
    return center_distances(-np.stack([one for rule in rules for one in scored[rule]], axis=-1))


def _choose(
    scored: dict[str, list[Matrix]],
    rows: NDArray[np.int64],
    texts: NDArray[np.int64],
    truth: NDArray[np.int64],
    choices: Sequence[Sequence[str]],
) -> tuple[Sequence[str], list[Trial], Matrix]:
    """Return the rules whose probabilities fit the known texts best, what was tried, and honest
    probabilities: each fifth of the texts gets the rules and weights that are best for the rest."""
    cases = np.arange(len(truth))
    fold = _split(texts)
    p = np.stack([_cross_validate(_stack(scored, one)[rows], truth, texts) for one in choices])
    losses = -np.log(np.maximum(p[:, cases, truth], 1e-300))
    checked = [measure_calibration(one, truth) for one in p]
    tried = [
        Trial(" + ".join(rules), one.accuracy, one.log_loss)
        for rules, one in zip(choices, checked, strict=True)
    ]
    inner = np.stack([losses[:, fold != number].sum(axis=1) for number in range(fold.max() + 1)])
    best = int(losses.sum(axis=1).argmin())
    return choices[best], tried, np.asarray(p[inner.argmin(axis=1)[fold], cases])


def _split(texts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the part that each excerpt belongs to, with all others of its text: fifths of the
    texts, or halves of very few."""
    return np.asarray(texts % min(_FOLDS, max((int(texts.max()) + 1) // 2, 2)))


def _cross_validate(far: Matrix, truth: NDArray[np.int64], texts: NDArray[np.int64]) -> Matrix:
    """Return probabilities of excerpts of texts by weights that were fitted on other texts."""
    p, folds = np.empty(far.shape[:2]), _split(texts)
    for number in range(folds.max() + 1):
        left = folds == number
        train = ~left if (~left).sum() >= 2 else np.ones(len(left), bool)
        model = fit_model(far[train], truth[train], len(np.unique(texts[train])))
        p[left] = model.predict(far[left])
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
