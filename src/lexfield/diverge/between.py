"""Two texts: one number, how far to trust it, and the words behind it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexfield.diverge import categorical, knn, resample
from lexfield.diverge.calibrate import gaussian_bias
from lexfield.diverge.counts import Counts, Text, of_texts
from lexfield.diverge.coverage import coverage_notes
from lexfield.diverge.estimate import UNITS, Estimate
from lexfield.diverge.options import Options
from lexfield.diverge.points import Points, embed, exponent, merged, reach, reduced
from lexfield.diverge.possible import impossible_note, only_possible
from lexfield.diverge.spread import moves
from lexfield.errors import InputError, check
from lexfield.explain import Explanation, Reason
from lexfield.progress import Progress, silent

Array = NDArray[Any]
_SHOWN = 3  # nearest words given for a word
_LISTED = 1024  # neighbours listed at most; who needs more looks at all points
_EPSILON = 1e-5  # α = 1 ± this stands for KL


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
    """How different text ``a`` is from text ``b``; ``options`` are those of ``Options``.

    interval: a confidence such as 0.95; p: also test whether both come from one distribution.
    Both resample the tokens ``resamples`` times.
    """
    chosen = Options.of({"measure": measure, "space": space, **options})
    counts = of_texts([a, b], n=chosen.n, stopwords=chosen.stopwords)
    return between(
        counts, chosen, confidence=interval, p=p, resamples=resamples, seed=seed, progress=progress
    )


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
    """The same for two clouds given as arrays, a row a point; equal rows are one point."""
    from scipy.sparse import csr_matrix

    chosen = Options.of({"measure": measure, "k": k, "space": "latent", **options})
    clouds = [np.asarray(cloud, np.float64) for cloud in (x, y)]
    for cloud in clouds:
        check(cloud.ndim == 2 and len(cloud) > 0, "a cloud", "a table of numbers", cloud.shape)
        check(bool(np.isfinite(cloud).all()), "a cloud", "finite", "NaN or infinity")
    widths = tuple(cloud.shape[1] for cloud in clouds)
    check(widths[0] == widths[1], "x, y", "of one width", widths)
    rows = np.vstack(clouds)
    owners = np.repeat([0, 1], [len(cloud) for cloud in clouds])
    counts = csr_matrix((np.ones(len(rows)), (owners, np.arange(len(rows)))), (2, len(rows)))
    points = merged(rows, counts, [str(i) for i in range(len(rows))], np.zeros(2))
    points = reduced(points, chosen.reduce)
    side = _Latent(points, chosen)
    if chosen.estimator == "calibrated":
        side.bias = gaussian_bias(
            points, lambda x, y: knn_divergence(x, y, k, estimator="plain").raw
        )
    asked = {"confidence": interval, "p": p, "resamples": resamples, "seed": seed}
    return _estimate(side, chosen, asked, silent)


def between(
    counts: Counts, chosen: Options, *, progress: Progress = silent, **asked: Any
) -> Estimate:
    """The divergence of the first of two counted texts from the second."""
    empty = [id for id, tokens in zip(counts.ids, counts.totals, strict=True) if not tokens]
    if empty:
        raise InputError(f"Text {empty[0]!r} has no words.", "Give a text with words.")
    low = coverage_notes(counts, chosen, each=True)
    side: _Categorical | _Latent
    if chosen.counted:
        side = _Categorical(counts, chosen)
    else:
        chosen.for_texts()
        points = embed(counts, chosen.loaded(), points=chosen.points, reduce=chosen.reduce)
        side = _Latent(points, chosen)
    found = _estimate(side, chosen, asked, progress)
    found.notes[:0] = low
    return found


def _estimate(
    side: _Categorical | _Latent, chosen: Options, asked: dict[str, Any], progress: Progress
) -> Estimate:
    confidence, resamples = asked.get("confidence"), asked.get("resamples", 200)
    check(confidence is None or 0 < confidence < 1, "interval", "between 0 and 1", confidence)
    check(resamples >= 20, "resamples", "at least 20", resamples)
    check(asked.get("seed", 0) >= 0, "seed", "at least 0", asked.get("seed", 0))
    same = np.array_equal(side.a, side.b)  # no estimate is needed, and none is made for it
    raw = 0.0 if same else side.value(side.a, side.b)
    value = raw if chosen.counted else float(only_possible(raw, chosen.measure))
    bits = UNITS[chosen.unit]
    scale = bits if chosen.measure != "hellinger" else 1.0
    rng = np.random.default_rng(asked.get("seed", 0))
    estimate = Estimate(
        value * scale,
        chosen.unit if chosen.measure != "hellinger" else "",
        chosen.measure,
        chosen.space,
        int(side.a.sum()),
        int(side.b.sum()),
        dropped=side.dropped,
        entropy=(side.entropy(side.a, side.b) * bits, side.entropy(side.b, side.a) * bits),
        notes=[*side.notes(raw), *(["the texts hold the same words as often"] if same else [])],
        raw=raw * scale,
        explain=lambda: side.explain(scale),
    )
    whole = all(np.array_equal(row, row.astype(np.int64)) for row in (side.a, side.b))
    if (confidence is not None or asked.get("p")) and not whole:
        raise InputError("Bags with fractions cannot be resampled.", "Give whole counts.")
    a, b = side.a.astype(np.int64), side.b.astype(np.int64)
    common = {"resamples": resamples, "rng": rng, "progress": progress}
    if confidence is not None and estimate.possible:
        low, high = resample.interval(side.value, raw, a, b, confidence=confidence, **common)
        estimate = replace(estimate, interval=(low * scale, high * scale))
    if asked.get("p"):
        estimate = replace(estimate, p=resample.p_value(side.value, raw, a, b, **common))
    return estimate


class _Categorical:
    """Counts of two texts over their types."""

    def __init__(self, counts: Counts, chosen: Options) -> None:
        self._types, self._chosen = counts.types, chosen
        dense = np.asarray(counts.matrix.toarray())
        self.a, self.b = dense[0], dense[1]
        self.dropped = (0.0, 0.0)
        spreads = chosen.estimator == "spread" and chosen.space == "latent"
        self._move = moves(counts.types, self.a + self.b > 0, chosen) if spreads else None
        if chosen.smoothing == "shared" and chosen.measure in ("kl", "renyi"):
            self.dropped = (
                1 - float(self.a[self.b > 0].sum() / self.a.sum()),
                1 - float(self.b[self.a > 0].sum() / self.b.sum()),
            )

    def value(self, a: Array, b: Array) -> float:
        from scipy.sparse import csr_matrix

        chosen = self._chosen
        found = categorical.divergences(
            csr_matrix(self._spread(a)[None]),
            csr_matrix(self._spread(b)[None]),
            chosen.measure,
            smoothing=chosen.smoothing,
            alpha=chosen.alpha,
            collection=self._spread(self.a + self.b),
        )
        return float(found[0, 0])

    def entropy(self, a: Array, b: Array) -> float:
        """Of the first; the second is not looked at."""
        from scipy.sparse import csr_matrix

        return float(categorical.entropy(csr_matrix(self._spread(a)[None]))[0])

    def _spread(self, row: Array) -> Array:
        return row if self._move is None else np.asarray(row @ self._move)

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
        """Each type's term of the sum, or of its square for Hellinger divided by the value."""
        parts = self._parts()
        order = np.argsort(-np.abs(parts), kind="stable")
        shares = np.column_stack([self.a / self.a.sum(), self.b / self.b.sum()]) * 1000
        reasons = [
            Reason(self._types[i], self._types[i] if self.b[i] else "", float(parts[i] * scale))
            for i in order.tolist()
            if parts[i]
        ]
        rates = {self._types[i]: shares[i].round(3).tolist() for i in order.tolist()}
        return Explanation(reasons, self._chosen.measure != "renyi", {"per_thousand": rates})

    def _parts(self) -> Array:
        from scipy.sparse import csr_matrix

        chosen = self._chosen
        a, b = self._spread(self.a), self._spread(self.b)
        how = categorical.smoothing_of(chosen.smoothing)
        p, q = a / a.sum(), b / b.sum()
        if chosen.measure in ("kl", "renyi") and how.kind != "shared":
            p, q = (
                np.asarray(categorical.smoothed(csr_matrix(c[None]), how, a + b)).ravel()
                for c in (a, b)
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            if chosen.measure == "hellinger":
                squares = (np.sqrt(p) - np.sqrt(q)) ** 2 / 2
                whole = math.sqrt(float(squares.sum()))
                return np.asarray(squares / whole if whole else squares)
            if chosen.measure == "js":
                m = (p + q) / 2
                halves = [np.where(x > 0, x * np.log(x / m), 0) for x in (p, q)]
                return np.asarray((halves[0] + halves[1]) / 2)
            shared = (p > 0) & (q > 0)
            if chosen.measure == "renyi":
                logs = chosen.alpha * np.log(p) + (1 - chosen.alpha) * np.log(q)
                logs = np.where(shared, logs, -np.inf)
                # over their sum where that could be too large for a number
                top = float(logs.max()) if chosen.alpha > 2 else 0.0
                terms = (p * math.exp(-max(top, 0)) - np.exp(logs - max(top, 0))) * (
                    1 if chosen.alpha < 1 else -1
                )
            else:
                terms = np.where(shared, p * np.log(p / q), 0)
            return np.asarray(terms)


class _Latent:
    """Counts of two texts over the points of both, and the neighbours of every point."""

    bias = 0.0  # known, and taken off

    def __init__(self, points: Points, chosen: Options) -> None:
        self._points, self._chosen = points, chosen
        dense = np.asarray(points.counts.toarray())
        self.a, self.b = dense[0], dense[1]
        self.dropped = (float(points.dropped[0]), float(points.dropped[1]))
        for which, row in (("first", self.a), ("second", self.b)):
            distinct = int((row > 0).sum())
            needed = chosen.neighbours[-1]
            if distinct <= needed:
                raise InputError(
                    f"The {which} text has {distinct:,} distinct points; k = {chosen.k} needs"
                    f" {needed + 1:,}.",
                    "Take a smaller k or a longer text.",
                )
        self._d = 0.0 if chosen.estimator == "equal_radius" else exponent(points, chosen.dimension)
        self._lists = points.lists(min(max(32, 8 * chosen.neighbours[-1]), _LISTED))

    def value(self, a: Array, b: Array) -> float:
        chosen = self._chosen
        if chosen.measure == "js":
            return (self._to_mixture(a, b) + self._to_mixture(b, a)) / 2
        if chosen.measure == "hellinger":
            sigmas = [math.exp(self._log_sigma(*pair, 0.5)) for pair in ((a, b), (b, a))]
            return float(knn.hellinger(np.log(np.mean(sigmas))))
        if chosen.measure == "renyi":
            return self._log_sigma(a, b, chosen.alpha) / (chosen.alpha - 1)
        if chosen.estimator == "equal_radius":
            weights, _, counts = self._reach(a, b, chosen.k)
            return float(knn.equal_radius(counts[:, 0], counts[:, 1], weights, b.sum()))
        if not chosen.limit:
            both = [
                self._log_sigma(a, b, alpha) / (alpha - 1) for alpha in (1 + _EPSILON, 1 - _EPSILON)
            ]
            return float(np.mean(both))
        values = []
        for k in chosen.neighbours:
            weights, distances, _ = self._reach(a, b, k)
            values.append(float(knn.kl(self._ratio(distances), weights, b.sum())))
        if chosen.estimator == "extrapolated":
            return float(knn.extrapolated(np.array(values), chosen.k, self._d))
        return values[0] - self.bias

    def _reach(self, a: Array, b: Array, k: int) -> tuple[Array, Array, Array]:
        """For the points of ``a``: weights, distances ρ, ν and to the union, and counts within."""
        mine = np.flatnonzero(a)
        if min((a > 0).sum(), (b > 0).sum()) <= k:
            raise InputError(
                f"A sample of the texts has no {k} other points.",
                "Take a smaller k or a longer text.",
            )
        distances, counts = reach(self._points, self._lists, mine, a, b, k)
        return a[mine].astype(np.float64), distances, counts

    def entropy(self, a: Array, b: Array) -> float:
        """Of the first; the second only shares the walk."""
        weights, distances, _ = self._reach(a, b, self._chosen.k)
        d = self._d or exponent(self._points, self._chosen.dimension)
        return float(knn.entropy(np.log(distances[:, 0]), weights, self._chosen.k, d))

    def _ratio(self, distances: Array, other: int = 1) -> Array:
        ratio: Array = self._d * (np.log(distances[:, 0]) - np.log(distances[:, other]))
        return ratio

    def _log_sigma(self, a: Array, b: Array, alpha: float) -> float:
        weights, distances, _ = self._reach(a, b, self._chosen.k)
        ratio = self._ratio(distances)
        return float(knn.log_sigma(ratio, weights, b.sum(), self._chosen.k, alpha))

    def _to_mixture(self, a: Array, b: Array) -> float:
        weights, distances, _ = self._reach(a, b, self._chosen.k)
        types = (a > 0).sum(), (b > 0).sum(), ((a > 0) | (b > 0)).sum()
        size = knn.mixture_size(a.sum(), b.sum(), *types) - 1
        return float(knn.kl(self._ratio(distances, 2), weights, size))

    def notes(self, value: float) -> list[str]:
        notes = []
        if any(self.dropped):
            notes.append(
                f"tokens without a vector: {self.dropped[0]:.1%} of the first text,"
                f" {self.dropped[1]:.1%} of the second"
            )
        if math.isnan(float(only_possible(value, self._chosen.measure))):
            notes.append(impossible_note(value, self._chosen.measure))
        return notes

    def explain(self, scale: float) -> Explanation:
        """Each word's part in KL, with the nearest words of the other text."""
        weights, distances, counts = self._reach(self.a, self.b, self._chosen.k)
        mine = np.flatnonzero(self.a)
        n, m = weights.sum(), self.b.sum()
        plain = self._chosen.estimator not in ("extrapolated", "calibrated")
        if self._chosen.estimator == "equal_radius":
            from scipy.special import digamma

            terms = digamma(counts[:, 0]) - digamma(counts[:, 1])
        else:
            terms = -self._ratio(distances)
        parts = weights / n * (terms + math.log(m / (n - 1))) * scale
        words = self._points.words
        reasons = []
        for place in np.argsort(-np.abs(parts), kind="stable").tolist():
            word = mine[place]
            near, distance = self._nearest(word)
            held = self.b[word] > 0
            reasons.append(
                Reason(
                    words[word],
                    ", ".join(words[i] for i in ([word, *near] if held else near)),
                    float(parts[place]),
                    0.0 if held else distance,
                )
            )
        return Explanation(reasons, additive=self._chosen.measure == "kl" and plain)

    def _nearest(self, word: int) -> tuple[list[int], float]:
        """The nearest other words of the second text, and how far the first of them is."""
        rows, far = (lists[word] for lists in self._lists)
        near = np.flatnonzero(self.b[rows] > 0)[:_SHOWN]
        if len(near) < _SHOWN:
            rows = np.flatnonzero(self.b)
            rows = rows[rows != word]
            vectors = self._points.vectors
            far = np.linalg.norm(vectors[rows] - vectors[word], axis=1)
            near = np.argsort(far, kind="stable")[:_SHOWN]
        return rows[near].tolist(), float(far[near[0]])
