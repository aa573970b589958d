"""Text vectors on their principal axes, and a sketch of the first axes that bounds every distance.

The vector of a text is a weighted sum of what its words contribute (``vectors/weights.py``), here
called their vectors. The weights, here called shares, are given.

Any rotation leaves distances as they are; the principal one puts most of them on few axes. With
head h (the first axes) and tail t (the others) of a query q and a row x,

    |q − x|² = |q|² + |x|² − 2 (q_h·x_h + q_t·x_t) ≥ |q|² + |x|² − 2 (q_h·x_h + |q_t||x_t|)

The head is kept in one byte per axis, x̂_h, next to the length of the tail. The product with x̂_h is
off by |q_h||x_h − x̂_h| at most, so twice |q_h| times the largest such error is the room that
keeps the bound a bound. The sketch has two parts: ``near``, the first axes of all rows, axis by
axis for a scan; and ``far``, the next axes row by row, for the rows that the scan leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array, join_ranges
from lexfield.engine import map_blocks
from lexfield.engine.compiled import reordered_kernel
from lexfield.results import JsonObject
from lexfield.store.folder import Blocks

NEAR, FAR = 64, 128  # axes in the first part of the sketch, and in both
_BLOCK = 4096  # rows
_SAMPLE = 16384  # rows that the axes are found from
_TOGETHER = 4  # axes per pass of the scan
TINY = 1e-4  # a sum that is shorter than this part of its terms is rounding


@dataclass(frozen=True)
class Basis:
    """The axes that text vectors lie on; ``turned`` are the vectors of all words on them.

    Vectors are rotated before they are added up: there are fewer words than rows.
    """

    center: NDArray[np.float64]
    rotation: NDArray[np.float32]
    turned: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        offsets: Array,
        words: Array,
        shares: Array,
        vectors: Array,
    ) -> Basis:
        """Return the basis of some rows: the mean of their vectors, and their principal axes."""
        from scipy.sparse import csr_matrix

        used, places = np.unique(words, return_inverse=True)
        some = vectors[used].astype(np.float32)
        matrix = csr_matrix((shares, places, offsets), (len(offsets) - 1, len(used)))
        totals = np.bincount(places, shares, minlength=len(used))
        center = np.zeros(vectors.shape[1])
        for first in range(0, len(used), _BLOCK):  # a product copies its vectors in float64
            part = slice(first, first + _BLOCK)
            center += totals[part] @ some[part]
        center /= max(1, len(offsets) - 1)
        moved = (matrix @ some) - center.astype(np.float32)
        axes = np.linalg.eigh((moved.T @ moved).astype(np.float64))[1]
        rotation = np.ascontiguousarray(axes[:, ::-1]).astype(np.float32)
        return cls(center, rotation, vectors.astype(np.float32) @ rotation)


def sample_rows(
    offsets: Array, words: Array, shares: Array, rows: int, first: int = 0
) -> tuple[Array, Array, Array]:
    """Return the rows that the axes are found from: every n-th of all ``rows``, if it has a vector.

    The rows given here begin with number ``first`` of all.
    """
    step = max(1, rows // _SAMPLE)
    chosen = np.arange(-first % step, len(offsets) - 1, step)
    sums = np.append(0, np.cumsum(shares > 0))
    chosen = chosen[sums[offsets[chosen + 1]] > sums[offsets[chosen]]]
    sizes = offsets[chosen + 1] - offsets[chosen]
    at = join_ranges(offsets[chosen], sizes)
    return np.append(0, np.cumsum(sizes)).astype(np.int64), words[at], shares[at]


def text_axes(
    offsets: Array,
    words: Array,
    shares: Array,
    vectors: Array,
    basis: Basis | None = None,
    *,
    stream: bool = False,
) -> JsonObject:
    """Return the vectors of rows as the arrays of a ``Unit``; ``shares`` weight ``words``.

    A row without any share is infinitely far away. With ``stream`` the axes, by far the largest of
    these arrays, are ``Blocks``: computed again when they are written, not held in memory.
    """
    rows, dims = len(offsets) - 1, vectors.shape[1]
    basis = basis or Basis.of(*sample_rows(offsets, words, shares, rows), vectors)
    rotation, turned = basis.rotation, basis.turned
    shift = (basis.center @ rotation.astype(np.float64)).astype(np.float32)
    squares, rests = np.empty(rows, np.float32), np.empty((2, rows), np.float32)
    near, far = np.zeros((NEAR, rows), np.int8), np.zeros((rows, FAR - NEAR), np.int8)

    def average(first: int) -> tuple[Array, Array]:
        part = slice(first, first + _BLOCK)
        largest = np.zeros(FAR, np.float32)
        axes = np.empty((len(squares[part]), dims), np.float32)
        _average(
            offsets[first : first + _BLOCK + 1], words, shares, turned, shift,
            axes, squares[part], rests[:, part], largest,
        )  # fmt: skip
        return axes, largest

    def encode(first: int) -> Array:
        part = slice(first, first + _BLOCK)
        squared: Array = _encode(average(first)[0], steps, near[:, part], far[part])
        return squared

    starts = range(0, rows, _BLOCK)

    def blocks() -> Iterator[Array]:
        return (axes for axes, _ in map_blocks(average, starts))

    kept = Blocks((rows, dims), np.dtype(np.float32), blocks)
    steps = np.zeros(FAR, np.float32)
    for _, largest in map_blocks(average, starts):
        np.maximum(steps, largest, out=steps)
    steps /= 127
    steps[steps == 0] = 1
    errors = np.sqrt(np.max([np.zeros(2), *map_blocks(encode, starts)], axis=0))
    return {
        "rotation": rotation,
        "center": basis.center.astype(np.float32),
        "axes": kept if stream else np.concatenate([turned[:0], *blocks()]),
        "squares": squares,
        "near": near,
        "far": far,
        "steps": steps.astype(np.float32),
        "rests": rests,
        "errors": errors,
    }


def scale_shares(
    offsets: Array, words: Array, amounts: Array, vectors: Array
) -> NDArray[np.float32]:
    """Return shares that make the vector of every row 1 long, in proportion to ``amounts``.

    A row whose words cancel out gets none.
    """
    shares = np.empty(len(amounts), np.float32)
    vectors = vectors.astype(np.float32)

    def scale(first: int) -> None:
        part = offsets[first : first + _BLOCK + 1]
        _scale(part, words, amounts, vectors, shares)

    list(map_blocks(scale, range(0, len(offsets) - 1, _BLOCK)))
    return shares


def split_vector(counts: Array, contributions: Array) -> NDArray[np.float64]:
    """Return what each word of a text adds to its vector, which has length 1."""
    parts: NDArray[np.float64] = counts[:, None] * contributions.astype(np.float64)
    length, most = measure_vector(np.ones(len(parts)), parts)
    return parts / length if length > TINY * most else np.zeros_like(parts)


def measure_vector(counts: Array, contributions: Array) -> tuple[float, float]:
    """Return the length of the sum of some vectors, and the sum of their lengths."""
    lengths = np.sqrt(np.einsum("ij,ij->i", contributions, contributions))
    return float(np.linalg.norm(counts @ contributions)), float(np.abs(counts) @ lengths)


@reordered_kernel
def _scale(offsets: Array, words: Array, amounts: Array, vectors: Array, shares: Array) -> None:
    dims = vectors.shape[1]
    total = np.empty(dims, np.float32)
    for row in range(len(offsets) - 1):
        total[:] = 0
        most = np.float32(0)
        for entry in range(offsets[row], offsets[row + 1]):
            amount, vector = amounts[entry], vectors[words[entry]]
            if amount > 0:
                size = np.float32(0)
                for axis in range(dims):
                    total[axis] += amount * vector[axis]
                    size += vector[axis] * vector[axis]
                most += amount * np.sqrt(size)
        square = np.float32(0)
        for axis in range(dims):
            square += total[axis] * total[axis]
        length = np.sqrt(square)
        for entry in range(offsets[row], offsets[row + 1]):
            shares[entry] = amounts[entry] / length if length > TINY * most else 0


@reordered_kernel
def _average(
    offsets: Array,
    words: Array,
    shares: Array,
    vectors: Array,
    shift: Array,
    axes: Array,
    squares: Array,
    rests: Array,
    largest: Array,
) -> None:
    dims = axes.shape[1]
    for row in range(len(axes)):
        mean, held = axes[row], False
        for axis in range(dims):
            mean[axis] = -shift[axis]
        for entry in range(offsets[row], offsets[row + 1]):
            share, vector = shares[entry], vectors[words[entry]]
            if share > 0:
                held = True
                for axis in range(dims):
                    mean[axis] += share * vector[axis]
        if not held:
            mean[:] = 0
        head, rest = np.float32(0), np.float32(0)
        for axis in range(min(NEAR, dims)):
            head += mean[axis] * mean[axis]
        for axis in range(FAR, dims):
            rest += mean[axis] * mean[axis]
        rests[1, row] = np.sqrt(rest)
        for axis in range(NEAR, min(FAR, dims)):
            rest += mean[axis] * mean[axis]
        rests[0, row] = np.sqrt(rest)
        squares[row] = head + rest if held else np.inf
        for axis in range(min(FAR, dims)):
            largest[axis] = max(largest[axis], abs(mean[axis]))


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
def near_bounds(near: Array, weights: Array, tails: Array, tail: float, squares: Array) -> Array:
    """Return |x|² − 2 (q_h·x̂_h + |q_t||x_t|) for every row.

    ``weights`` are 2 q_h times the steps, ``tail`` is 2 |q_t|, ``tails`` are |x_t|.
    """
    rows = near.shape[1]
    out = np.empty(rows, np.float32)
    for first in range(0, rows, _BLOCK):
        part = slice(first, min(first + _BLOCK, rows))
        bounds, lengths, codes, own = out[part], tails[part], near[:, part], squares[part]
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
    """Return the bounds of some rows by both parts; ``tails`` are 2 |q_t| of each."""
    out = np.empty(len(rows), np.float32)
    for place in range(len(rows)):
        row, product = rows[place], np.float32(0)
        for axis in range(FAR - NEAR):
            product += np.float32(far[row, axis]) * weights[axis]
        old, new = tails[0] * rests[0, row], tails[1] * rests[1, row]
        out[place] = bounds[row] + old - new - product
    return out
