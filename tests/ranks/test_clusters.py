"""Sentence clouds and their clusters: means, labels, examples, and the choice of k."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.ranks.cloud import embed_sentences
from lexfield.ranks.clusters import choose_number, describe_clusters, measure_silhouette
from lexfield.ranks.kmeans import kmeans
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

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
    with pytest.raises(InputError, match="too few to choose"):
        choose_number(rows[:20])
