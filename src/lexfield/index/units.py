"""The units that can be searched, sentences and documents: what is stored about their rows.

sketch    the first axes of the vector of each row, in bytes, which bound every distance
norms     what the sum of the words' vectors is divided by (``axes.py``)
letters   counts of each kind of character, which bound edit distance

What follows from the words of a row, such as its set of words and its vector, is not stored. Older
indexes store both; in those of lexfield 0.1 the vector is the plain mean.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel, reordered_kernel
from lexfield.index.axes import TextRows, text_axes
from lexfield.index.basis import Basis
from lexfield.index.lists import split_rows
from lexfield.store.scratch import Allocate, release, shrink
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordEmbeddings

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

UNITS = ("sentence", "document")
BINS = 32  # kinds of characters
_ONE = float(1 << 36)  # products of words' vectors are rounded to multiples of 1 / _ONE
_UNKNOWN = np.iinfo(np.int64).min
_LONG = 500  # rows with at least this many words keep their distinct words
_MOST = 1 << 26  # upper limit on the words of all rows, to bound memory
_ROWS, _BYTES = 1 << 16, 1 << 26  # whose letters are counted at a time
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
        self._own = _LastProducts()

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
        """Return whether rows are so long that counting each distinct word once pays off."""
        if self._texts is None:
            return False
        return _LONG * self.rows <= len(self._texts.tokens) <= _MOST

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
            count = len(texts.places)
            every = np.arange(count), np.array([0]), np.array([count])
            products = self._own.find(texts, vector, every)
            sets = self.offsets, self.words, self.counts
            sums = add_counted(rows, *sets, texts.places, products)
        else:
            some = texts.locate(rows)
            products = self._own.find(texts, vector, some)
            sums = add_products(*some, texts.places, products)
        return sums / _ONE / np.where(norms > 0, norms, 1), (norms > 0).astype(np.float64)


class _LastProducts(threading.local):
    """The products of the last vector with those of words: a search measures rows in steps.

    They are whole multiples of 1/_ONE, so that the sum over a row's words does not depend on their
    order.
    """

    def __init__(self) -> None:
        self._vector, self._products = b"", np.empty(0, np.int64)
        self._used: list[Array] = []

    def find(
        self, texts: TextRows, vector: Array, some: tuple[Array, Array, Array]
    ) -> NDArray[np.int64]:
        """Return the products of a vector with those of words, at least of those of some rows, as
        ``TextRows.locate`` returns them."""
        given = vector.tobytes()
        if self._vector != given:
            if len(self._products) != len(texts.vectors):
                self._products = np.full(len(texts.vectors), _UNKNOWN)
            for places in self._used:
                self._products[places] = _UNKNOWN
            self._vector, self._used = given, []
        new = take_unknown(*some, texts.places, self._products)
        self._used.append(new)
        self._products[new] = np.rint(_multiply(texts.vectors, new, vector) * _ONE)
        return self._products


@kernel
def take_unknown(
    tokens: Array, starts: Array, sizes: Array, places: Array, products: Array
) -> Array:
    """Return the places of tokens whose products are not known, each once; they become 0."""
    unknown = np.empty(min(sizes.sum(), len(products)), np.int64)
    size = 0
    for row in range(len(starts)):
        for token in tokens[starts[row] : starts[row] + sizes[row]]:
            place = places[token]
            if place >= 0 and products[place] == _UNKNOWN:
                products[place] = 0
                unknown[size] = place
                size += 1
    return unknown[:size].copy()


def _multiply(vectors: Array, rows: Array, vector: Array) -> NDArray[np.float64]:
    """Return the products of some rows of vectors in half or single precision with a vector."""
    if vectors.dtype == np.float16:
        return multiply_halves(vectors.view(np.uint16), rows, vector.astype(np.float32))
    return exact_dots(vectors, rows, vector.astype(np.float64))


@reordered_kernel
def multiply_halves(bits: Array, rows: Array, vector: Array) -> NDArray[np.float64]:
    """Return the products of some rows of numbers in half precision, given as bits, with a vector.

    With its exponent and fraction moved to where single precision has them, and times 2**112, a
    half is the number that it stands for. Infinity and NaN are not read.
    """
    products, moved = np.empty(len(rows)), np.empty(bits.shape[1], np.uint32)
    numbers = moved.view(np.float32)
    for place in range(len(rows)):
        row = bits[rows[place]]
        for column in range(len(row)):
            half = np.uint32(row[column])
            moved[column] = (half & 0x8000) << 16 | (half & 0x7FFF) << 13
        total = 0.0
        for column in range(len(row)):
            total += np.float64(numbers[column]) * np.float64(vector[column])
        products[place] = total * 2.0**112
    return products


@reordered_kernel
def exact_dots(vectors: Array, rows: Array, vector: Array) -> NDArray[np.float64]:
    """Return inner products of some rows with a vector, in double precision."""
    products = np.empty(len(rows))
    for place in range(len(rows)):
        total = 0.0
        for column in range(len(vector)):
            total += np.float64(vectors[rows[place], column]) * vector[column]
        products[place] = total
    return products


@kernel
def add_products(
    tokens: Array, starts: Array, sizes: Array, places: Array, products: Array
) -> NDArray[np.int64]:
    """Return the sum of the products of each row's words."""
    sums = np.zeros(len(starts), np.int64)
    for row in range(len(starts)):
        for token in tokens[starts[row] : starts[row] + sizes[row]]:
            if places[token] >= 0:
                sums[row] += products[places[token]]
    return sums


