"""Arrays that need not fit into memory: on disk, with blocks that are checked when they are first
read, or made block by block.

Slices and chosen rows are checked alone, so that a search which reads a few texts does not wait for
the checksums of all. Anything else is asked of the whole array, which is checked first.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.errors import CorruptError
from lexfield.store.files import BLOCK
from lexfield.store.manifest import REBUILD, check_block, parse_array


class CheckedArray(NDArrayOperatorsMixin):
    """An array whose bytes begin at ``start`` of its file; ``check`` raises if one of
    some blocks is damaged.

    ``array[key]`` is a plain array, for a number, a slice or an array of rows.
    """

    def __init__(self, array: Array, start: int, check: Callable[[list[int]], None]) -> None:
        self._array, self._start, self._check = array, start, check
        self._stride = array.nbytes // len(array) if len(array) else 0
        self._missing = np.ones(-(-(start + array.nbytes) // BLOCK), bool)
        self._missing_before = np.arange(len(self._missing) + 1)  # each block, for ranges
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    @classmethod
    def open(
        cls,
        mapped: mmap.mmap,
        sums: list[str],
        path: Path,
        fetch: Callable[[list[int]], None] | None = None,
    ) -> CheckedArray:
        """Return the array of a mapped ``.npy`` file, given the checksums of its blocks.

        ``fetch`` gets blocks that are not in the file yet: those that differ from their checksums.
        """

        def check(numbers: list[int]) -> None:
            wrong = [number for number in numbers if check_block(mapped, sums, number)]
            if wrong and fetch is not None:
                fetch(wrong)
            for number in wrong:
                if problem := check_block(mapped, sums, number):
                    raise CorruptError(f"{path}: {problem}.", REBUILD)

        check([0])  # the header
        try:
            array = parse_array(mapped, strict=True)
        except ValueError as error:
            raise CorruptError(f"{path} is not an array: {error}.", REBUILD) from error
        return cls(array, len(mapped) - array.nbytes, check)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __getitem__(self, key: Any) -> Any:
        first = key[0] if isinstance(key, tuple) else key
        if isinstance(first, slice):
            low, high, step = first.indices(len(self))
            if step < 0:
                self._check_all()
            elif low < high:
                self._check_rows(low, high)
        elif isinstance(first, int | np.integer):
            row = int(first) % max(1, len(self))
            self._check_rows(row, row + 1)
        elif isinstance(first, np.ndarray) and first.dtype != bool and self._stride <= BLOCK:
            if self._missing.any() and len(first):
                rows = first.astype(np.int64) % max(1, len(self))
                starts = self._start + rows * self._stride
                for places in (starts // BLOCK, (starts + self._stride - 1) // BLOCK):
                    self._check_blocks(places)
        else:
            self._check_all()
        return self._array[key]

    def check_ranges(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Array:
        """Return the plain array; only some ranges of its rows are checked, and may be read."""
        first = (self._start + starts * self._stride) // BLOCK
        last = (self._start + ends * self._stride - 1) // BLOCK
        if (self._missing_before[last + 1] > self._missing_before[first]).any():
            held = starts < ends
            self._check_blocks(join_ranges(first[held], (last - first + 1)[held]))
            self._missing_before[1:] = np.cumsum(self._missing)
        return self._array

    def _check_rows(self, low: int, high: int) -> None:
        first = (self._start + low * self._stride) // BLOCK
        last = (self._start + high * self._stride - 1) // BLOCK
        if first != last or self._missing[first]:  # most reads are of one block that was checked
            self._check_blocks(slice(first, last + 1))

    def _check_blocks(self, places: slice | NDArray[np.int64]) -> None:
        if not self._missing[places].any():
            return
        wanted = np.zeros(len(self._missing), bool)
        wanted[places] = True
        numbers = np.flatnonzero(wanted & self._missing)
        self._check(numbers.tolist())
        self._missing[numbers] = False

    def _check_all(self) -> None:
        self._check_blocks(slice(None))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        self._check_all()
        return np.array(self._array, dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = (np.asarray(one) if isinstance(one, CheckedArray) else one for one in inputs)
        return getattr(ufunc, method)(*plain, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


def check_ranges(
    values: Array | CheckedArray, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> Array:
    """Return an array of which only some ranges are read; those of a checked one are checked."""
    return values.check_ranges(starts, ends) if isinstance(values, CheckedArray) else values


@dataclass(frozen=True)
class Blocks:
    """An array too large for memory, whose rows are computed block by block as they are written."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[], Iterable[Array]]
