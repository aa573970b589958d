"""Texts as weighted points: distinct word vectors, how often each text holds them, and the nearest
others of every point.

Neighbours are distinct points: a word is never its own neighbour, however often it occurs, and
words with one and the same vector are one point.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge.counts import Counts
from lexfield.diverge.knn import intrinsic_dimension
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError, check
from lexfield.vectors.nearest import nearest_rows, prepare_rows
from lexfield.vectors.wordvectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Array = NDArray[Any]
_TREE = 16  # dimensions up to which a k-d tree finds neighbours sooner than products
_BLOCK = 256  # points whose distances to all others are held at a time
_SPARE = 8  # more neighbours than are asked for: float32 could order the last ones wrongly


@dataclass(frozen=True)
class Points:
    """Points and their counts in each text (texts × points); ``words`` of each point."""

    vectors: NDArray[np.float64]
    counts: csr_matrix
    words: Sequence[str]
    dropped: NDArray[np.float64]  # share of each text's tokens that have no vector

    def lists(self, size: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The ``size`` nearest others of every point, nearest first, and their distances."""
        return neighbour_lists(self.vectors, size)


def embed(counts: Counts, vectors: WordVectors, *, points: str, reduce: str | None) -> Points:
    """The points of counted texts. ``points`` says whether a word counts as often as it occurs
    (``"tokens"``) or once (``"types"``)."""
    check(points in ("tokens", "types"), "points", "'tokens' or 'types'", points)
    embedded = vectors.embed(counts.types)
    if not np.isfinite(embedded.matrix).all():
        bad = counts.types[int(np.flatnonzero(~np.isfinite(embedded.matrix).all(axis=1))[0])]
        raise InputError(f"The vector of {bad!r} in {vectors.name!r} is not a number.")
    used = np.asarray(counts.matrix.sum(axis=0)).ravel() > 0
    known = np.flatnonzero(embedded.known & used)
    totals = counts.totals
    matrix = counts.matrix[:, known]
    left = np.asarray(matrix.sum(axis=1)).ravel()
    for id, tokens, kept in zip(counts.ids, totals, left, strict=True):
        if kept == 0:
            why = "has no words" if tokens == 0 else f"has no word of the vectors {vectors.name!r}"
            raise InputError(f"Text {id!r} {why}.", "Leave it out, or name other vectors.")
    rows = embedded.matrix[known].astype(np.float64)
    made = merged(rows, matrix, [counts.types[i] for i in known.tolist()], 1 - left / totals)
    if points == "types":
        ones = made.counts.copy()
        ones.data = np.ones_like(ones.data)
        made = Points(made.vectors, ones, made.words, made.dropped)
    return reduced(made, reduce)


def merged(rows: Array, counts: csr_matrix, words: Sequence[str], dropped: Array) -> Points:
    """Points from rows, those that are equal made one; named by the most frequent word."""
    from scipy.sparse import csr_matrix

    rows = np.ascontiguousarray(rows) + 0.0  # no −0, which differs from 0 in its bytes
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    unique = rows[first]
    order = np.argsort(first, kind="stable")  # points in the order of their words
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    place = rank[place]
    totals = np.asarray(counts.sum(axis=0)).ravel()
    names = np.full(len(unique), -1, np.int64)
    by_frequency = np.lexsort((np.arange(len(place)), -totals))[::-1]
    names[place[by_frequency]] = by_frequency  # the last to be written is the most frequent
    gather = csr_matrix(
        (np.ones(len(place)), (np.arange(len(place)), place)), shape=(len(place), len(unique))
    )
    summed = csr_matrix(counts @ gather)
    summed.sort_indices()
    return Points(unique[order], summed, [words[i] for i in names.tolist()], dropped)


_REDUCE = re.compile(r"pca\(\s*(\d{1,6})\s*\)")


def axes_of(spec: str | None) -> int | None:
    """Return how many axes ``"pca(20)"`` keeps; None for all."""
    if spec is None:
        return None
    match = _REDUCE.fullmatch(spec.strip())
    check(match is not None, "reduce", "like pca(20)", spec)
    return int(match[1]) if match else None


def check_dimension(dimension: str | float) -> None:
    """Raise InputError unless this can be the exponent of distance."""
    ok = isinstance(dimension, int | float) and not isinstance(dimension, bool)
    ok = dimension in ("ambient", "intrinsic") or (ok and 0 < float(dimension) <= 10_000)
    check(ok, "dimension", "'ambient', 'intrinsic' or a number from 0 to 10,000", dimension)


