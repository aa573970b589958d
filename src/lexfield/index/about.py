"""What an index holds, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.index.lexicon import Lexicon
from lexfield.index.segment import Segment
from lexfield.results import JsonObject
from lexfield.store.folder import Store
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.wordvectors import count_matches

_MOST_FIELDS, _MOST_VALUES = 100, 50


def describe_collection(
    store: Store,
    segments: Sequence[Segment],
    lexicon: Lexicon,
    deleted: NDArray[np.bool_],
    coverage: Coverage,
) -> JsonObject:
    """Return its sizes, metadata fields with their values, coverage by vectors, and notes."""
    counters: dict[str, Counter[str]] = {}
    rows = ((s.corpus, row) for s in segments for row in range(len(s.corpus.ids)))
    for (corpus, row), is_deleted in zip(rows, deleted, strict=True):
        for name, value in () if is_deleted else corpus.metadata(row).items():
            counters.setdefault(name, Counter())[value] += 1
    meta, notes = store.meta, coverage.build_notes()
    names = sorted(counters, key=lambda name: (-counters[name].total(), name))[:_MOST_FIELDS]
    if len(counters) > len(names):
        most = f"the {_MOST_FIELDS} that most documents have are listed"
        notes.append(f"{len(counters):,} metadata fields; {most}")
    ways = count_matches(lexicon.matches, lexicon.counts)
    return {
        "path": str(store.path),
        "generation": int(store.generation),
        "bytes": store.size,
        "documents": int((~deleted).sum()),
        "deleted": int(deleted.sum()),
        "segments": len(segments),
        "sentences": sum(len(s.corpus.sentences) for s in segments),
        "tokens": sum(len(s.corpus.tokens) for s in segments),
        "words": len(lexicon),
        "language": meta["language"],
        "normalisation": meta["segments"][0]["corpus"]["normalisation"],
        "vectors": {**meta["vectors"], "coverage": ways},
        "metadata": {
            name: dict(counters[name].most_common(_MOST_VALUES)) for name in sorted(names)
        },
        "notes": [*(note for s in meta["segments"] for note in s["corpus"]["notes"]), *notes],
    }
