"""Word vectors from a text itself: positive pointwise mutual information, then a truncated SVD.

Levy, Goldberg and Dagan (2015): words that occur together within a window are counted, contexts are
smoothed by the power 0.75, and the rows of U·√Σ are the vectors. This needs nothing but the text,
is fast and deterministic, and on small texts does as well as a neural model.
"""

from __future__ import annotations

import numpy as np

from lexfield.errors import InputError, check
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

_SMOOTH = 0.75
_FEWEST = 20  # words


def train_ppmi(corpus: Corpus, *, dims: int = 100, window: int = 5, least: int = 2) -> WordVectors:
    """Return vectors of all words that occur at least ``least`` times."""
    from scipy.sparse import coo_matrix
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    check(dims >= 1, "dims", "at least 1", dims)
    check(window >= 1, "window", "at least 1", window)
    size = count_frequent(corpus, least)  # ids are sorted by falling count
    lengths = np.diff(corpus.token_offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    counts = coo_matrix((size, size), dtype=np.float64).tocsr()
    for step in range(1, window + 1):
        left, right = corpus.tokens[:-step], corpus.tokens[step:]
        keep = (sentence[:-step] == sentence[step:]) & (left < size) & (right < size)
        ones = np.ones(int(keep.sum()))
        counts += coo_matrix((ones, (left[keep], right[keep])), (size, size)).tocsr()
    counts = (counts + counts.T).tocoo()
    words = np.asarray(counts.sum(axis=1)).ravel()
    contexts = words**_SMOOTH
    contexts /= contexts.sum()
    with np.errstate(divide="ignore"):
        information = np.log(counts.data / words[counts.row]) - np.log(contexts[counts.col])
    keep = information > 0
    matrix = coo_matrix(
        (information[keep], (counts.row[keep], counts.col[keep])), (size, size)
    ).tocsr()
    with threadpool_limits(1):  # the same vectors at any number of cores
        left, values, _ = randomized_svd(matrix, min(dims, size - 1), random_state=0)
    vectors = (left * np.sqrt(values)).astype(np.float32)
    used = np.flatnonzero(np.abs(vectors).sum(axis=1) > 0)  # a word without neighbours has none
    names = [corpus.vocabulary.words[int(row)] for row in used]
    return WordVectors(names, vectors[used], name="own")


def count_frequent(corpus: Corpus, least: int) -> int:
    """Count the words that occur at least ``least`` times; raise InputError if they are too few."""
    count = int((corpus.vocabulary.counts >= least).sum())
    if count < _FEWEST:
        raise InputError(
            f"Only {count} words occur at least {least} times: the text is too short to train"
            " vectors.",
            f"Choose a longer text, or rarer words: at least {_FEWEST} words are needed.",
        )
    return count
