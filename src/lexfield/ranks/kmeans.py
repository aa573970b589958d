"""k-means on all cores: greedy k-means++ seeds, then Lloyd's steps with Elkan's bounds.

Arthur and Vassilvitskii (2007) for the seeds, each the best of a few draws; Elkan (2003) for the
bounds. A row keeps a lower bound on its distance to every centre. When centres move by s, a bound
falls by at most s; while all bounds of other centres stay above the distance to its own, a row
cannot change and is not measured. So each step gives what Lloyd's gives, and late steps, in which
few rows are in doubt, cost little.

Rows are worked on in blocks of fixed size, and sums are added in their order: the same rows and
seed give the same answer at any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.progress import Progress, silent

Matrix = NDArray[np.float32]
_ROWS = 4096  # a block
_SEEDING = 20_000  # rows among which the seeds are drawn
_STILL = 1e-4  # stop when the centres' squared moves add up to under this share of the variance
# More than rounding in float32 can change a distance, as a share of the longest row.
_SLACK = 1e-4


@dataclass(frozen=True)
class Clustering:
    """Rows in clusters: ``labels`` go by falling size; ``distances`` to a row's own centre."""

    labels: NDArray[np.int32]
    centres: Matrix
    sizes: NDArray[np.int64]
    distances: Matrix
    inertia: float  # the sum of squared distances
    steps: int


def kmeans(
    rows: Matrix, k: int, *, seed: int = 0, most: int = 100, progress: Progress = silent
) -> Clustering:
    """Put ``rows`` into ``k`` clusters; at most ``most`` steps. There are at least ``k`` rows."""
    rng = np.random.default_rng(seed)
    squares = np.einsum("ij,ij->i", rows, rows)
    middle = rows.mean(axis=0, dtype=np.float64)
    # the mean variance of a column, without another matrix as large as the rows
    spread = max(0.0, float(squares.mean(dtype=np.float64) - middle @ middle)) / rows.shape[1]
    state = _State(rows, squares, _seeds(rows, squares, k, rng))
    steps = 0
    while steps < most:
        steps += 1
        moved = state.step()
        progress(steps, None)
        if moved <= _STILL * spread:
            break
    return state.finish(steps)


