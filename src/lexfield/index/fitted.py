"""A vector for each word of a collection, such that sums of them are what an encoder says.

X has a row per text: its words without stopwords, each weighted by a / (a + p) for a word with the
share p of all (smooth inverse frequency, Arora et al. 2017), of length 1. T has the encoder's
vectors, with their mean removed, of length 1. Word vectors E of the index, mapped by A, are a first
guess; the words' own vectors V are the ridge solution around it:

    A = argmin |X E A − T|² + λ|A|²,    V = E A + argmin_D |X (E A + D) − T|² + λ|D|²

The second is solved by conjugate gradients. A word that is not in the collection has its first
guess. A query is the sum of its words' weighted vectors, so that its cosine is a sum over words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import single_thread
from lexfield.index.segment import Segment
from lexfield.store.folder import Store, Writer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PREFIX = "fitted."
RIDGE = 1.0  # λ
_RARE = 1e-3  # a
_STEPS = 30  # of conjugate gradients, at most
_EXACT = 1e-3  # of the residual at the beginning, where they stop
Targets = Mapping[tuple[int, str], tuple[NDArray[np.int8], NDArray[np.float32]]]


@dataclass(frozen=True)
class FittedVectors:
    """Weighted vectors of words, and the map that makes one for any other word."""

    words: Sequence[str]
    vectors: NDArray[np.float16]
    map: NDArray[np.float32]

    def save(self, out: Writer) -> None:
        out.strings(f"{PREFIX}words", list(self.words))
        out.array(f"{PREFIX}vectors", self.vectors)
        out.array(f"{PREFIX}map", self.map)

    @classmethod
    def load(cls, part: Store) -> FittedVectors:
        vectors, map_ = (part.array(f"{PREFIX}{name}") for name in ("vectors", "map"))
        return cls(part.strings(f"{PREFIX}words"), vectors, map_)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def look_up(self, words: Sequence[str], vectors: Array, known: Array) -> NDArray[np.float64]:
        """Return the weighted vector of each word; zero for a word without any vector."""
        made = np.where(known[:, None], vectors, 0).astype(np.float64) @ self.map
        for place, word in enumerate(words):
            if (number := self._numbers.get(word)) is not None:
                made[place] = self.vectors[number]
        return made


def fit_words(segments: Sequence[Segment], targets: Targets, ridge: float = RIDGE) -> FittedVectors:
    """Fit vectors of the words of segments to the vectors of their rows: bytes and scales."""
    from scipy.sparse import csr_matrix, diags, vstack

    words: dict[str, int] = {}
    maps = [
        np.array([words.setdefault(word, len(words)) for word in segment.corpus.vocabulary])
        for segment in segments
    ]
    size, dims = len(words), segments[0].vectors.shape[1]
    guesses = np.zeros((size, dims), np.float32)
    for segment, own in zip(segments, maps, strict=True):
        guesses[own] = segment.vectors
    bags, vectors = [], []
    for (number, name), (codes, scales) in targets.items():
        unit = segments[number].unit(name)
        columns, kept = maps[number][unit.words], scales > 0
        bag = csr_matrix((unit.counts.astype(np.float32), columns, unit.offsets), (unit.rows, size))
        bags.append(bag[kept])
        vectors.append(codes[kept] * scales[kept, None])
    target = np.concatenate(vectors)
    target = _unit(target - target.mean(axis=0))
    bag = vstack(bags)
    counts = np.asarray(bag.sum(axis=0)).ravel()
    weights = (_RARE / (_RARE + counts / max(counts.sum(), 1))).astype(np.float32)
    bag = (bag @ diags(weights)).tocsr().astype(np.float32)
    lengths = np.sqrt(np.asarray(bag.multiply(bag).sum(axis=1)).ravel())
    bag = diags(1 / np.where(lengths > 0, lengths, 1)).astype(np.float32) @ bag
    with single_thread():
        means = bag @ guesses
        gram = (means.T @ means).astype(np.float64) + ridge * np.eye(dims)
        map_ = np.linalg.solve(gram, (means.T @ target).astype(np.float64)).astype(np.float32)
        solved = guesses @ map_ + _solve(bag, target - means @ map_, ridge)
    return FittedVectors(list(words), (solved * weights[:, None]).astype(np.float16), map_)


def _solve(bag: csr_matrix, target: NDArray[np.float32], ridge: float) -> NDArray[np.float32]:
    """Return the ridge solution D of bag · D = target, by conjugate gradients on all columns."""
    transposed = bag.T.tocsr()
    rest = transposed @ target
    found, direction = np.zeros_like(rest), rest.copy()
    square = np.einsum("ij,ij->j", rest, rest)
    enough = _EXACT**2 * square
    for _ in range(_STEPS):
        image = transposed @ (bag @ direction) + ridge * direction
        step = square / np.maximum(np.einsum("ij,ij->j", direction, image), 1e-30)
        found += step * direction
        rest -= step * image
        before, square = square, np.einsum("ij,ij->j", rest, rest)
        if (square <= enough).all():
            break
        direction = rest + square / np.maximum(before, 1e-30) * direction
    return np.asarray(found, np.float32)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)
