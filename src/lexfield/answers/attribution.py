"""Who wrote it: candidates with calibrated probabilities, and the evidence."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lexfield.answers.answer import Answer

if TYPE_CHECKING:
    from lexfield.compare.attribution import Attribution


def attributed(found: Attribution) -> Answer:
    """Every document attributed from all the others, or the candidates for one text."""
    records = found.to_dicts()
    extra: dict[str, Any] = {
        "by": found.by,
        "weights": found.model.weights.tolist(),
        "spread": found.model.spread.tolist(),
        "calibration": found.calibration.to_dict(),
    }
    if found.evidence is not None:
        best = records[0]
        extra |= {
            "id": found.evidence.id,
            "predicted": best["label"],
            "probability": best["probability"],
            "evidence": asdict(found.evidence),
        }
    return Answer("attribute", records, found.notes, extra)
