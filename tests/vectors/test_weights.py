"""Weights by frequency, and the direction that all texts share."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.search.index import Index
from lexfield.vectors.means import embed_texts
from lexfield.vectors.sources import import_file
from lexfield.vectors.weights import (
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


def test_a_set_may_bring_weights() -> None:
    matrix, weights = np.eye(3, dtype=np.float32), np.array([1, 2, 3], np.float32)
    own = WordVectors(["sun", "moon", "star"], matrix, weights=weights)
    assert own.embed(["star", "sky", "sun-moon"]).weights == pytest.approx([3, 1.5])
    found = embed_texts("Sun, moon, star.", own)[0]
    np.testing.assert_allclose(found, weights / 14**0.5, rtol=1e-6)
    index = Index(["Sun moon star.", "Moon star star."], vectors=own)
    assert index.search("sun", "mean", 1)[0].score == pytest.approx(1 / 14**0.5)


def list_weights(index: Index) -> dict[str, float]:
    assert index.lexicon.weights is not None
    return dict(zip(index.lexicon.words, index.lexicon.weights.tolist(), strict=True))


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


def test_weights_survive_an_import(tmp_path: object) -> None:
    """A file brings no weights: those of its order are the same after it was imported."""
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
    ours, theirs = WordVectors.load(path).weights, WordVectors.load("mine").weights
    assert ours is not None and theirs is not None
    np.testing.assert_array_equal(ours, theirs)
