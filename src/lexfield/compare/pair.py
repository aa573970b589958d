"""Two texts: their divergence, how far to trust it, and the words behind it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lexfield.arrays import Array
from lexfield.compare import knn
from lexfield.compare.clouds import (
    Clouds,
    check_coverage,
    find_exponent,
    find_radii,
    list_neighbours,
    make_clouds,
    merge_equal_points,
    reduce_dimensions,
)
from lexfield.compare.counts import Counts, Text, compare_rows, count_texts, find_flows
from lexfield.compare.delta import refuse_few
from lexfield.compare.estimate import Estimate, Resampling, drop_impossible, note_no_value
from lexfield.compare.options import UNITS, ComparisonOptions
from lexfield.compare.smoothing import find_entropy
from lexfield.errors import InputError, check
from lexfield.explain import Explanation, Reason
from lexfield.progress import Progress, silent

_OUTSIDE = 0.01  # share of points far from the other text above which there is no interval
_NEAR_WORDS = 3  # nearest words named in an explanation
_LONGEST_LIST = 1024  # neighbours listed at most; beyond that, points are compared with all others


def divergence(
    a: Text,
    b: Text,
    measure: str = "kl",
    space: str = "categorical",
    *,
    interval: float | None = None,
    p: bool = False,
    resamples: int = 200,
    seed: int = 0,
    progress: Progress = silent,
    **options: Any,
) -> Estimate:
    """Return how different text ``a`` is from text ``b``: each a string, a Document, a whole
    Corpus, a Bag or a list of words. ``options`` are those of ``ComparisonOptions``.

    interval: a confidence such as 0.95; p: also test whether both come from one distribution.
    Both resample the tokens ``resamples`` times.
    """
    chosen = ComparisonOptions.from_dict({"measure": measure, "space": space, **options})
    counts = count_texts([a, b], n=chosen.n, stopwords=chosen.stopwords)
    return compare_counts(counts, chosen, Resampling(interval, p, resamples, seed), progress)


def knn_divergence(
    x: ArrayLike,
    y: ArrayLike,
    k: int = 3,
    measure: str = "kl",
    *,
    interval: float | None = None,
    p: bool = False,
    resamples: int = 200,
    seed: int = 0,
    **options: Any,
) -> Estimate:
    """Return the same for two clouds given as arrays, one row per point; equal rows are one."""
    from scipy.sparse import csr_matrix

    given = {"measure": measure, "k": k, "space": "latent", **options}
    chosen = ComparisonOptions.from_dict(given)
    expected = "another one for arrays (spread is for texts)"
    check(chosen.estimator != "spread", "estimator", expected, chosen.estimator)
    arrays = [np.asarray(cloud, np.float64) for cloud in (x, y)]
    for array in arrays:
        check(array.ndim == 2 and len(array) > 0, "a cloud", "a table of numbers", array.shape)
        check(bool(np.isfinite(array).all()), "a cloud", "finite", "NaN or infinity")
    widths = tuple(array.shape[1] for array in arrays)
    check(widths[0] == widths[1], "x, y", "of one width", widths)
    rows = np.vstack(arrays)
    owners = np.repeat([0, 1], [len(array) for array in arrays])
    counts = csr_matrix((np.ones(len(rows)), (owners, np.arange(len(rows)))), (2, len(rows)))
    words = [str(i) for i in range(len(rows))]
    clouds = merge_equal_points(Clouds(rows, counts, words, np.zeros(2)))
    side = CloudPair(reduce_dimensions(clouds, chosen.axes), chosen)
    if chosen.estimator == "calibrated":
        side.remove_bias(lambda x, y: knn_divergence(x, y, k).raw)
    return estimate_pair(side, chosen, Resampling(interval, p, resamples, seed), silent)


def compare_counts(
    counts: Counts,
    options: ComparisonOptions,
    resampling: Resampling | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the divergence of the first of two counted texts from the second."""
    if options.definition.is_standardised:
        raise refuse_few(options.measure)
    check(options.features is None, "features", "left out for two texts", options.features)
    check(options.hubs is None, "hubs", "left out for two texts", options.hubs)
    empty = [id for id, tokens in zip(counts.ids, counts.totals, strict=True) if not tokens]
    if empty:
        raise InputError(f"Text {empty[0]!r} has no words.", "Give a text with words.")
    notes = check_coverage(counts, options, each=True)
    side: CountPair | CloudPair
    if options.compares_counts:
        side = CountPair(counts, options)
    else:
        options.check_for_texts()
        side = CloudPair(make_clouds(counts, options), options)
    estimate = estimate_pair(side, options, resampling or Resampling(), progress)
    estimate.notes[:0] = notes
    return estimate


