"""Passages of collections: plain dynamic programming finds no more, and chance is kept."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexfield.reuse import scoring
from lexfield.reuse.find import Shared, count_area, find_shared
from lexfield.reuse.passages import compute_chance, find_least
from lexfield.reuse.scoring import COSTS, UNIT, Scores, find_threshold
from lexfield.reuse.seeds import _INFORMATIVE
from lexfield.reuse.words import CorpusWords, mark_repeated
from lexfield.text.corpus import Corpus
from lexfield.vectors.threshold import threshold
from lexfield.vectors.wordvectors import WordVectors


def share(*texts: str, chance: float = 0.01) -> Shared:
    return find_shared(CorpusWords.of(Corpus.of(list(texts)), WordVectors.default()), chance=chance)


def draw_text(random: np.random.Generator, length: int, vocabulary: list[str]) -> list[str]:
    """Words by Zipf's law."""
    ranks = np.arange(1, len(vocabulary) + 1)
    drawn = random.choice(vocabulary, length, p=(1 / ranks) / (1 / ranks).sum())
    return [str(word) for word in drawn]


VOCABULARY = [f"w{number}x" for number in range(400)]  # words without vectors or stems


def score_all(words: CorpusWords) -> Scores:
    every = np.ones(len(words.information), bool)
    return Scores.of(words, every, every)


def align_slowly(words: CorpusWords) -> int:
    """The best score of two documents by plain dynamic programming (Smith and Waterman)."""
    scores = score_all(words)
    table = {
        (u, int(scores.others[at])): int(scores.values[at])
        for u in range(len(scores.own))
        for at in range(scores.starts[u], scores.starts[u + 1])
    }
    a, b = words.get_tokens(0).tolist(), words.get_tokens(1).tolist()
    low = -(10**9)
    best = 0
    h, f = [0] * (len(b) + 1), [low] * (len(b) + 1)
    for u in a:
        diagonal, left, e = 0, 0, low
        for j, v in enumerate(b, 1):
            e = max(left - COSTS[1], e - COSTS[2])
            f[j] = max(h[j] - COSTS[1], f[j] - COSTS[2])
            left = max(0, diagonal + table.get((u, v), -COSTS[0]), e, f[j])
            diagonal, h[j] = h[j], left
            best = max(best, left)
    return int(best)


def score_aligned(shared: Shared) -> float:
    """The best score of the alignments that were found, before discounts."""
    words = shared.words
    best = 0.0
    for passage in shared.passages:
        a, b = words.get_tokens(passage.a), words.get_tokens(passage.b)
        scores = score_all(words)
        for part in passage.parts:
            total = 0.0
            for number, (i, j) in enumerate(part.pairs.tolist()):
                own = slice(scores.starts[a[i]], scores.starts[a[i] + 1])
                place = np.flatnonzero(scores.others[own] == b[j])
                total += scores.values[own][place[0]]
                if number:  # words opposite each other, and the rest of the longer gap
                    gaps = part.pairs[number] - part.pairs[number - 1] - 1
                    more = int(gaps.max() - gaps.min())
                    total -= gaps.min() * COSTS[0]
                    total -= COSTS[1] + (more - 1) * COSTS[2] if more else 0
            best = max(best, total)
    return best


def plant(seed: int) -> tuple[str, str, list[str]]:
    """Two random texts that share a passage, and the words that both have of it."""
    random = np.random.default_rng(seed)
    a, b = (draw_text(random, 80, VOCABULARY) for _ in "ab")
    passage = draw_text(random, 25, VOCABULARY)
    edited = [w for w in passage if random.random() > 0.1]
    place, other = random.integers(0, 80, 2)
    texts = a[:place] + passage + a[place:], b[:other] + edited + b[other:]
    return " ".join(texts[0]), " ".join(texts[1]), edited


@settings(max_examples=15)
@example(91288)  # nothing is reported
@example(1733)
@given(st.integers(0, 10**6))
def test_planted_passages_are_found_as_plain_dynamic_programming_finds_them(seed: int) -> None:
    a, b, passage = plant(seed)
    shared = share(a, b, chance=1)
    best = align_slowly(shared.words)
    if not shared.passages:  # as in one of some hundred texts: hardly any word begins a seed
        tell = [shared.words.information[shared.words.corpus.vocabulary.id(w)] for w in passage]
        assert sum(one >= _INFORMATIVE for one in tell) < 6
        return
    assert best - 24 * UNIT <= score_aligned(shared) <= best  # without two loose ends
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "_TAIL", -np.inf)
        assert score_aligned(share(a, b, chance=1)) == best


def test_random_texts_share_no_more_than_chance_promises() -> None:
    random = np.random.default_rng(1)
    limits = (0.01, 0.1, 1.0)
    found = np.zeros(3)
    for _ in range(40):
        texts = [" ".join(draw_text(random, 2000, VOCABULARY)) for _ in "ab"]
        shared = share(*texts, chance=1.0)
        chances = [compute_chance(one.score, shared.area) for one in shared.passages]
        found += [sum(chance < limit for chance in chances) for limit in limits]
    assert (found <= [3, 9, 52]).all(), found  # 40 times the limits, and two deviations more


def test_chance_is_for_everything_that_was_compared() -> None:
    lengths = np.array([10, 20, 30])
    assert count_area(lengths, None) == 10 * 20 + 10 * 30 + 20 * 30
    assert count_area(lengths, np.array([0, 1, 1])) == 10 * 50
    for area in (1e3, 1e9, 1e13):
        least = find_least(0.01, area)
        assert compute_chance(least, area) == pytest.approx(0.01, rel=1e-3)


def test_one_word_repeated_a_million_times_takes_linear_time() -> None:
    share("ho " * 100, "ho " * 100)  # compiled
    start = time.process_time()
    shared = share("ho " * 1_000_000, "ho " * 1_000_000)
    assert time.process_time() - start < 30
    assert len(shared.passages) <= 1


def test_similar_words_are_those_above_the_threshold_of_the_vectors() -> None:
    vectors = WordVectors.default()
    low = threshold(vectors, sample=1000).interval[0]
    assert find_threshold(vectors) == pytest.approx(low, abs=0.03)


def test_rare_words_tell_more_and_numbers_little() -> None:
    corpus = Corpus.of(["The barometer fell in chapter xiv of 1834.", "The sea."])
    words = CorpusWords.of(corpus, WordVectors.default())
    tell = {w: words.information[corpus.vocabulary.id(w)] for w in corpus.vocabulary}
    assert tell["barometer"] > tell["sea"] > tell["the"]
    assert tell["xiv"] <= 2 and tell["1834"] <= 2
    assert UNIT == 100


def test_repeated_keys_are_marked_and_few_others() -> None:
    keys = np.random.default_rng(4).integers(0, 2**63, 20_000).astype(np.uint64)
    keys[-3:] = keys[:3]
    keys[-4] = keys[0]
    for least, own in ((2, [0, 1, 2, -3, -2, -1]), (3, [0, -4, -3])):
        marks = mark_repeated(keys, least)
        assert marks[own].all() and marks.mean() < 0.25
    assert mark_repeated(keys, 5).mean() < 0.001
