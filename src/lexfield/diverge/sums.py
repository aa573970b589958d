"""What the blocks of a walk add up to, for each measure, and the matrices that follow.

All sums run over the words x of a document X, weighted by how often X holds them: one array of
documents × documents × k, so a block can be forgotten when it has been added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.diverge import knn
from lexfield.diverge.options import Options
from lexfield.engine.compiled import kernel

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Array = NDArray[Any]
_EPSILON = 1e-5  # α = 1 ± this stands for KL


@dataclass(frozen=True)
class Block:
    """Some words: which document holds which (entries), how often, and what the walk met."""

    words: Array  # entry → word of the block
    documents: Array  # entry → document
    weights: Array
    distances: Array  # word × document × k: to the document's k-th nearest word
    own: Array  # entry × document × k, for equal radii: see walk.walk_block
    others: Array
    union: Array  # entry × document × k, for the mixture: see walk.union_block


class Sums:
    """Added up block by block; ``arrays`` is all there is to keep."""

    def __init__(self, counts: csr_matrix, ks: list[int], chosen: Options, d: float) -> None:
        self._counts, self._ks, self._chosen, self._d = counts, ks, chosen, d
        shape = (counts.shape[0], counts.shape[0], len(ks))
        names = ["logs"]
        if chosen.estimator == "equal_radius":
            names = ["radii"]
        elif self._alphas:
            names = [f"{part}{i}" for i in range(len(self._alphas)) for part in ("top", "total")]
        elif chosen.measure == "js":
            names = ["logs", "union"]
        fills = {"top": -np.inf}
        self.arrays = {name: np.full(shape, fills.get(name[:3], 0.0)) for name in names}

    @property
    def _alphas(self) -> tuple[float, ...]:
        """The orders at which σ̂ is summed."""
        if self._chosen.measure == "kl":
            return () if self._chosen.limit else (1 + _EPSILON, 1 - _EPSILON)
        return {"renyi": (self._chosen.alpha,), "hellinger": (0.5,)}.get(self._chosen.measure, ())

    def add(self, block: Block) -> None:
        logs = np.log(block.distances)
        if "radii" in self.arrays:
            from scipy.special import digamma

            ks = np.array(self._ks)
            inside, others = np.maximum(block.own, ks), np.maximum(block.others, ks)
            entries = np.arange(len(block.weights))
            self._gather("radii", block, entries, digamma(inside) - digamma(others))
        if "logs" in self.arrays:
            self._gather("logs", block, block.words, logs)
        if "union" in self.arrays:
            self._gather("union", block, np.arange(len(block.weights)), np.log(block.union))
        for i, alpha in enumerate(self._alphas):
            tops, totals = self.arrays[f"top{i}"], self.arrays[f"total{i}"]
            scale = (1 - alpha) * self._d
            _powers(block.words, block.documents, block.weights, logs, scale, tops, totals)

    def merge(self, part: Mapping[str, Array]) -> None:
        """Add the sums of other words."""
        for name, values in part.items():
            if name.startswith("top"):
                total = f"total{name[3:]}"
                tops = np.maximum(self.arrays[name], values)
                where = np.isfinite(tops)
                self.arrays[total] = _scaled(self.arrays[total], self.arrays[name], tops, where)
                self.arrays[total] += _scaled(part[total], values, tops, where)
                self.arrays[name] = tops
            elif not name.startswith("total"):
                self.arrays[name] += values

    def _gather(self, name: str, block: Block, places: Array, values: Array) -> None:
        """Add to the row of each entry's document what ``values`` has at the entry's place."""
        from scipy.sparse import csr_matrix

        shape = (len(self.arrays[name]), len(values))
        weights = csr_matrix((block.weights, (block.documents, places)), shape=shape)
        flat = weights @ values.reshape(len(values), -1)
        self.arrays[name] += np.asarray(flat).reshape(self.arrays[name].shape)

    def matrices(self, ks: list[int]) -> dict[int, Array]:
        """The divergence of every document from every other, for each of ``ks``, in nats."""
        values = self._values()
        by_neighbour = {k: values[:, :, i] for i, k in enumerate(self._ks)}
        if self._chosen.estimator != "extrapolated":
            return {k: by_neighbour[k].copy() for k in ks}
        return {
            k: knn.extrapolated(np.stack([by_neighbour[k * s] for s in knn.STEPS]), k, self._d)
            for k in ks
        }

    def _values(self) -> Array:
        n = np.asarray(self._counts.sum(axis=1)).ravel().astype(np.float64)
        sizes = (n[None, :] / (n[:, None] - 1))[:, :, None]  # M / (N − 1)
        per = n[:, None, None]
        if self._chosen.estimator == "equal_radius":
            return np.asarray(self.arrays["radii"] / per + np.log(sizes))
        if self._alphas:
            sigmas = [self._log_sigma(i, alpha, per, sizes) for i, alpha in enumerate(self._alphas)]
            if self._chosen.measure == "hellinger":
                both = np.logaddexp(sigmas[0], sigmas[0].transpose(1, 0, 2)) - np.log(2)
                return knn.hellinger(both)
            parts = [s / (alpha - 1) for s, alpha in zip(sigmas, self._alphas, strict=True)]
            return np.asarray(np.mean(parts, axis=0))
        logs = self.arrays["logs"]
        own = np.einsum("iik->ik", logs)[:, None]
        if self._chosen.measure == "js":
            halves = self._d * (self.arrays["union"] - own) / per + self._mixture(n)
            return np.asarray((halves + halves.transpose(1, 0, 2)) / 2)
        return np.asarray(self._d * (logs - own) / per + np.log(sizes))

    def _log_sigma(self, i: int, alpha: float, per: Array, sizes: Array) -> Array:
        summed = self.arrays[f"top{i}"] + np.log(self.arrays[f"total{i}"])
        shift = knn.log_b(np.array(self._ks), alpha) - (1 - alpha) * np.log(sizes)
        return np.asarray(summed + shift - np.log(per))

    def _mixture(self, n: Array) -> Array:
        """ln of the size of each pair's mixture, without the point itself, over N − 1."""
        held = (self._counts > 0).astype(np.float64)
        types = np.asarray(held.sum(axis=1)).ravel()
        both = types[:, None] + types[None, :] - (held @ held.T).toarray()
        size = knn.mixture_size(n[:, None], n[None, :], types[:, None], types[None, :], both)
        return np.asarray(np.log((size - 1) / (n[:, None] - 1)))[:, :, None]


def _scaled(totals: Array, tops: Array, new: Array, where: Array) -> Array:
    """Totals of powers over ``tops`` as those over ``new``; nothing was added where not."""
    factors: Array = np.exp(np.subtract(tops, new, out=np.zeros_like(new), where=where))
    return totals * factors


@kernel
def _powers(
    words: Any, documents: Any, weights: Any, logs: Any, scale: Any, tops: Any, totals: Any
) -> Any:
    """Add w (ρ/ν)^scale to totals · e^tops, keeping the largest power seen in ``tops``."""
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