def estimate_pair(
    side: CountPair | CloudPair,
    options: ComparisonOptions,
    resampling: Resampling,
    progress: Progress,
) -> Estimate:
    """Return the divergence of two texts with its error bars and reasons."""
    is_same = np.array_equal(side.a, side.b)  # then the divergence is 0 and not estimated
    raw = 0.0 if is_same else side.value(side.a, side.b)
    value = float(drop_impossible(raw, options))
    notes = side.notes(raw)
    if math.isnan(value):
        notes.append(note_no_value(raw, options))
    bounds = None if math.isnan(value) else options.bounds
    far = side.find_share_outside() if resampling.interval and bounds else 0.0
    if far > _OUTSIDE:
        resampling = replace(resampling, interval=None)
        notes.append(
            f"no interval: {far:.1%} of the first text's points have no point of the second nearby."
            f" If its density vanishes there, {options.measure} is infinite, whatever the estimate"
        )
    bars = resampling.run(side.value, side.a, side.b, raw, bounds, progress)
    interval, p = bars.interval, bars.p
    notes += [] if is_same else bars.note_bias(raw, options.scale, side.dimensions)
    is_unknown = (resampling.interval and interval is None) or (resampling.p and p is None)
    if is_unknown and bounds is not None:
        notes.append(f"no error bars: {options.measure} could not be computed for some resamples")
    if is_same:
        notes.append("both texts use the same words equally often")
    scale, bits = options.scale, UNITS[options.unit]
    return Estimate(
        value * scale,
        options.unit if options.definition.is_logarithmic else "",
        options.measure,
        options.space,
        int(side.a.sum()),
        int(side.b.sum()),
        interval=None if interval is None else (interval[0] * scale, interval[1] * scale),
        p=p,
        dropped=side.dropped,
        entropy=(side.entropy(side.a, side.b) * bits, side.entropy(side.b, side.a) * bits),
        notes=notes,
        raw=raw * scale,
        explain=lambda: side.explain(scale),
    )


class CountPair:
    """Counts of two texts over their types."""

    def __init__(self, counts: Counts, options: ComparisonOptions) -> None:
        self._types, self._options = counts.types, options
        self.dimensions = 0
        dense = np.asarray(counts.matrix.toarray())
        self.a, self.b = dense[0], dense[1]
        used = self.a + self.b > 0
        self._flows = find_flows(counts.types, used, options) if options.spreads_counts else None
        self.dropped = (0.0, 0.0)
        if options.ignores_unshared:
            self.dropped = (
                1 - float(self.a[self.b > 0].sum() / self.a.sum()),
                1 - float(self.b[self.a > 0].sum() / self.b.sum()),
            )

    def find_share_outside(self) -> float:
        """Return 0: counts are smoothed where one text has none."""
        return 0.0

    def value(self, a: Array, b: Array) -> float:
        rows, collection = (self._make_row(a), self._make_row(b)), self._spread(self.a + self.b)
        return float(compare_rows(*rows, self._options, collection)[0, 0])

    def entropy(self, a: Array, b: Array) -> float:
        """Return the entropy of the first text."""
        return float(find_entropy(self._make_row(a))[0])

    def _spread(self, row: Array) -> Array:
        return row if self._flows is None else np.asarray(row @ self._flows)

    def _make_row(self, row: Array) -> Any:
        from scipy.sparse import csr_matrix

        return csr_matrix(self._spread(row)[None])

    def notes(self, value: float) -> list[str]:
        notes = []
        if any(self.dropped):
            notes.append(
                f"words that only one text holds are ignored: {self.dropped[0]:.1%} of the first,"
                f" {self.dropped[1]:.1%} of the second"
            )
        if math.isinf(value):
            notes.append("infinite: the texts have no word in common")
        return notes

    def explain(self, scale: float) -> Explanation:
        """Return each type's part in the value."""
        options = self._options
        rows = self._make_row(self.a), self._make_row(self.b)
        collection = self._spread(self.a) + self._spread(self.b)
        parts = options.make_table(*rows, collection).find_parts()
        if not parts.ndim:
            return Explanation([], additive=False)
        order = np.argsort(-np.abs(parts), kind="stable")
        shares = np.column_stack([self.a / self.a.sum(), self.b / self.b.sum()]) * 1000
        types = [self._types[i] for i in order.tolist()]
        scaled, in_second = (parts * scale)[order].tolist(), (self.b > 0)[order].tolist()
        reasons = [
            Reason(word, word if there else "", part)
            for word, there, part in zip(types, in_second, scaled, strict=True)
            if part
        ]
        rates = dict(zip(types, shares[order].round(3).tolist(), strict=True))
        return Explanation(reasons, options.definition.is_additive, {"per_thousand": rates})


