"""The inverted index of a segment: where every word stands, and how often in each row.

Positions make it an index of n-grams of every order: an n-gram stands where its rarest word does,
with the others around it in one sentence. Lists of bigrams and trigrams would hold the same counts
and be several times larger than the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.index.units import UNITS, token_starts
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus

_POSITIONS = ("position_offsets", "positions")
_LISTS = ("offsets", "rows", "counts")
# What lexfield 0.1 called them. It kept the lists of stems instead where an index had a stemmer.
_OLD_POSITIONS = ("offsets", "positions")


@dataclass(frozen=True)
class Postings:
    """The lists of one segment and unit, stopwords too. Those of word w begin at ``offsets[w]``."""

    position_offsets: Array  # word → first entry of positions
    positions: Array  # places in the tokens of the corpus
    offsets: Array  # word → first entry of rows and counts
    rows: Array
    counts: Array


def save_postings(out: Writer, name: str, corpus: Corpus) -> None:
    """Write what ``load_postings`` maps."""
    offsets, positions = _invert(corpus.tokens, len(corpus.vocabulary))
    out.array(f"{name}.postings.position_offsets", offsets)
    out.array(f"{name}.postings.positions", positions)
    for unit in UNITS:
        lists = _count(offsets, positions, _row_of_tokens(corpus, unit))
        for part, values in zip(_LISTS, lists, strict=True):
            out.array(f"{name}.postings.{unit}.{part}", values)


def load_postings(store: Store, name: str, corpus: Corpus, unit: str) -> Postings:
    """Map the postings of a segment; they are made anew if lexfield 0.1 wrote lists of stems."""
    folder, positions = f"{name}.postings", _POSITIONS
    if f"{folder}.positions" not in store:
        folder, positions = f"{name}.bags", _OLD_POSITIONS
        if f"{folder}.stems.bytes" in store:
            offsets, places = _invert(corpus.tokens, len(corpus.vocabulary))
            return Postings(offsets, places, *_count(offsets, places, _row_of_tokens(corpus, unit)))
    return Postings(
        *(store.array(f"{folder}.{part}") for part in positions),
        *(store.array(f"{folder}.{unit}.{part}") for part in _LISTS),
    )


def _row_of_tokens(corpus: Corpus, unit: str) -> NDArray[np.int32]:
    starts = token_starts(corpus, unit)
    return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))


@kernel
def _invert(tokens: Array, size: int) -> tuple[Array, Array]:
    """Return the positions of tokens by word, ascending: a counting sort."""
    offsets = np.zeros(size + 1, np.int64)
    for token in tokens:
        offsets[token + 1] += 1
    for word in range(size):
        offsets[word + 1] += offsets[word]
    place = offsets[:-1].copy()
    positions = np.empty(len(tokens), np.uint32)
    for position, token in enumerate(tokens):
        positions[place[token]] = position
        place[token] += 1
    return offsets, positions


@kernel
def _count(offsets: Array, positions: Array, row_of: Array) -> tuple[Array, Array, Array]:
    """Return the rows of every word and its count there, from the row of every position."""
    rows = np.empty(len(positions), np.int32)
    counts = np.empty(len(positions), np.int32)
    kept = np.zeros(len(offsets), np.int64)
    size = 0
    for word in range(len(offsets) - 1):
        last = -1
        for place in range(offsets[word], offsets[word + 1]):
            row = row_of[positions[place]]
            if row != last:
                rows[size] = row
                counts[size] = 0
                size += 1
                last = row
            counts[size - 1] += 1
        kept[word + 1] = size
    return kept, rows[:size].copy(), counts[:size].copy()
