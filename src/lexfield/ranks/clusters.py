"""Clusters of sentences: what they are about, how many there should be, and null models.

The words of a cluster are those more frequent in it than in the other sentences, by Dunning's
(1993) log-likelihood ratio. Its five nearest and five farthest sentences show whether it has one
theme, which is how Hare et al. choose k by hand.

Null models are the same clustering of clouds without any themes:

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

from lexfield.bags.keyness import dunning_g2
from lexfield.engine import map_blocks
from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Cloud
from lexfield.ranks.fit import FEWEST, fit_line
from lexfield.ranks.kmeans import Clustering, kmeans, measure_distances
from lexfield.results import Table, pluralise
from lexfield.text.corpus import Corpus
from lexfield.vectors.means import mean_vectors

Points = NDArray[np.float32]
SHOWN = 5  # words and sentences of a cluster
_LENGTH = 300  # characters shown of a sentence
_SAMPLE = 10_000
_ROWS = 8192  # points per block
_STEPS = range(-20, 21, 5)
_COMMON = 1 / 30
_TRIED = (10, 15, 20, 25, 30, 35, 40, 50, 60, 75, 100, 125, 150, 200)


@dataclass(frozen=True)
class SentenceCluster:
    """One cluster: its most distinctive words, and sentences near to and far from its centre."""

    rank: int
    size: int
    words: list[str]
    radius: float  # mean distance to the centre
    nearest: list[str]
    farthest: list[str]

    def lines(self) -> list[str]:
        """Return the cluster as lines of text."""
        return [
            f"cluster {self.rank}: {pluralise(self.size, 'sentence')}: {' '.join(self.words)}",
            *(f"  near  {text}" for text in self.nearest),
            *(f"  far   {text}" for text in self.farthest),
        ]


@dataclass(frozen=True)
class ClusterNumber:
    """A number of clusters that was tried."""

    k: int
    silhouette: float
    inertia: float


def describe_clusters(corpus: Corpus, cloud: Cloud, found: Clustering) -> Table[SentenceCluster]:
    """Return the words and sentences of every cluster, the largest first."""
    words = find_distinctive_words(cloud, found)
    order = np.lexsort((found.distances, found.labels))
    ends = np.append(0, np.cumsum(found.sizes))
    rows = []
    for rank, size in enumerate(found.sizes.tolist()):
        own = order[ends[rank] : ends[rank + 1]]
        rows.append(
            SentenceCluster(
                rank + 1,
                size,
                [corpus.vocabulary.words[word] for word in words[rank]],
                float(found.distances[own].mean(dtype=np.float64)),
                _shorten(corpus, cloud.rows[own[:SHOWN]]),
                _shorten(corpus, cloud.rows[own[::-1][:SHOWN]]),
            )
        )
    return Table(rows, f"{len(rows)} clusters of {len(cloud.rows):,} sentences")


def _shorten(corpus: Corpus, rows: NDArray[np.int64]) -> list[str]:
    texts = (" ".join(corpus.sentences[int(row)].split()) for row in rows)
    return [text if len(text) <= _LENGTH else f"{text[:_LENGTH]}…" for text in texts]


def find_distinctive_words(cloud: Cloud, found: Clustering) -> list[list[int]]:
    """Return per cluster the over-represented words with the largest G².

    Words in more than one sentence of 30, in any language the function words, come last.
    """
    from scipy.sparse import csr_matrix

    n, k = len(found.labels), len(found.sizes)
    members = csr_matrix((np.ones(n), (found.labels, np.arange(n))), (k, n))
    inside = (members @ cloud.bags.astype(np.float64)).tocsr()
    inside.sum_duplicates()
    words = np.asarray(inside.sum(axis=0)).ravel()
    sizes = np.asarray(inside.sum(axis=1)).ravel()
    total = words.sum()
    is_common = words > n * _COMMON
    result = []
    for cluster in range(k):
        part = slice(inside.indptr[cluster], inside.indptr[cluster + 1])
        ids, counts = inside.indices[part], inside.data[part]
        g2 = dunning_g2(counts, words[ids] - counts, sizes[cluster], total - sizes[cluster])
        g2[counts * total <= words[ids] * sizes[cluster]] = 0
        best = np.lexsort((ids, -g2, is_common[ids]))
        result.append(ids[best[g2[best] > 0][:SHOWN]].tolist())
    return result


def measure_silhouette(points: Points, found: Clustering) -> float:
    """Return the simplified silhouette (Hruschka et al. 2004): the mean of 1 − a/b, with a the
    distance to a row's own centre and b the distance to the nearest other."""
    squares = np.einsum("ij,ij->i", points, points)

    def add_up(start: int) -> float:
        part = slice(start, start + _ROWS)
        distances = measure_distances(points[part], squares[part], found.centres)
        own = found.labels[part, None]
        a = np.take_along_axis(distances, own, 1)[:, 0]
        np.put_along_axis(distances, own, np.inf, 1)
        b = distances.min(axis=1)
        top = np.maximum(a, b)
        return float(((b - a) / np.where(top > 0, top, 1)).sum(dtype=np.float64))

    return sum(map_blocks(add_up, range(0, len(points), _ROWS))) / len(points)


