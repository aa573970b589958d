"""All documents at once: walk outward from a word along its neighbours, and record for each
document the distance of its k-th word.

The other words of the collection are put into buckets by distance once per word, whatever the
number of documents. A bucket is sorted when the walk reaches it, and the walk ends when every
document has met the largest k. So the cost grows with the vocabulary, not with the number of pairs.

Kernels read which documents hold which word from ``postings = (offsets, documents)``: word w is in
``documents[offsets[w]:offsets[w + 1]]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.clouds import Clouds
from lexfield.compare.options import ComparisonOptions
from lexfield.engine.compiled import kernel
from lexfield.vectors.nearest import nearest_rows, prepare_rows

_SPARE = 4  # approximate lists are this many times longer than the median document needs
_ROWS = 64  # words whose products with all others are held at a time
_LEAST = 0.1  # share of all words that are put into buckets at first
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
        clouds: Clouds,
        ks: list[int],
        options: ComparisonOptions,
        size: int,
        approximate: bool,
    ) -> None:
        vectors, counts = clouds.vectors, clouds.counts
        by_word = counts.T.tocsr()
        self._offsets = by_word.indptr.astype(np.int64)
        self._documents = by_word.indices.astype(np.int32)
        self._weights = by_word.data.astype(np.float64)
        self._vectors, self._height = vectors, counts.shape[0]
        self._lengths = np.einsum("ij,ij->i", vectors, vectors)
        self._ks, self._options, self._size = np.array(ks), options, size
        self._single = vectors.astype(np.float32) if approximate else None
        self._base = None if self._single is None else prepare_rows(self._single, euclidean=True)
        if self._base is not None:
            _ = self._base.cells  # trained once, before threads need them
        share = ks[-1] / float(np.median(np.diff(counts.indptr)))
        self._list_size = min(int(_SPARE * share * len(vectors)), len(vectors) - 1)

    def walk_block(self, first: int) -> Block:
        """Walk from the words of the block that begins at ``first``."""
        last = min(first + self._size, len(self._vectors))
        offsets = self._offsets[first : last + 1]
        entries = slice(int(offsets[0]), int(offsets[-1]))
        shape = (entries.stop - entries.start, self._height, len(self._ks))
        none = (0, 0, 0)
        equal_radii = self._options.estimator == "equal_radius"
        out = np.full((last - first, *shape[1:]), np.nan)
        own, others = (np.zeros(shape if equal_radii else none, np.int32) for _ in range(2))
        union = np.zeros(shape if self._options.definition.uses_mixture else none)
        left = np.ones(last - first, bool) if self._base is None else self._walk_lists(first, out)
        room = np.empty((_ROWS, len(self._vectors)))
        postings = (self._offsets, self._documents)
        for start, end in _find_runs(np.flatnonzero(left), _ROWS):
            at = first + start
            part = self._vectors[at : first + end]
            products = np.matmul(part, self._vectors.T, out=room[: end - start])
            before = int(self._offsets[at] - self._offsets[first])
            points = (self._vectors, self._lengths)
            if len(union):
                _walk_unions(points, products.copy(), at, postings, self._ks, union[before:])
            inside = (own[before:], others[before:])
            _walk_block(points, products, at, postings, self._ks, out[start:end], inside)
        words = np.repeat(np.arange(last - first), np.diff(offsets))
        held = (self._documents[entries], self._weights[entries])
        return Block(words, *held, out, own, others, union)

    def _walk_lists(self, first: int, out: Array) -> Array:
        """Walk along approximate lists; return True for words whose list was too short."""
        assert self._single is not None and self._base is not None
        found = nearest_rows(
            self._single[first : first + len(out)],
            self._base,
            k=self._list_size,
            skip=np.arange(first, first + len(out)),
            approximate=True,
        )
        complete = np.zeros(len(out), np.bool_)
        lists = (found.offsets, found.rows, -found.scores)
        _walk_lists(lists, first, (self._offsets, self._documents), self._ks, out, complete)
        return ~complete


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
    width = products.shape[1]
    order, squares = np.empty(width, np.int32), np.empty(width)
    place, ends = np.empty(width, np.int32), np.empty(width + 1, np.int32)
    share = _LEAST
    for number in range(len(products)):
        word, row = first + number, products[number]
        start, end = offsets[word] - offsets[first], offsets[word + 1] - offsets[first]
        mine = documents[offsets[word] : offsets[word + 1]]
        counts = (own[start:end], others[start:end])  # empty if not wanted
        _find_squares(points, row, word)
        while True:
            count = _fill_buckets(row, _find_cut(row, share), order, squares, place, ends)
            near, far = order[:count], ends[: count + 1]
            if _walk(near, squares, far, postings, ks, out[number], mine, counts):
                break
            share *= 1.5
        share = max(_LEAST, 0.98 * share)


@kernel
def _walk_lists(
    lists: tuple[Array, ...],
    first: int,
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
    complete: Array,
) -> None:
    """The same along given lists of neighbours; ``complete`` tells which were long enough."""
    starts, rows, distances = lists
    offsets, documents = postings
    none, no_buckets = np.empty((0, 0, 0), np.int32), np.empty(0, np.int32)
    for number in range(len(complete)):
        mine = documents[offsets[first + number] : offsets[first + number + 1]]
        near = slice(starts[number], starts[number + 1])
        squares = distances[near] ** 2
        complete[number] = _walk(
            rows[near], squares, no_buckets, postings, ks, out[number], mine, (none, none)
        )


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
    width, height = products.shape[1], out.shape[1]
    order, squares = np.empty(width, np.int32), np.empty(width)
    place, ends = np.empty(width, np.int32), np.empty(width + 1, np.int32)
    more = np.empty(height, np.int64)
    for number in range(len(products)):
        word = first + number
        _find_squares(points, products[number], word)
        _fill_buckets(products[number], np.inf, order, squares, place, ends)
        _sort(order, squares, 0, width - 1)  # nothing leaves its bucket
        for at in range(offsets[word], offsets[word + 1]):
            mine, target = documents[at], out[at - offsets[first]]
            more[:] = 0
            own = 0
            for step in range(width - 1):
                near = order[step]
                inside = False
                for i in range(offsets[near], offsets[near + 1]):
                    inside = inside or documents[i] == mine
                if inside:
                    own += 1
                    for document in range(height):
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
    order: Array,
    squares: Array,
    ends: Array,
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
    mine: Array,
    inside: tuple[Array, ...],
) -> bool:
    """Walk from one word. Return False if some document did not meet its largest k. Buckets end at
    ``ends``, which is empty if everything is sorted."""
    offsets, documents = postings
    own, others = inside
    height = len(out)
    bucket, ready = 0, 0 if len(ends) else len(order)
    met, stage = np.zeros(height, np.int32), np.zeros(height, np.int32)
    left = height
    for step in range(len(order)):
        if step == ready:
            while ends[bucket] == ready:
                bucket += 1
            _sort(order, squares, ready, ends[bucket])
            ready = ends[bucket]
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
def _find_cut(values: Array, share: float) -> float:
    """Return a value that about ``share`` of all values lie under, from a sample."""
    if share >= 1 or len(values) < 2 * _SAMPLE:
        return np.inf
    some = np.sort(values[:: len(values) // _SAMPLE])
    return float(some[int(share * len(some))])


@kernel
def _fill_buckets(
    values: Array, cut: float, order: Array, squares: Array, place: Array, ends: Array
) -> int:
    """Put the places of all finite values up to ``cut`` into buckets of equal width, and return how
    many there are. ``ends`` then holds where each bucket ends; ``place`` is scratch space."""
    count, low, high = 0, np.inf, 0.0
    for at in range(len(values)):
        value = values[at]
        if value <= cut and value < np.inf:
            place[count] = at
            count += 1
            low, high = min(low, value), max(high, value)
    scale = (count - 1) * (1 - 1e-12) / (high - low) if high > low else 0.0
    ends[: count + 1] = 0
    for i in range(count):
        ends[int((values[place[i]] - low) * scale) + 1] += 1
    for bucket in range(count):
        ends[bucket + 1] += ends[bucket]
    for i in range(count):
        value = values[place[i]]
        bucket = int((value - low) * scale)
        squares[ends[bucket]], order[ends[bucket]] = value, place[i]
        ends[bucket] += 1
    return count


@kernel
def _sort(order: Array, squares: Array, start: int, end: int) -> None:
    """Sort by insertion: a bucket is small, and equal squares keep their order."""
    for at in range(start + 1, end):
        square, other, to = squares[at], order[at], at
        while to > start and squares[to - 1] > square:
            squares[to], order[to] = squares[to - 1], order[to - 1]
            to -= 1
        squares[to], order[to] = square, other
