"""Keeping the parts of an index up to date after it has changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lexfield.arrays import Array
from lexfield.errors import StoreError
from lexfield.index import metrics, topics
from lexfield.index.segment import Segment
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, write

Arrays = dict[str, Array]


def update_parts(index: Store, segments: Sequence[Segment], progress: Progress = silent) -> bool:
    """Make what topics and metrics lack since the index has changed, keep it, and return whether
    anything was missing.

    Where another process is writing, or the disk is full, searches go on making it for themselves.
    """
    made = {
        name: _missing(index.needed_part(name), segments, progress)
        for name in stale_parts(index, segments)
    }
    if not made:
        return False
    with suppress(StoreError), write(index.path, index.kind, index.generation) as out:
        out.meta.update(index.meta)
        out.keep(index, "")
        for name in index.parts:
            old, part = index.needed_part(name), out.part(name)
            part.meta = old.meta
            for prefix in (*_module(name).FIXED, *_keys(name, segments)):
                part.keep(old, prefix)
            for key, values in made.get(name, {}).items():
                part.array(key, values)
    return True


def stale_parts(index: Store, segments: Sequence[Segment]) -> list[str]:
    """Return the parts that hold nothing of some segment."""
    return [
        name
        for name in sorted(index.parts)
        if not _holds(index.needed_part(name), _keys(name, segments))
    ]


def _holds(part: Store, prefixes: list[str]) -> bool:
    names = part.names("")
    if "own.mixtures" in names:  # of documents by their ids
        return True
    return all(any(name.startswith(prefix) for name in names) for prefix in prefixes)


def _missing(part: Store, segments: Sequence[Segment], progress: Progress) -> Arrays:
    if part.kind == topics.PART:
        model = topics.Topics(part).require_model()
        return topics.infer_missing(model, segments, part, progress)
    return metrics.derive_missing(part.array("words.map"), segments, part, progress)


def _keys(name: str, segments: Sequence[Segment]) -> list[str]:
    return [key for segment in segments for key in _module(name).segment_keys(segment)]


def _module(name: str) -> Any:
    return topics if name == topics.PART else metrics
