"""Exact nearest rows by count or by threshold, in blocks: bounded memory, all cores.

Scores are one matrix product a block in float32. Rounding there could swap near ties, so every row
within the rounding error of the cut is kept and measured again in float64: the answer is the
exact one, ties going to the lower row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import check, need
from lexfield.progress import Progress, silent

_ROWS = 256  # queries a block
_PAIRS = 512  # pairs measured at a time
_COLUMNS = 16384  # rows they are compared with at a time: 16 MB of scores


@dataclass(frozen=True)
class Nearest:
    """Neighbours of all queries: those of query i are ``rows[offsets[i]:offsets[i + 1]]``.

    scores: cosine, or minus the Euclidean distance; higher is nearer.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Base:
    """Rows to be searched, with what every search of them needs: see ``prepared``."""

    rows: NDArray[np.float32]
    right: NDArray[np.float32]  # what queries are multiplied with
    longest: float

    @property
    def euclidean(self) -> bool:
        return self.right is not self.rows

    @cached_property
    def cells(self) -> Any:
        """The inverted file of the approximate search, trained once."""
        return _cells(self.right)


def prepared(rows: NDArray[np.float32], *, euclidean: bool = False) -> Base:
    """Rows for many calls of ``nearest_rows``. For the Euclidean distance x·y − |y|²/2, which falls
    as the distance rises, is made an inner product by one more column."""
    halves = -0.5 * np.einsum("ij,ij->i", rows, rows)[:, None].astype(np.float32)
    right = np.hstack([rows, halves]) if euclidean else rows
    return Base(rows, right, _longest(right))


def nearest_rows(
    queries: NDArray[np.float32],
    base: NDArray[np.float32] | Base,
    *,
    k: int | None = None,
    threshold: float | None = None,
    skip: NDArray[Any] | None = None,
    approximate: bool = False,
    progress: Progress = silent,
) -> Nearest:
    """The ``k`` rows of ``base`` nearest to each query, or all that score at least ``threshold``.

    The score is the inner product, which for rows of unit length is the cosine; or minus the
    Euclidean distance, where ``base`` was prepared for it. ``skip[i]`` is a row never given for
    query i; -1 for none.
    ``approximate`` looks only into the nearest cells of a faiss inverted file; what it finds is
    measured as exactly, but it may miss some. Training the cells takes longer than the exact search
    of a hundred thousand rows (``benchmarks/neighbours.py``): it is for sets many times larger.
    """
    check((k is None) != (threshold is None), "k, threshold", "one or the other", (k, threshold))
    check(k is None or k >= 1, "k", "at least 1", k)
    ready = base if isinstance(base, Base) else prepared(base)
    rows, right, euclidean = ready.rows, ready.right, ready.euclidean
    check(threshold is None or not euclidean, "threshold", "given for the cosine only", threshold)
    starts = range(0, len(queries), _ROWS)
    left = queries
    if euclidean:
        left = np.hstack([queries, np.ones((len(queries), 1), np.float32)])
    slack = _rounding(left.shape[1], _longest(left), ready.longest)
    cells = ready.cells if approximate else None

    def block(start: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        part = left[start : start + _ROWS]
        omitted = None if skip is None else skip[start : start + _ROWS]
        wanted = None if k is None else min(k + (skip is not None), len(rows))
        if cells is not None:
            candidates = _in_cells(part, cells, wanted, threshold)
        elif wanted is None:
            candidates = _above(part, right, (threshold or 0.0) - slack)
        else:
            candidates = _best(part, right, wanted, slack)
        part = queries[start : start + _ROWS]
        return exact(part, rows, *candidates, omitted, k, threshold, euclidean)

    found = list(map_blocks(block, starts, progress=progress))
    counts = np.concatenate([np.empty(0, np.int64), *(f[0] for f in found)])
    return Nearest(
        np.append(0, np.cumsum(counts)).astype(np.int64),
        np.concatenate([np.empty(0, np.int32), *(f[1] for f in found)]),
        np.concatenate([np.empty(0, np.float64), *(f[2] for f in found)]),
    )


def rounding(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """More than float32 can change an inner product of a row of each."""
    return _rounding(left.shape[1], _longest(left), _longest(right))


def _rounding(dims: int, left: float, right: float) -> float:
    return float(dims * np.finfo(np.float32).eps * left * right)


def _longest(rows: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0)))


