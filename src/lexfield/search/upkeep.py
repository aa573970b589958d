"""What the parts of an index lack since it has changed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from lexfield.errors import StoreError
from lexfield.progress import Progress, silent
from lexfield.search import metrics, topics
from lexfield.search.segment import Segment
from lexfield.store.folder import Store, write

if TYPE_CHECKING:
    from lexfield.search.index import Index

Arrays = dict[str, NDArray[Any]]


def update_parts(index: Index, progress: Progress = silent) -> None:
    """Make what topics and metrics lack since the index has changed, and keep it.

    Where another process is writing, or the disk is full, searches go on making it for themselves.
    """
    store = index._store
    made = {name: _missing(store.needed_part(name), index, progress) for name in stale_parts(index)}
    if not made:
        return
    with suppress(StoreError), write(index.path, store.kind, index.generation) as out:
        out.meta.update(store.meta)
        out.keep(store, "")
        for name in store.parts:
            old, part = store.needed_part(name), out.part(name)
            part.meta = old.meta
            for prefix in (*_module(name).FIXED, *_keys(name, index.segments)):
                part.keep(old, prefix)
            for key, values in made.get(name, {}).items():
                part.array(key, values)
    index.refresh()


def stale_parts(index: Index) -> list[str]:
    """Parts that hold nothing of some segment."""
    return [
        name
        for name in sorted(index._store.parts)
        if not _holds(index._store.needed_part(name), _keys(name, index.segments))
    ]


def _holds(part: Store, prefixes: list[str]) -> bool:
    names = part.names("")
    if "own.mixtures" in names:  # of documents by their ids
        return True
    return all(any(name.startswith(prefix) for name in names) for prefix in prefixes)


def _missing(part: Store, index: Index, progress: Progress) -> Arrays:
    if part.kind == topics.PART:
        model = topics.Topics(part).needed_model()
        return topics.infer_missing(model, index.segments, part, progress)
    return metrics.derive_missing(part.array("words.map"), index.segments, part, progress)


def _keys(name: str, segments: list[Segment]) -> list[str]:
    return [key for segment in segments for key in _module(name).segment_keys(segment)]


def _module(name: str) -> Any:
    return topics if name == topics.PART else metrics
