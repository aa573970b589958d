"""A text as a cloud of sentences: each is the mean of its words' vectors (Hare et al., 3.3).

Sentences without a known word and repeated sentences are left out, as in the paper's Table 5; both
are counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.ranks.counts import find_distinct_sentences
from lexfield.text.corpus import Corpus
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.means import mean_vectors
from lexfield.vectors.train import train_ppmi
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Texts = Corpus | str | Iterable[str]
Source = WordVectors | str | Path


def make_corpus(texts: Texts) -> Corpus:
    """Return a corpus, a text or a list of texts as a corpus.

    Raise InputError if it is something else or has no words.
    """
    if isinstance(texts, str):
        texts = [texts]
    check(
        isinstance(texts, Corpus | Iterable), "texts", "a Corpus, a text or a list of texts", texts
    )
    corpus = texts if isinstance(texts, Corpus) else Corpus.of(list(texts))
    if not len(corpus.tokens):
        raise InputError("There are no words in this text.", "Give a text with words.")
    return corpus


def open_vectors(
    corpus: Corpus, vectors: Source = "default", progress: Progress = silent
) -> WordVectors:
    """Open vectors by name or file; ``"own"`` are trained on the corpus itself."""
    if isinstance(vectors, WordVectors):
        return vectors
    if str(vectors) == "own":
        return train_ppmi(corpus)
    if str(vectors) == "encoder":
        return WordVectors.encoded(corpus.vocabulary.words, progress=progress)
    return WordVectors.load(vectors, progress=progress)


@dataclass(frozen=True)
class CorpusVectors:
    """The vectors of the words of a corpus, the name of their set, and notes on their coverage."""

    words: WordEmbeddings
    source: str
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        vectors: Source = "default",
        progress: Progress = silent,
        allow_unknown: bool = False,
    ) -> CorpusVectors:
        """Embed all words.

        Raise InputError if no word has a vector, or too few unless ``allow_unknown``.
        """
        opened = open_vectors(corpus, vectors, progress)
        embedded = opened.embed(corpus.vocabulary)
        words, counts = corpus.vocabulary.words, corpus.vocabulary.counts
        coverage = Coverage.of(words, embedded.known, counts, opened.name, "this text")
        notes = coverage.require(allow_unknown)
        if not embedded.known.any():
            raise InputError(
                f"The vectors {opened.name!r} have no word of this text.",
                "Name vectors of its language with --vectors, or train some on the text:"
                " --vectors own",
            )
        return cls(embedded, opened.name, notes)


@dataclass(frozen=True)
class Cloud:
    """Sentences as points.

    rows: their numbers in the corpus; means: their vectors; bags: their known words, one sparse
    row per sentence, with one entry per occurrence; repeated, unknown: sentences left out.
    """

    rows: NDArray[np.int64]
    means: NDArray[np.float32]
    bags: csr_matrix
    vectors: CorpusVectors
    repeated: int
    unknown: int


def embed_sentences(
    corpus: Corpus,
    vectors: Source = "default",
    progress: Progress = silent,
    allow_unknown: bool = False,
) -> Cloud:
    """Return the mean vector of every distinct sentence of a corpus."""
    embedded = CorpusVectors.of(corpus, vectors, progress, allow_unknown)
    distinct = find_distinct_sentences(corpus)
    bags = _make_bags(corpus, distinct, embedded.words.known)
    has_words = np.diff(bags.indptr) > 0
    bags = bags[has_words]
    return Cloud(
        distinct[has_words],
        mean_vectors(bags, embedded.words.matrix),
        bags,
        embedded,
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
