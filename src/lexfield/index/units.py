"""The units that can be searched, sentences and documents: what is stored about their rows.

sketch    the first axes of the vector of each row, in bytes, which bound every distance
norms     what the sum of the words' vectors is divided by (``axes.py``)
letters   counts of each kind of character, which bound edit distance

What follows from the words of a row, such as its set of words and its vector, is not stored. Older
indexes store both; in those of lexfield 0.1 the vector is the plain mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, shrink
from lexfield.engine.compiled import kernel
from lexfield.index.axes import Allocate, Basis, TextRows, text_axes
from lexfield.index.postings import split_rows
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordEmbeddings

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

UNITS = ("sentence", "document")
BINS = 32  # kinds of characters
_LONG = 500  # words per row, from which on its distinct words are kept
_MOST = 1 << 26  # words of all rows, for the memory that this takes
_ROWS = 1 << 16  # whose letters are counted at a time
_FIELDS = (
    "offsets", "words", "counts", "shares", "sizes", "set_sizes", "lengths", "rotation", "center",
    "axes", "norms", "squares", "near", "far", "steps", "rests", "errors", "letters", "characters",
)  # fmt: skip


class Unit:
    """The rows of one kind. Arrays are loaded, or derived, when they are first asked for."""

    offsets: Array  # row → first entry of words, counts, shares
    words: Array  # distinct, without stopwords
    counts: Array
    shares: Array  # count / the row's count of words with vectors; 0 for a word without
    sizes: Array  # distinct words of the row, stopwords too
    set_sizes: Array  # distinct words of the row, without stopwords
    lengths: Array  # tokens of the row, stopwords too
    rotation: Array
    center: Array
    axes: Array  # of older indexes: the vector about the centre, on principal axes
    norms: Array  # the length of the sum of the row's words; 0 if it has no vector
    squares: Array  # squared length about the centre; infinite for a row without vectors
    near: Array  # sketch of the first axes: axis × row
    far: Array  # sketch of the next axes: row × axis
    steps: Array  # what 1 stands for on each axis of the sketch
    rests: Array  # length of the vector after the axes of near, and after those of far
    errors: Array  # largest length that the sketch misses of a vector, in near and in far
    letters: Array  # bins × rows: characters of each kind, up to 255
    characters: Array

    def __init__(self, load: Callable[[str], Array], texts: TextRows | None = None) -> None:
        """``texts`` are the rows as words; None if axes are stored, as in older indexes."""
        self._load, self._texts = load, texts
        # The last vector, and its products with those of words: a search measures rows in steps.
        self._products: tuple[bytes, Array] = b"", np.empty(0)

    def __getattr__(self, name: str) -> Array:
        if name not in _FIELDS:
            raise AttributeError(name)
        values = self._load(name)
        setattr(self, name, values)
        return values

    @property
    def rows(self) -> int:
        return len(self.squares)

    @property
    def is_old(self) -> bool:
        """Whether sets of words and axes are stored, as in older indexes."""
        return self._texts is None

    @cached_property
    def is_long(self) -> bool:
        """Whether rows hold so many words that each is worth to be counted only once."""
        if self._texts is None:
            return False
        tokens = len(self._texts.tokens)
        return _LONG * self.rows <= tokens <= _MOST

    @cached_property
    def _converted(self) -> NDArray[np.float32]:
        """The vectors of words, which may be stored in halves: converting them takes longest."""
        assert self._texts is not None
        return self._texts.vectors.astype(np.float32, copy=False)

    def multiply(self, vector: Array, rows: Array) -> tuple[Array, Array]:
        """Return the inner products of a vector with those of some rows, and their lengths.

        Each is computed for itself, so that it does not depend on which other rows are asked for.
        """
        if self._texts is not None:
            return self._add_products(self._texts, vector, rows)
        # Row by row, as products of matrices depend on the number of rows.
        turned = np.einsum("qi,ij->qj", np.stack([vector, self.center]), self.rotation)
        with_vector, with_center = np.einsum("qj,rj->qr", turned, self.axes[rows])
        squares = self.squares[rows] + 2 * with_center + self.center @ self.center
        lengths = np.where(np.isinf(squares), 0, np.sqrt(np.maximum(squares, 0)))
        return with_vector + vector @ self.center, lengths

    def _add_products(self, texts: TextRows, vector: Array, rows: Array) -> tuple[Array, Array]:
        norms = self.norms[rows].astype(np.float64)
        if self.is_long:
            products = self._find_products(texts, vector, texts.places)
            sets = self.offsets, self.words, self.counts
            sums = add_counted(rows, *sets, texts.places, products)
        else:
            some = texts.select(rows)
            products = self._find_products(texts, vector, texts.places[some.tokens])
            sums = add_sorted(some.starts, some.tokens, texts.places, products)
        return sums / np.where(norms > 0, norms, 1), (norms > 0).astype(np.float64)

    def _find_products(self, texts: TextRows, vector: Array, places: Array) -> Array:
        """Return the products of a vector with those of words, at least of the given places."""
        last, products = self._products
        if last != vector.tobytes():
            products = np.full(len(texts.vectors), np.nan)
        new = np.unique(places[(places >= 0) & np.isnan(products[places])])
        vectors = self._converted if self.is_long else texts.vectors
        own = vectors[new].astype(np.float32, copy=False)
        products[new] = multiply_rows(own, vector.astype(np.float64))
        self._products = vector.tobytes(), products
        return products


@kernel
def multiply_rows(matrix: Array, vector: Array) -> NDArray[np.float64]:
    """Return the product of every row with a vector, each added up in the same order."""
    products = np.empty(len(matrix))
    for row in range(len(matrix)):
        total = 0.0
        for column in range(len(vector)):
            total += np.float64(matrix[row, column]) * vector[column]
        products[row] = total
    return products


@kernel
def add_sorted(starts: Array, tokens: Array, places: Array, values: Array) -> NDArray[np.float64]:
    """Return the sum of the values of each row's words, which are added in the order of words."""
    sums = np.zeros(len(starts) - 1)
    for row in range(len(sums)):
        for word in np.sort(tokens[starts[row] : starts[row + 1]]):
            if places[word] >= 0:
                sums[row] += values[places[word]]
    return sums


