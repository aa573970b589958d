"""Who wrote it: candidates with calibrated probabilities, and the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.answers.answer import Answer
from lexfield.answers.texts import evidence_for, labelled
from lexfield.errors import InputError

if TYPE_CHECKING:
    from lexfield.diverge.pairs import Pairs
    from lexfield.text.corpus import Corpus


def attributed(
    corpus: Corpus,
    by: str,
    text: str | None = None,
    *,
    chosen: dict[str, Any],
) -> Answer:
    """Without ``text`` every document is attributed from all the others, and what was said is
    compared with what is true. ``text`` is the id of a document, which may lack the field."""
    from lexfield.diverge import certainty
    from lexfield.diverge.counts import count
    from lexfield.diverge.pairs import pairs

    counts = count(corpus, n=chosen["n"], stopwords=chosen["stopwords"])
    if text is not None and text not in counts.ids:
        raise InputError(f"There is no document {text!r}.", "Give a file, or the id of a document.")
    if text is not None:
        about = counts.metadata[counts.ids.index(text)]
        about[by] = about.get(by) or "?"
    found = pairs(labelled(counts, by), **chosen)
    labels = np.array([record[by] for record in found.metadata])
    asked = None if text is None else _place(found, text)
    known = np.array([row for row in range(len(labels)) if row != asked])
    names = np.unique(labels[known])
    others = found.matrix.copy()
    np.fill_diagonal(others, np.inf)
    differences = certainty.features(others[:, known], labels[known], names)
    rows = known[certainty.calibratable(labels[known].tolist())]
    truth = np.searchsorted(names, labels[rows])
    model = certainty.fit(differences[rows], truth)
    p = model.probabilities(differences)
    checked = certainty.calibration(p[rows], truth)
    extra: dict[str, Any] = {
        "by": by, "weights": model.weights.tolist(), "spread": model.spread.tolist(),
        "calibration": checked.to_dict(),
    }  # fmt: skip
    notes = list(found.notes)
    if len(rows) < len(known):
        notes.append(f"alone in their {by}, so never right: {len(known) - len(rows)} documents")
    nearest = np.stack([others[:, known[labels[known] == n]].min(axis=1) for n in names], axis=1)
    orders = np.lexsort((nearest, -p))  # of equal probabilities the nearer comes first
    if asked is None:
        records = [
            {"id": found.ids[row], "label": str(labels[row]), "predicted": str(names[first]),
             "probability": float(p[row, first]), "right": bool(names[first] == labels[row])}
            for row, first in enumerate(orders[:, 0])
        ]  # fmt: skip
        return Answer("attribute", records, notes, extra)
    order = orders[asked].tolist()
    best, second = (str(names[i]) for i in order[:2])
    extra |= {
        "id": text, "predicted": best, "probability": float(p[asked, order[0]]),
        "evidence": evidence_for(found, counts, labels.tolist(), found.ids[asked], best, second),
    }  # fmt: skip
    columns = (names[order].tolist(), p[asked, order].tolist(), nearest[asked, order].tolist())
    records = [
        {"label": label, "probability": probability, "nearest": distance}
        for label, probability, distance in zip(*columns, strict=True)
    ]
    return Answer("attribute", records, notes, extra)


def _place(found: Pairs, text: str) -> int:
    if text not in found.ids:
        raise InputError(f"{text!r} is too short for this.", " ".join(found.notes))
    return found.ids.index(text)