class _State:
    """Labels, bounds and centres between steps."""

    def __init__(self, rows: Matrix, squares: NDArray[np.float32], centres: Matrix) -> None:
        self.rows, self.squares, self.centres = rows, squares, centres
        self.k, self.width = centres.shape
        n = len(rows)
        self.labels = np.full(n, -1, np.int32)
        self.lower = np.zeros((n, self.k), np.float32)
        self.upper = np.full(n, np.inf, np.float32)
        self.sums = np.zeros((self.k, self.width))
        self.sizes = np.zeros(self.k, np.int64)
        self.slack = np.float32(_SLACK * np.sqrt(squares.max(initial=0.0)))
        self.shift = np.zeros(self.k, np.float32)
        self.starts = range(0, n, _ROWS)

    def step(self) -> float:
        """Assign every row, move the centres; the sum of their squared moves."""
        for changed, old, new in list(map_blocks(self._assign, self.starts)):
            self._transfer(changed, old, new)
        self._fill_empty()
        before = self.centres
        self.centres = (self.sums / self.sizes[:, None]).astype(np.float32)
        move = self.centres.astype(np.float64) - before
        self.shift = np.linalg.norm(move, axis=1).astype(np.float32)
        return float((move**2).sum())

    def _assign(self, start: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Nearest centres of a block; which rows changed, from and to which centre."""
        part = slice(start, start + _ROWS)
        lower, upper, labels = self.lower[part], self.upper[part], self.labels[part]
        old = labels.copy()
        lower -= self.shift
        first = labels[0] < 0
        if first:
            doubtful = np.arange(len(labels))
        else:
            upper += self.shift[labels]
            nearest = lower.min(axis=1)
            doubtful = np.flatnonzero(nearest < upper + self.slack)
            own = self._own(start, doubtful, labels)
            upper[doubtful] = own
            lower[doubtful, labels[doubtful]] = np.inf
            doubtful = doubtful[lower[doubtful].min(axis=1) < own + self.slack]
        if len(doubtful):
            places = start + doubtful
            distances = distances_to(self.rows[places], self.squares[places], self.centres)
            best = distances.argmin(axis=1)
            labels[doubtful] = best
            upper[doubtful] = distances[np.arange(len(doubtful)), best]
            lower[doubtful] = distances
        lower[np.arange(len(labels)), labels] = np.inf  # a row is never in doubt about its own
        changed = np.flatnonzero(labels != old)
        return start + changed, old[changed], labels[changed].copy()

    def _own(self, start: int, doubtful: NDArray[np.int64], labels: NDArray[np.int32]) -> Matrix:
        gap = self.rows[start + doubtful] - self.centres[labels[doubtful]]
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", gap, gap)))

    def _transfer(
        self, changed: NDArray[np.int64], old: NDArray[np.int32], new: NDArray[np.int32]
    ) -> None:
        from scipy.sparse import csr_matrix

        if not len(changed):
            return
        places = np.arange(len(changed))
        left = old >= 0
        signs = np.concatenate([np.ones(len(new)), -np.ones(int(left.sum()))])
        where = np.concatenate([new, old[left]]), np.concatenate([places, places[left]])
        moves = csr_matrix((signs, where), (self.k, len(changed)))
        self.sums += moves @ self.rows[changed]
        self.sizes += np.asarray(moves.sum(axis=1)).ravel().astype(np.int64)

    def _fill_empty(self) -> None:
        """Give an empty cluster the row that is farthest from its centre."""
        for empty in np.flatnonzero(self.sizes == 0).tolist():
            taken = self.sizes[self.labels] > 1
            row = int(np.where(taken, self.upper, -1).argmax())
            old = self.labels[row : row + 1].copy()
            self.labels[row] = empty
            self.upper[row] = 0
            self.lower[row] = 0
            self._transfer(np.array([row]), old, np.array([empty], np.int32))

    def finish(self, steps: int) -> Clustering:
        order = np.lexsort((np.arange(self.k), -self.sizes))
        places = np.empty(self.k, np.int32)
        places[order] = np.arange(self.k, dtype=np.int32)
        labels, centres = places[self.labels], self.centres[order]

        def measure(start: int) -> Matrix:
            part = slice(start, start + _ROWS)
            return np.asarray(np.linalg.norm(self.rows[part] - centres[labels[part]], axis=1))

        distances = np.concatenate(list(map_blocks(measure, self.starts)))
        inertia = float((distances.astype(np.float64) ** 2).sum())
        return Clustering(labels, centres, self.sizes[order], distances, inertia, steps)


def distances_to(rows: Matrix, squares: NDArray[np.float32], centres: Matrix) -> Matrix:
    """All distances from rows to centres."""
    found = rows @ (-2 * centres).T
    found += squares[:, None]
    found += np.einsum("ij,ij->i", centres, centres)
    np.maximum(found, 0, out=found)
    np.sqrt(found, out=found)
    return np.asarray(found)


def _seeds(rows: Matrix, squares: NDArray[np.float32], k: int, rng: np.random.Generator) -> Matrix:
    """Greedy k-means++: each seed is drawn by squared distance, the best of 2 + ln k draws."""
    from threadpoolctl import threadpool_limits

    sample = np.arange(len(rows))
    if len(rows) > max(_SEEDING, 20 * k):
        sample = np.sort(rng.choice(len(rows), max(_SEEDING, 20 * k), replace=False))
    part, squares = rows[sample], squares[sample]
    chosen = [int(rng.integers(len(part)))]
    draws = 2 + int(np.log(k))
    with threadpool_limits(1):  # one way to round, whatever the number of threads
        gaps = distances_to(part, squares, part[chosen]).ravel().astype(np.float64) ** 2
        gaps[chosen[0]] = 0
        while len(chosen) < k:
            total = np.cumsum(gaps)
            if total[-1] <= 0:  # fewer distinct rows than clusters: any others will do
                chosen += [i for i in range(len(part)) if i not in set(chosen)][: k - len(chosen)]
                break
            drawn = np.searchsorted(total, rng.random(draws) * total[-1], "right")
            drawn = np.minimum(drawn, len(part) - 1)
            candidates = distances_to(part, squares, part[drawn]).astype(np.float64).T ** 2
            candidates[np.arange(draws), drawn] = 0
            np.minimum(candidates, gaps, out=candidates)
            best = int(candidates.sum(axis=1).argmin())
            gaps = candidates[best]
            chosen.append(int(drawn[best]))
    return part[chosen].copy()
