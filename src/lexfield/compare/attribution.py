"""Who wrote a text: candidates with calibrated probabilities, and the evidence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lexfield.compare.counts import Counts, count_corpus
from lexfield.compare.labels import Evidence, RowTable, find_evidence
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pairs import Pairs, pairs
from lexfield.compare.probabilities import (
    Calibration,
    CategoryModel,
    find_calibration_rows,
    find_differences,
    fit_model,
    measure_calibration,
)
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus

_UNKNOWN = "?"  # the label of a text in question that has none


@dataclass(frozen=True)
class AttributedDocument:
    """A document with its own label, and the one it gets from all the others."""

    id: str
    label: str
    predicted: str
    probability: float
    right: bool


@dataclass(frozen=True)
class ProbableLabel:
    """A candidate, and the distance of its nearest document."""

    label: str
    probability: float
    nearest: float


@dataclass(frozen=True)
class Attribution(RowTable):
    """Who wrote each document, or one text.

    rows: every document; or for one text, the document ``id``, its candidates, likeliest first.
    calibration: predicted probabilities beside outcomes, for the documents with known labels.
    evidence: what supports the label of the one text; None for every document.
    """

    by: str
    rows: list[AttributedDocument] | list[ProbableLabel]
    model: CategoryModel
    calibration: Calibration
    notes: list[str] = field(default_factory=list)
    evidence: Evidence | None = None


def attribute(
    corpus: Corpus,
    by: str,
    text: str | None = None,
    *,
    measure: str = "hellinger",
    **options: Any,
) -> Attribution:
    """Attribute every document from all the others, or only the one with the id ``text``, which may
    lack the metadata field ``by``. ``options`` are those of ``ComparisonOptions``."""
    chosen = ComparisonOptions.from_dict({"measure": measure, **options})
    counts = count_corpus(corpus, n=chosen.n, stopwords=chosen.stopwords)
    if text is not None:
        counts = _label_unknown(counts, by, text)
    found = pairs(counts.keep_labelled(by), measure=measure, **options)
    labels = np.array([record[by] for record in found.metadata])
    asked = None if text is None else _find_row(found, text)
    known = np.array([row for row in range(len(labels)) if row != asked])
    names = np.unique(labels[known])
    others = found.matrix.copy()
    np.fill_diagonal(others, np.inf)
    differences = find_differences(others[:, known], labels[known], names)
    rows = known[find_calibration_rows(labels[known].tolist())]
    truth = np.searchsorted(names, labels[rows])
    model = fit_model(differences[rows], truth)
    p = model.predict(differences)
    calibration = measure_calibration(p[rows], truth)
    notes = list(found.notes)
    if len(rows) < len(known):
        notes.append(
            f"cannot be attributed, as no other document has their {by}:"
            f" {len(known) - len(rows):,} of {len(known):,} documents"
        )
    nearest = np.stack([others[:, known[labels[known] == n]].min(axis=1) for n in names], axis=1)
    orders = np.lexsort((nearest, -p))  # of equal probabilities, the nearer comes first
    if asked is None:
        documents = [
            AttributedDocument(
                found.ids[row],
                str(labels[row]),
                str(names[first]),
                float(p[row, first]),
                bool(names[first] == labels[row]),
            )
            for row, first in enumerate(orders[:, 0])
        ]
        return Attribution(by, documents, model, calibration, notes)
    candidates = [
        ProbableLabel(str(names[i]), float(p[asked, i]), float(nearest[asked, i]))
        for i in orders[asked]
    ]
    best, second = (one.label for one in candidates[:2])
    evidence = find_evidence(found, counts, labels.tolist(), found.ids[asked], best, second)
    return Attribution(by, candidates, model, calibration, notes, evidence)


def _label_unknown(counts: Counts, by: str, text: str) -> Counts:
    """Give the text in question a label if it has none, so that it is not left out."""
    if text not in counts.ids:
        raise InputError(f"There is no document {text!r}.", "Give a file, or the id of a document.")
    row = counts.ids.index(text)
    metadata = [dict(record) for record in counts.metadata]
    metadata[row][by] = metadata[row].get(by) or _UNKNOWN
    return replace(counts, metadata=metadata)


def _find_row(found: Pairs, text: str) -> int:
    if text not in found.ids:
        raise InputError(f"{text!r} is too short for this.", " ".join(found.notes))
    return found.ids.index(text)
