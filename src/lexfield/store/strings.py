"""Many strings as one block of UTF-8 and the offsets where each begins: maps from disk as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class StringArray(Sequence[str]):
    """An immutable sequence of strings over two arrays."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def pack(cls, strings: Iterable[str]) -> StringArray:
        parts = [string.encode("utf-8", "surrogatepass") for string in strings]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(np.frombuffer(b"".join(parts), np.uint8), offsets)

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

    def text(self, start: Any, end: Any) -> str:
        """The text between two byte offsets."""
        return self.data[start:end].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        data, bounds = self.data.tobytes(), self.offsets.tolist()
        for start, end in pairwise(bounds):
            yield data[start:end].decode("utf-8", "surrogatepass")
