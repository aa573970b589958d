"""Texts as clouds: distinct word vectors, how often each text holds them, and their neighbours.

Neighbours are distinct points: a word is never its own neighbour, however often it occurs, and
words with the same vector are one point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.compare.counts import Counts
from lexfield.compare.knn import estimate_dimension
from lexfield.compare.options import ComparisonOptions
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError, check
from lexfield.vectors.coverage import Coverage, content_words
from lexfield.vectors.nearest import nearest_rows, prepare_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_TREE = 16  # dimensions up to which a k-d tree finds neighbours faster than products
_BLOCK = 256  # points whose distances to all others are held at a time
_SPARE = 8  # additional neighbours, as float32 can order the last ones wrongly


@dataclass(frozen=True)
class Clouds:
    """Points, how often each text holds them (texts × points), and a word for each."""

    vectors: NDArray[np.float64]
    counts: csr_matrix
    words: Sequence[str]
    dropped: NDArray[np.float64]  # share of each text's tokens that have no vector


def check_coverage(counts: Counts, options: ComparisonOptions, *, each: bool) -> list[str]:
    """Return notes on words without a vector, for ``each`` text or for all together. Raise
    InputError if there are too many, unless the options allow it."""
    if options.space != "latent":
        return []
    vectors = options.load_vectors()
    content = content_words(counts.types)
    known = content & vectors.embed(counts.types).known
    totals, covered = (np.asarray(counts.matrix @ mask).ravel() for mask in (content, known))
    if each:
        parts = [
            Coverage(int(words), int(kept), vectors.name, f"text {id!r}")
            for id, words, kept in zip(counts.ids, totals, covered, strict=True)
        ]
    else:
        parts = [Coverage(int(totals.sum()), int(covered.sum()), vectors.name)]
    return [note for part in parts for note in part.require(options.allow_unknown)]


def make_clouds(counts: Counts, options: ComparisonOptions) -> Clouds:
    """Return the points of counted texts."""
    vectors = options.load_vectors()
    embedded = vectors.embed(counts.types)
    if not np.isfinite(embedded.matrix).all():
        bad = counts.types[int(np.flatnonzero(~np.isfinite(embedded.matrix).all(axis=1))[0])]
        raise InputError(f"The vector of {bad!r} in {vectors.name!r} is not a number.")
    used = np.asarray(counts.matrix.sum(axis=0)).ravel() > 0
    known = np.flatnonzero(embedded.known & used)
    totals = counts.totals
    matrix = counts.matrix[:, known]
    covered = np.asarray(matrix.sum(axis=1)).ravel()
    for id, tokens, kept in zip(counts.ids, totals, covered, strict=True):
        if kept == 0:
            why = "has no words" if tokens == 0 else f"has no word of the vectors {vectors.name!r}"
            raise InputError(f"Text {id!r} {why}.", "Leave it out, or name other vectors.")
    rows = embedded.matrix[known].astype(np.float64)
    words = [counts.types[i] for i in known.tolist()]
    clouds = merge_equal_points(Clouds(rows, matrix, words, 1 - covered / totals))
    if options.points == "types":
        ones = clouds.counts.copy()
        ones.data = np.ones_like(ones.data)
        clouds = replace(clouds, counts=ones)
    return reduce_dimensions(clouds, options.axes)


def merge_equal_points(clouds: Clouds) -> Clouds:
    """Make equal rows one point, with the most frequent of their words."""
    from scipy.sparse import csr_matrix

    rows = np.ascontiguousarray(clouds.vectors) + 0.0  # no −0, whose bytes differ from those of 0
    as_bytes = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, place = np.unique(as_bytes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # points in the order of their words
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    place = rank[place]
    totals = np.asarray(clouds.counts.sum(axis=0)).ravel()
    names = np.full(len(first), -1, np.int64)
    by_frequency = np.lexsort((np.arange(len(place)), -totals))[::-1]
    names[place[by_frequency]] = by_frequency  # the most frequent word is written last
    shape = (len(place), len(first))
    merge = csr_matrix((np.ones(len(place)), (np.arange(len(place)), place)), shape=shape)
    counts = csr_matrix(clouds.counts @ merge)
    counts.sort_indices()
    words = [clouds.words[i] for i in names.tolist()]
    return Clouds(rows[first][order], counts, words, clouds.dropped)


def reduce_dimensions(clouds: Clouds, size: int | None) -> Clouds:
    """Keep the first principal axes of the distinct points; all dimensions if ``size`` is None."""
    if size is None:
        return clouds
    width = clouds.vectors.shape[1]
    check(1 <= size <= width, "reduce", f"1 to {width}", size)
    centred = clouds.vectors - clouds.vectors.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :size]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(size)])
    return merge_equal_points(replace(clouds, vectors=centred @ (axes * signs)))


def find_exponent(clouds: Clouds, dimension: str | float) -> float:
    """Return d: the dimensions of the space, those of the cloud in it, or a given number."""
    if dimension == "ambient":
        return float(clouds.vectors.shape[1])
    if dimension == "intrinsic":
        _, distances = list_neighbours(clouds.vectors, min(20, len(clouds.vectors) - 1))
        return estimate_dimension(distances)
    return float(dimension)


def list_neighbours(
    vectors: NDArray[np.float64], size: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the ``size`` nearest others of every row and their distances, nearest first, equally
    near ones by row."""
    size = min(size, len(vectors) - 1)
    if vectors.shape[1] <= _TREE:
        from scipy.spatial import cKDTree

        _, rows = cKDTree(vectors).query(vectors, size + 1, workers=-1)
        rows = rows.reshape(len(vectors), -1)
        own = rows == np.arange(len(vectors))[:, None]
        own[~own.any(axis=1), -1] = True  # drop the last one if a row is not in its own list
        rows = rows[~own].reshape(len(vectors), size)
    else:
        wanted = min(size + _SPARE, len(vectors) - 1)
        single = vectors.astype(np.float32)
        found = nearest_rows(
            single, prepare_rows(single, euclidean=True), k=wanted, skip=np.arange(len(vectors))
        )
        rows = found.rows.reshape(len(vectors), wanted)
    distances = np.empty(rows.shape)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        apart = vectors[part] - vectors[start : start + _BLOCK, None]
        distances[start : start + _BLOCK] = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    order = np.lexsort((rows, distances), axis=1)[:, :size]
    return (
        np.take_along_axis(rows, order, 1).astype(np.int32),
        np.take_along_axis(distances, order, 1),
    )


