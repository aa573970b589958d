"""Words by rank, Heaps' law, and the figures of a text."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.ranks.cloud import (
    count_growth,
    count_text,
    find_distinct_sentences,
    fit_heaps,
    rank_ngrams,
)
from lexfield.text.corpus import Corpus

TEXT = "The cat saw the dog. The dog ran. The cat saw THE dog! A bird."


def test_words_and_pairs_by_rank() -> None:
    corpus = Corpus.of([TEXT])
    counts, words = rank_ngrams(corpus)
    assert counts.tolist() == [5, 3, 2, 2, 1, 1, 1]
    assert words[0] == "the" and words[1] == "dog"
    counts, grams = rank_ngrams(corpus, 2)
    # the cat 2, cat saw 2, saw the 2, the dog 3, dog ran, a bird
    assert counts.tolist() == [3, 2, 2, 2, 1, 1]
    assert grams[0] == "the dog"
    assert sorted(grams[:4]) == ["cat saw", "saw the", "the cat", "the dog"]
    assert len(grams) == 6


def test_figures_by_hand() -> None:
    figures = count_text(Corpus.of([TEXT]))
    assert (figures.tokens, figures.types, figures.once) == (15, 7, 3)
    assert figures.sentences == 3  # the third repeats the first in other letters
    assert figures.ratio == pytest.approx(7 / 15)
    assert figures.ratio_of_1000 is None and figures.heaps_b is None
    assert figures.unembedded is None
    known = np.array([True] * 5 + [False] * 2)
    assert count_text(Corpus.of([TEXT]), known, 2).unembedded == 2


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60))
def test_growth_counts_distinct_words(numbers: list[int]) -> None:
    assert count_growth(np.array(numbers, np.int32)).tolist() == [
        len(set(numbers[: i + 1])) for i in range(len(numbers))
    ]


def test_heaps_recovers_its_law() -> None:
    # token n is new exactly when floor(3 n^0.6) grows
    law = np.floor(3 * np.arange(1, 50_001) ** 0.6)
    tokens = np.where(np.diff(law, prepend=0) > 0, law, 0).astype(np.int32)
    found = fit_heaps(tokens)
    assert found[1] == pytest.approx(0.6, abs=0.02)
    assert found[0] == pytest.approx(3, rel=0.15)
    assert fit_heaps(tokens[:50]) == (None, None)


def test_ratio_of_stretches() -> None:
    corpus = Corpus.of(["word " * 1000 + " ".join(f"w{i}" for i in range(1000)) + " left over"])
    assert count_text(corpus).ratio_of_1000 == pytest.approx((0.001 + 1.0) / 2)


def test_distinct_sentences_beside_a_dictionary(sample: Corpus) -> None:
    kept = find_distinct_sentences(sample)
    words = [tuple(sample.sentence_tokens(row).tolist()) for row in range(len(sample.sentences))]
    first: dict[tuple[int, ...], int] = {}
    for row, key in enumerate(words):
        if key:
            first.setdefault(key, row)
    assert kept.tolist() == sorted(first.values())
    assert len(Counter(words[row] for row in kept)) == len(kept)
