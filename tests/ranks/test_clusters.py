"""Sentence clouds and their clusters: means, labels, examples, the choice of k, and null models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lexfield.errors import InputError
from lexfield.ranks.cloud import Cloud, CorpusVectors, embed_sentences
from lexfield.ranks.clusters import (
    choose_number,
    compare_means,
    compare_nulls,
    describe_clusters,
    draw_gaussian,
    draw_shuffled,
    measure_silhouette,
)
from lexfield.ranks.fit import fit_line
from lexfield.ranks.kmeans import kmeans
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

SEA = ["boat wave tide", "wave sail", "boat sail tide wave", "tide boat"]
FARM = ["cow barn hay", "hay cow", "barn hay field", "field cow barn"]
WORDS = "boat wave tide sail cow barn hay field".split()


def tiny() -> WordVectors:
    rng = np.random.default_rng(0)
    matrix = 0.1 * rng.normal(size=(8, 5))
    matrix[:4, 0] += 1
    matrix[4:, 1] += 1
    return WordVectors(WORDS, matrix.astype(np.float32), name="tiny")


def corpus() -> Corpus:
    return Corpus.of(["\n\n".join(f"{s.capitalize()}." for s in [*SEA, *FARM, SEA[0], "Xyzzy"])])


def test_means_beside_a_loop() -> None:
    text, vectors = corpus(), tiny()
    points = embed_sentences(text, vectors)
    assert (points.repeated, points.unknown) == (1, 1)
    assert points.rows.tolist() == list(range(8))
    for mean, sentence in zip(points.means, [*SEA, *FARM], strict=True):
        expected = np.mean([vectors[word] for word in sentence.split()], axis=0)
        assert np.allclose(mean, expected, atol=1e-6)


def test_clusters_are_labelled_and_have_examples() -> None:
    text = corpus()
    points = embed_sentences(text, tiny())
    found = kmeans(points.means, 2)
    table = describe_clusters(text, points, found)
    assert [row.size for row in table] == [4, 4]
    kinds = [set(row.words) & set(WORDS[:4]) for row in table]
    assert sorted(map(len, kinds)) == [0, 4]
    for row in table:
        assert len(row.nearest) == 4 and row.nearest == row.farthest[::-1]
        assert row.radius == pytest.approx(found.distances[found.labels == row.rank - 1].mean())


def test_silhouette_beside_a_loop() -> None:
    rows = np.random.default_rng(1).normal(size=(200, 4)).astype(np.float32)
    found = kmeans(rows, 6)
    values = []
    for row, label in zip(rows, found.labels, strict=True):
        gaps = np.linalg.norm(found.centres - row, axis=1)
        own, other = gaps[label], np.delete(gaps, label).min()
        values.append((other - own) / max(own, other))
    assert measure_silhouette(rows, found) == pytest.approx(np.mean(values), abs=1e-5)


def test_choice_finds_clear_groups() -> None:
    rng = np.random.default_rng(3)
    centres = 10 * rng.normal(size=(15, 8))
    rows = (centres[rng.integers(0, 15, 1200)] + 0.2 * rng.normal(size=(1200, 8))).astype(
        np.float32
    )
    table = choose_number(rows)
    assert table[0].k == 15
    assert [row.silhouette for row in table] == sorted((r.silhouette for r in table), reverse=True)
    with pytest.raises(InputError, match="too few distinct sentences"):
        choose_number(rows[:20])


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
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(4000, 6)).astype(np.float32)
    bags = csr_matrix((np.ones(4000, np.float32), np.arange(4000), np.arange(4001)))
    words = CorpusVectors(WordEmbeddings(matrix, np.ones(4000, np.uint8)), "")
    own = Cloud(np.arange(4000), matrix, bags, words, 0, 0)
    slopes = [fit_line(kmeans(matrix, 30, seed=s).sizes).parameters["slope"] for s in range(4)]
    by_name = {null.model: null for null in compare_nulls(own, 30, slopes)}
    assert abs(by_name["gaussian"].difference) < 0.1
    assert abs(by_name["shuffled"].difference) < 0.1
