"""Null models keep what they say they keep, and the comparison is Welch's."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.ranks.cloud import Cloud, CorpusVectors, embed_sentences
from lexfield.ranks.nulls import compare_means, compare_nulls, draw_gaussian, draw_shuffled
from lexfield.text.corpus import Corpus


@pytest.fixture(scope="module")
def points(sample: Corpus) -> Cloud:
    return embed_sentences(sample)


def test_gaussian_has_mean_and_covariance(points: Cloud) -> None:
    drawn = np.concatenate([draw_gaussian(points, np.random.default_rng(i)) for i in range(6)])
    assert np.allclose(drawn.mean(axis=0), points.means.mean(axis=0), atol=0.01)
    real, ours = np.cov(points.means.T), np.cov(drawn.T)
    assert np.linalg.norm(real - ours) < 0.15 * np.linalg.norm(real)
    assert np.trace(ours) == pytest.approx(np.trace(real), rel=0.02)


def test_shuffled_keeps_lengths_and_words(points: Cloud) -> None:
    drawn = draw_shuffled(points, np.random.default_rng(0))
    assert drawn.shape == points.means.shape
    weights = np.diff(points.bags.indptr)
    # the mean over all words is kept in expectation, the spread of long sentences shrinks
    ours = np.average(drawn, axis=0, weights=weights)
    assert np.allclose(ours, np.average(points.means, axis=0, weights=weights), atol=0.01)
    long = weights > 15
    assert drawn[long].var(axis=0).sum() < points.means[long].var(axis=0).sum()


@pytest.mark.parametrize("model", [draw_shuffled, draw_gaussian])
def test_draws_are_seeded(points: Cloud, model: object) -> None:
    one, two, other = (model(points, np.random.default_rng(s)) for s in (1, 1, 2))  # type: ignore[operator]
    assert (one == two).all() and not (one == other).all()


def test_difference_by_hand() -> None:
    gap, low, high, p = compare_means([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    # means equal; variances 1, 1: s = sqrt(2/3), 4 degrees of freedom, t = 2.776
    assert gap == 0 and p == pytest.approx(1)
    assert high == pytest.approx(2.776445 * np.sqrt(2 / 3), rel=1e-5)
    assert low == pytest.approx(-(high or 0))
    assert compare_means([1.0], [2.0]) == (-1.0, None, None, None)


def test_a_gaussian_cannot_be_told_from_itself() -> None:
    """A text whose sentences are a Gaussian cloud has the slope of its Gaussian null."""
    from scipy.sparse import csr_matrix

    from lexfield.vectors.wordvectors import WordEmbeddings

    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(4000, 6)).astype(np.float32)
    bags = csr_matrix((np.ones(4000, np.float32), np.arange(4000), np.arange(4001)))
    words = CorpusVectors(WordEmbeddings(matrix, np.ones(4000, np.uint8)), "")
    own = Cloud(np.arange(4000), matrix, bags, words, 0, 0)
    from lexfield.ranks.fit import fit_line
    from lexfield.ranks.kmeans import kmeans

    slopes = [fit_line(kmeans(matrix, 30, seed=s).sizes).parameters["slope"] for s in range(4)]
    by_name = {null.model: null for null in compare_nulls(own, 30, slopes)}
    assert abs(by_name["gaussian"].difference) < 0.1
    assert abs(by_name["shuffled"].difference) < 0.1
