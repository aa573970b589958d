"""The features on which Mochihashi et al. learn their metric (sections 5.1.2 and 5.2.1).

Unigrams of all words and bigrams of function words (pairs of neighbours in a sentence that are both
stopwords; the paper takes them from part-of-speech tags); training rows brought to their median
length by drawing from a row's own grams; tf–idf; truncated SVD. Everything is found from the
training texts alone.

``clustering_precision`` is the share of pairs of rows that k-means puts together or apart as they
truly are (Xing et al. 2002; Rand's index), per random start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks, single_thread
from lexfield.errors import InputError, check
from lexfield.text.corpus import Corpus
from lexfield.text.stopwords import stopwords

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]
_MOST = 20_000  # training texts


class Grams:
    """``Grams.of(texts)`` finds features and their weights; ``weighted(texts)`` counts others.

    names: the features. training: the rows of the training texts by tf–idf, equalise to the
    ``median`` number of features. axes: their truncated SVD.
    """

    def __init__(
        self, names: list[str], training: csr_matrix, idf: Matrix, median: int, language: str
    ) -> None:
        self.names = names
        self.training = training
        self.median = median
        self._idf = idf
        self._language = language
        self._columns = {name: column for column, name in enumerate(names)}

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        *,
        least: int = 1,
        language: str = "en",
        equal: bool = True,
        seed: int = 0,
    ) -> Grams:
        """``least``: texts that a feature must be in. ``equal``: bring rows to median length."""
        counted = [Counter(grams) for grams in cut_grams(texts, language)]
        found = Counter(name for counter in counted for name in counter)
        names = sorted(name for name, present in found.items() if present >= least)
        if not names:
            raise InputError("The texts hold no words.")
        columns = {name: column for column, name in enumerate(names)}
        counts = _matrix(counted, columns)
        present = np.bincount(counts.indices, minlength=len(names))
        # scikit-learn's smoothed idf: no feature of a later text is worth infinitely much
        idf = np.log((1 + counts.shape[0]) / (1 + present)) + 1
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        median = int(np.median(lengths[lengths > 0]))
        if equal:
            counts = equalise(counts, median, np.random.default_rng(seed))
        return cls(names, _weighted(counts, idf), idf, median, language)

    def weighted(self, texts: Sequence[str]) -> csr_matrix:
        """tf–idf of texts; features that no training text has are left out."""
        counted = [Counter(grams) for grams in cut_grams(texts, self._language)]
        return _weighted(_matrix(counted, self._columns), self._idf)

    @cached_property
    def axes(self) -> Axes:
        return Axes.of(self.training)

    def dimensions(self, share: float) -> int:
        """How many axes a share of all features is; never more than the training rows span."""
        check(0 < share <= 1, "share", "above 0 and at most 1", share)
        return max(1, min(round(share * len(self.names)), len(self.axes)))


@dataclass(frozen=True)
class Axes:
    """Truncated SVD: ``Axes.of(training rows)``, then ``apply`` to any rows, X_k = X V_k."""

    columns: Matrix  # all right singular vectors, by falling singular value

    @classmethod
    def of(cls, rows: csr_matrix) -> Axes:
        """Compute the axes from the inner products of rows, of which there are few."""
        from scipy.linalg import eigh

        if rows.shape[0] > _MOST:
            raise InputError(
                f"Axes are found from at most {_MOST:,} texts; there are {rows.shape[0]:,}.",
                "Take a sample of them.",
            )
        with single_thread():
            values, left = eigh((rows @ rows.T).toarray(), driver="evd")
        kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
        columns = np.asarray(rows.T @ (left[:, kept] / np.sqrt(values[kept])))
        return cls(columns[:, ::-1])

    def __len__(self) -> int:
        return int(self.columns.shape[1])

    def apply(self, rows: csr_matrix, dimensions: int) -> Matrix:
        return np.asarray(rows @ self.columns[:, :dimensions])


def cut_grams(texts: Iterable[str], language: str = "en") -> Iterator[list[str]]:
    """The features of each text: its words, and neighbouring function words as "a b"."""
    function_words = stopwords(language)
    corpus = Corpus.of(list(texts))
    words = list(corpus.vocabulary)
    is_function = [word in function_words for word in words]
    for row in range(len(corpus.ids)):
        first, last = corpus.sentence_offsets[row : row + 2]
        grams = []
        for sentence in range(first, last):
            tokens = corpus.sentence_tokens(sentence).tolist()
            grams += [words[token] for token in tokens]
            grams += [
                f"{words[a]} {words[b]}"
                for a, b in pairwise(tokens)
                if is_function[a] and is_function[b]
            ]
        yield grams


def equalise(counts: csr_matrix, length: int, rng: np.random.Generator) -> csr_matrix:
    """Rows of counts brought to ``length``: longer ones lose grams drawn without replacement,
    shorter ones gain grams drawn from their own with replacement. Empty rows stay empty."""
    from scipy.sparse import csr_matrix

    data = counts.data.astype(np.int64)
    for first, last in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        own = data[first:last]
        total = int(own.sum())
        if total > length:
            data[first:last] = rng.multivariate_hypergeometric(own, length, method="marginals")
        elif total:
            data[first:last] += rng.multinomial(length - total, own / total)
    made = csr_matrix((data, counts.indices.copy(), counts.indptr.copy()), counts.shape)
    made.eliminate_zeros()
    return made


def _matrix(counted: Sequence[Counter[str]], columns: dict[str, int]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    places = [
        (row, columns[name], count)
        for row, counter in enumerate(counted)
        for name, count in counter.items()
        if name in columns
    ]
    rows, own, values = np.array(places, np.int64).reshape(-1, 3).T
    made = csr_matrix((values, (rows, own)), (len(counted), len(columns)))
    made.sort_indices()
    return made


def _weighted(counts: csr_matrix, idf: Matrix) -> Any:
    from scipy.sparse import diags

    return (counts @ diags(idf)).tocsr()


def clustering_precision(
    points: NDArray[Any],
    clusters: Sequence[Any] | NDArray[Any],
    *,
    starts: int = 100,
    seed: int = 0,
) -> Matrix:
    """Run k-means from ``starts`` random starts, k the true number; return Rand's index of each."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import rand_score

    k = len(set(clusters))
    rows = np.ascontiguousarray(points, np.float64)

    def one(start: int) -> float:
        found = KMeans(k, init="random", n_init=1, random_state=seed + start).fit_predict(rows)
        return float(rand_score(clusters, found))

    return np.fromiter(map_blocks(one, range(starts)), np.float64, starts)
