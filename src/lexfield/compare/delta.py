"""Delta and its relatives: distances between the frequent words of texts, in standard deviations.

With z_i the relative frequency of type i in a text, minus its mean over a collection, divided by
its standard deviation there (n − 1), and n types, the most frequent first:

    delta            Σ |z_i − z'_i| / n                       Burrows (2002)
    eder-delta       Σ |z_i − z'_i| (n − i + 1)/n / n, i ≥ 1  Rybicki and Eder (2011)
    quadratic-delta  √(Σ (z_i − z'_i)² / n)                   Argamon (2008); its root, a distance
    cosine-delta     1 − cos(z, z')                           Smith and Aldridge (2011), Evert et
                                                              al. (2017)

The mean cancels in differences: Burrows' Delta is a Manhattan distance whose axes are scaled by the
standard deviations (Argamon 2008). Frequencies are shares of all tokens of a text, not only
of the types compared. Without standardisation, p and p' being frequencies:

    minmax           1 − Σ min(p_i, p'_i) / Σ max(p_i, p'_i)  Ružička (1958), Koppel and Winter
                                                              (2014)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.smoothing import BLOCK, Matrix, sum_rows
from lexfield.engine import map_blocks
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FREQUENT = 2000  # types that a Delta compares by default
_WIDE = 256  # rows of a product at a time
FEWEST = 3  # texts that a standard deviation needs: with two, every z-score is ±0.7


def choose_types(counts: csr_matrix, mfw: int | None, culling: float) -> Array:
    """Return the columns of the ``mfw`` most frequent types, most frequent first, among those that
    at least ``culling`` percent of the texts have; of equal ones, the earlier."""
    totals = np.asarray(counts.sum(axis=0)).ravel()
    texts = np.bincount(counts.indices[counts.data != 0], minlength=counts.shape[1])
    order = np.argsort(-totals, kind="stable")
    order = order[(totals[order] > 0) & (texts[order] * 100 >= culling * counts.shape[0])]
    if not len(order):
        raise InputError(
            f"No type occurs in {culling:g}% of the {counts.shape[0]:,} texts.",
            "Use a smaller --culling.",
        )
    return np.asarray(order[:mfw])


def refuse_few(measure: str) -> InputError:
    """Return the error for a Delta of two texts."""
    return InputError(
        f"{measure} needs the standard deviations of words over a collection; two texts are too"
        " few.",
        f"Compare at least {FEWEST} texts with lexfield pairs, or two with --measure js.",
    )


def refuse_parts(p: Array, q: Array, alpha: float) -> Array:
    raise refuse_few("Delta")


def standardise(
    left: csr_matrix, right: csr_matrix, known: csr_matrix, types: Array
) -> tuple[Matrix, Matrix]:
    """Return the z-scores of two matrices of counts; ``known`` texts set means and deviations.
    Types as frequent in every known text are left out."""
    shares = _find_shares(known, types)
    mean, deviation = shares.mean(axis=0), shares.std(axis=0, ddof=1)
    varies = deviation > 1e-12 * mean
    if not varies.any():
        raise InputError("All texts use the same words equally often.", "Give texts that differ.")
    mean, deviation, types = mean[varies], deviation[varies], types[varies]

    def find_scores(counts: csr_matrix) -> Matrix:
        own = shares[:, varies] if counts is known else _find_shares(counts, types)
        return np.asarray((own - mean) / deviation)

    z = find_scores(left)
    return z, z if right is left else find_scores(right)


def _find_shares(counts: csr_matrix, types: Array) -> Matrix:
    return np.asarray(counts[:, types].toarray() / sum_rows(counts)[:, None])


def compute_delta(z: Matrix, other: Matrix) -> Matrix:
    """Return Burrows' Delta of every row from every row."""
    return np.asarray(_add_differences(z, other) / z.shape[1])


def compute_eder_delta(z: Matrix, other: Matrix) -> Matrix:
    """Return Eder's Delta, in which the frequent types count more."""
    n = z.shape[1]
    weights = np.arange(n, 0, -1) / n
    return np.asarray(_add_differences(z * weights, other * weights) / n)


def compute_quadratic_delta(z: Matrix, other: Matrix) -> Matrix:
    """Return the root of Argamon's quadratic Delta."""
    squares = (z**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :]
    squares -= 2 * _multiply(z, other)
    return np.asarray(np.sqrt(np.maximum(squares, 0) / z.shape[1]))


def compute_cosine_delta(z: Matrix, other: Matrix) -> Matrix:
    """Return cosine Delta; 1 for a text whose words are all as frequent as on average."""
    units = []
    for rows in (z, other):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units.append(rows / np.where(lengths > 0, lengths, 1))
    return np.clip(1 - _multiply(*units), 0, 2)


def find_minmax_parts(p: Array, q: Array, alpha: float) -> Array:
    """Return each type's part in the value, which is their sum."""
    return np.asarray(np.abs(p - q) / np.maximum(p, q).sum())


def compute_minmax(p: csr_matrix, q: csr_matrix) -> Matrix:
    """Return the Ružička distance of frequencies that sum to 1: so Σ max = 2 − Σ min."""

    def add_block(start: int) -> Matrix:
        other = np.asarray(q[start : start + BLOCK].T.toarray())
        out = np.zeros((p.shape[0], other.shape[1]))
        _add_minima((p.indptr, p.indices, p.data), other, out)
        return out

    shared = _join_blocks(add_block, q.shape[0])
    return np.clip(1 - shared / (2 - shared), 0, 1)


def _multiply(a: Matrix, b: Matrix) -> Matrix:
    return _join_blocks(lambda start: a @ b[start : start + _WIDE].T, len(b), _WIDE)


def _add_differences(a: Matrix, b: Matrix) -> Matrix:
    def add_block(start: int) -> Matrix:
        other = np.ascontiguousarray(b[start : start + BLOCK].T)
        out = np.zeros((len(a), other.shape[1]))
        _add_absolute_differences(a, other, out)
        return out

    return _join_blocks(add_block, len(b))


def _join_blocks(compute: Callable[[int], Matrix], columns: int, block: int = BLOCK) -> Matrix:
    return np.hstack(list(map_blocks(compute, range(0, columns, block))))


@kernel
def _add_absolute_differences(a: Array, other: Array, out: Array) -> None:
    """Add Σ |a − b|; the inner loop runs over texts, so that it is vectorised as it is written."""
    for row in range(a.shape[0]):
        for type in range(a.shape[1]):
            for column in range(other.shape[1]):
                out[row, column] += abs(a[row, type] - other[type, column])


@kernel
def _add_minima(rows: Any, other: Array, out: Array) -> None:
    starts, types, shares = rows
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            for column in range(other.shape[1]):
                out[row, column] += min(shares[at], other[types[at], column])