def find_radii(
    vectors: Array, lists: tuple[Array, Array], points: Array, a: Array, b: Array, k: int
) -> tuple[Array, Array]:
    """Return for each of ``points`` the distances to the k-th nearest point of ``a``, of ``b`` and
    of both together, and how many of ``a`` and ``b`` lie within the larger of the first two.

    ``a`` and ``b`` are counts. A point whose list of neighbours is too short is compared with every
    other point.
    """
    distances, inside = np.empty((len(points), 3)), np.empty((len(points), 2))
    _follow_lists(*lists, points, a, b, k, distances, inside)
    short = np.flatnonzero(inside[:, 0] < 0)
    for start in range(0, len(short), _BLOCK):
        part = short[start : start + _BLOCK]
        distances[part], inside[part] = _look_at_all(vectors, points[part], a > 0, b > 0, k)
    return distances, inside


@kernel
def _follow_lists(
    lists: Array, far: Array, points: Array, a: Array, b: Array, k: int, out: Array, inside: Array
) -> None:
    """Follow the lists outward; ``inside`` is −1 where a list is too short."""
    for number in range(len(points)):
        met_a = met_b = both = 0
        row = lists[points[number]]
        for at in range(len(row)):
            in_a, in_b = a[row[at]] > 0, b[row[at]] > 0
            if not (in_a or in_b):
                continue
            met_a += in_a
            met_b += in_b
            both += 1
            distance = far[points[number], at]
            if in_a and met_a == k:
                out[number, 0] = distance
            if in_b and met_b == k:
                out[number, 1] = distance
            if both == k:
                out[number, 2] = distance
            if met_a >= k and met_b >= k:
                break
        is_enough = met_a >= k and met_b >= k
        inside[number, 0] = met_a if is_enough else -1
        inside[number, 1] = met_b if is_enough else -1


def _look_at_all(
    vectors: Array, points: Array, in_a: Array, in_b: Array, k: int
) -> tuple[Array, Array]:
    from scipy.spatial.distance import cdist

    used = np.flatnonzero(in_a | in_b)
    apart = cdist(vectors[points], vectors[used])
    apart[used == points[:, None]] = np.inf  # no point is its own neighbour
    sides = [apart[:, in_a[used]], apart[:, in_b[used]]]
    radii = [np.partition(side, k - 1, axis=1)[:, k - 1] for side in (*sides, apart)]
    largest = np.maximum(radii[0], radii[1])[:, None]
    return np.column_stack(radii), np.column_stack([(side <= largest).sum(1) for side in sides])
