"""Many bags as the rows of a sparse matrix; its transpose is an inverted index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.bag import Bag
from lexfield.errors import InputError, check
from lexfield.store.strings import StringArray
from lexfield.text.corpus import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class BagMatrix:
    """One row per document (or sentence), one column per type; n-grams stay within sentences.

    counts: scipy CSR matrix. grams: the word ids of each column's n-gram.
    """

    def __init__(self, counts: csr_matrix, grams: NDArray[np.int32], words: StringArray) -> None:
        self.counts = counts
        self.grams = grams
        self._words = words

    @classmethod
    def of(cls, corpus: Corpus, n: int = 1, unit: str = "document") -> BagMatrix:
        """Count the n-grams of every document or sentence of a corpus."""
        from scipy.sparse import csr_matrix

        check(isinstance(n, int) and n >= 1, "n", "a whole number of at least 1", n)
        check(unit in ("document", "sentence"), "unit", "'document' or 'sentence'", unit)
        if n == 1:
            return cls(*_count_words(corpus, unit), corpus.vocabulary.words)
        lengths = np.diff(corpus.token_offsets)
        sentence_of = np.repeat(np.arange(len(lengths)), lengths)
        starts = np.arange(max(0, len(corpus.tokens) - n + 1))
        starts = starts[sentence_of[starts] == sentence_of[starts + n - 1]]
        columns, grams = _number_grams(corpus.tokens, starts, n)
        rows = sentence_of[starts]
        height = len(lengths)
        if unit == "document":
            rows = np.searchsorted(corpus.sentence_offsets, rows, "right") - 1
            height = len(corpus.ids)
        ones = np.ones(len(rows), np.int64)
        counts = csr_matrix((ones, (rows, columns)), shape=(height, len(grams)))
        counts.sum_duplicates()
        return cls(counts, grams, corpus.vocabulary.words)

    @property
    def shape(self) -> tuple[int, int]:
        height, width = self.counts.shape
        return int(height), int(width)

    def type(self, column: int) -> str:
        """Return the n-gram of a column, its words joined by spaces."""
        return " ".join(self._words[int(word)] for word in self.grams[column])

    @property
    def types(self) -> Sequence[str]:
        words = list(self._words)
        return [" ".join([words[word] for word in gram]) for gram in self.grams.tolist()]

    def bag(self, row: int) -> Bag:
        """Return one row as a ``Bag``."""
        return Bag({self.type(column): count for column, count in _entries(self.counts, row)})

    def total(self) -> Bag:
        """Return the sum of all rows as one ``Bag``."""
        sums = np.asarray(self.counts.sum(axis=0)).ravel()
        counted = zip(self.types, sums.tolist(), strict=True)
        return Bag({type: int(count) for type, count in counted if count})

    def postings(self, type: str) -> Bag:
        """Return the rows that contain a type, with its count in each."""
        column = self._columns.get(type)
        return Bag() if column is None else Bag(dict(_entries(self.transpose, column)))

    def frequencies(self) -> csr_matrix:
        """Return each count divided by its row's sum; empty rows stay empty."""
        from scipy.sparse import csr_matrix

        totals = np.asarray(self.counts.sum(axis=1)).ravel()
        spread = np.repeat(totals, np.diff(self.counts.indptr))
        data = self.counts.data / spread
        return csr_matrix((data, self.counts.indices, self.counts.indptr), self.counts.shape)

    @cached_property
    def transpose(self) -> csr_matrix:
        """Types × documents: the inverted index."""
        return self.counts.T.tocsr()

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {type: column for column, type in enumerate(self.types)}

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<BagMatrix: {height:,} bags × {width:,} types, {int(self.counts.sum()):,} tokens>"


def _entries(matrix: csr_matrix, row: int) -> Iterator[tuple[int, int]]:
    """Yield the columns and values of one row."""
    part = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True)


def _count_words(corpus: Corpus, unit: str) -> tuple[csr_matrix, NDArray[np.int32]]:
    """Return the counts of single words, whose numbers need no search, and the word of each column.

    Columns are the words that occur, in the order of their ids.
    """
    from scipy.sparse import csr_matrix

    starts = corpus.token_offsets
    starts = starts[corpus.sentence_offsets] if unit == "document" else starts
    occurs = np.zeros(len(corpus.vocabulary), bool)
    occurs[corpus.tokens] = True
    words = np.flatnonzero(occurs).astype(np.int32)
    columns = np.cumsum(occurs) - 1
    ones = np.ones(len(corpus.tokens), np.int64)
    shape = (len(starts) - 1, len(words))
    counts = csr_matrix((ones, columns[corpus.tokens], starts), shape=shape)
    counts.sum_duplicates()
    return counts, words[:, None]


def _number_grams(
    tokens: NDArray[np.int32], starts: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Number the n-grams that begin at ``starts``; also return the word ids of each number."""
    numbers, grams = np.zeros(len(starts), np.int64), np.zeros((1, 0), np.int32)
    width = int(tokens.max()) + 1 if len(tokens) else 1
    for place in range(n):
        following = tokens[starts + place].astype(np.int64)
        if len(grams) > np.iinfo(np.int64).max // width:
            raise InputError("There are too many distinct n-grams to number.", "Use a smaller n.")
        pairs, numbers = np.unique(numbers * width + following, return_inverse=True)
        grams = np.column_stack([grams[pairs // width], (pairs % width).astype(np.int32)])
    return numbers, grams.astype(np.int32)
