"""Many bags at once: sparse rows of counts, and by transposing, the inverted index."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.bag import Bag
from lexfield.errors import InputError, check
from lexfield.store.strings import StringArray
from lexfield.text.corpus import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class BagMatrix:
    """One row a document (or sentence), one column a type; n-grams never cross a sentence's end.

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
        """The n-gram of a column, as its words with spaces."""
        return " ".join(self._words[int(word)] for word in self.grams[column])

    @property
    def types(self) -> Sequence[str]:
        return [self.type(column) for column in range(self.shape[1])]

    def bag(self, row: int) -> Bag:
        """One row as a ``Bag``."""
        first, last = self.counts.indptr[row], self.counts.indptr[row + 1]
        columns, values = self.counts.indices[first:last], self.counts.data[first:last]
        return Bag({self.type(c): int(v) for c, v in zip(columns, values, strict=True)})

    def total(self) -> Bag:
        """All rows together as one ``Bag``."""
        sums = np.asarray(self.counts.sum(axis=0)).ravel()
        return Bag({self.type(c): int(v) for c, v in enumerate(sums) if v})

    def postings(self, type: str) -> Bag:
        """The rows that hold a type, with its count there: the inverted index for one type."""
        column = self._columns.get(type)
        if column is None:
            return Bag()
        first, last = self.transpose.indptr[column], self.transpose.indptr[column + 1]
        rows, values = self.transpose.indices[first:last], self.transpose.data[first:last]
        return Bag({int(r): int(v) for r, v in zip(rows, values, strict=True)})

    def frequencies(self) -> csr_matrix:
        """Each count over its row's sum; an empty row stays empty."""
        from scipy.sparse import csr_matrix

        totals = np.asarray(self.counts.sum(axis=1)).ravel()
        spread = np.repeat(totals, np.diff(self.counts.indptr))
        data = self.counts.data / spread
        return csr_matrix((data, self.counts.indices, self.counts.indptr), self.counts.shape)

    @cached_property
    def transpose(self) -> csr_matrix:
        """Types as rows: which documents hold them."""
        return self.counts.T.tocsr()

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {type: column for column, type in enumerate(self.types)}

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<BagMatrix: {height:,} bags × {width:,} types, {int(self.counts.sum()):,} tokens>"


def _number_grams(
    tokens: NDArray[np.int32], starts: NDArray[Any], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """A number for every n-gram that begins at ``starts``, and the word ids behind each number."""
    numbers, grams = np.zeros(len(starts), np.int64), np.zeros((1, 0), np.int32)
    width = int(tokens.max()) + 1 if len(tokens) else 1
    for place in range(n):
        following = tokens[starts + place].astype(np.int64)
        if len(grams) > np.iinfo(np.int64).max // width:
            raise InputError("There are too many distinct n-grams to number.", "Use a smaller n.")
        pairs, numbers = np.unique(numbers * width + following, return_inverse=True)
        grams = np.column_stack([grams[pairs // width], (pairs % width).astype(np.int32)])
    return numbers, grams.astype(np.int32)
