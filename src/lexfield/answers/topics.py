"""The topics of an index, and of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lexfield.answers.answer import Answer, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lexfield.index.topics import Topics
    from lexfield.search.index import Index


def shown(index: Index, k: int, perplexity: bool = False) -> Answer:
    """Every topic: its share, coherence and likeliest words; the largest first."""
    from scipy.sparse import vstack

    from lexfield.index.topics import Topics, segment_counts

    model = Topics.open(index.path).require_model()
    extra = {**model.about, "coherence": float(model.coherences.mean())}
    notes = [f"mean coherence {extra['coherence']:.3f}"]
    if perplexity:
        counts = [segment_counts(s, "document", model.ids) for s in index.segments]
        extra["perplexity"] = model.perplexity(vstack(counts, format="csr"))
        notes.append(
            f"perplexity {extra['perplexity']:,.0f} (second half of each document after the first;"
            f" {len(model.words):,} for a model that knows nothing)"
        )
    return Answer("topics.show", model.describe(k).to_dicts(), notes, extra)


def inferred(
    kept: Topics,
    names: Sequence[str],
    field: str,
    mixtures: NDArray[np.float32],
    known: NDArray[np.bool_],
    k: int,
) -> Answer:
    """The largest topics of texts (or documents, as ``field`` says)."""
    notes = []
    if missing := int((~known).sum()):
        notes.append(f"{missing:,} of {len(known):,} hold no word that the model knows")
    records: list[dict[str, Any]] = [
        {field: name, "topics": _largest(kept, mixture, k)}
        for name, mixture, has in zip(names, mixtures, known, strict=True)
        if has
    ]
    return Answer("topics.infer", records, notes)


def _largest(kept: Topics, mixture: NDArray[np.float32], k: int) -> list[Record]:
    order = (-mixture).argsort(kind="stable")[:k].tolist()
    return [
        {"topic": topic, "weight": float(mixture[topic]), "name": kept.name(topic)}
        for topic in order
    ]
