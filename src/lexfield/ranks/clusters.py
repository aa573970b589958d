"""Clusters of sentences: their sizes, what they are about, and how many there should be.

The words of a cluster are those more frequent in it than in the other sentences, by Dunning's
(1993) log-likelihood ratio. Its five nearest and five farthest sentences show whether it has one
theme, which is how Hare et al. choose k by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.keyness import dunning_g2
from lexfield.engine import map_blocks
from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Cloud
from lexfield.ranks.kmeans import Clustering, kmeans, measure_distances
from lexfield.results import Table
from lexfield.text.corpus import Corpus

SHOWN = 5  # words and sentences of a cluster
_LENGTH = 300  # characters shown of a sentence
_SAMPLE = 10_000
_ROWS = 8192  # sentences per block
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
            f"cluster {self.rank}: {self.size:,} sentences: {' '.join(self.words)}",
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


def measure_silhouette(points: NDArray[np.float32], found: Clustering) -> float:
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
    points: NDArray[np.float32], *, seed: int = 0, progress: Progress = silent
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
            f"{len(points)} distinct sentences are too few to choose a number of clusters.",
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
