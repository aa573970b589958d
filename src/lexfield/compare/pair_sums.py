"""The sums behind the divergences of all pairs of clouds, added up block by block.

All sums run over the words x of a document X, weighted by how often X holds them: one array of
documents × documents × k, so a block can be forgotten once it has been added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lexfield.arrays import Array
from lexfield.compare.knn import CloudSums, count_mixture, extrapolate
from lexfield.compare.neighbour_walk import Block
from lexfield.compare.options import ComparisonOptions
from lexfield.engine.compiled import kernel

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class PairSums:
    """Sums for all pairs; ``arrays`` is all there is to store.

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
        fills = {"top": -np.inf}
        self.arrays = {name: np.full(shape, fills.get(name[:3], 0.0)) for name in names}

    def add(self, block: Block) -> None:
        """Add the sums of a block of words."""
        from scipy.special import digamma

        places = np.arange(len(block.weights))
        logs = np.log(block.distances)
        if "radii" in self.arrays:
            ks = np.array(self._ks)
            inside, others = np.maximum(block.own, ks), np.maximum(block.others, ks)
            self._add_weighted("radii", block, places, digamma(inside) - digamma(others))
        if "logs" in self.arrays:
            self._add_weighted("logs", block, block.words, logs)
        if "union" in self.arrays:
            self._add_weighted("union", block, places, np.log(block.union))
        for i, alpha in enumerate(self._options.orders):
            tops, totals = self.arrays[f"top{i}"], self.arrays[f"total{i}"]
            scale = (1 - alpha) * self._d
            entries = (block.words, block.documents, block.weights)
            _add_powers(entries, logs, scale, tops, totals)

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
                total = f"total{name[3:]}"
                tops = np.maximum(self.arrays[name], values)
                where = np.isfinite(tops)
                self.arrays[total] = _rescale(self.arrays[total], self.arrays[name], tops, where)
                self.arrays[total] += _rescale(part[total], values, tops, where)
                self.arrays[name] = tops
            elif not name.startswith("total"):
                self.arrays[name] += values

    def compute_matrices(self, ks: list[int]) -> dict[int, Array]:
        """Return the divergence of every document from every other, for each of ``ks``, in nats."""
        estimate = self._options.definition.estimate
        assert estimate is not None  # checked with the options
        sums = self._finish()
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
        distinct = (types[:, None], types[None, :], both)
        return count_mixture(n[:, None], n[None, :], *distinct)[:, :, None]


def _rescale(totals: Array, tops: Array, new: Array, where: Array) -> Array:
    """Turn totals of powers divided by e^tops into those divided by e^new; ``where`` tells for
    which pairs there are any."""
    factors: Array = np.exp(np.subtract(tops, new, out=np.zeros_like(new), where=where))
    return totals * factors


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
