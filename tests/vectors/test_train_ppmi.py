"""Vectors trained on a text: the information by hand, and what the vectors know."""

from __future__ import annotations

import numpy as np
import pytest

from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.vectors.train import train_ppmi


def test_full_rank_products_are_the_information() -> None:
    """With (nearly) all dimensions, products of the rows U√Σ are those of U·Σ·Uᵀ."""
    words = [f"w{i}" for i in range(24)]
    rng = np.random.default_rng(0)
    sentences = [". ".join(" ".join(rng.choice(words, 6)).capitalize() for _ in range(200))]
    corpus = Corpus.of(sentences)
    counts = np.zeros((24, 24))
    for row in range(len(corpus.sentences)):
        ids = corpus.sentence_tokens(row).tolist()
        for i, left in enumerate(ids):
            for right in ids[i + 1 : i + 3]:
                counts[left, right] += 1
                counts[right, left] += 1
    totals = counts.sum(axis=1)
    smooth = totals**0.75 / (totals**0.75).sum()
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(counts / totals[:, None] / smooth), 0)
    left, values, _ = np.linalg.svd(expected)
    found = train_ppmi(corpus, dims=23, window=2).matrix
    ours, oracle = found @ found.T, (left[:, :23] * values[:23]) @ left[:, :23].T
    assert np.allclose(ours, oracle, atol=1e-3)


def test_near_words_have_near_vectors(sample: Corpus) -> None:
    vectors = train_ppmi(sample)
    assert vectors.name == "own" and vectors.dims == 100
    twice = int((sample.vocabulary.counts >= 2).sum())
    assert 0.99 * twice < len(vectors) <= twice  # a few only stand next to words that occur once
    again = train_ppmi(sample)
    assert again.matrix.tobytes() == vectors.matrix.tobytes()
    assert vectors.similarity("he", "she") > vectors.similarity("he", "garden")


def test_too_little_text() -> None:
    with pytest.raises(InputError, match="too short to train"):
        train_ppmi(Corpus.of(["A short text. A short one."]))
