"""The features and measures of reproduce/metric_features.py."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import lexfield as lx
from lexfield.metric.features import Grams, clustering_precision, cut_grams, equalise

sys.path.append(str(Path(__file__).parents[1] / "reproduce"))
features = import_module("metric_features")
Covers, means = features.Covers, features.means

TEXTS = [
    "The cat is on the mat. It is a cat.",
    "A dog sat in the garden of the house.",
    "The bird sang to the cat in the garden.",
    "Rain fell on the house.",
]


def test_words_and_neighbouring_function_words() -> None:
    grams = next(cut_grams(["The cat is on the mat. It is a cat."]))
    words = "the cat is on the mat it is a cat".split()
    assert sorted(grams) == sorted([*words, "is on", "on the", "it is", "is a"])


def test_rows_are_brought_to_one_length() -> None:
    counts = csr_matrix(np.array([[5, 3, 0, 2], [1, 0, 1, 0], [0, 0, 0, 0], [2, 2, 0, 0]]))
    made = equalise(counts, 4, np.random.default_rng(0))
    dense = made.toarray()
    assert dense.sum(axis=1).tolist() == [4, 4, 0, 4]
    assert (dense[0] <= counts.toarray()[0]).all()  # drawn without replacement
    assert (dense[1] >= counts.toarray()[1]).all() and not dense[1][[1, 3]].any()
    assert dense[3].tolist() == [2, 2, 0, 0]
    assert (dense[np.asarray(counts.toarray() == 0)] == 0).all()


def test_draws_are_fair() -> None:
    rng = np.random.default_rng(0)
    many = csr_matrix(np.tile([6, 3, 1], (4000, 1)))
    fewer = equalise(many, 5, rng).toarray().mean(axis=0)
    np.testing.assert_allclose(fewer, np.array([3, 1.5, 0.5]), atol=0.05)
    more = equalise(many, 20, rng).toarray().mean(axis=0)
    np.testing.assert_allclose(more, np.array([12, 6, 2]), atol=0.1)


def test_weights_are_scikit_learns_and_axes_its_svd() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    grams = Grams.of(TEXTS, equal=False)
    counts = np.array([[g.count(n) for n in grams.names] for g in cut_grams(TEXTS)])
    expected = TfidfTransformer(norm=None).fit_transform(counts)
    np.testing.assert_allclose(grams.training.toarray(), expected.toarray())
    np.testing.assert_allclose(grams.weighted(TEXTS).toarray(), expected.toarray())
    singular = np.linalg.svd(expected.toarray())[1]
    whole = grams.axes.apply(grams.training, grams.dimensions(1.0))
    np.testing.assert_allclose(np.linalg.norm(whole, axis=0), singular)
    few = grams.dimensions(0.05)
    assert few == round(0.05 * len(grams.names))
    np.testing.assert_allclose(grams.axes.apply(grams.training, few), whole[:, :few])
    often = ["a", "cat", "garden", "house", "in", "in the", "on", "on the", "the"]
    assert Grams.of(TEXTS, least=2).names == often
    gap = np.linalg.norm((expected[0] - expected[1]).toarray())
    assert np.linalg.norm(whole[0] - whole[1]) == pytest.approx(gap)  # all axes keep distances


def test_training_rows_have_the_median_length_and_new_words_are_left_out() -> None:
    grams = Grams.of(TEXTS, seed=1)
    assert grams.training.shape == (4, len(grams.names))
    assert grams.weighted(["zebra quagga"]).nnz == 0
    with pytest.raises(lx.LexfieldError, match="no words"):
        Grams.of(["", "…"])
    with pytest.raises(lx.LexfieldError, match="share"):
        grams.dimensions(0)
    with pytest.raises(lx.LexfieldError):
        grams.dimensions(1.5)


def test_means_are_those_of_an_index() -> None:
    vectors = lx.WordVectors.default()
    found = means([*TEXTS, "the of"], vectors)
    own = [vectors["cat"], vectors["mat"], vectors["cat"]]
    np.testing.assert_allclose(found[0], np.mean(own, axis=0), atol=1e-6)
    assert not found[4].any()


def test_covers_by_hand() -> None:
    words = ["cat", "dog", "house", "rain"]
    matrix = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], np.float32)
    vectors = lx.WordVectors(words, matrix)
    covers = Covers.of(["cat dog", "house rain"], vectors, r=1)
    order = [covers.words.index(word) for word in words]
    found = covers.rows(["The cat.", "A dog and the rain.", "of the"]).toarray()[:, order]
    # The nearest to cat is dog (cosine .8), to dog cat, to rain house (cosine 0).
    np.testing.assert_allclose(
        found, np.array([[1, 0.8, 0, 0], [0.8, 1, 0, 1], [0] * 4]), atol=1e-6
    )
    alone = Covers.of(["cat dog", "house rain"], vectors, r=0).rows(["cat"])
    assert alone.toarray().sum() == 1


def test_clustering_precision_counts_pairs() -> None:
    points = np.concatenate([np.zeros((5, 1)), np.full((5, 1), 9.0)]) + np.arange(10)[:, None] / 99
    perfect = clustering_precision(points, [0] * 5 + [1] * 5, starts=5)
    assert perfect.tolist() == [1.0] * 5
    # Truth splits each clump 3 : 2. Of 45 pairs those right are: together in both 2·(3+1), apart in
    # both 3·2 + 2·3 = 12 across the clumps.
    mixed = clustering_precision(points, [0, 0, 0, 1, 1, 1, 1, 1, 0, 0], starts=2)
    assert mixed.tolist() == pytest.approx([(8 + 13) / 45] * 2)
