"""Lists return the rows that hold a word and how often, however they are stored."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lexfield.index.lists import count_holding, make_lists
from lexfield.index.postings import DocumentPostings, Postings
from lexfield.text.corpus import Corpus

ROWS = 70_000  # more than a chunk


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Sentences of words of all degrees of frequency, some several times in one."""
    draw = np.random.default_rng(3)
    chances = {"dense": 0.5, "common": 0.05, "seldom": 0.004, "sparse": 0.0003, "last": 0.0}
    held = {word: draw.random(ROWS) < chance for word, chance in chances.items()}
    held["last"][-1] = held["common"][[0, 65_535, 65_536]] = True
    counts = {word: own * (1 + (draw.random(ROWS) < 0.2) * 3) for word, own in held.items()}
    counts["common"][65_536] = 300
    texts = [
        " ".join(word for word, own in counts.items() for _ in range(own[row])).title() or "Other"
        for row in range(ROWS)
    ]
    documents = [". ".join(texts[first : first + 50]) + "." for first in range(0, ROWS, 50)]
    made = Corpus.of(documents, language="en")
    assert len(made.sentences) == ROWS
    return made


def expect(corpus: Corpus, starts: np.ndarray, word: int) -> tuple[list[int], list[int]]:
    ends = np.flatnonzero(np.asarray(corpus.tokens) == word)
    found = Counter((np.searchsorted(starts, ends, "right") - 1).tolist())
    return sorted(found), [found[row] for row in sorted(found)]


def test_every_list_is_that_of_a_scan(corpus: Corpus) -> None:
    lists = make_lists(corpus)
    own = Postings(lists)
    documents = DocumentPostings(own, corpus, None)
    words = corpus.vocabulary.words
    common = [words[number] for number in lists.common.tolist()]
    assert sorted(common) == ["common", "seldom"]
    for number in range(len(words)):
        rows, counts = own.find(number)
        assert (rows.tolist(), counts.tolist()) == expect(corpus, corpus.token_offsets, number)
        assert lists.sizes[number] == len(rows)
        starts = corpus.token_offsets[corpus.sentence_offsets]
        rows, counts = documents.find(number)
        assert (rows.tolist(), counts.tolist()) == expect(corpus, starts, number)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 1, 3, 1], [2], []])
def test_several_lists_follow_each_other(corpus: Corpus, order: list[int]) -> None:
    own = Postings(make_lists(corpus))
    for lists in (own, DocumentPostings(own, corpus, None)):
        rows, counts, sizes = lists.find_all(np.array(order, np.int64))
        each = [lists.find(word) for word in order]
        assert rows.tolist() == [row for found, _ in each for row in found.tolist()]
        assert counts.tolist() == [count for _, found in each for count in found.tolist()]
        assert sizes.tolist() == [len(found) for found, _ in each]


def test_rows_of_terms_are_counted_once(corpus: Corpus) -> None:
    ids = {word: number for number, word in enumerate(corpus.vocabulary.words)}
    terms = np.array([word in ("common", "seldom") for word in ids], np.int32)
    own = Postings(make_lists(corpus))
    either = np.union1d(own.find(ids["common"])[0], own.find(ids["seldom"])[0])
    assert count_holding(corpus, corpus.token_offsets, terms)[1] == len(either)


def test_no_words_have_no_lists() -> None:
    lists = make_lists(Corpus.of(["...", "!"]))
    assert len(lists.sizes) == len(lists.data) == len(lists.low) == len(lists.common) == 0
