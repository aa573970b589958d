"""Texts as counts: sampling, stopwords, n-grams, and what may be given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.compare.counts import Counts, Text, count_corpus, count_texts
from lexfield.compare.pair import divergence
from lexfield.errors import InputError

CORPUS = lx.Corpus.of(
    [
        lx.Document("a", "The cat sat on the mat. The cat slept."),
        lx.Document("b", "A dog ran."),
        lx.Document("c", "The dog and the cat ran and ran and ran."),
    ]
)


def row(counts: Counts, number: int) -> dict[str, float]:
    own = counts.matrix[number]
    return {counts.types[i]: v for i, v in zip(own.indices, own.data, strict=True)}


def test_counts_by_hand() -> None:
    assert row(count_corpus(CORPUS), 1) == {"a": 1, "dog": 1, "ran": 1}
    assert row(count_corpus(CORPUS, stopwords="en"), 0) == {
        "cat": 2,
        "sat": 1,
        "mat": 1,
        "slept": 1,
    }
    assert row(count_corpus(CORPUS, n=2), 1) == {"a dog": 1, "dog ran": 1}


def test_samples_are_of_one_size_and_repeat() -> None:
    drawn = count_corpus(CORPUS, sample=5, seed=3)
    assert drawn.ids == ["a", "c"] and drawn.totals.tolist() == [5, 5]
    assert any("shorter than 5 words: b" in note for note in drawn.notes)
    again = count_corpus(CORPUS, sample=5, seed=3)
    assert (drawn.matrix != again.matrix).nnz == 0
    whole = count_corpus(CORPUS)
    assert (drawn.matrix[0].toarray() <= whole.matrix[0].toarray()).all()


def test_any_kind_of_text_is_counted_alike() -> None:
    text = "The cat sat."
    ways: list[Text] = [
        text,
        lx.Document("x", text),
        lx.Bag.of(["the", "cat", "sat"]),
        ["the", "cat", "sat"],
    ]
    for way in ways:
        assert row(count_texts([way, ["cat"]]), 0) == {"the": 1, "cat": 1, "sat": 1}


def test_bad_texts_are_told() -> None:
    with pytest.raises(InputError, match="A text is"):
        count_texts([3, "a"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="negative"):
        count_texts([lx.Bag({"a": -1}), ["a"]])
    with pytest.raises(InputError, match="No document"):
        count_corpus(CORPUS, sample=50)
    with pytest.raises(InputError, match="single words"):
        count_corpus(CORPUS, sample=5, n=2)


def test_fractions_cannot_be_resampled() -> None:
    half = lx.Bag({"a": 0.5, "b": 1})
    assert np.isfinite(divergence(half, ["a", "b"]).value)
    with pytest.raises(InputError, match="fractions"):
        divergence(half, ["a", "b"], interval=0.9)


@pytest.mark.parametrize("n", [1, 2])
def test_corpora_are_compared_as_their_texts_are(n: int) -> None:
    texts = [
        "The cat sat on a mat, and the cat ran.",
        "A dog and a cat ran on the mat. Then it sat.",
    ]
    corpora = [lx.Corpus.of([text]) for text in texts]
    assert count_texts(corpora, n=n).types == count_texts(texts, n=n).types
    options: dict[str, Any] = {"n": n, "interval": 0.9, "p": True, "resamples": 20}
    expected = divergence(*texts, **options)
    assert divergence(corpora[0], corpora[1], **options) == expected
    assert divergence(corpora[0], lx.Document("b", texts[1]), **options) == expected
    whole = lx.Corpus.of(["The cat sat on a mat,", "and the cat ran."])
    assert row(count_texts([whole, texts[1]]), 0) == row(count_texts(texts), 0)
    assert count_texts(corpora, ids=["x", "y"]).ids == ["x", "y"]
