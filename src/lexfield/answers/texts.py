"""Two texts compared, all texts of a collection compared, and texts given a label."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.answers.answer import Answer, Record
from lexfield.errors import InputError, list_names

if TYPE_CHECKING:
    from lexfield.diverge.counts import Counts
    from lexfield.diverge.pairs import Pairs
    from lexfield.text.corpus import Corpus

_NEAREST, _WORDS = 5, 15  # documents and words shown as evidence


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


def labelled(counts: Counts, by: str) -> Counts:
    """The documents that have the field; the others are named."""
    having = np.array([bool(record.get(by)) for record in counts.metadata])
    if not having.any():
        known = list_names(sorted({name for record in counts.metadata for name in record}))
        raise InputError(f"No document has the field {by!r}.", f"There are: {known}.")
    left = [id for id, has in zip(counts.ids, having, strict=True) if not has]
    return counts.keep(
        np.flatnonzero(having), [f"left out, without {by}: {list_names(left)}"] if left else []
    )


def guessed(
    found: Pairs, counts: Counts, by: str, rule: str, neighbours: int, text: str | None
) -> Answer:
    """The label that each document gets from all the others; the evidence for one, ``text``."""
    from lexfield.diverge.label import leave_one_out

    labels = [record[by] for record in found.metadata]
    predicted = leave_one_out(found.matrix, labels, rule, neighbours).tolist()
    right = sum(a == b for a, b in zip(labels, predicted, strict=True))
    confusion: dict[str, dict[str, int]] = {}
    for (true, guess), times in sorted(Counter(zip(labels, predicted, strict=True)).items()):
        confusion.setdefault(true, {})[guess] = times
    records = [
        {"id": id, "label": true, "predicted": guess, "right": true == guess}
        for id, true, guess in zip(found.ids, labels, predicted, strict=True)
    ]
    extra: dict[str, Any] = {
        "by": by,
        "accuracy": right / len(labels),
        "right": right,
        "documents": len(labels),
        "confusion": confusion,
    }
    if text is not None:
        if text not in found.ids:
            raise InputError(f"There is no document {text!r}.", "See the ids without --text.")
        guess = predicted[found.ids.index(text)]
        extra["evidence"] = evidence_for(found, counts, labels, text, guess)
    return Answer("label", records, _alone(found, labels), extra)


def _alone(found: Pairs, labels: list[str]) -> list[str]:
    alone = sorted(name for name, size in Counter(labels).items() if size == 1)
    if len(set(labels)) < 2:
        raise InputError(f"All documents are {labels[0]!r}.", "There is nothing to tell apart.")
    told = f"with one document, so never right: {list_names(alone)}" if alone else ""
    return [*found.notes, *([told] if told else [])]


def evidence_for(
    found: Pairs,
    counts: Counts,
    labels: list[str],
    text: str,
    predicted: str,
    second: str | None = None,
) -> Record:
    """What speaks for a label, rather than for ``second`` or the next nearest."""
    from lexfield.diverge.label import nearest_documents, telling_words

    row = found.ids.index(text)
    near = nearest_documents(found, labels, row, _NEAREST)
    others = [e.label for e in nearest_documents(found, labels, row, len(labels))]
    second = second or next(name for name in others if name != predicted)
    counts = counts.keep(np.array([counts.ids.index(id) for id in found.ids]))
    words = telling_words(counts, labels, counts.ids.index(text), predicted, second)
    return {
        "id": text,
        "predicted": predicted,
        "rather_than": second,
        "nearest": [asdict(e) for e in near],
        "words": [{"word": word, "part": part} for word, part in words[:_WORDS]],
    }


def label_text(
    corpus: Corpus, text: str, by: str, *, rule: str, neighbours: int, chosen: dict[str, Any]
) -> Answer:
    """The label that a new text gets from the documents of a corpus, with the evidence."""
    from lexfield.diverge.counts import count
    from lexfield.diverge.label import class_distances
    from lexfield.diverge.pairs import pairs
    from lexfield.text.corpus import Corpus
    from lexfield.text.document import Document

    name = "your text"
    known = [d for d in corpus.documents if d.metadata.get(by)]
    if not known:
        fields = sorted({field for d in corpus.documents for field in d.metadata})
        raise InputError(f"No document has the field {by!r}.", f"There are: {list_names(fields)}.")
    while any(d.id == name for d in known):
        name += "′"
    joined = Corpus.of(
        [*known, Document(name, text, name, {by: ""})], normalisation=corpus.normalisation
    )
    counts = count(joined, n=chosen["n"], stopwords=chosen["stopwords"])
    if not counts.totals[-1]:
        raise InputError("The text has no words.", "Give a text with words.")
    found = pairs(counts, **{key: value for key, value in chosen.items() if key != "n"},
                  n=chosen["n"])  # fmt: skip
    if name not in found.ids:
        raise InputError("The text is too short for this.", " ".join(found.notes))
    labels = [record.get(by, "") for record in found.metadata]
    row = found.ids.index(name)
    others = np.array([i for i in range(len(labels)) if i != row])
    classes = np.unique([labels[i] for i in others])
    if len(classes) < 2:
        raise InputError(f"All documents are {classes[0]!r}.", "There is nothing to tell apart.")
    far = class_distances(
        found.matrix[[row]][:, others], np.asarray(labels)[others], classes, rule, neighbours
    )[0]
    order = np.argsort(far, kind="stable")
    predicted = str(classes[order[0]])
    records = [{"label": str(classes[i]), "divergence": float(far[i])} for i in order.tolist()]
    extra = {"by": by, "predicted": predicted, "rule": rule,
             "evidence": evidence_for(found, counts, labels, name, predicted)}  # fmt: skip
    return Answer("label.text", records, found.notes, extra)