def reduced(points: Points, spec: str | None) -> Points:
    """Fewer dimensions: ``"pca(20)"`` keeps the first principal axes of the distinct points."""
    size = axes_of(spec)
    if size is None:
        return points
    check(1 <= size <= points.vectors.shape[1], "reduce", f"1 to {points.vectors.shape[1]}", size)
    moved = points.vectors - points.vectors.mean(axis=0)
    axes = np.linalg.eigh(moved.T @ moved)[1][:, ::-1][:, :size]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(size)])
    return merged(moved @ (axes * signs), points.counts, points.words, points.dropped)


def exponent(points: Points, dimension: str | float) -> float:
    """The exponent d: of the space, of the cloud in it (Levina–Bickel), or a number."""
    if dimension == "ambient":
        return float(points.vectors.shape[1])
    if dimension == "intrinsic":
        _, distances = points.lists(min(20, len(points.vectors) - 1))
        return intrinsic_dimension(distances)
    check_dimension(dimension)
    return float(dimension)


def neighbour_lists(
    vectors: NDArray[np.float64], size: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The ``size`` nearest others of every row, by true distance in float64, ties by row."""
    size = min(size, len(vectors) - 1)
    if vectors.shape[1] <= _TREE:
        from scipy.spatial import cKDTree

        _, rows = cKDTree(vectors).query(vectors, size + 1, workers=-1)
        rows = rows.reshape(len(vectors), -1)
        own = rows == np.arange(len(vectors))[:, None]
        own[~own.any(axis=1), -1] = True  # the last one where a row did not find itself
        rows = rows[~own].reshape(len(vectors), size)
    else:
        wanted = min(size + _SPARE, len(vectors) - 1)
        plain = vectors.astype(np.float32)
        found = nearest_rows(
            plain, prepare_rows(plain, euclidean=True), k=wanted, skip=np.arange(len(vectors))
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


def reach(
    points: Points, lists: tuple[Array, Array], mine: Array, a: Array, b: Array, k: int
) -> tuple[Array, Array]:
    """For each of the points ``mine``: the distances at which points of ``a``, of ``b`` and of both
    are met for the k-th time, and how many of ``a`` and ``b`` lie within the larger of the first
    two. ``a`` and ``b`` are counts; points whose list is too short look at every other point.
    """
    distances, counts = np.empty((len(mine), 3)), np.empty((len(mine), 2))
    _walk(*lists, mine, a, b, k, distances, counts)
    short = np.flatnonzero(counts[:, 0] < 0)
    _look_at_all(points.vectors, mine, short, a > 0, b > 0, k, distances, counts)
    return distances, counts


@kernel
def _walk(
    lists: Any, distances: Any, points: Any, mine: Any, theirs: Any, k: Any, out: Any, counts: Any
) -> None:
    """Outward along the lists; counts of −1 where a list is too short."""
    for number in range(len(points)):
        a = b = both = 0
        row = lists[points[number]]
        for at in range(len(row)):
            word = row[at]
            in_a, in_b = mine[word] > 0, theirs[word] > 0
            if not (in_a or in_b):
                continue
            a += in_a
            b += in_b
            both += 1
            distance = distances[points[number], at]
            if in_a and a == k:
                out[number, 0] = distance
            if in_b and b == k:
                out[number, 1] = distance
            if both == k:
                out[number, 2] = distance
            if a >= k and b >= k:
                break
        met = a >= k and b >= k
        counts[number, 0] = a if met else -1
        counts[number, 1] = b if met else -1


def _look_at_all(
    vectors: Array, mine: Array, short: Array, a: Array, b: Array, k: int, out: Array, counts: Array
) -> None:
    from scipy.spatial.distance import cdist

    used = np.flatnonzero(a | b)
    for start in range(0, len(short), _BLOCK):
        part = short[start : start + _BLOCK]
        apart = cdist(vectors[mine[part]], vectors[used])
        apart[used == mine[part][:, None]] = np.inf  # no point is its own neighbour
        for column, held in enumerate((a[used], b[used], np.ones(len(used), bool))):
            out[part, column] = np.partition(apart[:, held], k - 1, axis=1)[:, k - 1]
        within = apart <= out[part, :2].max(axis=1)[:, None]
        counts[part] = np.column_stack([within[:, a[used]].sum(1), within[:, b[used]].sum(1)])
