"""A text as a cloud of sentences: each is the mean of its words' vectors (Hare et al., 3.3).

Sentences without a known word and repeated sentences are left out, as in the paper's Table 5; both
are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.ranks.counts import find_distinct_sentences
from lexfield.text.corpus import Corpus
from lexfield.vectors.ppmi import ppmi_vectors
from lexfield.vectors.wordvectors import Embedded, WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Source = WordVectors | str | Path
_ROWS = 8192  # sentences per block


def check_corpus(corpus: Corpus) -> None:
    """Raise an error if ``corpus`` is no Corpus or has no words."""
    check(isinstance(corpus, Corpus), "corpus", "a Corpus, as returned by Corpus.read", corpus)
    if not len(corpus.tokens):
        raise InputError("There are no words in this text.", "Give a text with words.")


def open_vectors(
    corpus: Corpus, vectors: Source = "default", progress: Progress = silent
) -> WordVectors:
    """Open vectors by name or file; ``"own"`` are trained on the corpus itself."""
    if isinstance(vectors, WordVectors):
        return vectors
    if str(vectors) == "own":
        return ppmi_vectors(corpus)
    if str(vectors) == "encoder":
        return WordVectors.encoded(corpus.vocabulary.words, progress=progress)
    return WordVectors.load(vectors, progress=progress)


@dataclass(frozen=True)
class EmbeddedWords:
    """The words of a corpus as vectors; ``known`` says which have one, ``source`` from where."""

    embedded: Embedded
    known: NDArray[np.bool_]
    source: str

    @classmethod
    def of(
        cls, corpus: Corpus, vectors: Source = "default", progress: Progress = silent
    ) -> EmbeddedWords:
        """Embed all words. Raise an error if none has a vector."""
        opened = open_vectors(corpus, vectors, progress)
        embedded = opened.embed(corpus.vocabulary)
        known = embedded.how > 0
        if not known.any():
            raise InputError(
                f"The vectors {opened.name!r} have no word of this text.",
                "Name vectors of its language with --vectors, or train some on the text:"
                " --vectors own",
            )
        return cls(embedded, known, opened.name)

    @property
    def matrix(self) -> NDArray[np.float32]:
        return self.embedded.matrix


def unit_rows(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows of length one; a zero row stays zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1), np.float32)


@dataclass(frozen=True)
class Cloud:
    """Sentences as points.

    rows: their numbers in the corpus; means: their vectors; bags: their known words, one sparse
    row per sentence, with one entry per occurrence; repeated, unknown: sentences left out.
    """

    rows: NDArray[np.int64]
    means: NDArray[np.float32]
    bags: csr_matrix
    words: EmbeddedWords
    repeated: int
    unknown: int


def embed_sentences(
    corpus: Corpus, vectors: Source = "default", progress: Progress = silent
) -> Cloud:
    """Return the mean vector of every distinct sentence of a corpus."""
    words = EmbeddedWords.of(corpus, vectors, progress)
    distinct = find_distinct_sentences(corpus)
    bags = _make_bags(corpus, distinct, words.known)
    has_words = np.diff(bags.indptr) > 0
    bags = bags[has_words]
    return Cloud(
        distinct[has_words],
        mean_vectors(bags, words.matrix),
        bags,
        words,
        int((np.diff(corpus.token_offsets) > 0).sum()) - len(distinct),
        int((~has_words).sum()),
    )


def _make_bags(corpus: Corpus, rows: NDArray[np.int64], known: NDArray[np.bool_]) -> csr_matrix:
    """Return the known words of some sentences, given in order; a word may repeat in a row."""
    from scipy.sparse import csr_matrix

    lengths = np.diff(corpus.token_offsets)
    wanted = np.zeros(len(lengths), np.bool_)
    wanted[rows] = True
    tokens = corpus.tokens[np.repeat(wanted, lengths)]
    kept = known[tokens]
    owner = np.repeat(np.arange(len(rows)), lengths[rows])
    counts = np.bincount(owner, kept, minlength=len(rows)).astype(np.int64)
    offsets = np.append(0, np.cumsum(counts))
    tokens = tokens[kept]
    return csr_matrix((np.ones(len(tokens), np.float32), tokens, offsets), (len(rows), len(known)))


def mean_vectors(bags: csr_matrix, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of the vectors of each row's words."""
    out = np.empty((bags.shape[0], matrix.shape[1]), np.float32)
    lengths = np.diff(bags.indptr).astype(np.float32)

    def fill(start: int) -> None:
        part = slice(start, start + _ROWS)
        out[part] = bags[part] @ matrix
        out[part] /= lengths[part, None]

    list(map_blocks(fill, range(0, len(out), _ROWS)))
    return out
