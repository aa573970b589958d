"""Many strings as one block of UTF-8 with the offset of each, which can be mapped from disk."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, starmap
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_SOME = 1 << 14


class StringArray(Sequence[str]):
    """An immutable sequence of strings over two arrays."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def pack(cls, strings: Iterable[str]) -> StringArray:
        data, offsets = bytearray(), array("q", [0])
        for string in strings:
            data += string.encode("utf-8", "surrogatepass")
            offsets.append(len(data))
        return cls(np.frombuffer(data, np.uint8), np.frombuffer(offsets, np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return self.text(self.offsets[index], self.offsets[index + 1])

    def take(self, rows: NDArray[np.int64]) -> StringArray:
        """Return the strings of some rows, in their order."""
        data, taken = self.data.tobytes(), bytearray()
        for first in range(0, len(rows), _SOME):
            some = rows[first : first + _SOME]
            starts, ends = self.offsets[some].tolist(), self.offsets[some + 1].tolist()
            taken += b"".join([data[a:b] for a, b in zip(starts, ends, strict=True)])
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
        return StringArray(np.frombuffer(taken, np.uint8), offsets)

    def ordered(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows sorted by key, then by code points.

        Their first sixteen bytes are compared as two numbers; only rows that agree in these are
        compared as strings.
        """
        columns = (self._number(8), self._number(0), keys)
        order = np.lexsort(columns)
        alike = np.ones(max(len(order) - 1, 0), bool)
        for column in columns:
            alike &= np.diff(column[order]) == 0
        edges = np.flatnonzero(np.diff(np.concatenate(([0], alike, [0]))))
        for first, last in edges.reshape(-1, 2).tolist():
            order[first : last + 1] = sorted(order[first : last + 1].tolist(), key=self.__getitem__)
        return order

    def _number(self, first: int) -> NDArray[np.uint64]:
        """Return eight bytes of each string from byte ``first`` as a number, padded with zeros."""
        found = np.zeros(len(self), np.uint64)
        for place in range(first, first + 8):
            inside = np.diff(self.offsets) > place
            found <<= np.uint64(8)
            found[inside] |= self.data[self.offsets[:-1][inside] + place]
        return found

    def text(self, start: Any, end: Any) -> str:
        """Return the text between two byte offsets."""
        return self.data[start:end].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _SOME):
            bounds = np.asarray(self.offsets[first : first + _SOME + 1])
            data = np.asarray(self.data[int(bounds[0]) : int(bounds[-1])])
            text = data.tobytes().decode("utf-8", "surrogatepass")
            bounds = bounds - bounds[0]
            if len(text) < len(data):  # positions of characters, not of bytes
                bounds = np.append(0, np.cumsum((data & 0xC0) != 0x80))[bounds]
            yield from map(text.__getitem__, starmap(slice, pairwise(bounds.tolist())))
