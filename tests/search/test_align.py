"""Pairs of sentences that say the same, against every pair compared one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.index.rows import text_vectors
from lexfield.search.align import align
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus

SEA = """The old fisherman sailed his small boat through the cold grey storm.
The children planted tomatoes and beans in the garden behind the school.
A wolf ran quickly across the frozen river towards the dark forest."""
PORT = """Nobody in the quiet library noticed the clock striking twelve at night.
Through the icy storm an aged sailor steered his little boat bravely home.
Pupils grew beans and ripe tomatoes in the school garden every spring."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = [
        lx.Document("sea", SEA, metadata={"by": "ann"}),
        lx.Document("port", PORT, metadata={"by": "bob"}),
    ]
    return Index.build(Corpus.of(texts), tmp_path_factory.mktemp("align") / "two.idx")


def test_each_sentence_is_paired_with_the_one_that_says_the_same(index: Index) -> None:
    found = lx.align(index, "sea", "port", k=2)
    assert {(row.a.sentence, row.b.sentence) for row in found} == {(0, 1), (1, 2)}
    assert found[0].similarity >= found[1].similarity > 0.3
    assert found[0].a.text == SEA.splitlines()[found[0].a.sentence]


def test_groups_are_conditions(index: Index) -> None:
    groups, texts = lx.align(index, "by=ann", "by=bob", k=2), lx.align(index, "sea", "port", k=2)
    assert groups.results == texts.results
    filtered = lx.align(index, "by=ann,bob", "port", where="id=sea", k=2)
    assert filtered.results == texts.results


def test_the_best_pairs_are_those_of_comparing_all(index: Index) -> None:
    rows = index.rows("sentence")
    vectors = text_vectors(rows)
    is_left = np.arange(len(rows)) < 3
    left = {
        (i, j): float(vectors[i] @ vectors[j]) for i, j in itertools.product(range(3), range(3, 6))
    }
    expected = []
    while left and (best := max(left, key=lambda pair: left[pair])) and left[best] >= 0.3:
        expected.append((best, left[best]))
        left = {pair: cosine for pair, cosine in left.items() if not set(pair) & set(best)}
    found = align(rows, is_left, ~is_left, 10).pairs
    assert found and [(i, j) for i, j, _ in found] == [pair for pair, _ in expected][: len(found)]
    for (*_, cosine), (_, other) in zip(found, expected, strict=False):
        assert cosine == pytest.approx(other, abs=1e-5)


def test_chosen_rows_have_the_vectors_of_all(index: Index) -> None:
    rows = index.rows("sentence")
    assert np.allclose(text_vectors(rows, np.array([1, 4])), text_vectors(rows)[[1, 4]])


@pytest.mark.parametrize(("side", "message"), [("nobody", "has no document"), ("by=eve", "eve")])
def test_a_side_that_is_not_there_is_named(index: Index, side: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lx.align(index, "sea", side)
