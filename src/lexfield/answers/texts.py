"""Two texts compared, all texts of a collection compared, and texts given a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.answers.answer import Answer

if TYPE_CHECKING:
    from lexfield.compare.estimate import Estimate
    from lexfield.compare.labels import Labels, TextLabel
    from lexfield.compare.pairs import Pairs

_REASONS = 500  # words of a comparison


def compared(
    names: tuple[str, str], found: Estimate, notes: Sequence[str], *, explain: bool
) -> Answer:
    """A divergence and, if wanted, the words behind it: the strongest and the sum of the others."""
    record = {"a": names[0], "b": names[1], **found.to_dict()}
    del record["notes"]
    extra = dict(record)
    if explain:
        record["explanation"] = found.explanation.to_dict(_REASONS)
    return Answer("compare", [record], [*notes, *found.notes], extra)


def placed(found: Pairs) -> Answer:
    """Documents in the plane, near where they differ little, and their order in a dendrogram."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    from lexfield.plots.divergence import map_places, symmetric, title

    tree = linkage(
        squareform(symmetric(found.matrix), checks=False), "average", optimal_ordering=True
    )
    order = np.argsort(leaves_list(tree))  # the place of each document among the leaves
    records = [
        {"id": id, "x": float(x), "y": float(y), "order": int(place), "metadata": about}
        for id, (x, y), place, about in zip(
            found.ids, map_places(found.matrix), order, found.metadata, strict=True
        )
    ]
    return Answer("map", records, found.notes, {"title": title(found)})


def guessed(found: Labels) -> Answer:
    """The label that each document gets from all the others, and the evidence for one."""
    extra: dict[str, Any] = {
        "by": found.by,
        "accuracy": found.accuracy,
        "right": found.right,
        "documents": len(found.rows),
        "confusion": found.confusion,
    }
    if found.evidence is not None:
        extra["evidence"] = asdict(found.evidence)
    return Answer("label", found.to_dicts(), found.notes, extra)


def labelled_text(found: TextLabel) -> Answer:
    """The label that a new text gets from the documents of a corpus, with the evidence."""
    extra: dict[str, Any] = {"by": found.by, "predicted": found.predicted, "rule": found.rule}
    extra["evidence"] = asdict(found.evidence)
    return Answer("label.text", found.to_dicts(), found.notes, extra)
