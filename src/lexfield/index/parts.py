"""The parts of an index: topics, metrics and vectors of an encoder, in its own generation.

So an index and its parts are changed by one rename and have one root checksum, and nothing that
lies beside them is taken for a part. lexfield 0.1 kept each part as a store of its own in a folder
of the index (``topics``, ``metrics/NAME``), where one copied from another index was used silently.
Those are not read any more; the next change of the index takes over the ones that fit it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from lexfield.errors import VersionError
from lexfield.index.segment import Segment
from lexfield.index.units import UNITS
from lexfield.store.folder import SHARDS, Store, Writer, discard, write
from lexfield.store.manifest import CURRENT, epoch_of
from lexfield.store.owned import belongs

TOPICS = "topics"  # the name of the part; those of metrics begin with "metrics/"
ENCODER = "encoder"
NEXT_ENCODER = "replacement"  # what replaces it, until that is complete
FIXED = (
    "model.",
    "own.",
    "words.",
    "texts.",
    "topics.",
)  # begin arrays of no segment
_PATIENCE = 600  # seconds that a part, which may have taken hours, waits for another writer


def find_part(index: Store, name: str) -> Store | None:
    """Return a part of an open index. Raise VersionError if only lexfield 0.1 wrote one."""
    found = index.part(name)
    if found is None and index.path / name in legacy_folders(index):
        raise _unbound(index, index.path / name)
    return found


def part_names(index: Store, prefix: str) -> list[str]:
    """The parts of an open index whose names begin with ``prefix``, sorted."""
    for folder in legacy_folders(index):
        if folder.relative_to(index.path).as_posix().startswith(prefix):
            raise _unbound(index, folder)
    return sorted(name for name in index.parts if name.startswith(prefix))


@contextmanager
def write_part(
    index: Store, segments: Sequence[Segment], name: str, without: Sequence[str] = ()
) -> Iterator[Writer]:
    """Write a part of an index anew: a generation in which all else is as it is on disk now, but
    ``without`` some parts.

    Raise an error if the index was replaced since it was opened.
    """
    epoch = epoch_of(index.generation)
    with write(index.path, index.kind, epoch=epoch, wait=_PATIENCE) as out:
        store = Store.open(index.path)
        out.meta.update(store.meta)
        out.keep(store, "")
        out.keep_parts(store, but=[name, *without])
        adopted = _adopt(out, store, segments, but=[name])
        yield out.part(name)
    _discard_all(adopted)


@contextmanager
def write_next(index: Store, segments: Sequence[Segment]) -> Iterator[Writer]:
    """Write a generation that builds on the open one, with all its parts."""
    with write(index.path, index.kind, index.generation) as out:
        out.keep_parts(index)
        adopted = _adopt(out, index, segments)
        yield out
    _discard_all(adopted)


@contextmanager
def discard_replaced(path: str | Path) -> Iterator[None]:
    """Delete, after the block, what lexfield 0.1 kept beside the index that the block replaces."""
    there = (Path(path) / CURRENT).exists()
    replaced = legacy_folders(Store.open(path)) if there else []
    yield
    _discard_all(replaced)


def segment_keys(name: str, segments: Sequence[Segment]) -> list[str]:
    """Return what the names of the arrays of segments begin with in a part."""
    if name == TOPICS:
        return [topic_key(segment, unit) for segment in segments for unit in UNITS]
    if name == ENCODER:
        return [encoder_key(segment, unit) for segment in segments for unit in UNITS]
    return [metric_key(segment) for segment in segments]


def topic_key(segment: Segment, unit: str) -> str:
    """Return a key that changes with the words of a segment's rows."""
    return f"{segment.fingerprint(unit)}.{unit}."


def encoder_key(segment: Segment, unit: str) -> str:
    """Return a key that changes with the texts of a segment's rows."""
    return f"{segment.texts_fingerprint}.{unit}."


def metric_key(segment: Segment) -> str:
    """Return a key that changes with a segment's rows, their words and the words' vectors."""
    return f"{segment.contents}."


def stale_parts(index: Store, segments: Sequence[Segment]) -> list[str]:
    """Return the parts that hold nothing of some segment."""
    stale = []
    for name in sorted(index.parts):
        if name == NEXT_ENCODER:  # not complete, or it would not be there
            continue
        held = index.needed_part(name).names("")
        keys = segment_keys(name, segments)
        is_complete = all(any(array.startswith(key) for array in held) for key in keys)
        if "own.mixtures" not in held and not is_complete:  # own mixtures go by ids of documents
            stale.append(name)
    return stale


def remove_part(folder: Path, name: str) -> None:
    """Delete a part of the index at ``folder``: write a generation without it."""
    store = Store.open(folder)
    with write(folder, store.kind, base=store.generation, wait=_PATIENCE) as out:
        out.meta.update(store.meta)
        out.keep(store, "")
        out.keep_parts(store, but=[name])


def _adopt(
    out: Writer, index: Store, segments: Sequence[Segment], but: Sequence[str] = ()
) -> list[Path]:
    """Take over the parts that lexfield 0.1 wrote for an index, and return their folders.

    Left where they are: parts that were made for no segment that the index has. They are another's.
    """
    adopted = []
    for folder in legacy_folders(index):
        part, name = Store.open(folder), folder.relative_to(index.path).as_posix()
        keys = tuple(segment_keys(name, segments))
        if "own.mixtures" in part or any(array.startswith(keys) for array in part.names("")):
            adopted.append(folder)
            if name not in but:
                out.keep_part(name, part)
    return adopted


def legacy_folders(index: Store) -> list[Path]:
    """The parts that lexfield 0.1 wrote beside an index; none if a later one has changed it."""
    if index.schema != 1:
        return []
    found = [index.path / "topics", *sorted((index.path / "metrics").glob("*"))]
    return [
        folder for folder in found if (folder / CURRENT).is_file() and belongs(folder, index.path)
    ]


def _discard_all(folders: Sequence[Path]) -> None:
    """Delete stores, and the folder of metrics if it is empty then."""
    for folder in folders:
        discard(folder)
        if folder.parent.name == "metrics":
            with suppress(OSError):  # others are left
                folder.parent.rmdir()


def _unbound(index: Store, folder: Path) -> VersionError:
    name = folder.relative_to(index.path).as_posix()
    if (index.path / SHARDS).is_dir():
        hint = f"Fit them again: lexfield topics fit {index.path}"
    else:
        hint = f"Bind it to this index, if it fits, with: lexfield compact {index.path}"
    return VersionError(
        f"{folder} was written by lexfield 0.1, which did not bind {name} to its index.", hint
    )
