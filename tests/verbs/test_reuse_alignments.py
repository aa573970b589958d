"""Alignments of passages: every word once, and what is said to be in order is in order."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

import lexfield as lx
from lexfield.reuse.describe import PassagePair
from lexfield.reuse.passages import _claim, find_moved
from lexfield.reuse.scoring import AlignmentScorer, WordAlignment
from lexfield.text.segment import sentence_spans, split_words
from tests.verbs.test_reuse import align, read


def check_alignment(pair: PassagePair, texts: dict[str, str]) -> None:
    """Spans end with aligned words, every word is in one step, and no word that was not moved
    stands before one that comes before it in the other text."""
    for side, span in (("a", pair.a), ("b", pair.b)):
        text = texts[span.document]
        assert text[span.start : span.end] == span.text
        steps = sorted(getattr(step, side) for step in pair.alignment if getattr(step, side))
        words = [word for start, end in steps for word in split_words(text[start:end])]
        assert words == split_words(span.text)
        aligned = sorted(getattr(step, side) for step in pair.alignment if step.a and step.b)
        assert (aligned[0][0], aligned[-1][1]) == (span.start, span.end)
    both = [(step.b, step.moved) for step in pair.alignment if step.a and step.b]
    places = [place for place, moved in both if place and not moved]
    assert places == sorted(places)
    every = [place for place, _ in both if place]
    assert (every == sorted(every)) == (not any(moved for _, moved in both))


def shuffle(seed: int) -> tuple[str, str, int]:
    """Two texts with the same short sentences in another order, and how many words these have."""
    random = np.random.default_rng(seed)
    text = read(str(random.choice(["carter-garden", "weiss-sea", "pell-market"])))
    count = int(random.integers(4, 12))
    sentences = [text[start:end] for start, end in sentence_spans(text)[3 : 3 + count]]
    words = split_words(" ".join(sentences))
    other = [sentences[k] for k in random.permutation(count)]
    hosts = read("pell-sea"), read("voss-school")
    a, b = (f"{h} {' '.join(s)} {h[:200]}" for h, s in zip(hosts, (sentences, other), strict=True))
    return a, b, len(words)


@pytest.mark.parametrize("seed", range(12))
def test_shuffled_sentences_are_one_passage_with_every_word_once(seed: int) -> None:
    a, b, count = shuffle(seed)
    found = lx.reuse(a, b)
    for pair in found.pairs:
        check_alignment(pair, {"a": a, "b": b})
    (pair,) = found.pairs
    assert min(pair.a.words, pair.b.words) > 0.9 * count
    assert max(pair.a.words, pair.b.words) < 1.1 * count + 3


class OneNat:
    """Scores every pair of words alike."""

    def score(self, _: int, __: int, pairs: np.ndarray) -> WordAlignment:
        return align(pairs.tolist())


def test_no_word_is_in_two_parts_of_a_passage() -> None:
    best = align([(n, n) for n in range(40)])
    again = align([(n + 20, n + 90) for n in range(36)])  # the first words a second time
    little = align([(n + 60, n + 30) for n in range(20)])  # of which ten are left
    kept = _claim(cast(AlignmentScorer, OneNat()), 0, 1, [little, again, best])
    assert [one.box for one in kept] == [(0, 39, 0, 39), (40, 55, 110, 125)]


def test_words_are_moved_that_are_off_the_longest_chain() -> None:
    outer = [(n, n) for n in range(5)] + [(n, n) for n in range(8, 12)]
    inner = [(n, n + 20) for n in range(5, 8)]  # in the gap of the other in a, behind it in b
    moved = find_moved([align(outer), align(inner)])
    assert [one.tolist() for one in moved] == [[False] * 9, [True] * 3]
    assert not np.concatenate(find_moved([align(outer[:5]), align(inner)])).any()
