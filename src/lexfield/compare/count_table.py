"""What a measure is, and two matrices of counts that it compares."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lexfield.arrays import Array
from lexfield.compare import knn
from lexfield.compare.smoothing import (
    Matrix,
    SmoothedTexts,
    Smoothing,
    find_frequencies,
    find_shared_mass,
    smooth,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Measure:
    """A measure; all but ``parts`` have defaults that suit a function added by a user.

    parts            each word's part in the value, for frequencies p, q and Rényi's order; or the
                     value itself
    compute          the values of a table of counts; by default ``parts`` of one pair after another
    estimate         the value of clouds; None if only counts can be compared
    orders           the orders α that ``estimate`` needs, from Rényi's order and whether to take
                     the limit for KL
    uses_mixture     does ``estimate`` need neighbours in both texts together?
    is_additive      do the parts add up to the value?
    is_logarithmic   is it measured in nats or bits?
    is_smoothed      are the frequencies smoothed?
    is_standardised  are the frequencies of each type standardised over a collection?
    least, most      the range of values, in nats; ``range`` says it in words
    """

    title: str
    parts: Callable[[Array, Array, float], Array]
    compute: Callable[[CountTable], Matrix] | None = None
    estimate: Callable[[knn.CloudSums, knn.Reverse], Array] | None = None
    orders: Callable[[float, bool], tuple[float, ...]] = lambda alpha, limit: ()
    uses_mixture: bool = False
    is_additive: bool = True
    is_logarithmic: bool = False
    is_smoothed: bool = False
    is_standardised: bool = False
    least: float = 0.0
    most: float = math.inf
    range: str = "at least 0"


@dataclass(frozen=True)
class CountTable:
    """Two matrices of counts; every row of ``left`` is compared with every row of ``right``."""

    left: csr_matrix
    right: csr_matrix
    measure: Measure
    smoothing: Smoothing
    alpha: float
    collection: Array  # the counts of all texts, for smoothing
    known: csr_matrix  # the texts that frequencies are standardised by
    types: Array  # the columns to compare after that; a table of another measure has only these

    def find_frequencies(self) -> tuple[csr_matrix, csr_matrix]:
        return find_frequencies(self.left), find_frequencies(self.right)

    def smooth(self) -> tuple[SmoothedTexts, SmoothedTexts]:
        left, right = (smooth(c, self.smoothing, self.collection) for c in (self.left, self.right))
        return left, right

    def find_shared_masses(self) -> tuple[Matrix, Matrix]:
        """Return the share of each text, left and right, that lies on the words of each other."""
        return find_shared_mass(self.left, self.right), find_shared_mass(self.right, self.left).T

    def compute(self) -> Matrix:
        """Return the measure of all pairs, in nats."""
        if self.measure.compute is not None:
            return self.measure.compute(self)
        p, q = self.find_frequencies()
        values = np.empty((p.shape[0], q.shape[0]))
        for i, j in np.ndindex(*values.shape):
            used = np.union1d(p[i].indices, q[j].indices)
            mine, other = (side[:, used].toarray().ravel() for side in (p[i], q[j]))
            with np.errstate(divide="ignore", invalid="ignore"):  # a note says if there is none
                values[i, j] = self.measure.parts(mine, other, self.alpha).sum()
        return values

    def find_parts(self) -> Array:
        """Return each word's part in the value, for a table of one pair; of 0 dimensions if a
        measure of a user returns only the value."""
        p, q = (side.to_dense().ravel() for side in self.smooth())
        used = (p > 0) | (q > 0)
        if self.measure.is_smoothed and self.smoothing.kind == "shared":
            used = (p > 0) & (q > 0)
            p, q = p / (p[used].sum() or 1), q / (q[used].sum() or 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = self.measure.parts(p[used], q[used], self.alpha)
        if not parts.ndim:
            return parts
        found = np.zeros(len(p))
        found[used] = parts
        return found
