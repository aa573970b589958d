"""Clusters of sentences: how large, what they are about, and how many there should be.

A cluster's words are those it holds more often than the other sentences do, by Dunning's (1993)
log-likelihood ratio. Its five nearest and five farthest sentences show whether it has one theme,
which is how Hare et al. choose k by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Cloud
from lexfield.ranks.kmeans import Clustering, distances_to, kmeans
from lexfield.results import Table
from lexfield.text.corpus import Corpus

SHOWN = 5
_LENGTH = 300  # characters of a sentence that are shown
_SAMPLE = 10_000
_ROWS = 8192
_COMMON = 1 / 30
_TRIED = (10, 15, 20, 25, 30, 35, 40, 50, 60, 75, 100, 125, 150, 200)


@dataclass(frozen=True)
class Cluster:
    """One cluster: its most distinctive words, and sentences near to and far from its centre."""

    rank: int
    size: int
    words: list[str]
    radius: float  # mean distance to the centre
    nearest: list[str]
    farthest: list[str]

    def lines(self) -> list[str]:
        """The cluster as lines of text."""
        return [
            f"cluster {self.rank}: {self.size:,} sentences: {' '.join(self.words)}",
            *(f"  near  {text}" for text in self.nearest),
            *(f"  far   {text}" for text in self.farthest),
        ]


@dataclass(frozen=True)
class Choice:
    """One number of clusters that was tried."""

    k: int
    silhouette: float
    inertia: float


def describe(corpus: Corpus, points: Cloud, found: Clustering) -> Table[Cluster]:
    """Words and sentences of every cluster, the largest first."""
    words = distinctive(points, found)
    order = np.lexsort((found.distances, found.labels))
    ends = np.append(0, np.cumsum(found.sizes))
    rows = []
    for rank, size in enumerate(found.sizes.tolist()):
        own = order[ends[rank] : ends[rank + 1]]
        rows.append(
            Cluster(
                rank + 1,
                size,
                [corpus.vocabulary.words[word] for word in words[rank]],
                float(found.distances[own].mean(dtype=np.float64)),
                _texts(corpus, points.rows[own[:SHOWN]]),
                _texts(corpus, points.rows[own[::-1][:SHOWN]]),
            )
        )
    return Table(rows, f"{len(rows)} clusters of {len(points.rows):,} sentences")


def _texts(corpus: Corpus, rows: NDArray[np.int64]) -> list[str]:
    texts = (" ".join(corpus.sentences[int(row)].split()) for row in rows)
    return [text if len(text) <= _LENGTH else f"{text[:_LENGTH]}…" for text in texts]


def distinctive(points: Cloud, found: Clustering, shown: int = SHOWN) -> list[list[int]]:
    """Ids of the words with the largest log-likelihood ratio, of those over-represented.

    Words that more than one sentence in 30 holds, in any language the function words, come last.
    """
    from scipy.sparse import csr_matrix

    n, k = len(found.labels), len(found.sizes)
    members = csr_matrix((np.ones(n), (found.labels, np.arange(n))), (k, n))
    inside = (members @ points.bags.astype(np.float64)).tocsr()
    inside.sum_duplicates()
    words = np.asarray(inside.sum(axis=0)).ravel()
    sizes = np.asarray(inside.sum(axis=1)).ravel()
    total = words.sum()
    common = words > n * _COMMON
    result = []
    for cluster in range(k):
        part = slice(inside.indptr[cluster], inside.indptr[cluster + 1])
        ids, a = inside.indices[part], inside.data[part]
        value = log_likelihood_ratio(a, words[ids], sizes[cluster], total)
        value[a * total <= words[ids] * sizes[cluster]] = 0
        best = np.lexsort((ids, -value, common[ids]))
        result.append(ids[best[value[best] > 0][:shown]].tolist())
    return result


def log_likelihood_ratio(
    inside: NDArray[np.float64], word: NDArray[np.float64], size: float, total: float
) -> NDArray[np.float64]:
    """Dunning's G² = 2 Σ O ln(O / E) over the four cells: this word or another, inside or not."""
    from scipy.special import xlogy

    outside, rest = word - inside, total - size
    cells = (
        (inside, word * size),
        (outside, word * rest),
        (size - inside, (total - word) * size),
        (rest - outside, (total - word) * rest),
    )
    parts = [xlogy(seen, seen * total / np.maximum(margins, 1e-300)) for seen, margins in cells]
    value: NDArray[np.float64] = 2 * np.sum(parts, axis=0)
    return value


def silhouette(points: NDArray[np.float32], found: Clustering) -> float:
    """The simplified silhouette (Hruschka et al. 2004): mean of 1 − a/b, with a the distance to a
    row's own centre and b that to the nearest other."""
    squares = np.einsum("ij,ij->i", points, points)

    def block(start: int) -> float:
        part = slice(start, start + _ROWS)
        distances = distances_to(points[part], squares[part], found.centres)
        own = found.labels[part, None]
        a = np.take_along_axis(distances, own, 1)[:, 0]
        np.put_along_axis(distances, own, np.inf, 1)
        b = distances.min(axis=1)
        top = np.maximum(a, b)
        return float(((b - a) / np.where(top > 0, top, 1)).sum(dtype=np.float64))

    return sum(map_blocks(block, range(0, len(points), _ROWS))) / len(points)


def choose(
    points: NDArray[np.float32], *, seed: int = 0, progress: Progress = silent
) -> Table[Choice]:
    """Several numbers of clusters with their simplified silhouettes, the best first.

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
        rows.append(Choice(k, silhouette(points, found), found.inertia))
        progress(number + 1, len(tried))
    rows.sort(key=lambda row: (-row.silhouette, row.k))
    notes = []
    if rows[0].k in (tried[0], tried[-1]):
        end = "smallest" if rows[0].k == tried[0] else "largest"
        notes.append(f"the best is the {end} number tried: the criterion knows no natural number")
    return Table(rows, "numbers of clusters by simplified silhouette", notes)
