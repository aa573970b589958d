"""t-SNE: sums by FFT against sums over all pairs, and its loss beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from lexfield.ranks.tsne import attract, find_affinities, place_points, repel

Floats = NDArray[np.float64]


def weigh(places: Floats) -> Floats:
    weights: Floats = 1 / (1 + ((places[:, None] - places) ** 2).sum(axis=2))
    np.fill_diagonal(weights, 0)
    return weights


@pytest.mark.parametrize("size", [7, 400])
def test_repulsion_is_the_sum_over_all_pairs(size: int) -> None:
    rng = np.random.default_rng(0)
    for spread in (0.01, 1, 15):
        places = rng.normal(size=(size, 2)) * [spread, spread / 3]
        weights = weigh(places)
        gaps = places[:, None] - places
        expected = (weights[:, :, None] ** 2 * gaps).sum(axis=1) / weights.sum()
        error = np.abs(repel(places, {}) - expected).max()
        assert error < 0.02 * np.abs(expected).max()


def test_attraction_and_affinities() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(300, 5)).astype(np.float32)
    firsts, others, values = find_affinities(points, 10)
    dense = csr_matrix((values, others, firsts), (300, 300)).toarray()
    assert np.allclose(dense, dense.T) and np.isclose(dense.sum(), 1)
    squares = ((points[:, None] - points).astype(np.float64) ** 2).sum(axis=2)
    order = np.argsort(squares[0])[1:31]
    low, high = 0.0, 100.0
    for _ in range(60):  # the width at which a row has a perplexity of ten
        beta = (low + high) / 2
        p = np.exp(-beta * (squares[0, order] - squares[0, order[0]]))
        p /= p.sum()
        low, high = (beta, high) if -(p * np.log(p)).sum() > np.log(10) else (low, beta)
    mutual = dense[0, order] * 600  # p(j|i) + p(i|j)
    assert (mutual > p - 1e-3).all()
    places = rng.normal(size=(300, 2))
    expected = ((dense * weigh(places))[:, :, None] * (places[:, None] - places)).sum(axis=1)
    np.testing.assert_allclose(attract(places, firsts, others, values), expected, atol=1e-12)


def test_loss_is_near_that_of_scikit_learn() -> None:
    from sklearn.manifold import TSNE

    rng = np.random.default_rng(2)
    centres = rng.normal(size=(12, 20))
    points = (centres[rng.integers(12, size=300)] + 0.5 * rng.normal(size=(300, 20))).astype("f4")
    start = points @ np.linalg.svd(points - points.mean(axis=0))[2][:2].T
    firsts, others, values = find_affinities(points, 20)
    row = np.repeat(np.arange(300), np.diff(firsts))

    def loss(places: Floats) -> float:
        weights = weigh(places)
        return float((values * np.log(values / (weights / weights.sum())[row, others])).sum())

    theirs = TSNE(perplexity=20, init="pca", random_state=0).fit_transform(points)
    assert loss(place_points(points, start, 20)) < 1.05 * loss(theirs.astype(np.float64))
