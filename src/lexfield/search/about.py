"""What an index holds, in figures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lexfield.vectors.wordvectors import count_matches

if TYPE_CHECKING:
    from lexfield.search.index import Index

_MOST_FIELDS, _MOST_VALUES = 100, 50


def describe_index(index: Index) -> dict[str, Any]:
    """Return its sizes, metadata fields with their values, coverage by vectors, and notes."""
    counters: dict[str, Counter[str]] = {}
    rows = ((s.corpus, row) for s in index.segments for row in range(len(s.corpus.ids)))
    for (corpus, row), is_deleted in zip(rows, index._deleted, strict=True):
        for name, value in () if is_deleted else corpus.metadata(row).items():
            counters.setdefault(name, Counter())[value] += 1
    lexicon, meta, segments = index.lexicon, index._meta, index.segments
    ways = count_matches(lexicon.how, lexicon.counts)
    return {
        "path": str(index.path),
        "generation": int(index.generation),
        "bytes": index._store.size,
        "documents": len(index.documents),
        "deleted": int(index._deleted.sum()),
        "segments": len(segments),
        "sentences": sum(len(s.corpus.sentences) for s in segments),
        "tokens": sum(len(s.corpus.tokens) for s in segments),
        "words": len(lexicon),
        "language": index.language,
        "normalisation": meta["segments"][0]["corpus"]["normalisation"],
        "vectors": {**meta["vectors"], "coverage": ways},
        "metadata": _most_common(counters),
        "notes": [
            *(note for s in meta["segments"] for note in s["corpus"]["notes"]),
            *index.coverage.build_notes(),
            *_field_notes(len(counters)),
        ],
    }


def _most_common(counters: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    """Return the fields that most documents have, by name, with their most common values."""
    names = sorted(counters, key=lambda name: (-counters[name].total(), name))[:_MOST_FIELDS]
    return {name: dict(counters[name].most_common(_MOST_VALUES)) for name in sorted(names)}


def _field_notes(fields: int) -> list[str]:
    if fields <= _MOST_FIELDS:
        return []
    return [f"{fields:,} metadata fields; the {_MOST_FIELDS} that most documents have are listed"]
