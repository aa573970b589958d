"""Bradley–Terry strengths for choices of one of two and of several of many.

Method m has strength w_m = exp(θ_m). Of the methods offered in a question, exactly those in S are
chosen, |S| fixed, with probability

    P(S) = Π_{m∈S} w_m / Σ_{S'} Π_{m∈S'} w_m      over all S' of the same size

One of two is the model of Bradley and Terry (1952), w_a/(w_a + w_b). Three of five is the same
model in this sense: given that exactly one of a and b was chosen, it was a with probability
w_a/(w_a + w_b), whatever else was offered. The counts of choices are sufficient statistics.

Newton's method maximises the likelihood with a normal prior of mean 0 and deviation 10. The prior
is too weak to change the third digit; it keeps scores finite if a method was always or never
chosen, and fixes their sum at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_PRIOR = 0.01  # 1/variance
_STEPS = 200
_LONGEST_STEP = 2.0  # so that Newton's method does not overshoot


@dataclass(frozen=True)
class Offer:
    """A kind of question: the numbers of the methods offered, and how many are chosen."""

    methods: tuple[int, ...]
    choose: int

    def subsets(self, count: int) -> Array:
        """Return every possible choice as a row of 0 and 1 over all ``count`` methods."""
        sets = list(combinations(self.methods, self.choose))
        table = np.zeros((len(sets), count))
        for row, chosen in enumerate(sets):
            table[row, list(chosen)] = 1
        return table


def fit(offers: Sequence[Offer], asked: Array, chosen: Array) -> Array:
    """Return θ of every method for each of B data sets at once.

    ``asked[b, o]`` says how often offer o was made, ``chosen[b, m]`` how often m was chosen.
    """
    count = chosen.shape[1]
    tables = [offer.subsets(count) for offer in offers]
    theta = np.zeros_like(chosen, dtype=float)
    for _ in range(_STEPS):
        gradient = chosen - _PRIOR * theta
        curvature = np.broadcast_to(_PRIOR * np.eye(count), (len(theta), count, count)).copy()
        for number, table in enumerate(tables):
            weights = theta @ table.T
            shares = np.exp(weights - weights.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)
            mean = shares @ table
            times = asked[:, number, None]
            gradient -= times * mean
            spread = (shares @ _products(table)).reshape(-1, count, count)
            curvature += times[:, :, None] * (spread - mean[:, :, None] * mean[:, None, :])
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(1, keepdims=True)
        theta += step * np.minimum(1, _LONGEST_STEP / np.maximum(longest, 1e-300))
        if longest.max() < 1e-9:
            break
    return theta


def _products(table: Array) -> Array:
    return (table[:, :, None] * table[:, None, :]).reshape(len(table), -1)


def find_unbounded(offers: Sequence[Offer], pairs: Array) -> list[int]:
    """Return the methods whose score only the prior bounds (Ford 1957).

    ``pairs[a, b]`` says how often a was chosen while b was offered and not chosen. The likelihood
    has a finite maximum only if every method beats every other, possibly through third methods. The
    methods outside the largest such group are returned.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    offered = sorted({method for offer in offers for method in offer.methods})
    if not offered:
        return []
    beats = csr_matrix(pairs[np.ix_(offered, offered)] > 0)
    _, labels = connected_components(beats, directed=True, connection="strong")
    largest = np.bincount(labels).argmax()
    return [m for m, label in zip(offered, labels, strict=True) if label != largest]
