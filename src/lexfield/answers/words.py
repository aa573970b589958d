"""Words near words, and from which similarity on words are related."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from lexfield.answers.answer import Answer, Record
from lexfield.errors import UnknownWordError

if TYPE_CHECKING:
    from lexfield.engine import Engine
    from lexfield.progress import Progress
    from lexfield.vectors.models import Models
    from lexfield.vectors.synonyms import Synonyms
    from lexfield.vectors.threshold import Threshold
    from lexfield.vectors.wordvectors import WordVectors

_BATCH = 500  # words a task
_NOTES = 10


def near(
    known: WordVectors | Models,
    words: Sequence[str],
    k: int,
    threshold: float | None,
    notes: Sequence[str] = (),
) -> Answer:
    """The nearest words of each word; what has no vector is noted."""
    records, told = [], list(notes)
    for word in words:
        try:
            found = known.nearest(word, k, threshold=threshold)
        except UnknownWordError as error:
            told.append(str(error))
            continue
        query = {"query": word} if len(words) > 1 else {}
        records += [{**query, **record} for record in found.to_dicts()]
    return Answer("near", records, told)


def near_many(
    engine: Engine,
    vectors: str,
    words: Sequence[str],
    k: int,
    threshold: float | None,
    progress: Progress,
) -> Answer:
    """``near`` of many words on an engine, whose workers load the same vectors."""
    from lexfield.vectors.sources import make_absolute

    source = make_absolute(vectors)
    items = [
        {"vectors": source, "words": words[i : i + _BATCH], "k": k, "threshold": threshold}
        for i in range(0, len(words), _BATCH)
    ]
    records, notes = [], []
    for some, told in engine.map("lexfield.answers.words:near_some", items, progress=progress):
        records += some
        notes += told
    if len(notes) > _NOTES:
        notes[_NOTES:] = [f"… and {len(notes) - _NOTES:,} more words without a vector"]
    return Answer("near", records, notes)


def near_some(
    vectors: str, words: list[str], k: int, threshold: float | None
) -> tuple[list[Record], list[str]]:
    """The task: records with their queries, and notes."""
    found = near(_loaded(vectors), words, k, threshold)
    named = [{"query": words[0], **r} for r in found.records] if len(words) == 1 else found.records
    return list(named), list(found.notes)


@lru_cache(maxsize=1)
def _loaded(vectors: str) -> WordVectors:
    from lexfield.vectors.wordvectors import WordVectors

    return WordVectors.load(vectors)


def threshold(
    found: Mapping[str, Threshold], counted: Synonyms | None, notes: Sequence[str]
) -> Answer:
    """The thresholds of groups of models by name; the curve is that of the first."""
    first = next(iter(found.values()))
    extra = {
        "threshold": first.threshold,
        "interval": list(first.interval),
        "synonyms": first.synonyms,
        "deviation": first.deviation,
        "words": first.words,
        "error": first.error,
        "wordnet": _wordnet(first, counted) if counted else None,
        "curve": first.to_dicts(),
    }
    records = [record for name, one in found.items() for record in _records(name, one)]
    return Answer("threshold", records, notes, extra)


def _records(name: str, found: Threshold) -> list[Record]:
    """The models together, then each alone."""
    rows: list[tuple[str, int, float, tuple[float, float]]] = [
        (model.name, model.dims, model.threshold, model.interval) for model in found.models
    ]
    if len(rows) > 1:
        rows.insert(0, (name, rows[0][1], found.threshold, found.interval))
    return [
        {"vectors": label, "dims": dims, "threshold": value, "low": low, "high": high}
        for label, dims, value, (low, high) in rows
    ]


def _wordnet(found: Threshold, counted: Synonyms) -> Record:
    value, interval = found.at(counted.mean, counted.deviation)
    return {
        "synonyms": counted.mean,
        "deviation": counted.deviation,
        "terms": counted.terms,
        "source": counted.source,
        "threshold": value,
        "interval": list(interval),
    }
