"""Weights by frequency, and the direction that all texts share."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.search.index import Index
from lexfield.vectors.means import embed_texts
from lexfield.vectors.sources import import_file
from lexfield.vectors.weights import (
    LearnedContributions,
    estimate_frequencies,
    find_common,
    is_by_frequency,
    remove_common,
    weigh,
)
from lexfield.vectors.wordvectors import WordVectors


def test_the_weight_is_smooth_inverse_frequency() -> None:
    np.testing.assert_allclose(weigh(np.array([0.0, 1e-3, 0.999])), [1, 0.5, 1e-3], rtol=1e-5)


def test_the_order_of_words_tells_their_frequency() -> None:
    words = list(WordVectors.default().words)
    assert is_by_frequency(words)
    assert not is_by_frequency(sorted(words)) and not is_by_frequency(words[::-1])
    assert not is_by_frequency(words[:999])
    frequencies = estimate_frequencies(words)
    assert frequencies is not None and frequencies.sum() == pytest.approx(1)
    assert frequencies[0] / frequencies[9] == pytest.approx(12.7 / 3.7)
    assert estimate_frequencies(sorted(words)) is None


def test_the_common_direction_is_that_of_the_expected_text() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(1500)
    p /= p.sum()
    matrix = rng.standard_normal((1500, 7)).astype(np.float32)
    expected = sum(q * 1e-3 / (1e-3 + q) * row for q, row in zip(p, matrix, strict=True))
    common = find_common(p, matrix)
    np.testing.assert_allclose(common, expected / np.linalg.norm(expected), atol=1e-5)
    assert np.abs(remove_common(matrix, common) @ common).max() < 1e-5
    assert not find_common(p[:10], matrix[:10]).any()


def test_what_words_add_may_be_learned() -> None:
    """A map of vectors, what it misses for the first words, and weights in octaves."""
    misses = np.array([[[1, 0], [0, -2]]], np.float16)  # of codes 0 and 1
    tables = np.concatenate([misses, np.zeros((1, 254, 2), np.float16)], axis=1)
    learned = LearnedContributions(
        map=np.array([[0, 1], [1, 0]], np.float16),
        codes=np.array([[0], [1]], np.uint8),
        tables=tables,
        weights=np.array([0, 16, 32], np.uint8),
    )
    matrix = np.array([[1, 0], [0, 1], [3, 4]], np.float32)
    own = WordVectors(["sun", "moon", "star"], matrix, learned=learned)
    expected = [[0.5**0.5, 0.5**0.5], [0.5 / 5**0.5, -1 / 5**0.5], [0.25 * 0.8, 0.25 * 0.6]]
    found = own.embed(["sun", "moon", "star", "sky", "sun-moon"]).contributions
    assert found is not None
    half = np.mean(expected[:2], axis=0)
    np.testing.assert_allclose(found, [*expected, half], atol=1e-3)
    total = 2 * np.array(expected[0]) + expected[2]
    text = embed_texts("Sun, sun, star.", own)[0]
    np.testing.assert_allclose(text, total / np.linalg.norm(total), atol=1e-3)
    index = Index(["Sun sun star.", "Moon."], vectors=own)
    assert index.search("sun", "mean", 1)[0].score == pytest.approx(text @ expected[0], abs=1e-3)


def list_weights(index: Index) -> dict[str, float]:
    """The lengths of what words add, which are their weights for vectors of length 1."""
    contributions = index.lexicon.contributions
    assert contributions is not None
    lengths = np.linalg.norm(contributions, axis=1).tolist()
    return dict(zip(index.lexicon.words, lengths, strict=True))


def test_a_set_without_order_is_weighed_by_the_collection_once() -> None:
    own = WordVectors(["sun", "moon"], np.eye(2, dtype=np.float32))
    index = Index(["Sun moon moon."], vectors=own)
    weights = {"sun": 1e-3 / (1e-3 + 1 / 3), "moon": 1e-3 / (1e-3 + 2 / 3)}
    assert list_weights(index) == pytest.approx(weights)
    before = index.search("sun", "mean", 1)[0].score
    index.add(["Sun sun sun sun."])
    assert list_weights(index) == pytest.approx(weights)
    assert index.search("sun moon moon", "mean", 1)[0].id == "0#0"
    assert index.search("sun", "mean", 2)[1].score == pytest.approx(before)


def test_texts_are_embedded_as_an_index_compares_them() -> None:
    texts = ["The boat came home before the storm.", "Bread was baked in the old oven."]
    vectors = embed_texts(["A ship in the gale.", *texts])
    cosines = vectors[1:] @ vectors[0]
    found = Index(texts).search("A ship in the gale.", "mean", 2)
    assert found.scores == pytest.approx(np.sort(cosines)[::-1].tolist(), abs=1e-5)


def test_contributions_survive_an_import(tmp_path: object) -> None:
    """A file does not hold them: those of its order are the same after it was imported."""
    rng = np.random.default_rng(0)
    drawn = ["".join(rng.choice(list("abcdef"), 8)) for _ in range(1200)]
    words = list(dict.fromkeys([*"etaoinshrdlucmfwygpbvkxqjz", *"0123456789", *drawn]))
    words[36:136] = [word[:3] + word[-1] for word in words[36:136]]
    words = list(dict.fromkeys(words))
    lines = [f"{word} {n % 7} {n % 5}" for n, word in enumerate(words)]
    path = f"{tmp_path}/v.txt"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    import_file(path, "mine")
    ours, theirs = (WordVectors.load(name).embed(words) for name in (path, "mine"))
    assert ours.contributions is not None and theirs.contributions is not None
    np.testing.assert_array_equal(ours.contributions, theirs.contributions)
