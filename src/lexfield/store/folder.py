"""A store: a folder of memory-mapped arrays whose checksums reveal any change.

    IDX/
      CURRENT          the current generation and the checksum of its manifest
      000007/          one generation, never changed after it was written
        manifest.json  kind, schema, meta, parts, and for every file its size, a checksum per block
                       and one of the whole
        tokens.npy …
        topics@model.weights.npy …   the arrays of a part
      .lexfield        marks the folder as ours (also in every generation)
      .lock            held while a writer works

A writer fills a new generation, flushes it, then replaces CURRENT; so a crash leaves the old one.
Parts (the topics and metrics of an index) are in the same generation under the same manifest, so a
store and its parts always belong together. The SHA-256 of the manifest is the root checksum of
everything. Readers check the manifest and all sizes when they open a store, and every block before
its first use, by xxh3-64, which finds rot and truncation; ``verify`` also checks SHA-256, which
finds forged files. Rewriting the manifest changes the root.

In the copy of a store that is at an address, ``write`` sends the new generation there and swaps the
CURRENT of the address before that of the copy (see ``store/mirror.py``).
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from lexfield.arrays import Array
from lexfield.errors import ChangedError, StoreError
from lexfield.results import JsonObject
from lexfield.store.cache import remove_generations
from lexfield.store.checked import Blocks
from lexfield.store.files import (
    canonical_json,
    hashing_file,
    replace_file,
    sync_file,
    sync_folder,
)
from lexfield.store.garbage import collect
from lexfield.store.manifest import (
    CURRENT,
    EPOCH,
    MANIFEST,
    SCHEMA,
    epoch_of,
    generations,
    part_prefix,
    read_current,
    verify,
)
from lexfield.store.mirror import Mirror
from lexfield.store.owned import (
    SHARDS,
    claim,
    create_generation,
    discard,
    locked,
    next_epoch,
    remove_generation,
    remove_leftovers,
)
from lexfield.store.reader import Store
from lexfield.store.scratch import make_scratch, release
from lexfield.store.strings import StringArray

__all__ = [
    "SHARDS", "Store", "Writer", "discard", "manifest_sum", "next_epoch", "verify", "write",
]  # fmt: skip

_BLOCK = 1 << 24  # bytes of an array that are written at a time


class Writer:
    """A generation being written, or a part of it; see ``write``."""

    def __init__(self, folder: Path, kind: str, prefix: str = "") -> None:
        self._folder = folder
        self._kind = kind
        self._prefix = prefix
        self._files: dict[str, JsonObject] = {}
        self._parts: dict[str, Writer] = {}
        self.meta: JsonObject = {}

    def array(self, name: str, values: Array | Blocks) -> None:
        path = self._folder / f"{self._prefix}{name}.npy"
        if not isinstance(values, Blocks):
            values = _split(np.ascontiguousarray(np.asarray(values)))
        descr = np.lib.format.dtype_to_descr(values.dtype)
        header = {"descr": descr, "fortran_order": False, "shape": values.shape}
        with hashing_file(path) as file:
            np.lib.format.write_array_header_1_0(file, header)
            for block in values.make():
                numbers = np.ascontiguousarray(block, values.dtype).reshape(-1)
                file.write(numbers.view(np.uint8).data)
                release()
        self._files[path.name] = {"bytes": file.size, "xxh3": file.sums, "sha256": file.sha256}

    def scratch(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Return an array of zeros that can exceed the memory; see ``make_scratch``."""
        return make_scratch(self._folder, shape, dtype)

    def keep(self, store: Store, prefix: str) -> None:
        """Take over the arrays of an earlier generation whose names begin with ``prefix``.

        Arrays of parts are left out; see ``keep_parts``. Files are linked, not copied, where the
        file system allows it, so unchanged arrays cost nothing.
        """
        for name, entry in store._files.items():
            if name.startswith(prefix) and "@" not in name:
                source, target = store._file(name), self._folder / f"{self._prefix}{name}"
                if "sha256" not in entry:  # of lexfield 0.1
                    store.array(name.removesuffix(".npy"))  # checks its blocks
                    entry = {**entry, "sha256": hashlib.sha256(store._maps[name]).hexdigest()}
                if store.source is not None and store.path != self._folder.parent:
                    store.array(name.removesuffix(".npy"))  # fetches what is not here yet
                try:
                    os.link(source, target)
                except OSError:
                    shutil.copyfile(source, target)
                    sync_file(target)
                self._files[target.name] = entry

    def part(self, name: str) -> Writer:
        """Return a writer for a part of this generation."""
        made = Writer(self._folder, name, part_prefix(name))
        made._files = self._files
        self._parts[name] = made
        return made

    def keep_part(self, name: str, store: Store) -> None:
        """Take over a part."""
        made = self.part(name)
        made.meta = store.meta
        made.keep(store, "")

    def keep_parts(self, store: Store, but: Sequence[str] = ()) -> None:
        """Take over the parts of an earlier generation."""
        for name in store.parts:
            if name not in but:
                self.keep_part(name, store.needed_part(name))

    def strings(self, name: str, values: StringArray | Sequence[str]) -> None:
        packed = values if isinstance(values, StringArray) else StringArray.pack(values)
        self.array(f"{name}.bytes", packed.data)
        self.array(f"{name}.offsets", packed.offsets)

    def _finish(self) -> str:
        manifest = canonical_json(
            {
                "schema": SCHEMA,
                "kind": self._kind,
                "meta": self.meta,
                "parts": {name: part.meta for name, part in self._parts.items()},
                "files": self._files,
            }
        )
        with hashing_file(self._folder / MANIFEST) as file:
            file.write(manifest)
        sync_folder(self._folder)
        return xxhash.xxh3_64_hexdigest(manifest)


