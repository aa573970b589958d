"""Keyness: by hand, beside SciPy's G test, and the corrections beside SciPy's and slow ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, false_discovery_control

import lexfield as lx
from lexfield.bags.bag import Bag
from lexfield.bags.keyness import correct_p_values, dunning_g2, keyness
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus


def test_by_hand() -> None:
    """10 of 100 against 10 of 300 tokens: 5 and 15 expected, and 95 and 285 of the others."""
    found = keyness(Bag({"sea": 10, "x": 90}), Bag({"sea": 10, "x": 290}))
    sea = {word.word: word for word in found}["sea"]
    expected = 2 * (
        10 * math.log(10 / 5) + 10 * math.log(10 / 15)
        + 90 * math.log(90 / 95) + 290 * math.log(290 / 285)
    )  # fmt: skip
    assert sea.g2 == pytest.approx(expected)
    assert (sea.count_a, sea.count_b, sea.more_in) == (10, 10, "A")
    assert sea.million_a == 100_000 and sea.million_b == pytest.approx(33_333.33)
    assert sea.log_ratio == pytest.approx(math.log2(3))  # three times as frequent
    assert sea.diff == pytest.approx(200)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 500), st.integers(1, 500))
def test_beside_scipy(a: int, b: int, rest_a: int, rest_b: int) -> None:
    ours = dunning_g2(np.array([a], float), np.array([b], float), a + rest_a, b + rest_b)
    if a + b == 0:
        assert ours[0] == pytest.approx(0)
        return
    table = [[a, b], [rest_a, rest_b]]
    theirs = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert ours[0] == pytest.approx(theirs.statistic, abs=1e-9, rel=1e-9)
    others = Bag({"w": a, "x": rest_a}), Bag({"w": b, "x": rest_b})
    found = {w.word: w for w in keyness(*others, least=1, correction="none")}
    assert found["w"].p == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    assert (found["w"].more_in == "A") == (a * (b + rest_b) >= b * (a + rest_a))


def test_a_word_of_one_text_only() -> None:
    """10 times in 100 tokens, never in the other 900: 1 expected."""
    expected = 2 * (10 * math.log(10) + 90 * math.log(90 / 99) + 900 * math.log(900 / 891))
    value = dunning_g2(np.array([10.0]), np.array([0.0]), 100.0, 900.0)
    assert value[0] == pytest.approx(expected)


counts = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 30), min_size=1)


@given(counts, counts)
def test_the_other_way_round(a: dict[str, int], b: dict[str, int]) -> None:
    one, other = keyness(Bag(a), Bag(b), least=1), keyness(Bag(b), Bag(a), least=1)
    mirrored = {word.word: word for word in other}
    assert len(one) == len(other) == len(a.keys() | b.keys())
    for word in one:
        assert word.g2 == pytest.approx(mirrored[word.word].g2, abs=1e-9)
        assert word.log_ratio == pytest.approx(-mirrored[word.word].log_ratio)
    values = [word.g2 for word in one]
    assert values == sorted(values, reverse=True)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections(p: list[float]) -> None:
    values = np.array(p)
    holm = correct_p_values(values, "holm")
    order = np.argsort(values, kind="stable")
    largest = 0.0
    for place, i in enumerate(order):  # step down: the smallest is multiplied by all
        largest = max(largest, min(1.0, values[i] * (len(p) - place)))
        assert holm[i] == pytest.approx(largest)
    assert np.allclose(correct_p_values(values, "bh"), false_discovery_control(values))
    assert np.allclose(correct_p_values(values, "bonferroni"), np.minimum(1, values * len(p)))
    assert correct_p_values(values, "none") is values
    assert (holm <= correct_p_values(values, "bonferroni") + 1e-12).all()
    assert (correct_p_values(values, "bh") <= holm + 1e-12).all()


def test_a_word_that_one_side_lacks_counts_as_half() -> None:
    found = {w.word: w for w in keyness(Bag({"a": 8, "x": 92}), Bag({"x": 100}), least=1)}
    assert found["a"].log_ratio == pytest.approx(math.log2(8 / 0.5))
    assert found["a"].diff == pytest.approx(1500)


def test_texts_minimum_and_ngrams(sample: Corpus) -> None:
    one = Corpus.of(["the sea the sea the sea the sea and the salt"])
    found = keyness(one, sample, least=4)
    assert found[0].word == "sea" and found[1].word == "the"
    assert "words occur fewer than 4 times" in found.notes[0]
    pairs = keyness(one, sample, n=2, least=4)
    assert pairs[0].word == "sea the" or pairs[0].word == "the sea"
    assert pairs[0].more_in == "A"
    assert not len(keyness(one, one, least=1000))


def test_bad_input(sample: Corpus) -> None:
    with pytest.raises(InputError, match="min_count must be"):
        lx.keyness(sample, sample, min_count=0)
    with pytest.raises(InputError, match="correction must be"):
        lx.keyness(sample, sample, correction="tukey")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="B has no words"):
        keyness(sample, Bag())
    with pytest.raises(InputError, match="A has no 9-grams"):
        keyness(Corpus.of(["too short"]), sample, n=9)
    with pytest.raises(InputError, match="needs counts"):
        keyness(Bag({"a": -1}), sample)
