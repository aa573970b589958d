"""The inverted index of a segment's bags: where every term stands, and how often in each row.

Positions make it an index of n-grams of every order: an n-gram stands where its rarest word does,
with the others around it in one sentence. Lists of bigrams and trigrams would hold the same counts
and be several times larger than the text.

A term is a word, stopwords too, or the stem of words where the index has a stemmer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine.compiled import kernel
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus
from lexfield.text.stem import NONE, stem_words

Array = NDArray[Any]


@dataclass(frozen=True)
class Postings:
    """The arrays of one segment and unit. Those of term t begin at ``offsets[t]``."""

    terms: Array  # word of the segment → term
    positions: Array  # where each term stands in the corpus's tokens
    position_offsets: Array
    rows: Array
    counts: Array
    offsets: Array


def save_postings(out: Writer, name: str, corpus: Corpus) -> None:
    """Write what ``load_postings`` maps."""
    terms = np.arange(len(corpus.vocabulary), dtype=np.int32)
    size = len(terms)
    if corpus.normalisation.stem != NONE:
        stems = stem_words(list(corpus.vocabulary), corpus.normalisation.stem)
        numbers = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
        terms, size = np.array([numbers[stem] for stem in stems], np.int32), len(numbers)
        out.strings(f"{name}.bags.stems", list(numbers))
    offsets, positions = _invert(terms, corpus.tokens, size)
    out.array(f"{name}.bags.terms", terms)
    out.array(f"{name}.bags.offsets", offsets)
    out.array(f"{name}.bags.positions", positions)
    first = corpus.token_offsets
    for unit, starts in (("sentence", first), ("document", first[corpus.sentence_offsets])):
        rows = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        kept, found, counts = _count(offsets, positions, rows)
        out.array(f"{name}.bags.{unit}.offsets", kept)
        out.array(f"{name}.bags.{unit}.rows", found)
        out.array(f"{name}.bags.{unit}.counts", counts)


def load_postings(store: Store, name: str, unit: str) -> Postings:
    shared = (store.array(f"{name}.bags.{part}") for part in ("terms", "positions", "offsets"))
    own = (store.array(f"{name}.bags.{unit}.{part}") for part in ("rows", "counts", "offsets"))
    return Postings(*shared, *own)


def load_stems(store: Store, name: str) -> list[str]:
    """The stem of each term of a segment that was stemmed."""
    return list(store.strings(f"{name}.bags.stems"))


@kernel
def _invert(terms: Array, tokens: Array, size: int) -> tuple[Array, Array]:
    """Positions of tokens by term, ascending: a counting sort."""
    offsets = np.zeros(size + 1, np.int64)
    for token in tokens:
        offsets[terms[token] + 1] += 1
    for term in range(size):
        offsets[term + 1] += offsets[term]
    place = offsets[:-1].copy()
    positions = np.empty(len(tokens), np.uint32)
    for position, token in enumerate(tokens):
        term = terms[token]
        positions[place[term]] = position
        place[term] += 1
    return offsets, positions


@kernel
def _count(offsets: Array, positions: Array, row_of: Array) -> tuple[Array, Array, Array]:
    """Rows of every term and its count there, from its positions and the row of every position."""
    rows = np.empty(len(positions), np.int32)
    counts = np.empty(len(positions), np.int32)
    kept = np.zeros(len(offsets), np.int64)
    size = 0
    for term in range(len(offsets) - 1):
        last = -1
        for place in range(offsets[term], offsets[term + 1]):
            row = row_of[positions[place]]
            if row != last:
                rows[size] = row
                counts[size] = 0
                size += 1
                last = row
            counts[size - 1] += 1
        kept[term + 1] = size
    return kept, rows[:size].copy(), counts[:size].copy()
