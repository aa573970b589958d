"""Text vectors on their principal axes, and a sketch of the first axes that bounds every distance.

The vector of a text is the sum of what its words contribute (``vectors/weights.py``), here called
their vectors, scaled to length 1. It is not stored: words and the length of their sum suffice.

Any rotation leaves distances as they are; the principal one puts most of them on few axes. With
head h (the first axes) and tail t (the others) of a query q and a row x,

    |q − x|² = |q|² + |x|² − 2 (q_h·x_h + q_t·x_t) ≥ |q|² + |x|² − 2 (q_h·x_h + |q_t||x_t|)

The head is kept in one byte per axis, x̂_h, next to the length of the tail. The product with x̂_h is
off by |q_h||x_h − x̂_h| at most, so twice |q_h| times the largest such error is the room that
keeps the bound a bound. The sketch has two parts: ``near``, the first axes of all rows, axis by
axis for a scan; and ``far``, the next axes row by row, for the rows that the scan leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.engine import map_blocks
from lexfield.engine.compiled import reordered_kernel
from lexfield.index.basis import Basis, split_tokens
from lexfield.store.scratch import Allocate, Spool, release

NEAR, FAR = 64, 128  # axes in the first part of the sketch, and in both
_BLOCK = 4096  # rows
_SAMPLE = 16384  # rows that the axes are found from
_SMALL = 1 << 20  # tokens that are read all at once
_TOGETHER = 4  # axes per pass of the scan
TINY = 1e-4  # a sum that is shorter than this part of its terms is rounding


@dataclass(frozen=True)
class TextRows:
    """Rows of words, from which the vectors of texts are added up.

    A row's vector is the sum of its words' vectors, scaled to length 1, or their mean if ``plain``.
    """

    starts: Array  # row → its first token, and where the last row ends
    tokens: Array
    places: NDArray[np.int32]  # word → its row in vectors; -1 for a word that does not count
    vectors: Array
    plain: bool = False

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, part: slice) -> tuple[Array, Array, Array]:
        """Return starts, tokens and places of consecutive rows."""
        starts = self.starts[part.start : part.stop + 1].astype(np.int64)
        return starts - starts[0], self.tokens[starts[0] : starts[-1]], self.places

    def select(self, chosen: NDArray[np.int64]) -> TextRows:
        """Return some of the rows."""
        starts, sizes = self._measure(chosen)
        if len(chosen) == 1:  # of which one may be very long
            tokens = self.tokens[int(starts[0]) : int(starts[0] + sizes[0])]
        else:
            tokens = self.tokens[join_ranges(starts, sizes)]
        return replace(self, starts=np.append(0, np.cumsum(sizes)), tokens=tokens)

    def locate(self, chosen: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        """Return some tokens, where those of each of some rows begin, and how many it has."""
        starts, sizes = self._measure(chosen)
        if len(self.tokens) <= _SMALL:
            return self._every_token, starts, sizes
        return self.tokens[join_ranges(starts, sizes)], np.cumsum(sizes) - sizes, sizes

    def _measure(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        starts = self.starts[chosen].astype(np.int64)
        return starts, self.starts[chosen + 1].astype(np.int64) - starts

    @cached_property
    def _every_token(self) -> Array:
        return np.asarray(self.tokens)

    def sample(self, rows: int, first: int = 0) -> tuple[Array, Array, Array]:
        """Return the rows that the axes are found from: every n-th of all ``rows``, if it has a
        vector. They are offsets, words, and what each counts in the vector of its row.

        The rows given here begin with number ``first`` of all.
        """
        step = max(1, rows // _SAMPLE)
        chosen = np.arange(-first % step, len(self), step)
        vectors = self.vectors.astype(np.float32, copy=False)
        lengths = measure_rows(vectors)
        ends, words, shares = Spool("q", (0,)), Spool("i"), Spool("f")
        for part in split_tokens(self._measure(chosen)[1]):
            some = self.select(chosen[part])
            norms = _measure_norms(
                some.starts, some.tokens, self.places, vectors, lengths, self.plain
            )
            some, norms = some.select(np.flatnonzero(norms)), norms[norms > 0]
            counted = self.places[some.tokens] >= 0
            own = np.append(0, np.cumsum(counted))[some.starts]
            ends.add(own[1:] + len(words))
            words.add(some.tokens[counted])
            shares.add(np.repeat(1 / norms, np.diff(own)).astype(np.float32))
            release()
        return ends.view(), words.view(), shares.view()


def text_axes(
    rows: TextRows, basis: Basis | None = None, allocate: Allocate = np.zeros
) -> dict[str, Array]:
    """Return the vectors of rows as the arrays of a ``Unit``, which are made by ``allocate``.

    A row without any word that counts, or whose words cancel out, is infinitely far away. The axes
    themselves are returned for plain means only: other vectors are computed again from words.
    """
    count, dims = len(rows), rows.vectors.shape[1]
    basis = basis or Basis.of(*rows.sample(count), rows.places, rows.vectors)
    turned = basis.turned
    shift = basis.center @ basis.rotation.astype(np.float64)
    lengths = measure_rows(turned)
    squares, norms = allocate(count, np.float32), allocate(count, np.float32)
    rests = allocate((2, count), np.float32)
    near, far = allocate((NEAR, count), np.int8), allocate((count, FAR - NEAR), np.int8)
    kept = allocate((count if rows.plain else 0, dims), np.float32)
    heads, divisors = np.ascontiguousarray(turned[:, :FAR]), allocate(count, np.float64)

    def add_up(first: int) -> Array:
        part = slice(first, min(first + _BLOCK, count))
        axes, largest = np.empty((part.stop - first, dims), np.float32), np.zeros(FAR, np.float32)
        _add_up(
            *rows.take(part), turned, lengths, shift, rows.plain,
            axes, squares[part], divisors[part], rests[:, part], largest,
        )  # fmt: skip
        if rows.plain:
            kept[part] = axes
        return largest

    def encode(first: int) -> Array:
        part = slice(first, min(first + _BLOCK, count))
        axes = np.empty((part.stop - first, heads.shape[1]), np.float32)
        _add_heads(*rows.take(part), heads, shift, divisors[part], axes)
        norms[part] = divisors[part]
        squared: Array = _encode(axes, steps, near[:, part], far[part])
        return squared

    blocks = range(0, count, _BLOCK)
    steps = _find_largest(add_up, blocks, np.zeros(FAR, np.float32))
    steps /= 127
    steps[steps == 0] = 1
    squared = _find_largest(encode, blocks, np.zeros(2))
    return {
        "rotation": basis.rotation,
        "center": basis.center.astype(np.float32),
        **({"axes": kept} if rows.plain else {"norms": norms}),
        "squares": squares,
        "near": near,
        "far": far,
        "steps": steps.astype(np.float32),
        "rests": rests,
        "errors": np.sqrt(squared),
    }


def _find_largest(task: Callable[[int], Array], blocks: range, largest: Array) -> Array:
    """Return the largest of each of the numbers that a task returns for blocks of rows."""
    for found in map_blocks(task, blocks):
        np.maximum(largest, found, out=largest)
        release()
    return largest


def split_vector(counts: Array, contributions: Array) -> NDArray[np.float64]:
    """Return what each word of a text adds to its vector, which has length 1."""
    parts: NDArray[np.float64] = counts[:, None] * contributions.astype(np.float64)
    length, most = measure_vector(np.ones(len(parts)), parts)
    return parts / length if length > TINY * most else np.zeros_like(parts)


def measure_rows(vectors: Array) -> NDArray[np.float64]:
    """Return the length of each row."""
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=float))
    return lengths


def measure_vector(counts: Array, contributions: Array) -> tuple[float, float]:
    """Return the length of the sum of some vectors, and the sum of their lengths."""
    lengths = np.sqrt(np.einsum("ij,ij->i", contributions, contributions))
    total = counts @ contributions
    return math.sqrt(total @ total), float(np.abs(counts) @ lengths)


@reordered_kernel
def _add_row(tokens: Array, places: Array, vectors: Array, total: Array) -> int:
    """Add up the vectors of a row's words, and return how many count."""
    total[:] = 0
    count = 0
    for token in tokens:
        place = places[token]
        if place >= 0:
            count += 1
            vector = vectors[place]
            for axis in range(len(total)):
                total[axis] += vector[axis]
    return count