def _where(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``np.nonzero`` of a matrix, several times quicker where little is set."""
    places = np.flatnonzero(mask)
    return np.divmod(places, mask.shape[1])


def _widening(rows: int, wanted: int) -> Iterator[tuple[int, int]]:
    """Blocks of rows, small ones first: they set a floor that few of the later rows pass."""
    start, size = 0, min(_COLUMNS, max(_COLUMNS // 16, 4 * wanted))
    while start < rows:
        yield start, min(start + size, rows)
        start, size = start + size, min(4 * size, _COLUMNS)


def _best(
    part: NDArray[np.float32], base: NDArray[np.float32], wanted: int, slack: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(query, row) pairs that contain each query's ``wanted`` best rows.

    ``floor`` is the ``wanted``-th best score so far; it rises block by block, so that fewer and
    fewer rows pass it.
    """
    floor = np.full(len(part), -np.inf)
    kept_q = np.empty(0, np.int64)
    kept_r = np.empty(0, np.int64)
    kept_s = np.empty(0, np.float32)
    for start, end in _widening(len(base), wanted):
        scores = part @ base[start:end].T
        if start == 0:
            cut = min(wanted, scores.shape[1])
            floor[:] = np.partition(scores, -cut, axis=1)[:, -cut] if cut == wanted else -np.inf
        q, r = _where(scores >= (floor - slack).astype(np.float32)[:, None])
        kept_s = np.concatenate([kept_s, scores[q, r]])
        kept_q, kept_r = np.concatenate([kept_q, q]), np.concatenate([kept_r, r + start])
        order = np.lexsort((-kept_s, kept_q))
        kept_q, kept_r, kept_s = kept_q[order], kept_r[order], kept_s[order]
        place = np.arange(len(kept_q)) - np.searchsorted(kept_q, kept_q)
        full = kept_q[place == wanted - 1]
        floor[full] = kept_s[place == wanted - 1]
        keep = kept_s >= floor[kept_q] - slack
        kept_q, kept_r, kept_s = kept_q[keep], kept_r[keep], kept_s[keep]
    return kept_q, kept_r


def _above(
    part: NDArray[np.float32], base: NDArray[np.float32], low: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(query, row) pairs that score at least ``low``."""
    pairs = [
        (q, r + start)
        for start in range(0, len(base), _COLUMNS)
        for q, r in [_where(part @ base[start : start + _COLUMNS].T >= low)]
    ]
    return np.concatenate([q for q, _ in pairs]), np.concatenate([r for _, r in pairs])


def exact(
    part: NDArray[np.float32],
    base: NDArray[np.float32],
    q: NDArray[Any],
    r: NDArray[Any],
    omitted: NDArray[Any] | None,
    k: int | None,
    threshold: float | None,
    euclidean: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Measure candidates in float64, order them, and cut at ``k`` or ``threshold``."""
    if omitted is not None:
        keep = r != omitted[q]
        q, r = q[keep], r[keep]
    s = _measured(part, base, q, r, euclidean)
    order = np.lexsort((r, -s, q))
    q, r, s = q[order], r[order], s[order]
    keep = s >= (threshold or 0.0) if k is None else np.arange(len(q)) - np.searchsorted(q, q) < k
    q, r, s = q[keep], r[keep], s[keep]
    return np.bincount(q, minlength=len(part)), r.astype(np.int32), s


def _measured(
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    q: NDArray[Any],
    r: NDArray[Any],
    euclidean: bool,
) -> NDArray[np.float64]:
    """Scores of pairs of rows in float64, so many at a time as the processor's cache holds."""
    scores = np.empty(len(q))
    for start in range(0, len(q), _PAIRS):
        part = slice(start, start + _PAIRS)
        x, y = left[q[part]].astype(np.float64), right[r[part]]
        if euclidean:
            x -= y
            x *= x
            scores[part] = -np.sqrt(np.add.reduce(x, axis=1))
        else:
            scores[part] = np.einsum("ij,ij->i", x, y.astype(np.float64))
    return scores


def _cells(base: NDArray[np.float32]) -> Any:
    """A faiss inverted file of about 4√n cells, of which one in 24 is looked into."""
    faiss = need("faiss", "faiss")
    cells = max(1, min(int(4 * len(base) ** 0.5), len(base) // 39))
    index = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(base.shape[1]), base.shape[1], cells, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.niter = 8  # cells need not be perfect, and training is most of the time
    step = max(1, len(base) // (40 * cells))
    index.train(np.ascontiguousarray(base[::step]))
    index.add(np.ascontiguousarray(base))
    index.nprobe = max(1, cells // 24)
    return index


def _in_cells(
    part: NDArray[np.float32], cells: Any, wanted: int | None, threshold: float | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(query, row) pairs found in the nearest cells."""
    if wanted is None:
        limits, _, rows = cells.range_search(part, float(threshold or 0.0) - 1e-5)
        return np.repeat(np.arange(len(part)), np.diff(limits.astype(np.int64))), rows
    rows = cells.search(part, wanted)[1]
    queries = np.repeat(np.arange(len(part)), wanted)
    found = rows.ravel() >= 0
    return queries[found], rows.ravel()[found]
