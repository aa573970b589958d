"""The units that can be searched, sentences and documents: what is stored about their rows.

sets      the distinct words of each row, without stopwords, with counts and shares
axes      the vector of each row on principal axes, with a sketch of the first that bounds every
          distance: the weighted sum of ``vectors/weights.py``, or the mean of its words' vectors
          in an index without weights (lexfield 0.1)
letters   counts of each kind of character, which bound edit distance
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.index.axes import Basis, scale_shares, text_axes
from lexfield.store.folder import Blocks
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordEmbeddings

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

UNITS = ("sentence", "document")
BINS = 32  # kinds of characters


@dataclass(frozen=True)
class Unit:
    """The rows of one kind. All arrays are as in the store."""

    offsets: Array  # row → first entry of words, counts, shares
    words: Array
    counts: Array
    shares: Array  # count / the row's count of words with vectors; 0 for a word without
    sizes: Array  # distinct words of the row, stopwords too
    lengths: Array  # tokens of the row, stopwords too
    rotation: Array
    center: Array
    axes: Array  # the vector about the centre, on principal axes
    squares: Array  # its squared length; infinite for a row without vectors
    near: Array  # sketch of the first axes: axis × row
    far: Array  # sketch of the next axes: row × axis
    steps: Array  # what 1 stands for on each axis of the sketch
    rests: Array  # length of the vector after the axes of near, and after those of far
    errors: Array  # largest length that the sketch misses of a vector, in near and in far
    letters: Array  # bins × rows: characters of each kind, up to 255
    characters: Array

    @property
    def rows(self) -> int:
        return len(self.sizes)


def token_starts(corpus: Corpus, unit: str) -> NDArray[np.int64]:
    """Return where each row begins in the tokens of a corpus, and where the last one ends."""
    starts = corpus.token_offsets
    return starts[corpus.sentence_offsets] if unit == "document" else starts


def byte_spans(corpus: Corpus, unit: str) -> NDArray[np.int64]:
    """Return the first and last byte of each row in the texts of a corpus."""
    if unit == "sentence":
        return corpus.sentence_spans
    return np.column_stack([corpus.texts.offsets[:-1], corpus.texts.offsets[1:]])


def row_sets(corpus: Corpus, unit: str) -> csr_matrix:
    """Return the counts of the distinct words of each row, with stopwords."""
    from scipy.sparse import csr_matrix

    tokens = token_starts(corpus, unit)
    ones = np.ones(len(corpus.tokens), np.int32)
    shape = (len(tokens) - 1, len(corpus.vocabulary))
    sets = csr_matrix((ones, corpus.tokens.copy(), tokens), shape)
    sets.sum_duplicates()
    return sets


def content_sets(
    sets: csr_matrix, content: Array, known_words: Array
) -> tuple[csr_matrix, NDArray[np.float32]]:
    """Return counts without stopwords, and each entry's share of the row's words with vectors."""
    from scipy.sparse import csr_matrix

    keep = content[sets.indices]
    kept = np.append(0, np.cumsum(keep))[sets.indptr]
    sets = csr_matrix((sets.data[keep], sets.indices[keep], kept), sets.shape)
    known = np.where(known_words[sets.indices], sets.data, 0)
    totals = np.diff(np.append(0, np.cumsum(known))[sets.indptr])
    shares = (known / np.repeat(np.maximum(totals, 1), np.diff(kept))).astype(np.float32)
    return sets, shares


def make_unit(
    corpus: Corpus, unit: str, content: Array, embedded: WordEmbeddings, basis: Basis | None
) -> Iterator[tuple[str, Array | Blocks]]:
    """Yield the arrays of a ``Unit`` by name, so that few are in memory at a time."""
    yield from count_letters(corpus.texts.data, byte_spans(corpus, unit)).items()
    yield "lengths", np.diff(token_starts(corpus, unit)).astype(np.int32)
    everything = row_sets(corpus, unit)
    yield "sizes", np.diff(everything.indptr).astype(np.int32)
    sets, shares = content_sets(everything, content, embedded.known)
    del everything
    yield "offsets", sets.indptr.astype(np.int64)
    yield "words", sets.indices.astype(np.int32)
    yield "counts", sets.data
    yield "shares", shares
    places = embedded.places[sets.indices]
    shares = vector_shares(sets.indptr, places, sets.data, shares, embedded)
    yield from text_axes(sets.indptr, places, shares, embedded.added, basis, stream=True).items()


def vector_shares(
    offsets: Array, places: Array, counts: Array, shares: Array, embedded: WordEmbeddings
) -> NDArray[np.float32]:
    """Return what each entry counts in the vector of its row; ``shares`` are those of a mean.

    ``places`` are the rows of the entries' words in ``embedded.vectors``.
    """
    if embedded.contributions is None or not len(embedded.vectors):
        return shares
    amounts = np.where(shares > 0, counts, 0).astype(np.float32)
    return scale_shares(offsets, places, amounts, embedded.contributions)


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
