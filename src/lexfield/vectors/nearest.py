"""Exact nearest rows, the k best or all above a threshold: bounded memory, all cores.

Scores are float32 matrix products, computed in blocks. Rounding could swap near ties, so every row
within the rounding error of the cut is kept and measured again in float64: the result is exact,
and ties go to the lower row.

``nearest_others`` finds the neighbours of every row among the others in about half the time, as
each tile of the product serves both its sides. The score of a pair is x·y − |x|²/2 − |y|²/2 =
−|x − y|²/2, one inner product with two more columns. A tile is compared with the lowest scores that
its rows and columns still keep. Every row keeps ``_SPARE`` rows more than k. If the last of them is
further below the k-th than rounding can reach, the k nearest are among those kept, and are measured
and sorted in float64. Rows with too many near ties for that are searched by ``nearest_rows``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from threading import Lock, local
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.engine.topk import replace_worst
from lexfield.errors import check, need
from lexfield.progress import Progress, silent

_ROWS = 256  # queries per block
_COLUMNS = 16384  # rows that a block is compared with at a time: 16 MB of scores
_PAIRS = 512  # pairs measured at a time: they fit into the cache
_TILE = 1024  # rows per side of a tile: 4 MB of scores
_SPARE = 8
_RUN = 64  # scores of a tile compared together

_Pairs = tuple[Array, Array]  # numbers of queries, and of rows


@dataclass(frozen=True)
class NearestRows:
    """The neighbours of query i are ``rows[offsets[i]:offsets[i + 1]]``, nearest first.

    scores: cosine, or minus the Euclidean distance; higher is nearer.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float64]


class _Cells(Protocol):
    """An inverted file of faiss."""

    def search(self, queries: Array, k: int) -> tuple[Array, Array]: ...
    def range_search(self, queries: Array, low: float) -> tuple[Array, Array, Array]: ...


@dataclass(frozen=True)
class PreparedRows:
    """Rows to be searched, with what every search of them needs: see ``prepare_rows``."""

    rows: NDArray[np.float32]
    right: NDArray[np.float32]  # the matrix that queries are multiplied with
    longest: float

    @property
    def is_euclidean(self) -> bool:
        return self.right is not self.rows

    @cached_property
    def cells(self) -> _Cells:
        """The inverted file of the approximate search, trained once."""
        return _train_cells(self.right)


def prepare_rows(rows: NDArray[np.float32], *, euclidean: bool = False) -> PreparedRows:
    """Prepare rows for many calls of ``nearest_rows``, by cosine or Euclidean distance.

    One more column turns x·y − |y|²/2, which falls as the distance rises, into an inner product.
    """
    right = rows
    if euclidean:
        halves = -0.5 * np.einsum("ij,ij->i", rows, rows)[:, None].astype(np.float32)
        right = np.hstack([rows, halves])
    return PreparedRows(rows, right, _longest(right))