@contextmanager
def write(
    path: str | Path,
    kind: str,
    base: str | None = None,
    epoch: int | None = None,
    wait: float = 0,
) -> Iterator[Writer]:
    """Write a new generation of ``path``, which becomes current when the block ends without error.

    Raise ChangedError if the work builds on generation ``base`` and there is a newer one by now, or
    if there is a later epoch than ``epoch``. ``wait``: seconds to wait for another writer.

    >>> with write("idx", "index") as out:          # doctest: +SKIP
    ...     out.array("tokens", tokens)
    """
    root = Path(path)
    mirror = Mirror.at(root)
    _check_target(root, kind)
    with locked(root, wait):
        before = generations(root)
        last = int(before[-1]) if before else 0
        first = 1 + max(last, (epoch or 0) * EPOCH)
        current = _current_or_none(root)
        if (base is not None and current != base) or (
            epoch is not None and epoch < epoch_of(str(first))
        ):
            raise ChangedError(f"{root} was changed meanwhile.", "Try again.")
        if mirror is None:
            remove_leftovers(root, current)
        number = ""
        try:
            folder = create_generation(root, first)
            number = folder.name
            out = Writer(folder, kind)
            yield out
            manifest_sum = out._finish()
            sync_folder(root)
            if mirror is not None:
                number = mirror.publish(number, manifest_sum)
            replace_file(
                root / CURRENT, canonical_json({"generation": number, "manifest": manifest_sum})
            )
        except BaseException as error:
            # An interrupt or a failed flush can come after the rename that made it current.
            counts = _current_or_none(root) == number
            if number and not counts:
                remove_generation(root / number)
            if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
                raise _write_error(root, error, current, counts) from error
            raise
        if mirror is not None:
            remove_generations(root)
            collect(mirror.remote)
        elif current:
            remove_generation(root / current)


def _split(values: Array) -> Blocks:
    """Return an array as blocks of some megabytes."""
    flat = values.reshape(-1)
    step = max(1, _BLOCK // values.itemsize)
    starts = range(0, len(flat), step)
    return Blocks(values.shape, values.dtype, lambda: (flat[at : at + step] for at in starts))


def manifest_sum(path: str | Path) -> str:
    """Return the checksum of the current manifest, which covers everything in the store."""
    return read_current(Path(path))[1]


def _write_error(root: Path, error: OSError, before: str | None, counts: bool) -> StoreError:
    if counts:
        hint = "It was written completely, but may be lost if the machine stops now. Try again."
    else:
        hint = "What was there before is unchanged." if before else ""
    return StoreError(f"{root} cannot be written: {error.strerror or error}.", hint)


def _current_or_none(root: Path) -> str | None:
    return read_current(root)[0] if (root / CURRENT).exists() else None


def _check_target(root: Path, kind: str) -> None:
    """Raise StoreError if a folder has files of others or a store of another kind."""
    if (root / CURRENT).exists():
        Store.open(root, kind)
        return
    try:
        claim(root)
    except OSError as error:
        raise _write_error(root, error, None, False) from error
