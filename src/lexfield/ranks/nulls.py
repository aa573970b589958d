"""Null models for cluster sizes: the same clustering of clouds without any themes.

shuffled   every sentence keeps its length and is refilled with words drawn from the corpus
gaussian   points drawn from one normal distribution with the sentences' mean and covariance

Shuffled sentences have the vectors and lengths of the real ones but no themes; a Gaussian cloud
does not even have lengths. What the text's slope adds to theirs comes from the text. Intervals are
over seeds (of the clustering and of the draws): they apply to this text, not to others.
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
from lexfield.ranks.fit import fit_line
from lexfield.ranks.kmeans import kmeans
from lexfield.vectors.means import mean_vectors

Points = NDArray[np.float32]
_ROWS = 8192  # points per block


@dataclass(frozen=True)
class NullModel:
    """A null model compared with the text: its slopes, and how they differ from the text's.

    difference: the text's slope minus the model's, with a 95% interval (Welch); p: the chance of
    one as far from 0 if there were none. None if there is only one seed.
    """

    model: str
    slope: float
    r2: float
    slopes: list[float]
    difference: float
    low: float | None
    high: float | None
    p: float | None


def draw_shuffled(cloud: Cloud, rng: np.random.Generator) -> Points:
    """Return mean vectors of sentences refilled from the corpus's unigram distribution."""
    from scipy.sparse import csr_matrix

    bags = cloud.bags
    drawn = bags.indices[rng.integers(0, len(bags.indices), len(bags.indices))]
    refilled = csr_matrix((bags.data, drawn, bags.indptr), bags.shape)
    return mean_vectors(refilled, cloud.vectors.words.matrix)


def draw_gaussian(cloud: Cloud, rng: np.random.Generator) -> Points:
    """Return as many points as sentences, normally distributed with their mean and covariance."""
    means = cloud.means
    centre = means.mean(axis=0, dtype=np.float64)
    starts = range(0, len(means), _ROWS)

    def multiply(start: int) -> NDArray[np.float64]:
        centred = means[start : start + _ROWS] - centre
        return np.asarray(centred.T @ centred)

    covariance = np.sum(list(map_blocks(multiply, starts)), axis=0) / max(1, len(means) - 1)
    values, axes = np.linalg.eigh(covariance)
    root = (axes * np.sqrt(np.maximum(values, 0))).T.astype(np.float32)
    out = np.empty_like(means)
    streams = rng.spawn(len(starts))

    def fill(number: int) -> None:
        part = slice(starts[number], starts[number] + _ROWS)
        noise = streams[number].standard_normal(out[part].shape, np.float32)
        out[part] = noise @ root + centre.astype(np.float32)

    list(map_blocks(fill, range(len(starts))))
    return out


MODELS: dict[str, Callable[[Cloud, np.random.Generator], Points]] = {
    "shuffled": draw_shuffled,
    "gaussian": draw_gaussian,
}


def compare_nulls(
    cloud: Cloud, k: int, slopes: Sequence[float], *, seed: int = 0, progress: Progress = silent
) -> list[NullModel]:
    """Cluster each null model as often as the text was, and compare the slopes."""
    rows = []
    total, done = len(MODELS) * len(slopes), 0
    for number, (name, draw) in enumerate(MODELS.items()):
        own, r2 = [], []
        for run in range(len(slopes)):
            rng = np.random.default_rng([seed, number, run])
            line = fit_line(kmeans(draw(cloud, rng), k, seed=seed + run).sizes)
            own.append(line.parameters["slope"])
            r2.append(line.r2 or 0.0)
            done += 1
            progress(done, total)
        difference = compare_means(slopes, own)
        rows.append(NullModel(name, float(np.mean(own)), float(np.mean(r2)), own, *difference))
    return rows


def compare_means(
    a: Sequence[float], b: Sequence[float]
) -> tuple[float, float | None, float | None, float | None]:
    """Return mean(a) − mean(b), its 95% interval and p value by Welch's t-test."""
    from scipy.stats import ttest_ind

    gap = float(np.mean(a) - np.mean(b))
    if min(len(a), len(b)) < 2 or np.std(a) + np.std(b) < 1e-9:
        return gap, None, None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one side may be equal for every seed
        test = ttest_ind(a, b, equal_var=False)
    interval = test.confidence_interval(0.95)
    return gap, float(interval.low), float(interval.high), float(test.pvalue)