class CloudPair:
    """Counts of two texts over the points of both, and the neighbours of every point."""

    def __init__(self, clouds: Clouds, options: ComparisonOptions) -> None:
        self._clouds, self._options = clouds, options
        self.dimensions = clouds.vectors.shape[1]
        dense = np.asarray(clouds.counts.toarray())
        self.a, self.b = dense[0], dense[1]
        self.dropped = (float(clouds.dropped[0]), float(clouds.dropped[1]))
        needed = options.required_ks[-1]
        for name, row in (("first", self.a), ("second", self.b)):
            distinct = int((row > 0).sum())
            if distinct <= needed:
                raise InputError(
                    f"The {name} text has {distinct:,} distinct points; k = {options.k} needs"
                    f" {needed + 1:,}.",
                    "Use a smaller neighbour, or a longer text.",
                )
        equal_radii = options.estimator == "equal_radius"
        self._d = 0.0 if equal_radii else find_exponent(clouds, options.dimension)
        self._bias = 0.0
        self._lists = list_neighbours(clouds.vectors, min(max(32, 8 * needed), _LONGEST_LIST))

    def remove_bias(self, estimate: Callable[[Array, Array], float]) -> None:
        """Subtract from now on the mean error that ``estimate`` has on similar Gaussian clouds."""
        counts = np.stack([self.a, self.b])
        self._bias = knn.find_gaussian_bias(self._clouds.vectors, counts, estimate)

    def find_share_outside(self) -> float:
        """Return the share of the first text outside of the second, for kl and renyi over 1.

        Such a point is farther from its k-th neighbour in the second text than any point of the
        second text is: there is no sign that the second density is positive there.
        """
        options = self._options
        if options.measure not in ("kl", "renyi") or max(options.orders, default=1) < 1:
            return 0.0
        weights, distances, _ = self._find_radii(self.a, self.b, options.k)
        widest = self._find_radii(self.b, self.a, options.k)[1][:, 0].max()
        return float(weights[distances[:, 1] > widest].sum() / weights.sum())

    def value(self, a: Array, b: Array) -> float:
        options = self._options
        estimate = options.definition.estimate
        assert estimate is not None  # checked with the options
        values = {
            k: estimate(self._sum(a, b, k), partial(self._sum, b, a, k))
            for k in options.required_ks
        }
        if options.estimator == "extrapolated":
            return float(knn.extrapolate(values, options.k, self._d))
        return float(values[options.k]) - self._bias

    def _sum(self, a: Array, b: Array, k: int) -> knn.CloudSums:
        """Return the sums over the points of ``a`` that the measure needs."""
        from scipy.special import logsumexp

        options = self._options
        weights, distances, inside = self._find_radii(a, b, k)
        n = weights.sum()
        sums = knn.CloudSums(
            n, b.sum(), k, ratio=-(weights * self._terms(distances, inside)).sum() / n
        )
        if options.orders:
            ratios = self._log_ratios(distances, 1)
            powers = {alpha: logsumexp((1 - alpha) * ratios, b=weights) for alpha in options.orders}
            sums = replace(sums, powers=powers)
        if options.definition.uses_mixture:
            types = ((a > 0).sum(), (b > 0).sum(), ((a > 0) | (b > 0)).sum())
            to_mixture = (weights * self._log_ratios(distances, 2)).sum() / n
            mixture = knn.count_mixture(n, b.sum(), *types)
            sums = replace(sums, to_mixture=to_mixture, mixture=mixture)
        return sums

    def _terms(self, distances: Array, inside: Array) -> Array:
        """Return what each point adds to KL: d ln(ν/ρ), or ψ(l) − ψ(m) for equal radii."""
        from scipy.special import digamma

        if self._options.estimator == "equal_radius":
            return np.asarray(digamma(inside[:, 0]) - digamma(inside[:, 1]))
        return -self._log_ratios(distances, 1)

    def _log_ratios(self, distances: Array, other: int) -> Array:
        return np.asarray(self._d * (np.log(distances[:, 0]) - np.log(distances[:, other])))

    def _find_radii(self, a: Array, b: Array, k: int) -> tuple[Array, Array, Array]:
        """Return for the points of ``a``: weights, the distances ρ, ν and to the k-th of both, and
        the numbers of points within the larger of the first two."""
        points = np.flatnonzero(a)
        if min((a > 0).sum(), (b > 0).sum()) <= k:
            raise InputError(
                f"A sample of the texts has no {k} other points.",
                "Use a smaller neighbour, or a longer text.",
            )
        distances, inside = find_radii(self._clouds.vectors, self._lists, points, a, b, k)
        return a[points].astype(np.float64), distances, inside

    def entropy(self, a: Array, b: Array) -> float:
        """Return the entropy of the first text."""
        k = self._options.k
        weights, distances, _ = self._find_radii(a, b, k)
        d = self._d or find_exponent(self._clouds, self._options.dimension)
        return knn.estimate_entropy(np.log(distances[:, 0]), weights, k, d)

    def notes(self, value: float) -> list[str]:
        notes = []
        if any(self.dropped):
            notes.append(
                f"tokens without a vector: {self.dropped[0]:.1%} of the first text,"
                f" {self.dropped[1]:.1%} of the second"
            )
        return notes

    def explain(self, scale: float) -> Explanation:
        """Return each word's part in KL, with the nearest words of the other text."""
        options = self._options
        weights, distances, inside = self._find_radii(self.a, self.b, options.k)
        n, m = weights.sum(), self.b.sum()
        terms = self._terms(distances, inside)
        parts = weights / n * (terms + math.log(m / (n - 1))) * scale
        points, words = np.flatnonzero(self.a), self._clouds.words
        reasons = []
        for place in np.argsort(-np.abs(parts), kind="stable").tolist():
            point = points[place]
            near, distance = self._find_nearest(point)
            is_shared = self.b[point] > 0
            match = ", ".join(words[i] for i in ([point, *near] if is_shared else near))
            distance = 0.0 if is_shared else distance
            reasons.append(Reason(words[point], match, float(parts[place]), distance))
        plain = options.estimator not in ("extrapolated", "calibrated")
        return Explanation(reasons, additive=options.measure == "kl" and plain)

    def _find_nearest(self, point: int) -> tuple[list[int], float]:
        """Return the nearest other words of the second text, and the distance of the first."""
        rows, far = (lists[point] for lists in self._lists)
        near = np.flatnonzero(self.b[rows] > 0)[:_NEAR_WORDS]
        if len(near) < _NEAR_WORDS:
            rows = np.flatnonzero(self.b)
            rows = rows[rows != point]
            vectors = self._clouds.vectors
            far = np.linalg.norm(vectors[rows] - vectors[point], axis=1)
            near = np.argsort(far, kind="stable")[:_NEAR_WORDS]
        return rows[near].tolist(), float(far[near[0]])
