"""All documents at once: walk outward from a word along its neighbours, and record for each
document the distance of its k-th word.

The other words of the collection are ranked by distance once per word, whatever the number of
documents: first only the nearest of them, and more if some document has not met the largest k when
the walk ends. So the cost grows with the vocabulary, not with the number of pairs.

Kernels read which documents hold which word from ``postings = (offsets, documents)``: word w is in
``documents[offsets[w]:offsets[w + 1]]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.options import ComparisonOptions
from lexfield.engine.compiled import kernel
from lexfield.vectors.nearest import nearest_rows, prepare_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SPARE = 4  # approximate lists are this many times longer than the median document needs
_ROWS = 64  # words whose products with all others are held at a time
_LEAST = 0.1  # share of all words that are ranked at first
_SAMPLE = 512  # values from which the size of a share is estimated
_CLOSE = 1e-6  # squares under this share of the lengths lose digits as a difference of products


@dataclass(frozen=True)
class Block:
    """Some words, the documents that hold them (entries), and the distances of the walk."""

    words: Array  # entry → word of the block
    documents: Array  # entry → document
    weights: Array  # entry → how often
    distances: Array  # word × document × k: to the document's k-th nearest word
    own: Array  # entry × document × k, for equal radii: see _walk_block
    others: Array
    union: Array  # entry × document × k, for the mixture: see _walk_unions


class NeighbourWalk:
    """Walks from every word, in blocks of ``size`` words."""

    def __init__(
        self,
        vectors: Array,
        counts: csr_matrix,
        ks: list[int],
        options: ComparisonOptions,
        size: int,
        approximate: bool,
    ) -> None:
        by_word = counts.T.tocsr()
        offsets, documents = by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32)
        self._postings = (offsets, documents)
        self._weights = by_word.data.astype(np.float64)
        self._points = (vectors, np.einsum("ij,ij->i", vectors, vectors))
        self._height = counts.shape[0]
        self._ks, self._options, self._size = np.array(ks), options, size
        self._single = vectors.astype(np.float32) if approximate else None
        self._base = None if self._single is None else prepare_rows(self._single, euclidean=True)
        if self._base is not None:
            _ = self._base.cells  # trained once, before threads need them
        share = ks[-1] / float(np.median(np.diff(counts.indptr)))
        self._list_size = min(int(_SPARE * share * len(vectors)), len(vectors) - 1)

    def walk_block(self, first: int) -> Block:
        """Walk from the words of the block that begins at ``first``."""
        vectors, (offsets, documents) = self._points[0], self._postings
        last = min(first + self._size, len(vectors))
        entries = slice(int(offsets[first]), int(offsets[last]))
        shape = (entries.stop - entries.start, self._height, len(self._ks))
        equal_radii = self._options.estimator == "equal_radius"
        out = np.full((last - first, *shape[1:]), np.nan)
        own, others = (np.zeros(shape if equal_radii else (0, 0, 0), np.int32) for _ in range(2))
        union = np.zeros(shape if self._options.definition.uses_mixture else (0, 0, 0))
        left = np.ones(last - first, bool) if self._base is None else self._walk_lists(first, out)
        room = np.empty((_ROWS, len(vectors)))
        for start, end in _find_runs(np.flatnonzero(left), _ROWS):
            at, before = first + start, offsets[first + start] - offsets[first]
            products = np.matmul(vectors[at : first + end], vectors.T, out=room[: end - start])
            walk = (at, self._postings, self._ks)
            if len(union):
                _walk_unions(self._points, products.copy(), *walk, union[before:])
            inside = (own[before:], others[before:])
            _walk_block(self._points, products, *walk, out[start:end], inside)
        words = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]))
        return Block(words, documents[entries], self._weights[entries], out, own, others, union)

    def _walk_lists(self, first: int, out: Array) -> Array:
        """Walk along approximate lists; return True for words whose list was too short."""
        assert self._single is not None and self._base is not None
        words = np.arange(first, first + len(out))
        found = nearest_rows(
            self._single[words], self._base, k=self._list_size, skip=words, approximate=True
        )
        mine, none = np.empty(0, np.int32), np.empty((0, 0, 0), np.int32)
        short = np.empty(len(out), bool)
        for number, target in enumerate(out):
            near = slice(found.offsets[number], found.offsets[number + 1])
            ranked = (found.rows[near], found.scores[near] ** 2)
            met_all = _walk(ranked, self._postings, self._ks, target, mine, (none, none))
            short[number] = not met_all
        return short


def _find_runs(places: Array, most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of consecutive numbers as (first, last + 1), of at most ``most`` each."""
    if len(places):
        for run in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
            for start in range(int(run[0]), int(run[-1]) + 1, most):
                yield start, min(start + most, int(run[-1]) + 1)


