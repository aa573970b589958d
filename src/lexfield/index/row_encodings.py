"""The rows of an open index as an encoder sees them, over all segments as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.engine import map_blocks
from lexfield.engine.compiled import reordered_kernel
from lexfield.errors import InputError, MissingExtraError
from lexfield.index.encodings import EncodedTexts, Encodings, need_encodings
from lexfield.index.names import name_encoding
from lexfield.index.rows import Rows
from lexfield.vectors.encoders import Encoded, Encoder, encode_each, open_encoder

_BLOCK = 16_384  # rows per task


class RowEncodings:
    """Vectors and words of all rows; ``mean`` is that of the rows that were not deleted."""

    def __init__(self, rows: Rows) -> None:
        self.encodings: Encodings = need_encodings(rows.segments[0].index_store)
        self.name, self.dims = self.encodings.name, self.encodings.dims
        self.rows = rows
        self.tables: list[EncodedTexts | None] = [
            self.encodings.table(segment, rows.unit) for segment in rows.segments
        ]
        scales = [
            np.zeros(unit.rows, np.float32) if table is None else table.scales
            for table, unit in zip(self.tables, rows.units, strict=True)
        ]
        self.scales = np.concatenate(scales)
        live = np.ones(len(rows), bool) if rows.live is None else rows.live
        self.missing = int((live & (self.scales == 0)).sum())
        self.mean, self.norms = self._measure(live)

    def _measure(self, live: Array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean of the vectors, and the distance of each from it; 0 without a vector."""
        total, norms = np.zeros(self.dims), np.zeros(len(self.scales))
        weights = np.where(live, self.scales, 0).astype(np.float32)
        for start, codes in self._blocks():
            total += weights[start : start + len(codes)] @ codes.astype(np.float32)
        mean = total / max(int((weights > 0).sum()), 1)
        narrow = mean.astype(np.float32)
        for start, codes in self._blocks():
            own = codes * self.scales[start : start + len(codes), None] - narrow
            norms[start : start + len(codes)] = np.sqrt(np.einsum("ij,ij->i", own, own))
        norms[self.scales == 0] = 0
        return mean, norms

    def _blocks(self) -> list[tuple[int, NDArray[np.int8]]]:
        """Return vectors of all rows in blocks, with the number of the first."""
        return [
            (int(start) + first, table.vectors[first : first + _BLOCK])
            for start, table in zip(self.rows.starts[:-1], self.tables, strict=True)
            if table is not None
            for first in range(0, len(table.vectors), _BLOCK)
        ]

    def vector(self, row: int) -> NDArray[np.float32]:
        number, own = self.rows.locate(row)
        table = self.tables[number]
        if table is None:
            return np.zeros(self.dims, np.float32)
        return np.asarray(table.vectors[own] * table.scales[own], np.float32)

    def cosines(
        self, direction: NDArray[np.float64], among: Array | None = None
    ) -> NDArray[np.float64]:
        """Return the cosine of a direction with every row, seen from the mean.

        -inf for rows that are not allowed, or have no vector.
        """
        scores = np.full(len(self.scales), -np.inf)
        own, shift = direction.astype(np.float32), float(direction @ self.mean)

        def block(part: tuple[int, NDArray[np.int8]]) -> tuple[int, NDArray[np.float32]]:
            return part[0], dot_bytes(part[1], own)

        for start, products in map_blocks(block, self._blocks()) if self._blocks() else ():
            inside = slice(start, start + len(products))
            self._finish(scores, inside, products, shift)
        if among is not None:
            scores[~among] = -np.inf
        return scores

    def _finish(
        self, scores: NDArray[np.float64], inside: slice, products: Array, shift: float
    ) -> None:
        norms = self.norms[inside]
        values = (products.astype(np.float64) * self.scales[inside] - shift) / np.where(
            norms > 0, norms, 1
        )
        scores[inside] = np.where(self.scales[inside] > 0, values, -np.inf)

    def cosines_of(
        self, direction: NDArray[np.float64], chosen: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return the cosine of a direction with some rows."""
        vectors = np.stack([self.vector(row) for row in chosen]) - self.mean
        norms = np.linalg.norm(vectors, axis=1)
        return np.asarray(vectors @ direction / np.where(norms > 0, norms, 1))

    def notes(self, effect: str = "are not found") -> list[str]:
        """Return a note on rows that have no vector, and what becomes of them."""
        if not self.missing:
            return []
        where = self.rows.segments[0].index_store.path
        return [
            f"{self.rows.unit}s without a vector of the encoder, which {effect}:"
            f" {self.missing:,}; {name_encoding(where)} encodes them"
        ]

    @cached_property
    def words(self) -> RowWords:
        return RowWords(self)


class RowWords:
    """The words of all rows with their codes, and how rare they are."""

    def __init__(self, space: RowEncodings) -> None:
        self._space = space
        self.codec = space.encodings.codec
        self.numbers: dict[str, int] = {}
        self._maps = [
            np.array(
                [self.numbers.setdefault(name, len(self.numbers)) for name in table.names], np.int64
            )
            if table is not None
            else np.empty(0, np.int64)
            for table in space.tables
        ]
        self.names = list(self.numbers)
        self.idf = self._count()

    def _count(self) -> NDArray[np.float64]:
        """Return log((n + 1) / (n_w + ½)) of each word in n_w of n rows that were not deleted."""
        rows, holding = self._space.rows, np.zeros(len(self.names), np.int64)
        live = np.ones(len(rows), bool) if rows.live is None else rows.live
        for start, table, own in zip(rows.starts, self._space.tables, self._maps, strict=False):
            if table is None or not len(table.words):
                continue
            at = np.repeat(np.arange(len(table.scales)), np.diff(table.offsets))
            pairs = np.unique(at * len(table.names) + table.words)
            kept = pairs[live[start + pairs // len(table.names)]]
            holding[own] += np.bincount(kept % len(table.names), minlength=len(own))
        self.most = float(np.log(2 * (live.sum() + 1)))
        return np.asarray(np.log((live.sum() + 1) / (holding + 0.5)))

    def weights_of(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the weight of each word, that of the rarest for words of no row."""
        found = [self.numbers.get(word) for word in words]
        idf = [self.most if number is None else self.idf[number] for number in found]
        return np.asarray(np.maximum(np.array(idf), 0))

    def of_all(
        self, chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """Return the words of ascending rows: vectors on the axes of the codec, numbers, and how
        many each row has."""
        codes, numbers, sizes = self.codes_of(chosen)
        return self.codec.decode(codes), numbers, sizes

    def codes_of(
        self, chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return the words of ascending rows: codes, numbers, and how many each row has."""
        codes, numbers = [np.empty((0, self._bytes), np.uint8)], [np.empty(0, np.int64)]
        sizes = np.zeros(len(chosen), np.int64)
        for number, _, inside, own in self._space.rows.split(chosen):
            table = self._space.tables[number]
            if table is None:
                continue
            sizes[inside] = table.offsets[own + 1] - table.offsets[own]
            at = join_ranges(table.offsets[own], sizes[inside])
            codes.append(table.codes[at])
            numbers.append(self._maps[number][table.words[at]])
        return np.concatenate(codes), np.concatenate(numbers), sizes

    def count(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many words each of these rows has."""
        sizes = np.zeros(len(chosen), np.int64)
        for number, _, inside, own in self._space.rows.split(chosen):
            table = self._space.tables[number]
            if table is not None:
                sizes[inside] = table.offsets[own + 1] - table.offsets[own]
        return sizes

    @property
    def _bytes(self) -> int:
        return -(-int(self.codec.axes.shape[1]) // 4)


@reordered_kernel
def dot_bytes(codes: Array, vector: Array) -> Array:
    """Return the inner product of each row of bytes with a vector."""
    out = np.empty(len(codes), np.float32)
    for row in range(len(codes)):
        total = np.float32(0)
        for axis in range(codes.shape[1]):
            total += np.float32(codes[row, axis]) * vector[axis]
        out[row] = total
    return out


class EncoderError(InputError):
    """An encoder cannot read a query."""


def open_row_encodings(rows: Rows) -> RowEncodings:
    """Return the rows as an encoder sees them, made once for an open index."""
    return rows.cached("encoder", RowEncodings)


def encode_query(name: str, dims: int, text: str) -> Encoded:
    """Return what the encoder of an index says of a text. Raise InputError if it cannot read it."""
    return _encode(open_query_encoder(name), dims, text)


def open_query_encoder(name: str) -> Encoder:
    """Return the encoder of an index. Raise an error if it is not installed or not known here."""
    try:
        return open_encoder(name)
    except MissingExtraError:
        raise
    except InputError as error:
        raise InputError(
            f"The index was encoded by {name!r}, which this process does not know.",
            "Give it once to lexfield.open(path, encoder=…) or to index.encode(encoder=…).",
        ) from error


@lru_cache(256)
def _encode(encoder: object, dims: int, text: str) -> Encoded:
    (made,) = encode_each(encoder, [text])  # type: ignore[arg-type]
    if isinstance(made, str):
        raise EncoderError(f"The encoder failed on the query {text[:60]!r}: {made}.")
    if len(made.vector) != dims:
        raise InputError(
            f"The encoder returns vectors of {len(made.vector)} dimensions; this index has"
            f" vectors of {dims}.",
            "Use the encoder that the index was encoded by, or encode it again with --replace.",
        )
    return made
