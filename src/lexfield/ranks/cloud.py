"""A text in figures: words by rank, types and tokens, Heaps' law, and its sentences as a cloud.

Heaps' law: among the first n tokens there are about K·n^b distinct words.

In the cloud, a sentence is the mean of its words' vectors (Hare et al., 3.3). Sentences without a
known word and repeated sentences are left out, as in the paper's Table 5; both are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.matrix import BagMatrix
from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.ranks.fit import Counts
from lexfield.text.corpus import Corpus, View
from lexfield.text.language import choose_language
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.means import mean_vectors
from lexfield.vectors.train import choose_vectors
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Texts = Corpus | str | Iterable[str]
Source = WordVectors | str | Path
_WINDOW = 1000
_PLACES = 100


def make_corpus(texts: Texts) -> Corpus:
    """Return a corpus, a text or a list of texts as a corpus.

    Raise InputError if it is something else or has no words.
    """
    corpus = texts if isinstance(texts, Corpus) else Corpus.of(texts)
    if not len(corpus.tokens):
        raise InputError("There are no words in this text.", "Give a text with words.")
    return corpus


def open_vectors(
    corpus: Corpus, vectors: Source = "default", progress: Progress = silent
) -> WordVectors:
    """Open vectors by name or file; ``"own"`` and ``"auto"`` depend on the corpus."""
    language, _ = choose_language(corpus.count_languages())
    vectors, _ = choose_vectors(vectors, corpus, language)
    if isinstance(vectors, WordVectors):
        return vectors
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
    from scipy.sparse import csr_matrix

    embedded = CorpusVectors.of(corpus, vectors, progress, allow_unknown)
    distinct = find_distinct_sentences(corpus)
    repeated = int((np.diff(corpus.token_offsets) > 0).sum()) - len(distinct)
    shape = len(corpus.sentences), len(corpus.vocabulary)
    ones = np.ones(len(corpus.tokens), np.float32)
    sentences = csr_matrix((ones, corpus.tokens, corpus.token_offsets), shape)[distinct]
    is_known = embedded.words.known[sentences.indices]
    offsets = np.append(0, np.cumsum(is_known))[sentences.indptr]
    has_words = np.diff(offsets) > 0
    known = sentences.data[is_known], sentences.indices[is_known], offsets
    bags = csr_matrix(known, sentences.shape)[has_words]
    means = mean_vectors(bags, embedded.words.matrix)
    return Cloud(distinct[has_words], means, bags, embedded, repeated, int((~has_words).sum()))


@dataclass(frozen=True)
class TextFigures:
    """Counts of a text.

    ratio: types over tokens, which falls as a text grows; ``ratio_of_1000`` is its mean over
        windows of 1,000 tokens, which is comparable between texts; None for a shorter text.
    once: types that occur once. heaps_k, heaps_b: Heaps' law; None for under 100 tokens.
    unembedded: types without a vector, after repair; None if no vectors were loaded.
    sentences: distinct sentences with a known word (all distinct ones if no vectors were loaded).
    """

    tokens: int
    types: int
    ratio: float
    ratio_of_1000: float | None
    once: int
    heaps_k: float | None
    heaps_b: float | None
    unembedded: int | None
    sentences: int


def rank_ngrams(corpus: Corpus, n: int = 1) -> tuple[Counts, Sequence[str]]:
    """Return the counts of all n-grams, falling, and the n-grams; ties in alphabetical order."""
    if n == 1:
        return corpus.vocabulary.counts, corpus.vocabulary.words
    bags = BagMatrix.of(corpus, n)
    sums = np.asarray(bags.counts.sum(axis=0)).ravel().astype(np.int64)
    # columns are ordered by word ids, which go by falling count and the alphabet
    order = np.argsort(-sums, kind="stable")
    return sums[order], View(len(order), lambda rank: bags.type(int(order[rank])))


def count_growth(tokens: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many distinct words the first 1, 2, 3 … tokens contain."""
    is_new = np.zeros(len(tokens), np.int64)
    is_new[np.unique(tokens, return_index=True)[1]] = 1
    return np.cumsum(is_new)


def fit_heaps(tokens: NDArray[np.int32]) -> tuple[float, float] | tuple[None, None]:
    """Return K and b by least squares in logs, over log-spaced lengths of the text."""
    if len(tokens) < _PLACES:
        return None, None
    lengths = np.unique(np.geomspace(10, len(tokens), _PLACES).astype(np.int64))
    b, log_k = np.polyfit(np.log(lengths), np.log(count_growth(tokens)[lengths - 1]), 1)
    return float(np.exp(log_k)), float(b)


def find_distinct_sentences(corpus: Corpus) -> NDArray[np.int64]:
    """Return the first occurrence of every sentence, compared by its words."""
    offsets, tokens = corpus.token_offsets.tolist(), corpus.tokens
    first: dict[bytes, int] = {}
    for row in range(len(offsets) - 1):
        if offsets[row] < offsets[row + 1]:
            first.setdefault(tokens[offsets[row] : offsets[row + 1]].tobytes(), row)
    return np.fromiter(first.values(), np.int64, len(first))


def count_text(
    corpus: Corpus, known: NDArray[np.bool_] | None = None, sentences: int | None = None
) -> TextFigures:
    """Count a text; ``known`` says which words have vectors."""
    tokens, types = len(corpus.tokens), len(corpus.vocabulary)
    windows = tokens // _WINDOW
    rows = np.sort(corpus.tokens[: windows * _WINDOW].reshape(windows, _WINDOW), axis=1)
    distinct = (np.diff(rows, axis=1) != 0).sum(axis=1) + 1
    heaps_k, heaps_b = fit_heaps(corpus.tokens)
    return TextFigures(
        tokens=tokens,
        types=types,
        ratio=types / tokens if tokens else 0.0,
        ratio_of_1000=float(distinct.mean() / _WINDOW) if windows else None,
        once=int((corpus.vocabulary.counts == 1).sum()),
        heaps_k=heaps_k,
        heaps_b=heaps_b,
        unembedded=None if known is None else int((~known).sum()),
        sentences=len(find_distinct_sentences(corpus)) if sentences is None else sentences,
    )
