"""An open store: memory-mapped arrays, checked as they are read."""

from __future__ import annotations

import mmap
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from lexfield.arrays import Array
from lexfield.errors import CorruptError, NotAStoreError, VersionError
from lexfield.results import JsonObject
from lexfield.store.checked import CheckedArray
from lexfield.store.files import canonical_json
from lexfield.store.manifest import (
    CUT_SHORT,
    REBUILD,
    map_file,
    missing,
    part_prefix,
    read_current,
    read_manifest,
)
from lexfield.store.mirror import Mirror
from lexfield.store.source import BlockSource
from lexfield.store.strings import StringArray

CHECK_EVERY = 0.01  # minimum seconds between two checks of the sizes of open files


class Store:
    """An open generation, read only.

    All files are mapped when it is opened, so a reader keeps them even if a writer deletes the
    generation.
    """

    def __init__(
        self,
        path: Path,
        generation: str,
        manifest: Mapping[str, Any],
        maps: dict[str, mmap.mmap],
        checksum: str = "",
        prefix: str = "",
        used: dict[Path, mmap.mmap] | None = None,
        source: BlockSource | None = None,
    ) -> None:
        self.path = path
        self.generation = generation
        self.schema: int = manifest["schema"]
        self.kind: str = manifest["kind"]
        self.meta: JsonObject = manifest["meta"]
        self.parts: dict[str, JsonObject] = manifest["parts"]
        self._files: dict[str, JsonObject] = manifest["files"]
        self._maps = maps
        self._arrays: dict[str, Array] = {}
        self._checked: dict[str, CheckedArray] = {}
        self._prefix = prefix
        self._used = {} if used is None else used  # maps that were read, parts included
        self._check_at = 0.0
        self.source = source  # of blocks that are not here yet, in a copy of what is at an address
        self.checksum = checksum  # of the manifest
        self.root: str = manifest["root"]

    @classmethod
    def open(cls, path: str | Path, kind: str | None = None) -> Store:
        """Open the current generation and check its manifest and sizes."""
        folder = Path(path)
        mirror = Mirror.at(folder)
        while True:
            generation, manifest_sum = read_current(folder)
            try:
                source = None if mirror is None else BlockSource(mirror.remote, folder / generation)
                manifest = read_manifest(folder, generation, manifest_sum)
                if kind is not None and manifest["kind"] != kind:
                    raise NotAStoreError(
                        f"{folder} contains something else: {manifest['kind']}, not {kind}.",
                        "Name another folder.",
                    )
                maps = {
                    name: map_file(folder / generation / name, entry["bytes"])
                    for name, entry in manifest["files"].items()
                }
                return cls(folder, generation, manifest, maps, manifest_sum, source=source)
            except FileNotFoundError as error:
                # A writer may have replaced it between the two reads: look again.
                if read_current(folder)[0] == generation:
                    raise missing(error, folder) from error

    def part(self, name: str) -> Store | None:
        """Return a part as a store of its own; None if there is none of this name."""
        if name not in self.parts:
            return None
        prefix = part_prefix(name)
        own = {file: file.removeprefix(prefix) for file in self._files if file.startswith(prefix)}
        manifest = {
            "schema": self.schema,
            "kind": name,
            "meta": self.parts[name],
            "parts": {},
            "files": {inner: self._files[file] for file, inner in own.items()},
            "root": self.root,
        }
        maps = {inner: self._maps[file] for file, inner in own.items()}
        return Store(
            self.path,
            self.generation,
            manifest,
            maps,
            prefix=prefix,
            used=self._used,
            source=self.source,
        )

    def needed_part(self, name: str) -> Store:
        """Return a part that is known to exist."""
        found = self.part(name)
        assert found is not None
        return found

    @property
    def name(self) -> str:
        """Its path or, in a copy, the address."""
        return str(self.path) if self.source is None else self.source.address

    @property
    def state(self) -> str:
        """The generation and the checksum of its manifest, unique to this store."""
        return f"{self.generation}-{self.checksum}"

    def is_current(self) -> bool:
        """Return whether this is still the current generation at its path, or its address."""
        if self.source is not None and (mirror := Mirror.at(self.path)):
            mirror.look()
        return read_current(self.path) == (self.generation, self.checksum)

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._files

    def array(self, name: str) -> Array:
        """Return a memory-mapped array; all its blocks are checked the first time."""
        if name not in self._arrays:
            self._arrays[name] = np.asarray(self.checked(name))
        return self._arrays[name]

    def checked(self, name: str) -> Any:
        """Return a memory-mapped array whose blocks are checked as they are read.

        It is a ``CheckedArray``, which stands for a plain array everywhere but in a kernel.
        """
        if name not in self._checked:
            file = f"{name}.npy"
            if file not in self._maps:
                raise VersionError(
                    f"{self.path} has no {name!r}: another version of lexfield wrote it.",
                    "Build it again from its source.",
                )
            entry, path = self._files[file], self._file(file)
            fetch = None if self.source is None else partial(self.source.fetch, path.name, entry)
            self._checked[name] = CheckedArray.open(self._maps[file], entry["xxh3"], path, fetch)
            self._used[path] = self._maps[file]
        return self._checked[name]

    def read(self, name: str) -> None:
        """Read and check an array, which is then here and in the cache of the system."""
        np.asarray(self.checked(name))

    def check_sizes(self) -> None:
        """Raise CorruptError if a file in use was cut short: reading it would end the process.

        It looks at most once per ``CHECK_EVERY``: looking at all files takes as long as a query.
        """
        now = time.monotonic()
        if now < self._check_at:
            return
        self._check_at = now + CHECK_EVERY
        for path, mapped in self._used.items():
            if mapped.size() < len(mapped):
                raise CorruptError(f"{path} was {CUT_SHORT}.", REBUILD)

    def _file(self, name: str) -> Path:
        return self.path / self.generation / f"{self._prefix}{name}"

    def names(self, prefix: str) -> list[str]:
        """Return the names of all arrays that begin with ``prefix``, without it."""
        return [n[len(prefix) : -len(".npy")] for n in self._files if n.startswith(prefix)]

    def strings(self, name: str) -> StringArray:
        return StringArray(self.checked(f"{name}.bytes"), self.checked(f"{name}.offsets"))

    def fingerprint(self, names: Sequence[str]) -> str:
        """Return a checksum of the contents of these arrays, wherever they are stored."""
        sums = [self._files[f"{name}.npy"]["xxh3"] for name in names]
        return xxhash.xxh3_64_hexdigest(canonical_json(sums))

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of each array's file."""
        return {name: int(entry["bytes"]) for name, entry in self._files.items()}

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(self.sizes.values())
