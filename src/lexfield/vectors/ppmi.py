"""Word vectors from a text itself: positive pointwise mutual information, then a truncated SVD.

Levy, Goldberg and Dagan (2015): words that occur together within a window are counted, contexts are
smoothed by the power 0.75, and the rows of U·√Σ are the vectors. It needs nothing but the text, is
quick, and gives the same vectors at every run; on small texts it does as well as a neural model.
"""

from __future__ import annotations

import numpy as np

from lexfield.errors import InputError, check
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

_SMOOTH = 0.75
_FEWEST = 20  # words


def ppmi_vectors(
    corpus: Corpus, *, dims: int = 100, window: int = 5, least: int = 2
) -> WordVectors:
    """Vectors of all words that occur at least ``least`` times."""
    from scipy.sparse import coo_matrix
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    check(dims >= 1, "dims", "at least 1", dims)
    check(window >= 1, "window", "at least 1", window)
    size = int((corpus.vocabulary.counts >= least).sum())  # ids go by falling count
    if size < _FEWEST:
        raise InputError(
            f"Only {size} words occur at least {least} times: vectors cannot be trained on so"
            " little text.",
            f"Take a longer text: at least {_FEWEST} such words are needed.",
        )
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
    with threadpool_limits(1):  # the same vectors at any number of threads
        left, values, _ = randomized_svd(matrix, min(dims, size - 1), random_state=0)
    vectors = (left * np.sqrt(values)).astype(np.float32)
    used = np.flatnonzero(np.abs(vectors).sum(axis=1) > 0)  # a word that stands alone has none
    names = [corpus.vocabulary.words[int(row)] for row in used]
    return WordVectors(names, vectors[used], name="own")
