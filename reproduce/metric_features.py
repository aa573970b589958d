"""lexfield's own features beside those of Mochihashi et al. (``lexfield.metric.features``).

Means: the mean word vector of a text. Covers: how well a text covers each word of the training
texts by the balls of its words, as set cover counts it: 1 for its own words, for others the largest
cosine with one of its words whose ball (r nearest words) they are in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import check
from lexfield.text.corpus import Corpus
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]


def means(texts: Sequence[str], vectors: WordVectors, language: str = "en") -> Matrix:
    """The mean vector of each text's words, stopwords out; zero where none has a vector."""
    counts, words = _content_counts(texts, language)
    embedded = vectors.embed(words)
    known = embedded.known.astype(np.float64)
    totals = counts @ known
    sums: Matrix = counts @ embedded.matrix.astype(np.float64)
    found: Matrix = sums / np.maximum(totals, 1)[:, None]
    return found


@dataclass(frozen=True)
class Covers:
    """``Covers.of(texts, vectors)`` takes the words of training texts as what is to be covered."""

    words: list[str]
    vectors: WordVectors
    r: int = 10
    language: str = "en"

    @classmethod
    def of(
        cls, texts: Sequence[str], vectors: WordVectors, *, r: int = 10, language: str = "en"
    ) -> Covers:
        check(isinstance(r, int) and r >= 0, "r", "a whole number of at least 0", r)
        _, words = _content_counts(texts, language)
        return cls(words, vectors, r, language)

    @cached_property
    def _unit(self) -> NDArray[np.float32]:
        return _unit(self.vectors.embed(self.words).matrix)

    def rows(self, texts: Sequence[str]) -> csr_matrix:
        """Text × word: how well the text covers the word, from 0 to 1."""
        from scipy.sparse import csr_matrix, vstack

        counts, own = _content_counts(texts, self.language)
        columns = {word: column for column, word in enumerate(self.words)}
        same = np.array([columns.get(word, -1) for word in own], np.int64)
        covers = self._covers(_unit(self.vectors.embed(own).matrix), same)
        present = csr_matrix((np.ones(counts.nnz), counts.indices, counts.indptr), counts.shape)
        rows = []
        for row in range(counts.shape[0]):
            held = covers[present.indices[present.indptr[row] : present.indptr[row + 1]]]
            best = held.max(axis=0) if held.shape[0] else csr_matrix((1, len(self.words)))
            rows.append(csr_matrix(best))
        return vstack(rows, format="csr")

    def _covers(self, unit: NDArray[np.float32], same: NDArray[np.int64]) -> csr_matrix:
        """Word of a text × word to be covered: 1 for itself, the cosine within its ball."""
        from scipy.sparse import csr_matrix

        from lexfield.vectors.nearest import nearest_rows, prepare_rows

        rows, columns, values = [np.flatnonzero(same >= 0)], [same[same >= 0]], []
        values.append(np.ones(len(rows[0])))
        known = np.flatnonzero(unit.any(axis=1))
        r = min(self.r, len(self.words) - 1)
        if r > 0 and len(known):
            found = nearest_rows(unit[known], prepare_rows(self._unit), k=r, skip=same[known])
            rows.append(np.repeat(known, np.diff(found.offsets)))
            columns.append(found.rows.astype(np.int64))
            values.append(np.maximum(found.scores, 0))
        entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
        return csr_matrix(entries, (len(unit), len(self.words)))


def _unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _content_counts(texts: Sequence[str], language: str) -> tuple[csr_matrix, list[str]]:
    """Counts of words that are no stopwords, and these words."""
    from lexfield.bags.matrix import BagMatrix

    excluded = stopwords(language)
    bags = BagMatrix.of(Corpus.of(list(texts)))
    kept = [column for column, word in enumerate(bags.types) if word not in excluded]
    return bags.counts[:, kept].tocsr(), [bags.type(column) for column in kept]
