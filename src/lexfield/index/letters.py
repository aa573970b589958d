"""Counts of each kind of character in a row, which bound its edit distance to a text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel

BINS = 32


def character_bins() -> NDArray[np.uint8]:
    """Return the bin of each UTF-8 byte: one per letter, digits, space, four for the rest.

    Continuation bytes go to an extra bin, which is dropped, so that bins count characters.
    """
    bins = np.array([28 + byte % 4 for byte in range(256)], np.uint8)
    for letter in range(26):
        bins[ord("a") + letter] = bins[ord("A") + letter] = letter
    bins[ord("0") : ord("9") + 1] = 26
    bins[ord(" ")] = 27
    bins[0x80:0xC0] = BINS
    return bins


def count_letters(data: NDArray[np.uint8], spans: NDArray[np.int64]) -> dict[str, Array]:
    """Return counts per bin (bins × rows, up to 255) and characters of texts given by bytes."""
    letters = np.empty((BINS, len(spans)), np.uint8)
    characters = np.empty(len(spans), np.int32)
    _count(data, spans, character_bins(), letters, characters)
    return {"letters": letters, "characters": characters}


@kernel
def _count(data: Array, spans: Array, bins: Array, letters: Array, characters: Array) -> None:
    counts = np.empty(BINS + 1, np.int32)
    for row in range(len(spans)):
        counts[:] = 0
        for place in range(spans[row, 0], spans[row, 1]):
            counts[bins[data[place]]] += 1
        characters[row] = counts[:BINS].sum()
        for kind in range(BINS):
            letters[kind, row] = min(counts[kind], 255)