def unit_rows(matrix: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the matrix with rows of length one; a zero row stays zero."""
    if np.allclose(np.sqrt(np.einsum("ij,ij->i", matrix, matrix)), 1, atol=1e-6):
        return matrix  # as most sets are; this takes a tenth of the time of ``norm``
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    unit: NDArray[np.float32] = (matrix / lengths).astype(np.float32, copy=False)
    return unit


def nearest_rows(
    queries: NDArray[np.float32],
    base: NDArray[np.float32] | PreparedRows,
    *,
    k: int | None = None,
    threshold: float | None = None,
    skip: Array | None = None,
    approximate: bool = False,
    progress: Progress = silent,
) -> NearestRows:
    """Return the ``k`` rows of ``base`` nearest to each query, or all that score ``threshold``.

    The score is the inner product, which for rows of unit length is the cosine, or minus the
    Euclidean distance if ``base`` was prepared for it. ``skip[i]`` is a row that is never returned
    for query i; -1 for none.
    ``approximate`` searches only the nearest cells of a faiss inverted file. Its scores are exact,
    but it may miss rows. Training the cells takes longer than the exact search of a hundred
    thousand rows (``benchmarks/neighbours.py``), so it only helps with much larger sets.
    """
    check((k is None) != (threshold is None), "k, threshold", "one or the other", (k, threshold))
    check(k is None or k >= 1, "k", "at least 1", k)
    ready = base if isinstance(base, PreparedRows) else prepare_rows(base)
    rows, is_euclidean = ready.rows, ready.is_euclidean
    check(threshold is None or not is_euclidean, "threshold", "used with the cosine", threshold)
    left = queries
    if is_euclidean:
        left = np.hstack([queries, np.ones((len(queries), 1), np.float32)])
    slack = _rounding(left.shape[1], _longest(left), ready.longest)
    wanted = None if k is None else min(k + (skip is not None), len(rows))
    cells = ready.cells if approximate else None

    def search_block(start: int) -> tuple[Array, Array, Array]:
        block = slice(start, start + _ROWS)
        if cells is not None:
            pairs = _search_cells(left[block], cells, wanted, threshold)
        elif wanted is None:
            pairs = _find_above(left[block], ready.right, (threshold or 0.0) - slack)
        else:
            pairs = _find_best(left[block], ready.right, wanted, slack)
        skipped = None if skip is None else skip[block]
        return _rank_exactly(queries[block], rows, pairs, skipped, k, threshold, is_euclidean)

    blocks = list(map_blocks(search_block, range(0, len(queries), _ROWS), progress=progress))
    counts = np.concatenate([np.empty(0, np.int64), *(block[0] for block in blocks)])
    return NearestRows(
        np.append(0, np.cumsum(counts)).astype(np.int64),
        np.concatenate([np.empty(0, np.int32), *(block[1] for block in blocks)]),
        np.concatenate([np.empty(0, np.float64), *(block[2] for block in blocks)]),
    )


def _rounding(dims: int, left: float, right: float) -> float:
    """Bound the error of an inner product in float32 of rows of at most these lengths."""
    return float(dims * np.finfo(np.float32).eps * left * right)


def _longest(rows: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0)))


def _find_nonzero(mask: NDArray[np.bool_]) -> _Pairs:
    """``np.nonzero`` of a matrix, several times faster if few entries are set."""
    return np.divmod(np.flatnonzero(mask), mask.shape[1])


def _split_rows(rows: int, wanted: int) -> Iterator[tuple[int, int]]:
    """Split rows into blocks, small ones first: they set a floor that few of the others pass."""
    start, size = 0, min(_COLUMNS, max(_COLUMNS // 16, 4 * wanted))
    while start < rows:
        yield start, min(start + size, rows)
        start, size = start + size, min(4 * size, _COLUMNS)


def _find_best(
    part: NDArray[np.float32], base: NDArray[np.float32], wanted: int, slack: float
) -> _Pairs:
    """Return (query, row) pairs that include the ``wanted`` best rows of each query.

    ``floor`` is the ``wanted``-th best score so far. It rises block by block, so that fewer and
    fewer rows pass.
    """
    floor = np.full(len(part), -np.inf)
    queries, rows, scores = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
    for start, end in _split_rows(len(base), wanted):
        products = part @ base[start:end].T
        if start == 0 and wanted <= products.shape[1]:
            floor[:] = np.partition(products, -wanted, axis=1)[:, -wanted]
        q, r = _find_nonzero(products >= (floor - slack).astype(np.float32)[:, None])
        scores = np.concatenate([scores, products[q, r]])
        queries, rows = np.concatenate([queries, q]), np.concatenate([rows, r + start])
        order = np.lexsort((-scores, queries))
        queries, rows, scores = queries[order], rows[order], scores[order]
        is_last = _count_from_first(queries) == wanted - 1
        floor[queries[is_last]] = scores[is_last]
        keep = scores >= floor[queries] - slack
        queries, rows, scores = queries[keep], rows[keep], scores[keep]
    return queries, rows


def _count_from_first(queries: Array) -> Array:
    """Return the place of each entry among those of the same query; queries are sorted."""
    return np.arange(len(queries)) - np.searchsorted(queries, queries)


def _find_above(part: NDArray[np.float32], base: NDArray[np.float32], low: float) -> _Pairs:
    """Return the (query, row) pairs that score at least ``low``."""
    pairs = [
        (q, r + start)
        for start in range(0, len(base), _COLUMNS)
        for q, r in [_find_nonzero(part @ base[start : start + _COLUMNS].T >= low)]
    ]
    return np.concatenate([q for q, _ in pairs]), np.concatenate([r for _, r in pairs])


def _rank_exactly(
    part: NDArray[np.float32],
    base: NDArray[np.float32],
    pairs: _Pairs,
    skip: Array | None,
    k: int | None,
    threshold: float | None,
    is_euclidean: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Measure candidates in float64, sort them, and cut at ``k`` or ``threshold``.

    Return a count per query, and the rows and scores of all queries.
    """
    q, r = pairs
    if skip is not None:
        keep = r != skip[q]
        q, r = q[keep], r[keep]
    scores = _measure(part, base, q, r, is_euclidean)
    order = np.lexsort((r, -scores, q))
    q, r, scores = q[order], r[order], scores[order]
    keep = scores >= (threshold or 0.0) if k is None else _count_from_first(q) < k
    return np.bincount(q[keep], minlength=len(part)), r[keep].astype(np.int32), scores[keep]


def _measure(
    left: NDArray[np.float32], right: NDArray[np.float32], q: Array, r: Array, is_euclidean: bool
) -> NDArray[np.float64]:
    """Return the scores of pairs of rows in float64."""
    scores = np.empty(len(q))
    for start in range(0, len(q), _PAIRS):
        part = slice(start, start + _PAIRS)
        x, y = left[q[part]].astype(np.float64), right[r[part]]
        if is_euclidean:
            x -= y
            x *= x
            scores[part] = -np.sqrt(np.add.reduce(x, axis=1))
        else:
            scores[part] = np.einsum("ij,ij->i", x, y.astype(np.float64))
    return scores


def _train_cells(base: NDArray[np.float32]) -> _Cells:
    """Build a faiss inverted file of about 4√n cells, of which one in 24 is searched."""
    faiss = need("faiss", "faiss")
    cells = max(1, min(int(4 * len(base) ** 0.5), len(base) // 39))
    index = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(base.shape[1]), base.shape[1], cells, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.niter = 8  # cells need not be perfect, and training takes most of the time
    step = max(1, len(base) // (40 * cells))
    index.train(np.ascontiguousarray(base[::step]))
    index.add(np.ascontiguousarray(base))
    index.nprobe = max(1, cells // 24)
    built: _Cells = index
    return built


def _search_cells(
    part: NDArray[np.float32], cells: _Cells, wanted: int | None, threshold: float | None
) -> _Pairs:
    """Return the (query, row) pairs found in the nearest cells."""
    if wanted is None:
        limits, _, rows = cells.range_search(part, float(threshold or 0.0) - 1e-5)
        ends = limits.astype(np.int64)
        return np.repeat(np.arange(len(part)), ends[1:] - ends[:-1]), rows
    rows = cells.search(part, wanted)[1].ravel()
    queries = np.repeat(np.arange(len(part)), wanted)
    return queries[rows >= 0], rows[rows >= 0]


def nearest_others(
    rows: NDArray[np.float32], k: int, *, progress: Progress = silent
) -> NearestRows:
    """Return the ``k`` Euclidean nearest other rows of every row, as ``nearest_rows`` would."""
    size = len(rows)
    k = min(k, size - 1)
    if k < 1:
        return NearestRows(np.zeros(size + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    scores, others, slack = _collect(rows, min(k + _SPARE, size - 1), progress)
    low = -np.partition(-scores, k - 1, axis=1)[:, k - 1] - 2 * slack

    def rank_tile(first: int) -> tuple[Array, Array, Array]:
        part = slice(first, first + _TILE)
        q, place = np.nonzero(scores[part] >= low[part, None])
        pairs = q, others[part][q, place]
        return _rank_exactly(rows[part], rows, pairs, None, k, None, True)

    ranked = list(map_blocks(rank_tile, range(0, size, _TILE)))
    nearest = np.concatenate([near for _, near, _ in ranked]).reshape(size, k)
    distances = np.concatenate([score for _, _, score in ranked]).reshape(size, k)
    unsure = (scores.min(axis=1) >= low) & (scores.shape[1] < size - 1)
    if len(again := np.flatnonzero(unsure)):
        nearest[again], distances[again] = _search_again(rows, again, k)
    return NearestRows(np.arange(size + 1) * k, nearest.ravel(), distances.ravel())


def _search_again(rows: NDArray[np.float32], again: Array, k: int) -> tuple[Array, Array]:
    """Return the ``k`` nearest others of some rows, many of them equal, and their scores."""
    numbers: dict[bytes, int] = {}  # of distinct rows
    kinds = [numbers.setdefault(rows[row].tobytes(), len(numbers)) for row in again]
    _, first = np.unique(kinds, return_index=True)
    found = nearest_rows(rows[again[first]], prepare_rows(rows, euclidean=True), k=k + 1)
    nearest = found.rows.reshape(-1, k + 1)[kinds]
    others = np.argsort(nearest == again[:, None], axis=1, kind="stable")[:, :k]  # itself goes last
    scores = found.scores.reshape(-1, k + 1)[kinds]
    return np.take_along_axis(nearest, others, 1), np.take_along_axis(scores, others, 1)


def _collect(
    rows: NDArray[np.float32], count: int, progress: Progress
) -> tuple[NDArray[np.float32], NDArray[np.int32], float]:
    """Return the ``count`` best others of each row as scores and rows, and the rounding error."""
    size = len(rows)
    halves = -0.5 * np.einsum("ij,ij->i", rows, rows)
    ones = np.ones(size, np.float32)
    left, right = np.column_stack([rows, halves, ones]), np.column_stack([rows, ones, halves])
    scores = np.full((size, count), -np.inf, np.float32)
    others = np.full((size, count), -1, np.int32)
    starts = range(0, size, _TILE)
    floors = np.full(len(starts) * _TILE, np.inf, np.float32)  # no rows beyond the last
    floors[:size] = -np.inf
    locks = {start: Lock() for start in starts}
    thread = local()

    def add_tile(corner: tuple[int, int]) -> None:
        top, side = corner
        if not hasattr(thread, "product"):
            thread.product = np.zeros((_TILE, _TILE), np.float32)
        above, across = left[top : top + _TILE], right[side : side + _TILE]
        np.matmul(above, across.T, out=thread.product[: len(above), : len(across)])
        with locks[top], nullcontext() if side == top else locks[side]:
            _offer(thread.product, top, side, scores, others, floors)

    corners = [(top, side) for top in starts for side in starts if side >= top]
    # Consecutive tiles share no row, so threads seldom wait for each other.
    corners.sort(key=lambda corner: (corner[1] - corner[0], corner))
    for _ in map_blocks(add_tile, corners, progress=progress):
        pass
    return scores, others, _rounding(left.shape[1], _longest(left), _longest(right))


@kernel
def _offer(
    product: Array, top: int, side: int, scores: Array, others: Array, floors: Array
) -> None:
    """Offer the scores of a tile to the heaps of its rows and columns."""
    count = scores.shape[1]
    for i in range(min(_TILE, len(scores) - top)):
        line, row = product[i], top + i
        for first in range((i + 1) // _RUN * _RUN if top == side else 0, _TILE, _RUN):
            run, low, floor = line[first : first + _RUN], floors[side + first :], floors[row]
            hits = np.uint8(0)
            for j in range(_RUN):
                hits += np.uint8(run[j] > min(floor, low[j]))
            if hits == 0:
                continue
            for j in range(first, min(first + _RUN, len(scores) - side)):
                column = side + j
                if top == side and j <= i:
                    continue
                if line[j] > floors[row]:
                    replace_worst(others[row], scores[row], count, column, line[j])
                    floors[row] = scores[row, 0]
                if line[j] > floors[column]:
                    replace_worst(others[column], scores[column], count, row, line[j])
                    floors[column] = scores[column, 0]
