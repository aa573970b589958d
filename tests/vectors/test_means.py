"""Texts as vectors, against sums and means taken word by word."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lexfield.text.corpus import Corpus
from lexfield.vectors.means import embed_texts, mean_vectors
from lexfield.vectors.wordvectors import WordVectors


@pytest.fixture
def tiny() -> WordVectors:
    matrix = np.array([[1, 0], [0, 2], [3, 3]], np.float32)
    return WordVectors(["cat", "sat", "dog"], matrix)


def test_a_text_is_the_sum_of_its_known_words(tiny: WordVectors) -> None:
    with pytest.warns(UserWarning, match="2 of 4 texts have no word with a vector"):
        means = embed_texts(["A cat sat.", "Dog! Dog? Cat.", "Nothing known.", ""], tiny)
    assert means.dtype == np.float32
    first, second = np.array([1, 2]) / 5**0.5, np.array([7, 6]) / 85**0.5
    expected = np.array([first, second, [0, 0], [0, 0]])
    np.testing.assert_allclose(means, expected, rtol=1e-6)


def test_one_string_is_one_text(tiny: WordVectors) -> None:
    one = np.array([[1, 2]]) / 5**0.5
    np.testing.assert_allclose(embed_texts("A cat sat.", tiny), one, rtol=1e-6)
    np.testing.assert_allclose(embed_texts(Corpus.of(["A cat sat."]), tiny), one, rtol=1e-6)
    assert embed_texts([], tiny).shape == (0, 2)


def test_the_default_set() -> None:
    first, second, other = embed_texts(["A kitten slept.", "A cat slept.", "The stock market."])
    unit = [row / np.linalg.norm(row) for row in (first, second, other)]
    assert unit[0] @ unit[1] > unit[0] @ unit[2]


def test_many_rows_on_several_cores() -> None:
    rng = np.random.default_rng(0)
    counts = csr_matrix(rng.poisson(0.1, (20_000, 30)).astype(np.float32))
    matrix = rng.normal(size=(30, 4)).astype(np.float32)
    dense = counts.toarray()
    expected = dense @ matrix / np.maximum(dense.sum(axis=1), 1)[:, None]
    np.testing.assert_allclose(mean_vectors(counts, matrix), expected, atol=1e-5)
