"""A text as a cloud of sentences: each is the mean of its words' vectors (Hare et al., 3.3).

Sentences without a word that has a vector are left out, and so are repeated ones, as in the
paper's Table 5; both are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.ranks.counts import distinct_sentences
from lexfield.text.corpus import Corpus
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.means import mean_vectors
from lexfield.vectors.ppmi import train_ppmi
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Source = WordVectors | str | Path
OWN = "own"


def open_vectors(
    corpus: Corpus, vectors: Source = "default", progress: Progress = silent
) -> WordVectors:
    """A set of vectors by name or file; ``"own"`` are trained on the corpus itself."""
    if isinstance(vectors, WordVectors):
        return vectors
    if str(vectors) == OWN:
        return train_ppmi(corpus)
    if str(vectors) == "encoder":
        return WordVectors.encoded(corpus.vocabulary.words, progress=progress)
    return WordVectors.load(vectors, progress=progress)


def embed_corpus(
    corpus: Corpus, vectors: Source, allow_unknown: bool, progress: Progress
) -> tuple[str, WordEmbeddings, list[str]]:
    """Return the name of the vectors, those of the corpus's words, and what to note of their
    coverage; raise ``InputError`` if it is too low, unless that is allowed, or nothing."""
    opened = open_vectors(corpus, vectors, progress)
    embedded = opened.embed(corpus.vocabulary)
    words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
    coverage = Coverage.of(words, embedded.known, counts, opened.name, "this text")
    notes = coverage.require(allow_unknown)
    if not embedded.known.any():
        raise InputError(
            f"The vectors {opened.name!r} have no word of this text.",
            "Name vectors of its language with --vectors, or train some on the text: --vectors own",
        )
    return opened.name, embedded, notes


def unit_rows(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one; a zero row stays zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1), np.float32)


@dataclass(frozen=True)
class Cloud:
    """Sentences as points.

    rows: which sentences of the corpus; means: their vectors; bags: their words that have vectors,
    a sparse row each (a count for every time a word is there).
    """

    rows: NDArray[np.int64]
    means: NDArray[np.float32]
    bags: csr_matrix
    embedded: WordEmbeddings
    vectors: str
    repeated: int
    unknown: int
    notes: list[str] = field(default_factory=list)


def cloud(
    corpus: Corpus,
    vectors: Source = "default",
    progress: Progress = silent,
    allow_unknown: bool = False,
) -> Cloud:
    """The mean vector of every distinct sentence of a corpus."""
    name, embedded, notes = embed_corpus(corpus, vectors, allow_unknown, progress)
    known = embedded.known
    distinct = distinct_sentences(corpus)
    bags = sentence_bags(corpus, distinct, known)
    found = np.diff(bags.indptr) > 0
    bags = bags[found]
    return Cloud(
        distinct[found],
        mean_vectors(bags, embedded.matrix),
        bags,
        embedded,
        name,
        int((np.diff(corpus.token_offsets) > 0).sum()) - len(distinct),
        int((~found).sum()),
        notes,
    )


def sentence_bags(corpus: Corpus, rows: NDArray[np.int64], known: NDArray[np.bool_]) -> csr_matrix:
    """Known words of some sentences, a row each; a word may be in a row several times."""
    from scipy.sparse import csr_matrix

    lengths = np.diff(corpus.token_offsets)
    wanted = np.zeros(len(lengths), np.bool_)
    wanted[rows] = True
    tokens = corpus.tokens[np.repeat(wanted, lengths)]  # rows are in order
    kept = known[tokens]
    owner = np.repeat(np.arange(len(rows)), lengths[rows])
    counts = np.bincount(owner, kept, minlength=len(rows)).astype(np.int64)
    offsets = np.append(0, np.cumsum(counts))
    tokens = tokens[kept]
    ones = np.ones(len(tokens), np.float32)
    return csr_matrix((ones, tokens, offsets), (len(rows), len(known)))