@kernel
def _walk_block(
    points: tuple[Array, ...],
    products: Array,
    first: int,
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
    inside: tuple[Array, ...],
) -> None:
    """Find the distance at which each document meets its k-th word, for a block of words.

    points: all vectors, and their squared lengths.
    products: inner products of the words of the block, beginning with ``first``, with all words.
    out: word of the block × document × k. inside: two arrays of every (word, document that holds
    it) of the block × document × k: how many of its own words that document has met when the other
    meets its k-th, and the reverse; empty if not wanted.
    """
    offsets, documents = postings
    own, others = inside
    share = _LEAST
    for number in range(len(products)):
        word, row = first + number, products[number]
        start, end = offsets[word] - offsets[first], offsets[word + 1] - offsets[first]
        mine = documents[offsets[word] : offsets[word + 1]]
        counts = (own[start:end], others[start:end])  # empty if not wanted
        _find_squares(points, row, word)
        while not _walk(_rank(row, share), postings, ks, out[number], mine, counts):
            share *= 1.5
        share = max(_LEAST, 0.98 * share)


@kernel
def _walk_unions(
    points: tuple[Array, ...],
    products: Array,
    first: int,
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
) -> None:
    """For every (word, document that holds it) of a block × document × k: the distance of the k-th
    nearest of the words of both documents together, each counted once."""
    offsets, documents = postings
    more = np.empty(out.shape[1], np.int64)
    for number in range(len(products)):
        word = first + number
        _find_squares(points, products[number], word)
        order, squares = _rank(products[number], 1.0)
        for at in range(offsets[word], offsets[word + 1]):
            mine, target = documents[at], out[at - offsets[first]]
            more[:] = 0
            own = 0
            for step in range(len(order)):
                near = order[step]
                inside = False
                for i in range(offsets[near], offsets[near + 1]):
                    inside = inside or documents[i] == mine
                if inside:
                    own += 1
                    for document in range(len(more)):
                        _record(target[document], ks, own + more[document], squares[step])
                    if own == ks[-1]:
                        break
                else:
                    for i in range(offsets[near], offsets[near + 1]):
                        other = documents[i]
                        more[other] += 1
                        _record(target[other], ks, own + more[other], squares[step])


@kernel
def _record(row: Array, ks: Array, count: int, square: float) -> None:
    for i in range(len(ks)):
        if count == ks[i]:
            row[i] = np.sqrt(square)


@kernel
def _walk(
    ranked: tuple[Array, ...],
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
    mine: Array,
    inside: tuple[Array, ...],
) -> bool:
    """Walk from one word along ``ranked``: other words, nearest first, and their squared distances.
    Return False if some document did not meet its largest k."""
    order, squares = ranked
    offsets, documents = postings
    own, others = inside
    met, stage = np.zeros(len(out), np.int32), np.zeros(len(out), np.int32)
    left = len(out)
    for step in range(len(order)):
        near = order[step]
        for at in range(offsets[near], offsets[near + 1]):
            met[documents[at]] += 1
        for at in range(offsets[near], offsets[near + 1]):
            document = documents[at]
            now = stage[document]
            if now == len(ks) or met[document] != ks[now]:
                continue
            out[document, now] = np.sqrt(squares[step])
            stage[document] += 1
            left -= stage[document] == len(ks)
            for i in range(len(own)):
                own[i, document, now] = met[mine[i]]
                if mine[i] == document:
                    others[i, :, now] = met
        if left == 0:
            return True
    return False


@kernel
def _find_squares(points: tuple[Array, ...], products: Array, word: int) -> None:
    """Turn inner products with a word into squared distances; its own becomes infinite."""
    vectors, lengths = points
    for other in range(len(products)):
        products[other] = lengths[word] + lengths[other] - 2 * products[other]
    for other in range(len(products)):
        if products[other] < _CLOSE * lengths[other]:
            products[other] = 0.0
            for axis in range(vectors.shape[1]):
                products[other] += (vectors[word, axis] - vectors[other, axis]) ** 2
    products[word] = np.inf


@kernel
def _rank(squares: Array, share: float) -> tuple[Array, Array]:
    """Return the nearest words, about ``share`` of all, and their squares; equal ones by number.

    Words are put into as many buckets of equal width, then sorted by insertion: few have to move.
    """
    most = np.inf
    if share < 1 and len(squares) >= 2 * _SAMPLE:
        some = np.sort(squares[:: len(squares) // _SAMPLE])
        most = some[int(share * len(some))]
    near, count, low, high = np.empty(len(squares), np.int32), 0, np.inf, 0.0
    for word in range(len(squares)):
        square = squares[word]
        if square <= most and square < np.inf:
            near[count] = word
            count += 1
            low, high = min(low, square), max(high, square)
    scale = (count - 1) * (1 - 1e-12) / (high - low) if high > low else 0.0
    starts = np.zeros(count + 1, np.int32)
    for word in near[:count]:
        starts[int((squares[word] - low) * scale) + 1] += 1
    for bucket in range(count):
        starts[bucket + 1] += starts[bucket]
    order, ranked = np.empty(count, np.int32), np.empty(count)
    for word in near[:count]:
        bucket = int((squares[word] - low) * scale)
        order[starts[bucket]], ranked[starts[bucket]] = word, squares[word]
        starts[bucket] += 1
    for at in range(1, count):
        square, word, to = ranked[at], order[at], at
        while to > 0 and ranked[to - 1] > square:
            ranked[to], order[to] = ranked[to - 1], order[to - 1]
            to -= 1
        ranked[to], order[to] = square, word
    return order, ranked
