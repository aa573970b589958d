"""The contents of an index, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.index.encodings import find_encodings
from lexfield.index.lexicon import Lexicon
from lexfield.index.segment import Segment
from lexfield.index.units import UNITS
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import Store
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.wordvectors import count_matches

_MOST_FIELDS, _MOST_VALUES = 100, 50
_PARTS = {  # what the names of arrays say about their use, without the segment
    "texts": ("texts.", "sentence_spans", "sentence_offsets", "ids.", "sources.", "metadata."),
    "word order": ("tokens", "token_offsets"),
    "postings": ("lists.", "postings.", "bags."),
    "text vectors": tuple(
        f"{unit}.{field}"
        for unit in UNITS
        for field in (
            "near", "far", "rests", "squares", "norms", "axes", "rotation", "center", "steps",
            "errors",
        )
    ),
    "characters": tuple(f"{unit}.{field}" for unit in UNITS for field in ("letters", "characters")),
    "words": ("words.", "counts", "vectors", "contributions", "how", "balls", "content", "stem"),
}  # fmt: skip


def measure_parts(store: Store) -> dict[str, int]:
    """Return the bytes of each part of an index, largest first."""
    sizes: Counter[str] = Counter()
    for file, size in store.sizes.items():
        own, _, name = file.partition("@")
        if not name:
            name = file.partition(".")[2] if file.startswith("s") else file
            own = next((part for part, starts in _PARTS.items() if name.startswith(starts)), "sets")
        sizes[own] += size
    return dict(sizes.most_common())


def read_hot(segments: Sequence[Segment], progress: Progress = silent) -> tuple[int, int]:
    """Read and check all files of an index but the texts; return how many, and their bytes."""
    stores = {
        one.path: one for segment in segments for one in (segment._store, segment.index_store)
    }
    names = [
        (store, name.removesuffix(".npy"), size)
        for store in stores.values()
        for name, size in store.sizes.items()
        if not name.endswith("texts.bytes.npy")
    ]
    done, total = 0, sum(size for _, _, size in names)
    for store, name, size in names:
        store.read(name)
        done += size
        progress(done, total)
    return len(names), total


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
    encoded = find_encodings(store)
    return {
        "path": store.name,
        "generation": int(store.generation),
        "bytes": store.size,
        "parts": measure_parts(store),
        "documents": int((~deleted).sum()),
        "deleted": int(deleted.sum()),
        "segments": len(segments),
        "sentences": sum(len(s.corpus.sentences) for s in segments),
        "tokens": sum(len(s.corpus.tokens) for s in segments),
        "words": len(lexicon),
        "language": meta["language"],
        "normalisation": meta["segments"][0]["corpus"]["normalisation"],
        "vectors": {**meta["vectors"], "coverage": ways},
        "encoder": encoded
        and {"name": encoded.name, "dims": encoded.dims, "finished": encoded.is_finished},
        "metadata": {
            name: dict(counters[name].most_common(_MOST_VALUES)) for name in sorted(names)
        },
        "notes": [*(note for s in meta["segments"] for note in s["corpus"]["notes"]), *notes],
    }
