"""MinHash (Broder 1997) with banding: candidates for Jaccard similarity without comparing all.

A row's signature is, for each of P random orders of the words, the first of its words. Two rows
agree in one place with a probability equal to their Jaccard similarity s, in all places of a band
of n with sⁿ, and in at least one of b bands with 1 − (1 − sⁿ)ᵇ. What is found is compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lexfield.index.rows import Rows

PLACES = 128
BAND = 2  # places a band where single queries are asked, whose best answers are not very similar
_SEED = 20130929


def signatures(rows: Rows) -> NDArray[np.uint32]:
    """One signature a row; rows without words have the largest values everywhere."""
    orders = _orders(len(rows.lexicon))
    result = np.full((PLACES, len(rows)), np.iinfo(np.uint32).max, np.uint32)
    for (start, unit), own in zip(rows.blocks(), rows.lexicon.maps, strict=True):
        filled = np.flatnonzero(np.diff(unit.offsets))
        if not len(filled):
            continue
        words = own[unit.words]
        for place in range(PLACES):
            values = orders[place][words]
            result[place, start + filled] = np.minimum.reduceat(values, unit.offsets[filled])
    return np.ascontiguousarray(result.T)


def query_signature(words: NDArray[np.int32], vocabulary: int) -> NDArray[np.uint32]:
    """The signature of a set of words."""
    first: NDArray[np.uint32] = _orders(vocabulary)[:, words].min(axis=1)
    return first


def _orders(words: int) -> NDArray[np.uint32]:
    """P random orders of all words, as a rank that is a hash: the same for the same number."""
    rng = np.random.default_rng(_SEED)
    return rng.integers(0, np.iinfo(np.uint32).max, (PLACES, words), np.uint32, endpoint=False)


def band_keys(signature: NDArray[np.uint32], size: int) -> NDArray[np.uint64]:
    """One number for each band of ``size`` places; equal bands have equal numbers."""
    bands = signature[:, : PLACES // size * size].reshape(len(signature), -1, size)
    keys = np.zeros(bands.shape[:2], np.uint64)
    for place in range(size):
        keys = (keys ^ bands[:, :, place]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def band_size(threshold: float) -> int:
    """The longest band with which at most one pair in fifty at the threshold is missed."""
    sizes = [n for n in range(1, 17) if (1 - threshold**n) ** (PLACES // n) <= 0.02]
    return max(sizes, default=1)


def candidate_pairs(keys: NDArray[np.uint64]) -> Iterator[NDArray[np.int64]]:
    """Pairs of rows (smaller first) with the same key in some band; each pair once."""
    for number, band in enumerate(keys.T):
        order = np.argsort(band, kind="stable")
        ordered = band[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        sizes = np.diff(np.append(starts, len(ordered)))
        for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
            group = np.sort(order[start : start + size])
            for place in range(size - 1):
                row, others = group[place], group[place + 1 :]
                met = (keys[others, :number] == keys[row, :number]).any(axis=1)
                others = others[~met]  # the others were met in an earlier band
                if len(others):
                    yield np.column_stack([np.full(len(others), row), others])


def sorted_bands(rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """For each band: rows by key, and the keys in that order."""
    keys = band_keys(signatures(rows), BAND).T
    order = np.argsort(keys, axis=1, kind="stable")
    return order.astype(np.int32), np.take_along_axis(keys, order, axis=1)
