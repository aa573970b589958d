"""Vectors of texts, made of the vectors of their words: weighted sums, and plain means."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.matrix import BagMatrix
from lexfield.engine import map_blocks
from lexfield.text.corpus import Corpus
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROWS = 8192  # rows per task


def embed_texts(
    texts: str | Iterable[str] | Corpus,
    vectors: WordVectors | str | Path = "default",
    language: str = "en",
) -> NDArray[np.float32]:
    """Return an (n, d) array with a vector of length 1 per text, as the method ``mean`` compares.

    It is the weighted sum of ``vectors/weights.py``; all words weigh the same if the set does not
    tell how frequent they are. Stopwords of the language and words without a vector are left out. A
    text without any other word is a row of zeros; a warning says how many there are.

    >>> embed_texts(["A cat sat.", "A dog barked."]).shape
    (2, 256)
    """
    opened = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors)
    if not isinstance(texts, Corpus):
        texts = Corpus.of([texts] if isinstance(texts, str) else list(texts))
    bags = BagMatrix.of(texts)
    embedded = opened.embed(bags.types)
    excluded = stopwords(language)
    content = np.array([word not in excluded for word in bags.types], bool)
    counts = bags.counts[:, np.flatnonzero(embedded.known & content)].astype(np.float32)
    content = content[embedded.known]
    if unknown := int((np.diff(counts.indptr) == 0).sum()):
        warnings.warn(
            f"{unknown:,} of {counts.shape[0]:,} texts have no word with a vector in"
            f" {opened.name!r}: their rows are zeros",
            stacklevel=2,
        )
    sums = mean_vectors(counts, embedded.added[content].astype(np.float32))
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(lengths > 0, lengths, 1), np.float32)


def mean_vectors(bags: csr_matrix, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of the rows of ``matrix``, weighted by the counts of each bag.

    An empty bag has a mean of zero.
    """
    means = np.empty((bags.shape[0], matrix.shape[1]), np.float32)
    totals = np.asarray(bags.sum(axis=1), np.float32).reshape(-1, 1)
    totals[totals == 0] = 1

    def average(start: int) -> None:
        part = slice(start, start + _ROWS)
        means[part] = bags[part] @ matrix
        means[part] /= totals[part]

    list(map_blocks(average, range(0, len(means), _ROWS)))
    return means
