"""t-SNE of many points: van der Maaten and Hinton (2008), with repulsion by FFT.

    p(j|i) ∝ exp(−d²(i, j) / 2σᵢ²)      over the 3 · perplexity nearest neighbours of i
    q(i, j) = w(i, j) / Z               w = 1 / (1 + |yᵢ − yⱼ|²),  Z = Σ w
    gradient of KL(p‖q) = 4 Σⱼ (p − q) w (yᵢ − yⱼ)

Neighbours attract along a sparse graph. Repulsion is a sum over all pairs, Σⱼ w² (yᵢ − yⱼ) / Z, and
w is smooth: points are spread over a grid by cubic interpolation, the grid is convolved with w and
w², and points read their sums off it (Linderman et al. 2019). A step costs n + g log g, not n², for
g cells of the grid. Steps follow scikit-learn: exaggeration of 12 in the first 250 of 750, momentum
0.5 and then 0.8, gains per coordinate, and a learning rate of n / 48.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.engine.compiled import kernel
from lexfield.vectors.nearest import nearest_others

_EARLY, _STEPS = 250, 750
_EXAGGERATION = 12.0
_SPACING = 0.35  # of the grid; w has width 1, and its sums are then right within 2%
_EDGE = 3  # cells around the points
_FEW = 100  # points


def place_points(points: Array, start: Array, perplexity: float) -> NDArray[np.float64]:
    """Return places in the plane for points, from ``start``, which has two columns."""
    firsts, others, weights = find_affinities(points, perplexity)
    places = np.asarray(start, np.float64) * (1e-4 / max(float(start[:, 0].std()), 1e-300))
    rate = max(len(points) / _EXAGGERATION / 4, 50.0)
    change, gains = np.zeros_like(places), np.ones_like(places)
    spectra: dict[tuple[int, ...], tuple[Array, Array]] = {}
    for step in range(_STEPS):
        is_early = step < _EARLY
        pull = attract(places, firsts, others, weights)
        push = repel(places, spectra)
        gradient = 4 * ((_EXAGGERATION if is_early else 1.0) * pull - push)
        agrees = (gradient > 0) == (change > 0)
        gains = np.maximum(np.where(agrees, gains * 0.8, gains + 0.2), 0.01)
        change = (0.5 if is_early else 0.8) * change - rate * gains * gradient
        places += change
        places -= places.mean(axis=0)
    return places


def find_affinities(points: Array, perplexity: float) -> tuple[Array, Array, Array]:
    """Return p as sparse rows: where each begins, the columns, and the values, which sum to 1."""
    from scipy.sparse import csr_matrix

    n = len(points)
    k = min(n - 1, int(3 * perplexity))
    near = nearest_others(np.ascontiguousarray(points, np.float32), k)
    values = weigh_neighbours(near.scores.reshape(n, k) ** 2, float(np.log(perplexity)))
    shape = (n, n)
    one = csr_matrix((values.ravel(), near.rows.ravel(), np.arange(0, n * k + 1, k)), shape)
    both = (one + one.T).tocsr()
    return both.indptr, both.indices, both.data / both.data.sum()


@kernel
def weigh_neighbours(squares: Array, entropy: float) -> NDArray[np.float64]:
    """Return p(j|i) with an entropy of ``entropy`` nats per row, by bisection."""
    weights = np.empty_like(squares)
    for i in range(len(squares)):
        low, high, beta = 0.0, np.inf, 1.0
        least = squares[i].min()
        for _ in range(64):
            weights[i] = np.exp(-beta * (squares[i] - least))
            total = weights[i].sum()
            found = np.log(total) + beta * (weights[i] * (squares[i] - least)).sum() / total
            if abs(found - entropy) < 1e-5:
                break
            if found > entropy:
                low = beta
                beta = beta * 2 if high == np.inf else (beta + high) / 2
            else:
                high = beta
                beta = (beta + low) / 2
        weights[i] /= total
    return weights


@kernel
def attract(places: Array, firsts: Array, others: Array, weights: Array) -> NDArray[np.float64]:
    """Return Σⱼ p w (yᵢ − yⱼ) of every point."""
    out = np.empty_like(places)
    for i in range(len(places)):
        x, y = places[i, 0], places[i, 1]
        a = b = 0.0
        for place in range(firsts[i], firsts[i + 1]):
            dx, dy = x - places[others[place], 0], y - places[others[place], 1]
            pull = weights[place] / (1 + dx * dx + dy * dy)
            a += pull * dx
            b += pull * dy
        out[i, 0], out[i, 1] = a, b
    return out


def repel(places: Array, spectra: dict[tuple[int, ...], tuple[Array, Array]]) -> Array:
    """Return Σⱼ w² (yᵢ − yⱼ) / Z of every point; ``spectra`` keeps the kernels by size of grid."""
    from scipy.fft import irfft2, next_fast_len, rfft2

    if len(places) <= _FEW:
        return repel_few(places)
    low = places.min(axis=0)
    cells = np.ceil((places.max(axis=0) - low) / _SPACING).astype(int) + 2 * _EDGE
    padded = tuple(next_fast_len(2 * int(cell), real=True) for cell in cells)
    if padded not in spectra:
        spectra[padded] = make_spectra(padded)
    at = (places - low) / _SPACING + _EDGE - 1
    charges = np.column_stack([np.ones(len(places)), places])
    grid = spread_charges(at, charges, cells[0], cells[1])
    once, twice = spectra[padded]
    spectrum = rfft2(grid, padded)
    sums = np.concatenate([[irfft2(spectrum[0] * once, padded)], irfft2(spectrum * twice, padded)])
    read = read_sums(at, sums)
    total = read[:, 0].sum() - len(places)  # without w(i, i) = 1
    push = places * read[:, 1:2] - read[:, 2:]
    return np.asarray(push / max(total, 1e-12))


def repel_few(places: Array) -> Array:
    """Return the same from all pairs: the grid's error would exceed the sum over few points."""
    apart = places[:, None] - places
    near = 1 / (1 + (apart**2).sum(axis=2))
    np.fill_diagonal(near, 0)
    push = (near[:, :, None] ** 2 * apart).sum(axis=1)
    return np.asarray(push / max(near.sum(), 1e-12))