@reordered_kernel
def _measure_norms(
    starts: Array, tokens: Array, places: Array, vectors: Array, lengths: Array, plain: bool
) -> NDArray[np.float64]:
    """Return what the sum of each row is divided by; 0 for a row without a vector."""
    norms = np.zeros(len(starts) - 1)
    total = np.empty(vectors.shape[1])
    for row in range(len(norms)):
        own = tokens[starts[row] : starts[row + 1]]
        count = _add_row(own, places, vectors, total)
        most = 0.0
        for token in own:
            if places[token] >= 0:
                most += lengths[places[token]]
        norm = np.sqrt((total**2).sum())
        if plain:
            norms[row] = count
        elif norm > TINY * most:
            norms[row] = norm
    return norms


@reordered_kernel
def _add_up(
    starts: Array,
    tokens: Array,
    places: Array,
    vectors: Array,
    lengths: Array,
    shift: Array,
    plain: bool,
    axes: Array,
    squares: Array,
    norms: Array,
    rests: Array,
    largest: Array,
) -> None:
    """Fill the axes of rows and what is known of each; ``lengths`` are those of ``vectors``."""
    dims = axes.shape[1]
    total = np.empty(dims)
    for row in range(len(axes)):
        own, mean = tokens[starts[row] : starts[row + 1]], axes[row]
        norm = float(_add_row(own, places, vectors, total))
        if not plain:
            square, most = 0.0, 0.0
            for token in own:
                if places[token] >= 0:
                    most += lengths[places[token]]
            for axis in range(dims):
                square += total[axis] * total[axis]
            norm = np.sqrt(square)
            if norm <= TINY * most:
                norm = 0.0
        norms[row] = norm
        for axis in range(dims):
            mean[axis] = total[axis] / norm - shift[axis] if norm > 0 else 0.0
        head, rest = np.float32(0), np.float32(0)
        for axis in range(min(NEAR, dims)):
            head += mean[axis] * mean[axis]
        for axis in range(FAR, dims):
            rest += mean[axis] * mean[axis]
        rests[1, row] = np.sqrt(rest)
        for axis in range(NEAR, min(FAR, dims)):
            rest += mean[axis] * mean[axis]
        rests[0, row] = np.sqrt(rest)
        squares[row] = head + rest if norm > 0 else np.inf
        for axis in range(min(FAR, dims)):
            largest[axis] = max(largest[axis], abs(mean[axis]))