def choose_number(
    points: Points, *, seed: int = 0, progress: Progress = silent
) -> Table[ClusterNumber]:
    """Try several numbers of clusters and return them, the best simplified silhouette first.

    At most 10,000 sentences, drawn at random, are clustered for each.
    """
    rng = np.random.default_rng(seed)
    if len(points) > _SAMPLE:
        points = points[np.sort(rng.choice(len(points), _SAMPLE, replace=False))]
    tried = [k for k in _TRIED if k <= len(points) // 5]
    if not tried:
        raise InputError(
            f"The text has too few distinct sentences ({len(points)}) to choose how many clusters.",
            "Name one (-k, clusters=), or take a longer text.",
        )
    rows = []
    for number, k in enumerate(tried):
        found = kmeans(points, k, seed=seed)
        rows.append(ClusterNumber(k, measure_silhouette(points, found), found.inertia))
        progress(number + 1, len(tried))
    rows.sort(key=lambda row: (-row.silhouette, row.k))
    notes = []
    if rows[0].k in (tried[0], tried[-1]):
        end = "smallest" if rows[0].k == tried[0] else "largest"
        notes.append(f"the best is the {end} number tried: the silhouette has no peak in between")
    return Table(rows, "numbers of clusters by simplified silhouette", notes)


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
            progress(done, total)
            rng = np.random.default_rng([seed, number, run])
            line = fit_line(kmeans(draw(cloud, rng), k, seed=seed + run).sizes)
            own.append(line.parameters["slope"])
            r2.append(line.r2 or 0.0)
            done += 1
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


@dataclass(frozen=True)
class Slope:
    """The slopes for one number of clusters over several seeds."""

    k: int
    slope: float
    low: float
    high: float
    r2: float


def cluster_seeds(cloud: Cloud, k: int, seeds: range, progress: Progress) -> list[Clustering]:
    """Return a clustering per seed."""
    if len(cloud.rows) < k:
        raise InputError(
            f"The text has {len(cloud.rows):,} distinct sentences with a vector: too few for"
            f" {k:,} clusters.",
            "Take fewer clusters (-k, clusters=) or a longer text.",
        )
    runs = []
    steps = progress if len(seeds) == 1 else silent
    for number, seed in enumerate(seeds):
        progress(number, len(seeds) if number else None)
        runs.append(kmeans(cloud.means, k, seed=seed, progress=steps))
    sizes = min(runs, key=lambda run: run.inertia).sizes
    if sizes[0] == sizes[-1]:
        raise InputError(
            f"All {k:,} clusters hold {sizes[0]:,} sentences: there is nothing to rank.",
            "Take fewer clusters (-k, clusters=) or a longer text.",
        )
    return runs


def vary_number(
    cloud: Cloud, runs: Sequence[Clustering], seed: int, progress: Progress
) -> list[Slope]:
    """Figure 6: slopes for k − 20 … k + 20 in steps of 5, with the range over seeds."""
    k = len(runs[0].sizes)
    tried = [k + step for step in _STEPS if FEWEST <= k + step <= len(cloud.rows)]
    rows = []
    for number, other in enumerate(tried, 1):
        found = runs
        if other != k:
            found = [kmeans(cloud.means, other, seed=seed + run) for run in range(len(runs))]
        lines = [fit_line(run.sizes) for run in found]
        slopes = [line.parameters["slope"] for line in lines]
        r2 = float(np.mean([line.r2 for line in lines]))
        rows.append(Slope(other, float(np.mean(slopes)), min(slopes), max(slopes), r2))
        progress(number, len(tried))
    return rows
