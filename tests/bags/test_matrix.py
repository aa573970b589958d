from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.bags.bag import Bag
from lexfield.bags.matrix import BagMatrix
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus


def test_hand_made() -> None:
    corpus = Corpus.of(["a b a. A b.", "b c", ""])
    words = BagMatrix.of(corpus)
    assert words.shape == (3, 3)
    assert words.bag(0) == {"a": 3, "b": 2}
    assert words.bag(2) == Bag()
    assert words.postings("b") == {0: 2, 1: 1}
    assert words.postings("zebra") == Bag()
    assert words.total() == {"a": 3, "b": 3, "c": 1}
    assert words.frequencies().toarray()[0].tolist() == [0.6, 0.4, 0.0]
    pairs = BagMatrix.of(corpus, 2)
    assert pairs.bag(0) == {"a b": 2, "b a": 1}
    assert BagMatrix.of(corpus, 2, unit="sentence").shape[0] == 3
    assert BagMatrix.of(corpus, 9).shape == (3, 0)


@given(st.lists(st.text("ab c.", max_size=30), min_size=1, max_size=5), st.integers(1, 4))
def test_against_bags_of_sentences(texts: list[str], n: int) -> None:
    corpus = Corpus.of(texts)
    matrix = BagMatrix.of(corpus, n)
    by_sentence = BagMatrix.of(corpus, n, unit="sentence")
    expected = [Bag() for _ in texts]
    for row in range(len(corpus.sentences)):
        words = [corpus.vocabulary.words[t] for t in corpus.sentence_tokens(row)]
        assert by_sentence.bag(row) == Bag.of(words, n=n)
        expected[corpus.document_of(row)] += Bag.of(words, n=n)
    assert [matrix.bag(row) for row in range(len(texts))] == expected
    assert matrix.total() == sum(expected, Bag())
    np.testing.assert_array_equal(matrix.transpose.toarray().T, matrix.counts.toarray())


def test_bad_use(sample: Corpus) -> None:
    with pytest.raises(InputError, match="unit must be"):
        BagMatrix.of(sample, unit="page")
    with pytest.raises(InputError, match="n must be"):
        BagMatrix.of(sample, 0)
