"""Mean vectors: a text as the mean of the vectors of its words."""

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
from lexfield.vectors.wordvectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROWS = 8192  # rows per task


def embed_texts(
    texts: str | Iterable[str] | Corpus, vectors: WordVectors | str | Path = "default"
) -> NDArray[np.float32]:
    """Return an (n, d) array with the mean vector of the words of each text.

    Words without a vector are left out. A text without any known word is a row of zeros; a warning
    says how many there are.

    >>> embed_texts(["A cat sat.", "A dog barked."]).shape
    (2, 256)
    """
    opened = vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors)
    if not isinstance(texts, Corpus):
        texts = Corpus.of([texts] if isinstance(texts, str) else list(texts))
    bags = BagMatrix.of(texts)
    embedded = opened.embed(bags.types)
    counts = bags.counts[:, np.flatnonzero(embedded.known)].astype(np.float32)
    if unknown := int((np.diff(counts.indptr) == 0).sum()):
        warnings.warn(
            f"{unknown:,} of {counts.shape[0]:,} texts have no word with a vector in"
            f" {opened.name!r}: their rows are zeros",
            stacklevel=2,
        )
    return mean_vectors(counts, embedded.vectors)


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
