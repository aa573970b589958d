"""Does the heavy tail of cluster sizes say anything? The same clustering where nothing is to find.

shuffled   every sentence keeps its length and is refilled with words drawn from the corpus
gaussian   points drawn from one normal distribution with the sentences' mean and covariance

Shuffled sentences have the vectors and the lengths of the real ones but no themes; a Gaussian cloud
has not even lengths. What the real slope adds to theirs is what the text adds. Intervals are over
seeds (of the clustering, and of the draws): they say how sure the slope of this text is, nothing of
other texts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Cloud
from lexfield.ranks.fit import line
from lexfield.ranks.kmeans import kmeans
from lexfield.vectors.means import mean_vectors

Points = NDArray[np.float32]
_ROWS = 8192


@dataclass(frozen=True)
class Null:
    """A null model beside the text: slopes with 95% intervals, and their difference.

    difference: the text's slope minus the model's, with a 95% interval (Welch); p: the chance of
    one so far from 0 if there were none. None where there is only one seed.
    """

    model: str
    slope: float
    r2: float
    slopes: list[float]
    difference: float
    low: float | None
    high: float | None
    p: float | None


def shuffled(points: Cloud, rng: np.random.Generator) -> Points:
    """Mean vectors of sentences refilled from the corpus's unigram distribution."""
    from scipy.sparse import csr_matrix

    bags = points.bags
    drawn = bags.indices[rng.integers(0, len(bags.indices), len(bags.indices))]
    refilled = csr_matrix((bags.data, drawn, bags.indptr), bags.shape)
    return mean_vectors(refilled, points.embedded.matrix)


def gaussian(points: Cloud, rng: np.random.Generator) -> Points:
    """As many points as sentences, from a normal distribution of their mean and covariance."""
    means = points.means
    centre = means.mean(axis=0, dtype=np.float64)
    starts = range(0, len(means), _ROWS)

    def products(start: int) -> NDArray[np.float64]:
        moved = means[start : start + _ROWS] - centre
        return np.asarray(moved.T @ moved)

    covariance = np.sum(list(map_blocks(products, starts)), axis=0) / max(1, len(means) - 1)
    values, axes = np.linalg.eigh(covariance)
    root = (axes * np.sqrt(np.maximum(values, 0))).T.astype(np.float32)
    out = np.empty_like(means)
    streams = rng.spawn(len(starts))

    def block(number: int) -> None:
        part = slice(starts[number], starts[number] + _ROWS)
        noise = streams[number].standard_normal(out[part].shape, np.float32)
        out[part] = noise @ root + centre.astype(np.float32)

    list(map_blocks(block, range(len(starts))))
    return out


MODELS: dict[str, Callable[[Cloud, np.random.Generator], Points]] = {
    "shuffled": shuffled,
    "gaussian": gaussian,
}


def compare_nulls(
    points: Cloud,
    k: int,
    slopes: Sequence[float],
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Null]:
    """Cluster each null model as often as the text was, and compare the slopes."""
    rows = []
    total, done = len(MODELS) * len(slopes), 0
    for number, (name, model) in enumerate(MODELS.items()):
        own, r2 = [], []
        for draw in range(len(slopes)):
            rng = np.random.default_rng([seed, number, draw])
            fit = line(kmeans(model(points, rng), k, seed=seed + draw).sizes)
            own.append(fit.parameters["slope"])
            r2.append(fit.r2 or 0.0)
            done += 1
            progress(done, total)
        difference, low, high, p = difference_of(slopes, own)
        rows.append(
            Null(name, float(np.mean(own)), float(np.mean(r2)), own, difference, low, high, p)
        )
    return rows


def difference_of(
    a: Sequence[float], b: Sequence[float]
) -> tuple[float, float | None, float | None, float | None]:
    """mean(a) − mean(b), its 95% interval and p-value by Welch's t-test."""
    from scipy.stats import ttest_ind

    gap = float(np.mean(a) - np.mean(b))
    if min(len(a), len(b)) < 2 or np.std(a) + np.std(b) < 1e-9:
        return gap, None, None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one side may be the same for every seed
        test = ttest_ind(a, b, equal_var=False)
    interval = test.confidence_interval(0.95)
    return gap, float(interval.low), float(interval.high), float(test.pvalue)