@kernel
def add_counted(
    rows: Array, offsets: Array, words: Array, counts: Array, places: Array, values: Array
) -> NDArray[np.float64]:
    """Return the same as ``add_sorted``, to the last bit, from distinct words and their counts."""
    sums = np.zeros(len(rows))
    for number in range(len(rows)):
        total = 0.0
        for entry in range(offsets[rows[number]], offsets[rows[number] + 1]):
            place = places[words[entry]]
            if place >= 0:
                for _ in range(counts[entry]):
                    total += values[place]
        sums[number] = total
    return sums


def token_starts(corpus: Corpus, unit: str) -> Array:
    """Return where each row begins in the tokens of a corpus, and where the last one ends.

    The numbers are as stored: they may be unsigned.
    """
    starts = np.asarray(corpus.arrays["token_offsets"])
    return starts[corpus.sentence_offsets] if unit == "document" else starts


def byte_spans(corpus: Corpus, unit: str) -> NDArray[np.int64]:
    """Return the first and last byte of each row in the texts of a corpus."""
    if unit == "sentence":
        return corpus.sentence_spans
    return np.column_stack([corpus.texts.offsets[:-1], corpus.texts.offsets[1:]])


def row_sets(corpus: Corpus, unit: str) -> csr_matrix:
    """Return the counts of the distinct words of each row, with stopwords."""
    from scipy.sparse import csr_matrix

    tokens = token_starts(corpus, unit).astype(np.int64)
    ones = np.ones(len(corpus.tokens), np.int32)
    shape = (len(tokens) - 1, len(corpus.vocabulary))
    sets = csr_matrix((ones, corpus.tokens.copy(), tokens), shape)
    sets.sum_duplicates()
    return sets