@kernel
def add_counted(
    rows: Array, offsets: Array, words: Array, counts: Array, places: Array, products: Array
) -> NDArray[np.int64]:
    """Return the same as ``add_products`` from distinct words and their counts."""
    sums = np.zeros(len(rows), np.int64)
    for number in range(len(rows)):
        for entry in range(offsets[rows[number]], offsets[rows[number] + 1]):
            place = places[words[entry]]
            if place >= 0:
                sums[number] += counts[entry] * products[place]
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
        """``content`` are the words that are not stopwords, ``known`` those with a vector."""
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
    yield from count_distinct(corpus, unit, content, allocate).items()
    yield from text_axes(text_rows(corpus, unit, content, embedded), basis, allocate).items()


def text_rows(corpus: Corpus, unit: str, content: Array, embedded: WordEmbeddings) -> TextRows:
    """Return the rows of a corpus as words whose vectors are added up."""
    places = np.where(content & embedded.known, embedded.places, -1).astype(np.int32)
    tokens, plain = corpus.arrays["tokens"], embedded.contributions is None
    vectors = embedded.added.astype(np.float32, copy=False)
    return TextRows(token_starts(corpus, unit), tokens, places, vectors, plain)


def count_distinct(
    corpus: Corpus, unit: str, content: Array, allocate: Allocate = np.zeros
) -> dict[str, Array]:
    """Return how many distinct words each row has, with stopwords and without."""
    starts = token_starts(corpus, unit)
    sizes, set_sizes = (allocate(len(starts) - 1, np.int32) for _ in range(2))
    last = np.full(len(content), -1, np.int32)
    for first, own, tokens in split_rows(corpus, starts):
        _count_distinct(first, own, tokens, content, last, sizes, set_sizes)
    return {"sizes": shrink(sizes, allocate), "set_sizes": shrink(set_sizes, allocate)}


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
    data, is_sentence = corpus.texts.data, unit == "sentence"
    bounds = corpus.arrays["sentence_spans"] if is_sentence else corpus.texts.offsets
    rows = len(bounds) if is_sentence else len(bounds) - 1
    letters, characters = allocate((BINS, rows), np.uint8), allocate(rows, np.int32)
    first = 0
    while first < rows:
        own = np.asarray(bounds[first : first + _ROWS + 1], np.int64)
        spans = own[:_ROWS] if is_sentence else np.column_stack([own[:-1], own[1:]])
        start = int(spans[0, 0])
        spans = spans[: max(1, int(np.searchsorted(spans[:, 1], start + _BYTES)))]
        part, bytes_ = slice(first, first + len(spans)), data[start : int(spans[-1, 1])]
        _count(bytes_, spans - start, character_bins(), letters[:, part], characters[part])
        first = part.stop
        release()
    return {"letters": letters, "characters": shrink(characters, allocate)}


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
