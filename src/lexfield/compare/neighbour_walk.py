"""All documents at once: walk outward from a word along its neighbours, and record for each
document the distance of its k-th word.

The other words of the collection are ranked by distance once per word, whatever the number of
documents: first only the nearest of them, and more if some document has not met the largest k when
the walk ends. So the cost grows with the vocabulary, not with the number of pairs.

Kernels read which documents hold which word from ``postings = (offsets, documents)``: word w is in
``documents[offsets[w]:offsets[w + 1]]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.knn import CloudSums, count_mixture, extrapolate
from lexfield.compare.options import ComparisonOptions
from lexfield.engine.compiled import kernel
from lexfield.vectors.nearest import nearest_rows, prepare_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SPARE = 4  # approximate lists are this many times longer than the median document needs
_ROWS = 64  # words whose products with all others are held at a time
_LEAST = 0.05  # share of all words that are ranked at first
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
        starts = first + np.flatnonzero(left)
        room = np.empty((_ROWS, len(vectors)))
        for at in range(0, len(starts), _ROWS):
            part = starts[at : at + _ROWS]
            products = np.matmul(vectors[part], vectors.T, out=room[: len(part)])
            walk = (part, first, self._postings, self._ks)
            if len(union):
                _walk_unions(self._points, products.copy(), *walk, union)
            _walk_block(self._points, products, *walk, out, (own, others))
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


@kernel
def _walk_block(
    points: tuple[Array, ...],
    products: Array,
    words: Array,
    first: int,
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
    inside: tuple[Array, ...],
) -> None:
    """Find the distance at which each document meets its k-th word, for words of a block that
    begins with ``first``.

    points: all vectors, and their squared lengths. products: inner products of the words with all.
    out: word of the block × document × k. inside: two arrays of every (word, document that holds
    it) of the block × document × k: how many of its own words that document has met when the other
    meets its k-th, and the reverse; empty if not wanted.
    """
    offsets, documents = postings
    own, others = inside
    share = _LEAST
    for number in range(len(words)):
        word, row = words[number], products[number]
        start, end = offsets[word] - offsets[first], offsets[word + 1] - offsets[first]
        mine = documents[offsets[word] : offsets[word + 1]]
        counts = (own[start:end], others[start:end])  # empty if not wanted
        _find_squares(points, row, word)
        while not _walk(_rank(row, share), postings, ks, out[word - first], mine, counts):
            share *= 1.5
        share = max(_LEAST, 0.98 * share)


@kernel
def _walk_unions(
    points: tuple[Array, ...],
    products: Array,
    words: Array,
    first: int,
    postings: tuple[Array, ...],
    ks: Array,
    out: Array,
) -> None:
    """For every (word, document that holds it) of a block × document × k: the distance of the k-th
    nearest of the words of both documents together, each counted once."""
    offsets, documents = postings
    more = np.empty(out.shape[1], np.int64)
    for number in range(len(words)):
        word = words[number]
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


class PairSums:
    """Sums over the words of each document, weighted by how often it holds them, for all pairs and
    each k. ``arrays`` is all there is to store; a block can be forgotten once it has been added.

    logs      Σ w ln ν, which is Σ w ln ρ on the diagonal
    radii     Σ w (ψ(l) − ψ(m)), for equal radii
    union     Σ w ln of the distance to the k-th nearest of both texts together
    top0, …   the largest power of each order α, and the sum of powers divided by it: total0, …
    """

    def __init__(
        self, counts: csr_matrix, ks: list[int], options: ComparisonOptions, d: float
    ) -> None:
        self._counts, self._ks, self._options, self._d = counts, ks, options, d
        shape = (counts.shape[0], counts.shape[0], len(ks))
        names = ["radii"] if options.estimator == "equal_radius" else ["logs"]
        if options.orders:
            names = [f"{part}{i}" for i in range(len(options.orders)) for part in ("top", "total")]
        elif options.definition.uses_mixture:
            names.append("union")
        self.arrays = {
            name: np.full(shape, -np.inf if name.startswith("top") else 0.0) for name in names
        }

    def add(self, block: Block) -> None:
        """Add the sums of a block of words."""
        from scipy.special import digamma

        places = np.arange(len(block.weights))
        logs = np.log(block.distances)
        if "radii" in self.arrays:
            ks = np.array(self._ks)
            inside, others = np.maximum(block.own, ks), np.maximum(block.others, ks)
            self._add_weighted("radii", block, places, digamma(inside) - digamma(others))
        if "union" in self.arrays:
            self._add_weighted("union", block, places, np.log(block.union))
        if "logs" in self.arrays:
            self._add_weighted("logs", block, block.words, logs)
        for i, alpha in enumerate(self._options.orders):
            sums = (self.arrays[f"top{i}"], self.arrays[f"total{i}"])
            entries = (block.words, block.documents, block.weights)
            _add_powers(entries, logs, (1 - alpha) * self._d, *sums)

    def _add_weighted(self, name: str, block: Block, places: Array, values: Array) -> None:
        """Add to the row of each entry's document what ``values`` holds at the entry's place."""
        from scipy.sparse import csr_matrix

        shape = (len(self.arrays[name]), len(values))
        weights = csr_matrix((block.weights, (block.documents, places)), shape=shape)
        flat = weights @ values.reshape(len(values), -1)
        self.arrays[name] += np.asarray(flat).reshape(self.arrays[name].shape)

    def merge(self, part: Mapping[str, Array]) -> None:
        """Add the sums of other words."""
        for name, values in part.items():
            if name.startswith("top"):
                tops, total = np.maximum(self.arrays[name], values), f"total{name[3:]}"
                scaled = [one[total] * _find_scale(one[name], tops) for one in (self.arrays, part)]
                self.arrays[name], self.arrays[total] = tops, scaled[0] + scaled[1]
            elif not name.startswith("total"):
                self.arrays[name] += values

    def compute_matrices(self, ks: list[int]) -> dict[int, Array]:
        """Return the divergence of every document from every other, for each of ``ks``, in nats."""
        sums, estimate = self._finish(), self._options.definition.estimate
        assert estimate is not None  # checked with the options
        values = estimate(sums, sums.swap)
        by_neighbour = {k: values[:, :, i] for i, k in enumerate(self._ks)}
        if self._options.estimator == "extrapolated":
            return {k: extrapolate(by_neighbour, k, self._d) for k in ks}
        return {k: by_neighbour[k].copy() for k in ks}

    def _finish(self) -> CloudSums:
        n = np.asarray(self._counts.sum(axis=1)).ravel().astype(np.float64)
        per = n[:, None, None]
        sums = CloudSums(per, n[None, :, None], np.array(self._ks))
        if "radii" in self.arrays:
            return replace(sums, ratio=-self.arrays["radii"] / per)
        if self._options.orders:
            powers = {
                alpha: self.arrays[f"top{i}"] + np.log(self.arrays[f"total{i}"])
                for i, alpha in enumerate(self._options.orders)
            }
            return replace(sums, powers=powers)
        logs = self.arrays["logs"]
        own = np.einsum("iik->ik", logs)[:, None]
        if "union" in self.arrays:
            to_mixture = self._d * (own - self.arrays["union"]) / per
            return replace(sums, to_mixture=to_mixture, mixture=self._count_mixtures(n))
        return replace(sums, ratio=self._d * (own - logs) / per)

    def _count_mixtures(self, n: Array) -> Array:
        held = (self._counts > 0).astype(np.float64)
        types = np.asarray(held.sum(axis=1)).ravel()
        both = types[:, None] + types[None, :] - (held @ held.T).toarray()
        return count_mixture(n[:, None], n[None, :], types[:, None], types, both)[:, :, None]


def _find_scale(tops: Array, new: Array) -> Array:
    """Return e^(tops − new), 1 where there is no power yet."""
    return np.exp(np.subtract(tops, new, out=np.zeros_like(new), where=np.isfinite(new)))


@kernel
def _add_powers(entries: Any, logs: Array, scale: float, tops: Array, totals: Array) -> None:
    """Add w (ρ/ν)^scale to totals · e^tops, with the largest power so far in ``tops``."""
    words, documents, weights = entries
    for entry in range(len(words)):
        word, mine, weight = words[entry], documents[entry], weights[entry]
        for other in range(logs.shape[1]):
            for i in range(logs.shape[2]):
                power = scale * (logs[word, mine, i] - logs[word, other, i])
                top = tops[mine, other, i]
                if power > top:
                    totals[mine, other, i] = totals[mine, other, i] * np.exp(top - power) + weight
                    tops[mine, other, i] = power
                else:
                    totals[mine, other, i] += weight * np.exp(power - top)