@reordered_kernel
def _add_heads(
    starts: Array,
    tokens: Array,
    places: Array,
    vectors: Array,
    shift: Array,
    norms: Array,
    axes: Array,
) -> None:
    """Fill the first axes of rows once more, which takes less time than keeping all of them."""
    total = np.empty(axes.shape[1])
    for row in range(len(axes)):
        _add_row(tokens[starts[row] : starts[row + 1]], places, vectors, total)
        mean, norm = axes[row], norms[row]
        for axis in range(len(total)):
            mean[axis] = total[axis] / norm - shift[axis] if norm > 0 else 0.0


@reordered_kernel
def _encode(axes: Array, steps: Array, near: Array, far: Array) -> Array:
    """Fill the sketch and return the largest squared error of each of its parts."""
    dims = axes.shape[1]
    middle, end = min(NEAR, dims), min(FAR, dims)
    code, errors = np.empty(FAR, np.float32), np.zeros(2)
    for row in range(len(axes)):
        mean = axes[row]
        for axis in range(end):
            code[axis] = np.rint(mean[axis] / steps[axis])
        for axis in range(middle):
            near[axis, row] = np.int8(code[axis])
        for axis in range(NEAR, end):
            far[row, axis - NEAR] = np.int8(code[axis])
        for axis in range(end):
            code[axis] = mean[axis] - code[axis] * steps[axis]
        first, second = 0.0, 0.0
        for axis in range(middle):
            first += np.float64(code[axis]) * code[axis]
        for axis in range(middle, end):
            second += np.float64(code[axis]) * code[axis]
        errors[0], errors[1] = max(errors[0], first), max(errors[1], second)
    return errors


@reordered_kernel
def near_bounds(
    near: Array, weights: Array, tails: Array, tail: float, squares: Array, begin: int, end: int
) -> Array:
    """Return |x|² − 2 (q_h·x̂_h + |q_t||x_t|) for consecutive rows.

    ``weights`` are 2 q_h times the steps, ``tail`` is 2 |q_t|, ``tails`` are |x_t|.
    """
    out = np.empty(end - begin, np.float32)
    for first in range(begin, end, _BLOCK):
        part = slice(first, min(first + _BLOCK, end))
        lengths, codes, own = tails[part], near[:, part], squares[part]
        bounds = out[first - begin : part.stop - begin]
        for row in range(len(bounds)):
            bounds[row] = own[row] - tail * lengths[row]
        for axis in range(0, NEAR, _TOGETHER):
            a, b, c, d = codes[axis], codes[axis + 1], codes[axis + 2], codes[axis + 3]
            wa, wb = weights[axis], weights[axis + 1]
            wc, wd = weights[axis + 2], weights[axis + 3]
            for row in range(len(bounds)):
                bounds[row] -= a[row] * wa + b[row] * wb + c[row] * wc + d[row] * wd
    return out


@reordered_kernel
def far_bounds(
    far: Array, weights: Array, rests: Array, tails: Array, rows: Array, bounds: Array
) -> Array:
    """Return the bounds of some rows by both parts, given those by the first; ``tails`` are
    2 |q_t| of each part."""
    out = np.empty(len(rows), np.float32)
    for place in range(len(rows)):
        row, product = rows[place], np.float32(0)
        for axis in range(FAR - NEAR):
            product += np.float32(far[row, axis]) * weights[axis]
        old, new = tails[0] * rests[0, row], tails[1] * rests[1, row]
        out[place] = bounds[place] + old - new - product
    return out