def make_spectra(padded: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the Fourier transforms of w and w² on a grid that wraps around."""
    from scipy.fft import rfft2

    x, y = (_SPACING * np.minimum(np.arange(size), size - np.arange(size)) for size in padded)
    once = 1 / (1 + x[:, None] ** 2 + y**2)
    return rfft2(once.astype(np.float32)), rfft2((once * once).astype(np.float32))


@kernel
def weigh_nodes(part: float) -> NDArray[np.float64]:
    """Return the weights of the nodes −1, 0, 1, 2 for a place ``part`` of the way from 0 to 1."""
    return np.array([
        -part * (part - 1) * (part - 2) / 6,
        (part + 1) * (part - 1) * (part - 2) / 2,
        -(part + 1) * part * (part - 2) / 2,
        (part + 1) * part * (part - 1) / 6,
    ])  # fmt: skip


@kernel
def spread_charges(at: Array, charges: Array, width: int, height: int) -> NDArray[np.float32]:
    """Return the grid of each charge: every point's is shared by the 16 nodes around it."""
    grid = np.zeros((charges.shape[1], width, height), np.float32)
    for i in range(len(at)):
        column, row = int(at[i, 0]), int(at[i, 1])
        across, down = weigh_nodes(at[i, 0] - column), weigh_nodes(at[i, 1] - row)
        for a in range(4):
            for b in range(4):
                weight = across[a] * down[b]
                for charge in range(charges.shape[1]):
                    grid[charge, column + a - 1, row + b - 1] += weight * charges[i, charge]
    return grid


@kernel
def read_sums(at: Array, sums: Array) -> NDArray[np.float64]:
    """Return the value of each grid at every point."""
    out = np.zeros((len(at), len(sums)))
    for i in range(len(at)):
        column, row = int(at[i, 0]), int(at[i, 1])
        across, down = weigh_nodes(at[i, 0] - column), weigh_nodes(at[i, 1] - row)
        for a in range(4):
            for b in range(4):
                weight = across[a] * down[b]
                for which in range(len(sums)):
                    out[i, which] += weight * sums[which, column + a - 1, row + b - 1]
    return out