@dataclass(frozen=True)
class Sets:
    """The fields of a ``Unit`` that say which words a row holds, without stopwords."""

    offsets: Array
    words: Array
    counts: Array
    shares: NDArray[np.float32]

    @classmethod
    def of(cls, corpus: Corpus, unit: str, content: Array, known: Array) -> Sets:
        """``content`` are the words that are no stopwords, ``known`` those with a vector."""
        sets = row_sets(corpus, unit)
        keep = content[sets.indices]
        offsets = np.append(0, np.cumsum(keep))[sets.indptr]
        words, counts = sets.indices[keep], sets.data[keep]
        del sets, keep
        amounts = np.where(known[words], counts, 0)
        totals = np.diff(np.append(0, np.cumsum(amounts))[offsets])
        shares = amounts / np.repeat(np.maximum(totals, 1), np.diff(offsets))
        return cls(offsets, words, counts, shares.astype(np.float32))


def make_unit(
    corpus: Corpus,
    unit: str,
    content: Array,
    embedded: WordEmbeddings,
    basis: Basis | None,
    allocate: Allocate = np.zeros,
) -> Iterator[tuple[str, Array]]:
    """Yield the arrays of a ``Unit`` that are stored, by name, so that few are in memory at once.

    Large ones are made by ``allocate``, which can return an array on disk.
    """
    yield from count_letters(corpus, unit, allocate).items()
    yield from count_distinct(corpus, unit, content).items()
    yield from text_axes(text_rows(corpus, unit, content, embedded), basis, allocate).items()


def text_rows(corpus: Corpus, unit: str, content: Array, embedded: WordEmbeddings) -> TextRows:
    """Return the rows of a corpus as words whose vectors are added up."""
    places = np.where(content & embedded.known, embedded.places, -1).astype(np.int32)
    tokens, plain = corpus.arrays["tokens"], embedded.contributions is None
    return TextRows(token_starts(corpus, unit), tokens, places, embedded.added, plain)


def count_distinct(corpus: Corpus, unit: str, content: Array) -> dict[str, Array]:
    """Return how many distinct words each row has, with stopwords and without."""
    starts = token_starts(corpus, unit)
    sizes, set_sizes = np.zeros((2, len(starts) - 1), np.int32)
    last = np.full(len(content), -1, np.int32)
    for first, own, tokens in split_rows(corpus, starts):
        _count_distinct(first, own, tokens, content, last, sizes, set_sizes)
    return {"sizes": shrink(sizes), "set_sizes": shrink(set_sizes)}


@kernel
def _count_distinct(
    first: int,
    starts: Array,
    tokens: Array,
    content: Array,
    last: Array,
    sizes: Array,
    set_sizes: Array,
) -> None:
    for place in range(len(starts) - 1):
        row = first + place
        for token in tokens[starts[place] : starts[place + 1]]:
            if last[token] != row:
                last[token] = row
                sizes[row] += 1
                set_sizes[row] += content[token]


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


def count_letters(corpus: Corpus, unit: str, allocate: Allocate = np.zeros) -> dict[str, Array]:
    """Return counts per bin (bins × rows, up to 255) and characters of the texts of rows."""
    spans, data = byte_spans(corpus, unit), corpus.texts.data
    letters, characters = allocate((BINS, len(spans)), np.uint8), np.zeros(len(spans), np.int32)
    for first in range(0, len(spans), _ROWS):
        own = spans[first : first + _ROWS].astype(np.int64)
        part, start = slice(first, first + len(own)), int(own[0, 0])
        bytes_ = data[start : int(own[-1, 1])]
        _count(bytes_, own - start, character_bins(), letters[:, part], characters[part])
    return {"letters": letters, "characters": shrink(characters)}


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
